/** Tools and the choice among them. */
import type { ChatRequest, ToolChoice } from '../../core/chat.ts'
import type { EncodeOptions } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Tool } from '../../core/model.ts'
import { normalizeTools } from '../../core/schema/tool.ts'
import { objectsIn } from '../history-call.ts'
import { strictSchema } from '../openai-strict.ts'
import { compactDefinition, schemaObject, type ToolEncoding } from '../tool-definition.ts'

export const responsesTools: ToolEncoding = {
  isEncoded: isResponsesTool,
  encode: (tool) => encodeTool(tool),
  compact: (tool) => compactDefinition(tool, 'parameters'),
}

/** Left out, `strict` does not mean false: the server then tries it on its own. */
function encodeTool(tool: Tool, { report }: EncodeOptions = {}): JsonObject {
  const { name, description, inputSchema, strict = false } = tool
  const made = strict
    ? strictSchema(inputSchema, (path, loss) => {
        const place = path === '' ? name : `${name} at ${path}`
        report?.({ code: 'not-expressible', message: `the parameters of ${place}: ${loss}` })
      })
    : undefined
  return {
    type: 'function',
    name,
    ...(description !== undefined && { description }),
    parameters: made ?? schemaObject(inputSchema),
    strict: made !== undefined,
  }
}

/** All tools but functions are the provider's own or take text, and have no schema. */
function isResponsesTool(tool: JsonObject): boolean {
  const { type, name, parameters, function: nested } = tool as Record<string, unknown>
  if (type === 'function') return typeof name === 'string' && isJsonObject(parameters)
  return typeof type === 'string' && nested === undefined && !('inputSchema' in tool)
}

/** The fields of a request about tools; `own` are those that only this dialect knows. */
export function encodeToolFields(
  request: ChatRequest,
  own: JsonObject,
  options: EncodeOptions = {},
): JsonObject {
  const { tools = [], toolChoice } = request
  const known = objectsIn(own['tools'])
  const encoded = tools.map(
    (tool) => known.find(({ name }) => name === tool.name) ?? encodeFor(tool, options),
  )
  const all = [...encoded, ...known.filter((tool) => !encoded.includes(tool))]
  if (all.length === 0) return {}
  return { tools: all, ...(toolChoice !== undefined && encodeAllowed(toolChoice, options)) }
}

/** A service that does not know the field may refuse it. */
function encodeFor(tool: Tool, options: EncodeOptions): JsonObject {
  if (options.quirks?.strict !== false) return encodeTool(tool, options)
  const { strict: _, ...loose } = encodeTool({ ...tool, strict: false })
  return loose
}

function encodeAllowed(choice: ToolChoice, { quirks, report }: EncodeOptions): JsonObject {
  const kind = typeof choice === 'string' ? choice : 'named'
  if (!quirks?.toolChoices || quirks.toolChoices.includes(kind)) return encodeChoice(choice)
  report?.({ code: 'not-expressible', message: `the service has no tool choice ${kind}` })
  return {}
}

export function encodeChoice(choice: ToolChoice): JsonObject {
  if (typeof choice === 'string') return { tool_choice: choice }
  if ('name' in choice) return { tool_choice: { type: 'function', name: choice.name } }
  const { names, required = false } = choice
  const tools = names.map((name) => ({ type: 'function', name }))
  const mode = required ? 'required' : 'auto'
  return { tool_choice: { type: 'allowed_tools', mode, tools } }
}

/** Tools, the choice among them, and what of both only this dialect knows. */
export function decodeToolFields(body: JsonObject): {
  readonly settings: Partial<ChatRequest>
  readonly rest: JsonObject
} {
  const entries = objectsIn(body['tools'])
  const tools = entries.flatMap(decodeTool)
  const others = entries.filter((tool) => !isPlainFunction(tool))
  const { tool_choice: choice } = body as { tool_choice?: JsonValue }
  const toolChoice = decodeChoice(choice)
  return {
    settings: {
      ...(tools.length > 0 && { tools: normalizeTools(tools) }),
      ...(toolChoice !== undefined && { toolChoice }),
    },
    rest: {
      ...(others.length > 0 && { tools: others }),
      ...(choice !== undefined && toolChoice === undefined && { tool_choice: choice }),
    },
  }
}

const FUNCTION_KEYS: ReadonlySet<string> = new Set([
  ...['type', 'name', 'description', 'parameters', 'strict'],
])

function isPlainFunction(tool: JsonObject): boolean {
  return tool['type'] === 'function' && Object.keys(tool).every((key) => FUNCTION_KEYS.has(key))
}

/** A tool that takes text is one with the parameter `input`, as its calls are read. */
function decodeTool(tool: JsonObject): JsonObject[] {
  const { type, name, description, parameters, strict, tools } = tool as Record<
    string,
    JsonValue | undefined
  >
  if (type === 'namespace') return objectsIn(tools).flatMap(decodeTool)
  if (typeof name !== 'string' || (type !== 'function' && type !== 'custom')) return []
  const text = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] }
  return [
    {
      name,
      ...(typeof description === 'string' && { description }),
      ...(type === 'custom' && { parameters: text }),
      ...(isJsonObject(parameters) && { parameters }),
      ...(typeof strict === 'boolean' && { strict }),
    },
  ]
}

/** `auto`, `none`, `required`, one tool by name, or some of them. */
function decodeChoice(choice: JsonValue | undefined): ToolChoice | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice
  if (!isJsonObject(choice)) return undefined
  const { type, name, mode, tools } = choice as Record<string, JsonValue | undefined>
  if (type === 'allowed_tools') {
    const names = objectsIn(tools).flatMap((tool) => textOf(tool['name']))
    return { names, ...(mode === 'required' && { required: true }) }
  }
  const [only] = type === 'function' || type === 'custom' ? textOf(name) : []
  return only === undefined ? undefined : { name: only }
}

function textOf(value: JsonValue | undefined): string[] {
  return typeof value === 'string' ? [value] : []
}

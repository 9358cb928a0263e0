/** Tools and the choice among them in OpenAI's form, which many services share. */
import type { ChatRequest, ToolChoice } from '../../core/chat.ts'
import type { EncodeOptions } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Tool } from '../../core/model.ts'
import { normalizeTools } from '../../core/schema/tool.ts'
import { objectsIn } from '../history-call.ts'
import { strictSchema } from '../openai-strict.ts'
import {
  compactDefinition,
  schemaObject,
  schemaWithout,
  type ToolEncoding,
} from '../tool-definition.ts'

/** The form of definitions that OpenAI, Ollama and all compatible servers share. */
export const openaiTools: ToolEncoding = {
  isEncoded: isOpenaiTool,
  encode: encodeTool,
  compact: (tool) =>
    isJsonObject(tool['function'])
      ? { ...tool, function: compactDefinition(tool['function'], 'parameters') }
      : tool,
}

function encodeTool({ name, description, inputSchema, strict }: Tool): JsonObject {
  return {
    type: 'function',
    function: {
      name,
      ...(description !== undefined && { description }),
      parameters: schemaObject(inputSchema),
      ...(strict !== undefined && { strict }),
    },
  }
}

// Custom tools take text, so they have no schema that could be missing.
function isOpenaiTool(tool: JsonObject): boolean {
  const { type, function: definition, custom } = tool as Record<string, unknown>
  if (type === 'custom') return isJsonObject(custom)
  if (type !== 'function' || !isJsonObject(definition)) return false
  return typeof definition['name'] === 'string' && isJsonObject(definition['parameters'])
}

/**
 * The fields of a request about tools. An empty list is refused by OpenAI and others. `kept` are the
 * definitions that a request came with and that are no functions.
 */
export function encodeOpenaiTools(
  request: ChatRequest,
  options: EncodeOptions = {},
  kept?: JsonValue,
): JsonObject {
  const { tools: given = [], toolChoice } = request
  const { quirks = {}, report } = options
  const tools = withKept(
    given.map((tool) => encodeTool(forService(tool, options))),
    objectsIn(kept),
  )
  if (tools.length === 0) return {}
  if (toolChoice === undefined) return { tools }
  const kind = typeof toolChoice === 'string' ? toolChoice : 'named'
  if (quirks.toolChoices && !quirks.toolChoices.includes(kind)) {
    report?.({ code: 'not-expressible', message: `the service has no tool choice ${kind}` })
    return { tools }
  }
  return { tools, ...encodeChoice(toolChoice) }
}

/** The tool as the service takes it: strict only where it can be, and without what is refused. */
function forService(tool: Tool, { quirks = {}, report }: EncodeOptions): Tool {
  const { strict: flag, inputSchema, ...rest } = tool
  const { strict: isKnown = true, schemaWithout: refused = [] } = quirks
  const tell = (path: string, loss: string): void =>
    report?.({ code: 'not-expressible', message: `strict ${tool.name}${path}: ${loss}` })
  const strict = flag && isKnown ? strictSchema(inputSchema, tell) : undefined
  const schema = strict ?? inputSchema
  return {
    ...rest,
    inputSchema: refused.length > 0 ? schemaWithout(schemaObject(schema), refused) : schema,
    ...(isKnown && flag !== undefined && { strict: strict !== undefined }),
  }
}

/** Definitions that are no functions, as they came. */
function withKept(tools: readonly JsonObject[], kept: readonly JsonObject[]): JsonObject[] {
  const texts = new Map(
    kept.flatMap((tool) => (isJsonObject(tool['custom']) ? [[tool['custom']['name'], tool]] : [])),
  )
  const named = tools.map((tool) => {
    const { function: definition } = tool
    return texts.get(isJsonObject(definition) ? definition['name'] : undefined) ?? tool
  })
  return [...named, ...kept.filter(({ custom }) => !isJsonObject(custom))]
}

/** The tools of a request; what is no function is kept as it came as well. */
export function decodeOpenaiTools(entries: readonly JsonObject[]): {
  readonly tools: Tool[]
  readonly kept: JsonObject[]
} {
  const functions = entries.map(asFunction)
  return {
    tools: normalizeTools(functions.filter((tool) => tool !== undefined)),
    kept: entries.filter((tool, at) => functions[at] !== tool),
  }
}

const TEXT_SCHEMA: JsonObject = {
  type: 'object',
  properties: { input: { type: 'string' } },
  required: ['input'],
}

/** A tool that takes text is one with the parameter `input`, as its calls are read. */
function asFunction(tool: JsonObject): JsonObject | undefined {
  const { type, custom, name, function: definition } = tool as Record<string, JsonValue | undefined>
  if (type !== 'custom' || !isJsonObject(custom)) {
    return isJsonObject(definition) || name !== undefined ? tool : undefined
  }
  const { name: called, description } = custom as Record<string, JsonValue>
  return {
    name: called ?? null,
    ...(typeof description === 'string' && { description }),
    parameters: TEXT_SCHEMA,
  }
}

export function encodeChoice(choice: ToolChoice): JsonObject {
  if (typeof choice === 'string') return { tool_choice: choice }
  if ('name' in choice) {
    return { tool_choice: { type: 'function', function: { name: choice.name } } }
  }
  const { names, required = false } = choice
  const tools = names.map((name) => ({ type: 'function', function: { name } }))
  const allowed = { mode: required ? 'required' : 'auto', tools }
  return { tool_choice: { type: 'allowed_tools', allowed_tools: allowed } }
}

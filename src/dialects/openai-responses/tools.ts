/** Tools and the choice among them. */
import type { ChatRequest, ToolChoice } from '../../core/chat.ts'
import type { EncodeOptions } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Tool } from '../../core/model.ts'
import { normalizeTools } from '../../core/schema/tool.ts'
import { CUSTOM, readFreeform, TEXT_SCHEMA } from '../freeform.ts'
import { objectsIn } from '../history-call.ts'
import { strictSchema } from '../openai-strict.ts'
import { compactDefinition, schemaObject, type ToolEncoding } from '../tool-definition.ts'
import {
  type DeclaredTool,
  declaredKey,
  declaredTools,
  definitionsIn,
  isClients,
  keyOf,
  membersOf,
  SEARCH_KEY,
} from './declared-tools.ts'
import { createToolNames, SEARCH_CALL, type ToolNames, wireName } from './tool-names.ts'

const DIALECT = 'openai-responses'

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

/**
 * The fields of a request about tools; `own` are those that only this dialect knows. What the conversation declares
 * by an item of its own is not declared again.
 */
export function encodeToolFields(
  request: ChatRequest,
  own: JsonObject,
  conversation: JsonObject,
  options: EncodeOptions = {},
): JsonObject {
  const { tools = [], toolChoice } = request
  const inItems = new Set(membersOf(definitionsIn(conversation)).map(declaredKey))
  const listed = tools.filter((tool) => !inItems.has(keyOfTool(tool)))
  const all = [...encodeList(listed, options), ...objectsIn(own['tools'])]
  if (all.length === 0 && inItems.size === 0) return {}
  return {
    ...(all.length > 0 && { tools: all }),
    ...(toolChoice !== undefined && encodeAllowed(toolChoice, tools, options)),
  }
}

function keyOfTool(tool: Tool): string {
  if (tool.provider?.['type'] === SEARCH_CALL) return SEARCH_KEY
  return keyOf(wireName(tool), tool.provider?.['namespace'])
}

/** The tools in their order; a namespace is where its first tool is. */
function encodeList(tools: readonly Tool[], options: EncodeOptions): JsonObject[] {
  const namespaces = new Map<string, JsonObject[]>()
  return tools.flatMap((tool) => {
    const definition = definitionOf(tool, options)
    const { namespace: name } = tool.provider ?? {}
    if (typeof name !== 'string') return [definition]
    const members = namespaces.get(name)
    if (members) {
      members.push(definition)
      return []
    }
    const own = [definition]
    namespaces.set(name, own)
    const { namespace } = tool.extra?.[DIALECT] ?? {}
    const about = isJsonObject(namespace) ? namespace : { description: '' }
    return [{ ...about, type: 'namespace', name, tools: own }]
  })
}

/** The definition that the tool came with, or one that says the same. */
function definitionOf(tool: Tool, options: EncodeOptions): JsonObject {
  const { definition } = tool.extra?.[DIALECT] ?? {}
  const name = wireName(tool)
  if (isJsonObject(definition)) {
    return 'name' in definition ? { ...definition, name } : definition
  }
  const { description, freeform } = tool
  if (!freeform) return encodeFor({ ...tool, name }, options)
  return {
    type: 'custom',
    name,
    ...(description !== undefined && { description }),
    ...(freeform.grammar && { format: { type: 'grammar', ...freeform.grammar } }),
  }
}

/** A service that does not know the field may refuse it. */
function encodeFor(tool: Tool, options: EncodeOptions): JsonObject {
  if (options.quirks?.strict !== false) return encodeTool(tool, options)
  const { strict: _, ...loose } = encodeTool({ ...tool, strict: false })
  return loose
}

function encodeAllowed(
  choice: ToolChoice,
  tools: readonly Tool[],
  { quirks, report }: EncodeOptions,
): JsonObject {
  const kind = typeof choice === 'string' ? choice : 'named'
  if (!quirks?.toolChoices || quirks.toolChoices.includes(kind)) return encodeChoice(choice, tools)
  report?.({ code: 'not-expressible', message: `the service has no tool choice ${kind}` })
  return {}
}

/** `tools` tell what kind of tool is chosen; without them it is a function. */
export function encodeChoice(choice: ToolChoice, tools: readonly Tool[] = []): JsonObject {
  if (typeof choice === 'string') return { tool_choice: choice }
  const chosen = (name: string): JsonObject => chosenTool(name, tools)
  if ('name' in choice) return { tool_choice: chosen(choice.name) }
  const { names, required = false } = choice
  const mode = required ? 'required' : 'auto'
  return { tool_choice: { type: 'allowed_tools', mode, tools: names.map(chosen) } }
}

function chosenTool(name: string, tools: readonly Tool[]): JsonObject {
  const tool = tools.find((one) => one.name === name)
  const { type, namespace } = tool?.provider ?? {}
  if (type === SEARCH_CALL) return { type: 'tool_search' }
  return {
    type: tool?.freeform ? 'custom' : 'function',
    name: tool ? wireName(tool) : name,
    ...(namespace !== undefined && { namespace }),
  }
}

/** Tools, the choice among them, what of both only this dialect knows, and the names of the tools. */
export function decodeToolFields(body: JsonObject): {
  readonly settings: Partial<ChatRequest>
  readonly rest: JsonObject
  readonly names: ToolNames
} {
  const declared = declaredTools(body)
  const names = createToolNames(declared.keys())
  const tools = Array.from(declared, ([key, tool]) => decodeTool(tool, names.ofKey(key) ?? key))
  const hosted = objectsIn(body['tools']).filter((tool) => !isClients(tool))
  const { tool_choice: choice } = body as { tool_choice?: JsonValue }
  const toolChoice = decodeChoice(choice, declared, names)
  return {
    names,
    settings: {
      ...(tools.length > 0 && { tools }),
      ...(toolChoice !== undefined && { toolChoice }),
    },
    rest: {
      ...(hosted.length > 0 && { tools: hosted }),
      ...(choice !== undefined && toolChoice === undefined && { tool_choice: choice }),
    },
  }
}

type DeclaredTools = ReadonlyMap<string, DeclaredTool>

const FUNCTION_KEYS: ReadonlySet<string> = new Set([
  ...['type', 'name', 'description', 'parameters', 'strict'],
])

function isPlainFunction(tool: JsonObject): boolean {
  return tool['type'] === 'function' && Object.keys(tool).every((key) => FUNCTION_KEYS.has(key))
}

function decodeTool({ definition, namespace }: DeclaredTool, name: string): Tool {
  const { type, description, parameters, strict } = definition as Record<
    string,
    JsonValue | undefined
  >
  const isText = type === CUSTOM
  const [tool] = normalizeTools([
    {
      name,
      ...(typeof description === 'string' && { description }),
      ...(isText && { parameters: TEXT_SCHEMA }),
      ...(!isText && isJsonObject(parameters) && { parameters }),
      ...(typeof strict === 'boolean' && { strict }),
    },
  ])
  const { tools: _, ...about } = namespace ?? {}
  const isPlain = !namespace && isPlainFunction(definition)
  const provider = providerOf(type, namespace ? [about['name'], definition['name']] : undefined)
  return {
    ...(tool ?? { name, inputSchema: true }),
    ...(isText && { freeform: readFreeform(definition['format']) }),
    ...(provider && { provider }),
    ...(!isPlain && {
      extra: { [DIALECT]: { definition, ...(namespace && { namespace: about }) } },
    }),
  }
}

/** What calls of a definition's type are in the `provider` of a call, where they are no function calls. */
const CALL_TYPES: Readonly<Record<string, string>> = {
  custom: CUSTOM,
  tool_search: SEARCH_CALL,
}

/** What calls of the tool have as their `provider`. */
function providerOf(
  type: JsonValue | undefined,
  [namespace, name]: readonly (JsonValue | undefined)[] = [],
): JsonObject | undefined {
  const callType = CALL_TYPES[String(type)]
  const provider = {
    ...(callType !== undefined && { type: callType }),
    ...(typeof namespace === 'string' && namespace !== '' && { namespace, name: name ?? null }),
  }
  return Object.keys(provider).length > 0 ? provider : undefined
}

/** `auto`, `none`, `required`, one tool by name, or some of them. */
function decodeChoice(
  choice: JsonValue | undefined,
  declared: DeclaredTools,
  names: ToolNames,
): ToolChoice | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice
  if (!isJsonObject(choice)) return undefined
  const { type, mode, tools } = choice as Record<string, JsonValue | undefined>
  const namesFor = (chosen: JsonObject): string[] => chosenNames(chosen, declared, names)
  if (type === 'allowed_tools') {
    const allowed = objectsIn(tools).flatMap(namesFor)
    return { names: allowed, ...(mode === 'required' && { required: true }) }
  }
  const chosen = namesFor(choice)
  const [only] = chosen
  if (type === 'namespace') return chosen.length > 0 ? { names: chosen, required: true } : undefined
  return only === undefined ? undefined : { name: only }
}

/** The tools that an entry of a choice means, a namespace all of its own. */
function chosenNames(
  { type, name, namespace }: Partial<JsonObject>,
  declared: DeclaredTools,
  names: ToolNames,
): string[] {
  if (type === 'tool_search') return textOf(names.ofKey(SEARCH_KEY))
  if (typeof name !== 'string') return []
  if (type === 'namespace') {
    return [...declared]
      .filter(([, tool]) => tool.namespace?.['name'] === name)
      .flatMap(([key]) => textOf(names.ofKey(key)))
  }
  if (type !== 'function' && type !== 'custom') return []
  const key = keyOf(name, namespace)
  return [names.ofKey(key) ?? onlyMember(name, declared, names) ?? name]
}

/** The tool with this name in a namespace, where there is but one. */
function onlyMember(name: string, declared: DeclaredTools, names: ToolNames): string | undefined {
  const [key, ...others] = [...declared.keys()].filter((one) => one.endsWith(`\0${name}`))
  return key !== undefined && others.length === 0 ? names.ofKey(key) : undefined
}

function textOf(value: JsonValue | undefined): string[] {
  return typeof value === 'string' ? [value] : []
}

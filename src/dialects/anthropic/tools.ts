/** Tools and the choice among them in Anthropic's form, both ways. */
import type { ChatRequest, ToolChoice } from '../../core/chat.ts'
import type { EncodeOptions, FormatWireToolsOptions, ServiceFeature } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Tool } from '../../core/model.ts'
import { normalizeTool } from '../../core/schema/tool.ts'
import { CACHE_MARKER } from '../anthropic-cache.ts'
import {
  compactDefinition,
  encodeTools,
  schemaObject,
  type ToolEncoding,
} from '../tool-definition.ts'
import { rootSchema } from './root-schema.ts'
import { strictSchema } from './strict-schema.ts'
import { isDeferred, knownTools, lookupIn, type ToolLookup } from './tool-search.ts'

export function formatTools(
  tools: readonly unknown[],
  { cache = false, compact = false }: FormatWireToolsOptions = {},
): JsonObject[] {
  const encoded = encodeTools(tools, anthropicTools, compact)
  const last = encoded.at(-1)
  return cache && last ? [...encoded.slice(0, -1), { ...last, ...CACHE_MARKER }] : encoded
}

const anthropicTools: ToolEncoding = {
  isEncoded: (tool) => isJsonObject(tool['input_schema']) || runsThere(tool),
  encode: encodeTool,
  compact: (tool) => compactDefinition(tool, 'input_schema'),
}

function encodeTool({ name, description, inputSchema, strict }: Tool): JsonObject {
  return {
    name,
    ...(description !== undefined && { description }),
    input_schema: rootSchema(inputSchema),
    ...(strict !== undefined && { strict }),
  }
}

/** Tools that Anthropic runs itself have a versioned type and no schema. */
function runsThere({ type, name }: Partial<JsonObject>): boolean {
  return typeof name === 'string' && typeof type === 'string' && /_\d{8}$/.test(type)
}

/** The same of a definition that is known to be Anthropic's, where other types are its own as well. */
function isTheirs({ type, input_schema: schema }: Partial<JsonObject>): boolean {
  return typeof type === 'string' && type !== 'custom' && schema === undefined
}

/**
 * The fields of a request about tools. `own` are definitions, or parts of them, that only Anthropic
 * understands: they go to the tool of their name, or stand for themselves.
 */
export function encodeRequestTools(
  request: ChatRequest,
  own: readonly JsonObject[],
  options: EncodeOptions = {},
): JsonObject {
  const offered = chosenTools(request, options).map((tool) => encodeOffered(tool, options))
  const names = new Set(offered.map(({ name }) => name))
  const known = own.flatMap((tool) => takenBy(options, tool))
  const tools = [
    ...offered.map((tool) => ({ ...tool, ...known.find(({ name }) => name === tool['name']) })),
    ...known.filter((tool) => standsAlone(tool) && !names.has(tool['name'] ?? '')),
  ]
  return tools.length > 0 ? { tools, ...encodeRequestChoice(request, options) } : {}
}

/** A whole definition, and not details of a tool that has one. */
function standsAlone(tool: JsonObject): boolean {
  return isTheirs(tool) || (isDeferred(tool) && isJsonObject(tool['input_schema']))
}

/** What of a definition the service knows. */
function takenBy({ quirks = {} }: EncodeOptions, tool: JsonObject): JsonObject[] {
  const { lacks = [] } = quirks
  const feature = featureOf(tool)
  if (feature && lacks.includes(feature)) return []
  if (!lacks.includes('tool-search') || !isDeferred(tool)) return [tool]
  const { defer_loading: _, ...details } = tool
  return isJsonObject(tool['input_schema']) ? [] : [details]
}

/** The part of the API that a tool belongs to which Anthropic runs. */
function featureOf(tool: JsonObject): ServiceFeature | undefined {
  return isTheirs(tool)
    ? HOSTED.find(([types]) => types.test(String(tool['type'])))?.[1]
    : undefined
}

const HOSTED: readonly (readonly [types: RegExp, feature: ServiceFeature])[] = [
  [/^tool_search_tool_/, 'tool-search'],
  [/^web_search_/, 'web-search'],
]

function encodeOffered(tool: Tool, { quirks = {}, report }: EncodeOptions): JsonObject {
  const { strict, ...loose } = tool
  if (strict !== true || quirks.strict === false) {
    return encodeTool(quirks.strict === false ? loose : tool)
  }
  const lost = (path: string, key: string): void =>
    report?.({
      code: 'not-expressible',
      message: `strict tools cannot enforce ${key} (${tool.name}${path})`,
    })
  return encodeTool({ ...tool, inputSchema: strictSchema(schemaObject(tool.inputSchema), lost) })
}

/** The API can only offer all of its tools: others than the allowed ones are left out. */
function chosenTools({ tools = [], toolChoice }: ChatRequest, { report }: EncodeOptions): Tool[] {
  if (typeof toolChoice !== 'object' || !('names' in toolChoice)) return [...tools]
  const { names } = toolChoice
  const chosen = tools.filter(({ name }) => names.includes(name))
  if (chosen.length < tools.length) {
    const message = 'only the tools that may be called are offered'
    report?.({ code: 'not-expressible', message })
  }
  return chosen
}

function encodeRequestChoice(request: ChatRequest, options: EncodeOptions): JsonObject {
  const { parallelToolCalls, toolChoice } = request
  const { quirks = {}, report } = options
  const single = parallelToolCalls === false && quirks.parallel !== false && toolChoice !== 'none'
  if (parallelToolCalls === false && quirks.parallel === false) {
    report?.({ code: 'not-expressible', message: 'the service has no switch for parallel calls' })
  }
  if (toolChoice === undefined && !single) return {}
  const choice = choiceOf(toolChoice ?? 'auto')
  if (quirks.toolChoices && !quirks.toolChoices.includes(CHOICES[choice.type])) {
    report?.({ code: 'not-expressible', message: `the service has no tool choice ${choice.type}` })
    return {}
  }
  return { tool_choice: { ...choice, ...(single && { disable_parallel_tool_use: true }) } }
}

const CHOICES = { auto: 'auto', none: 'none', any: 'required', tool: 'named' } as const

export function formatToolChoice(choice: ToolChoice): JsonObject {
  return { tool_choice: { ...choiceOf(choice) } }
}

function choiceOf(choice: ToolChoice): { type: keyof typeof CHOICES; name?: string } {
  if (typeof choice === 'string') return { type: choice === 'required' ? 'any' : choice }
  if ('name' in choice) return { type: 'tool', name: choice.name }
  return { type: choice.required ? 'any' : 'auto' }
}

/**
 * The tools that the caller runs and the model may call by now, and what else the definitions say: `own` are details
 * of these tools, tools that the model has not found yet, and tools that Anthropic runs.
 */
export function decodeTools(body: JsonObject): {
  readonly tools: readonly Tool[]
  readonly own: readonly JsonObject[]
  /** All tools that the caller runs. */
  readonly lookup: ToolLookup
} {
  const { offered, held } = knownTools(body)
  const theirs = offered.filter(isTheirs)
  const ours = offered.filter((tool) => !isTheirs(tool))
  const details = ours.map(ownDetails).filter((tool) => Object.keys(tool).length > 1)
  const own = [...details, ...held, ...theirs]
  return { tools: ours.map(normalizeTool), own, lookup: lookupIn([...ours, ...held]) }
}

const TOOL_KEYS: ReadonlySet<string> = new Set(['description', 'input_schema', 'strict'])

function ownDetails(tool: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(tool).filter(([key]) => !TOOL_KEYS.has(key)))
}

export function decodeChoice(
  choice: JsonValue | undefined,
): Pick<ChatRequest, 'toolChoice' | 'parallelToolCalls'> {
  if (!isJsonObject(choice)) return {}
  const { type, name, disable_parallel_tool_use: single } = choice as Record<string, JsonValue>
  const toolChoice = namedChoice(type, name)
  return {
    ...(toolChoice !== undefined && { toolChoice }),
    ...(typeof single === 'boolean' && { parallelToolCalls: !single }),
  }
}

function namedChoice(
  type: JsonValue | undefined,
  name: JsonValue | undefined,
): ToolChoice | undefined {
  if (type === 'auto' || type === 'none') return type
  if (type === 'any') return 'required'
  return type === 'tool' && typeof name === 'string' ? { name } : undefined
}

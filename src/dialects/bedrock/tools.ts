/** Tools and the choice among them in the form of Converse, both ways. */
import type { ChatRequest, ToolChoice } from '../../core/chat.ts'
import type { EncodeOptions, FormatWireToolsOptions } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Message, Tool } from '../../core/model.ts'
import { normalizeTool } from '../../core/schema/tool.ts'
import { claudeVersion } from '../anthropic/claude-version.ts'
import { rootSchema } from '../anthropic/root-schema.ts'
import { strictSchema } from '../anthropic/strict-schema.ts'
import { objectsIn } from '../history-call.ts'
import {
  compactDefinition,
  encodeTools,
  schemaObject,
  type ToolEncoding,
} from '../tool-definition.ts'
import { CACHE_POINT } from './cache-points.ts'

export function formatTools(
  tools: readonly unknown[],
  { cache = false, compact = false }: FormatWireToolsOptions = {},
): JsonObject[] {
  const encoded = encodeTools(tools, converseTools, compact)
  return cache && encoded.length > 0 ? [...encoded, CACHE_POINT] : encoded
}

const converseTools: ToolEncoding = {
  isEncoded,
  encode: encodeTool,
  compact: (tool) =>
    isJsonObject(tool['toolSpec'])
      ? { toolSpec: compactDefinition(tool['toolSpec'], 'inputSchema') }
      : tool,
}

function isEncoded(tool: JsonObject): boolean {
  const { toolSpec, systemTool, cachePoint } = tool as Record<string, JsonValue | undefined>
  if (!isJsonObject(toolSpec)) return isJsonObject(systemTool) || isJsonObject(cachePoint)
  return typeof toolSpec['name'] === 'string' && isJsonObject(toolSpec['inputSchema'])
}

function encodeTool({ name, description, inputSchema, strict }: Tool): JsonObject {
  return {
    toolSpec: {
      name,
      // An empty one is refused.
      ...(description && { description }),
      inputSchema: { json: rootSchema(inputSchema) },
      ...(strict !== undefined && { strict }),
    },
  }
}

/** What a request says about tools; `own` are entries of the list that only Converse has. */
export function encodeRequestTools(
  request: ChatRequest,
  own: readonly JsonObject[],
  options: EncodeOptions = {},
): JsonObject {
  const offered = offeredTools(request, options)
  const tools = [...offered.map((tool) => encodeOffered(tool, request.model, options)), ...own]
  if (offered.length === 0 && !own.some(({ systemTool }) => isJsonObject(systemTool))) return {}
  return { toolConfig: { tools, ...encodeRequestChoice(request, options) } }
}

/** Without tools, a history with calls is refused. */
function offeredTools(request: ChatRequest, { report }: EncodeOptions): readonly Tool[] {
  const { tools = [], toolChoice, messages } = request
  const tell = (message: string): void => report?.({ code: 'not-expressible', message })
  const called = calledTools(messages)
  if (tools.length === 0) {
    if (called.length > 0) tell('the tools of the history are declared again, without schemas')
    return called
  }
  if (toolChoice === 'none') {
    tell('Converse cannot forbid calls while it offers tools')
    return called.length > 0 ? tools : []
  }
  if (typeof toolChoice !== 'object' || !('names' in toolChoice)) return tools
  tell('only the tools that may be called are offered')
  return tools.filter(({ name }) => toolChoice.names.includes(name))
}

function calledTools(messages: readonly Message[]): Tool[] {
  const names = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ name }) => name))
  return [...new Set(names)].map((name) => ({ name, inputSchema: { type: 'object' } }))
}

function encodeOffered(tool: Tool, model: string, { quirks = {}, report }: EncodeOptions) {
  const { strict, ...loose } = tool
  if (strict === undefined) return encodeTool(tool)
  const tell = (message: string): void => report?.({ code: 'not-expressible', message })
  if (quirks.strict === false || !takesStrict(model)) {
    if (strict) tell(`the model has no strict tools (${tool.name})`)
    return encodeTool(loose)
  }
  if (!strict) return encodeTool(tool)
  const lost = (path: string, key: string): void =>
    tell(`strict tools cannot enforce ${key} (${tool.name}${path})`)
  return encodeTool({ ...tool, inputSchema: strictSchema(schemaObject(tool.inputSchema), lost) })
}

/** Of the models on Converse, Claude has strict tools, but for two versions. */
function takesStrict(model: string): boolean {
  const version = claudeVersion(model)
  return version > 0 && (version < 4.07 || version > 4.08)
}

function encodeRequestChoice({ toolChoice }: ChatRequest, options: EncodeOptions): JsonObject {
  if (toolChoice === undefined || toolChoice === 'none') return {}
  const { quirks = {}, report } = options
  const kind = typeof toolChoice === 'string' ? toolChoice : 'named'
  if (!quirks.toolChoices || quirks.toolChoices.includes(kind)) return formatToolChoice(toolChoice)
  report?.({ code: 'not-expressible', message: `the service has no tool choice ${kind}` })
  return {}
}

/** The field that stands beside the tools, inside `toolConfig`; there is none for `none`. */
export function formatToolChoice(choice: ToolChoice): JsonObject {
  if (choice === 'none') return {}
  if (typeof choice === 'object' && 'name' in choice) {
    return { toolChoice: { tool: { name: choice.name } } }
  }
  const isRequired = typeof choice === 'object' ? choice.required : choice === 'required'
  return { toolChoice: isRequired ? { any: {} } : { auto: {} } }
}

export function decodeTools(config: JsonValue | undefined): {
  readonly tools: readonly Tool[]
  readonly own: readonly JsonObject[]
  readonly toolChoice?: ToolChoice
} {
  if (!isJsonObject(config)) return { tools: [], own: [] }
  const all = objectsIn(config['tools'])
  const toolChoice = decodeChoice(config['toolChoice'])
  return {
    tools: all.filter(({ toolSpec }) => isJsonObject(toolSpec)).map(normalizeTool),
    own: all.filter(({ toolSpec }) => !isJsonObject(toolSpec)),
    ...(toolChoice !== undefined && { toolChoice }),
  }
}

function decodeChoice(choice: JsonValue | undefined): ToolChoice | undefined {
  if (!isJsonObject(choice)) return undefined
  const { auto, any, tool } = choice as Record<string, JsonValue | undefined>
  if (auto !== undefined) return 'auto'
  if (any !== undefined) return 'required'
  const name = isJsonObject(tool) ? tool['name'] : undefined
  return typeof name === 'string' ? { name } : undefined
}

/** Tools and the choice among them in OpenAI's form, which many services share. */
import type { ChatRequest, ToolChoice } from '../../core/chat.ts'
import type { EncodeOptions, ToolKind } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Tool } from '../../core/model.ts'
import { normalizeTools } from '../../core/schema/tool.ts'
import { CUSTOM, readFreeform, TEXT_SCHEMA } from '../freeform.ts'
import { objectsIn } from '../history-call.ts'
import { strictSchema } from '../openai-strict.ts'
import {
  compactDefinition,
  schemaObject,
  schemaWithout,
  type ToolEncoding,
} from '../tool-definition.ts'
import { noChoice } from './fit.ts'

const DIALECT = 'openai-chat'

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

/** A tool that takes text, as it came or in words that say the same. */
function encodeCustom({ name, description, freeform, extra }: Tool): JsonObject {
  const { definition } = extra?.[DIALECT] ?? {}
  const { custom } = isJsonObject(definition) ? definition : {}
  const grammar = freeform?.grammar
  const made = {
    ...(description !== undefined && { description }),
    ...(grammar && { format: { type: 'grammar', grammar: { ...grammar } } }),
  }
  return { type: CUSTOM, custom: { ...(isJsonObject(custom) ? custom : made), name } }
}

/**
 * The fields of a request about tools. An empty list is refused by OpenAI and others. `kept` are the
 * definitions that a request came with and that the provider itself runs.
 */
export function encodeOpenaiTools(
  request: ChatRequest,
  options: EncodeOptions = {},
  kept?: JsonValue,
): JsonObject {
  const { tools: given = [], toolChoice } = request
  const { quirks = {}, report } = options
  const tools = [
    ...given.map((tool) =>
      tool.freeform ? encodeCustom(tool) : encodeTool(forService(tool, options)),
    ),
    ...objectsIn(kept),
  ]
  if (tools.length === 0) return {}
  if (toolChoice === undefined) return { tools }
  const kind = typeof toolChoice === 'string' ? toolChoice : 'named'
  if (quirks.toolChoices && !quirks.toolChoices.includes(kind)) {
    report?.(noChoice(kind))
    return { tools }
  }
  return { tools, ...encodeChoice(toolChoice, given) }
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

/** The tools of a request; what the provider itself runs is kept as it came. */
export function decodeOpenaiTools(entries: readonly JsonObject[]): {
  readonly tools: Tool[]
  readonly kept: JsonObject[]
} {
  return {
    tools: entries.filter(isClients).flatMap(decodeTool),
    kept: entries.filter((entry) => !isClients(entry)),
  }
}

/** A request may have tools that take text. */
export function toolKindsIn({ tools }: JsonObject): readonly ToolKind[] {
  return objectsIn(tools).some(({ type }) => type === CUSTOM) ? [CUSTOM] : []
}

function isClients({ custom, function: definition, name }: Partial<JsonObject>): boolean {
  return isJsonObject(custom) || isJsonObject(definition) || name !== undefined
}

/** A tool that takes text is one with the parameter `input`, as its calls are read. */
function decodeTool(entry: JsonObject): Tool[] {
  const { custom } = entry
  if (entry['type'] !== CUSTOM || !isJsonObject(custom)) return normalizeTools([entry])
  const { name, description, format } = custom
  const about = { name, ...(typeof description === 'string' && { description }) }
  const grammar = isJsonObject(format) ? format['grammar'] : undefined
  return normalizeTools([{ ...about, parameters: TEXT_SCHEMA }]).map((tool) => ({
    ...tool,
    freeform: readFreeform(grammar),
    provider: { type: CUSTOM },
    extra: { [DIALECT]: { definition: entry } },
  }))
}

/** `tools` tell what kind of tool is chosen; without them it is a function. */
export function encodeChoice(choice: ToolChoice, tools: readonly Tool[] = []): JsonObject {
  if (typeof choice === 'string') return { tool_choice: choice }
  const chosen = (name: string): JsonObject => {
    const isText = tools.some((tool) => tool.name === name && tool.freeform)
    return isText ? { type: CUSTOM, custom: { name } } : { type: 'function', function: { name } }
  }
  if ('name' in choice) return { tool_choice: chosen(choice.name) }
  const { names, required = false } = choice
  const allowed = { mode: required ? 'required' : 'auto', tools: names.map(chosen) }
  return { tool_choice: { type: 'allowed_tools', allowed_tools: allowed } }
}

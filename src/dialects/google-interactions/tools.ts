/** Tools and the choice among them. */
import type { ChatRequest, ToolChoice } from '../../core/chat.ts'
import type { EncodeOptions } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Tool } from '../../core/model.ts'
import { normalizeTools } from '../../core/schema/tool.ts'
import { objectsIn } from '../history-call.ts'
import { compactDefinition, schemaObject, type ToolEncoding } from '../tool-definition.ts'

const BUILT_IN =
  /^(?:google_search|code_execution|url_context|file_search|google_maps|computer_use|mcp_server|retrieval)$/

export const interactionTools: ToolEncoding = {
  isEncoded: isInteractionTool,
  encode: encodeTool,
  compact: (tool) => compactDefinition(tool, 'parameters'),
}

function isInteractionTool(tool: JsonObject): boolean {
  const { type, name } = tool
  if (type !== 'function') return typeof type === 'string' && BUILT_IN.test(type)
  return typeof name === 'string' && isPlainFunction(tool)
}

const FUNCTION_KEYS: ReadonlySet<string> = new Set(['type', 'name', 'description', 'parameters'])

function isPlainFunction(tool: JsonObject): boolean {
  return tool['type'] === 'function' && Object.keys(tool).every((key) => FUNCTION_KEYS.has(key))
}

function encodeTool({ name, description, inputSchema }: Tool): JsonObject {
  const { $schema: _, ...parameters } = schemaObject(inputSchema)
  return {
    type: 'function',
    name,
    ...(description !== undefined && { description }),
    parameters,
  }
}

export function formatToolChoice(choice: ToolChoice): JsonObject {
  return { generation_config: { tool_choice: encodeChoice(choice, false) } }
}

/** `validated` leaves the choice free and holds the model to the schemas. */
function encodeChoice(choice: ToolChoice, isStrict: boolean): JsonValue {
  if (choice === 'none') return 'none'
  if (choice === 'required') return 'any'
  if (choice === 'auto') return isStrict ? 'validated' : 'auto'
  const { names, required = false } =
    'name' in choice ? { names: [choice.name], required: true } : choice
  return { allowed_tools: { mode: required ? 'any' : 'validated', tools: [...names] } }
}

/** What a request says about tools: a list of them, and the choice, which is a setting. */
export function encodeToolFields(
  { tools = [], toolChoice }: ChatRequest,
  own: JsonObject,
  { quirks }: EncodeOptions = {},
): { readonly fields: JsonObject; readonly config: JsonObject } {
  const entries = [...tools.map(encodeTool), ...objectsIn(own['tools'])]
  const isStrict = quirks?.strict !== false && tools.some(({ strict }) => strict === true)
  const choice = toolChoice ?? (isStrict ? 'auto' : undefined)
  return {
    fields: entries.length > 0 ? { tools: entries } : {},
    config:
      tools.length > 0 && choice !== undefined
        ? { tool_choice: encodeChoice(choice, isStrict) }
        : {},
  }
}

/** Tools, the choice among them, and what of both only this dialect knows. */
export function decodeToolFields(
  body: JsonObject,
  config: JsonObject,
): {
  readonly settings: Partial<ChatRequest>
  readonly rest: JsonObject
  readonly restConfig: JsonObject
} {
  const entries = objectsIn(body['tools'])
  const tools = entries.filter(isPlainFunction)
  const others = entries.filter((tool) => !isPlainFunction(tool))
  const { tool_choice: choice } = config as { tool_choice?: JsonValue }
  const toolChoice = decodeChoice(choice)
  // Without names it is `auto` to all others, and must be kept to be said again.
  const isKept = choice !== undefined && (toolChoice === undefined || choice === 'validated')
  return {
    settings: {
      ...(tools.length > 0 && { tools: normalizeTools(tools) }),
      ...(toolChoice !== undefined && { toolChoice }),
    },
    rest: others.length > 0 ? { tools: others } : {},
    restConfig: isKept ? { tool_choice: choice } : {},
  }
}

function decodeChoice(choice: JsonValue | undefined): ToolChoice | undefined {
  if (choice === 'auto' || choice === 'none') return choice
  if (choice === 'validated') return 'auto'
  if (choice === 'any') return 'required'
  const allowed = isJsonObject(choice) ? choice['allowed_tools'] : undefined
  if (!isJsonObject(allowed)) return undefined
  const { mode, tools } = allowed
  const names = Array.isArray(tools) ? tools.filter((name) => typeof name === 'string') : []
  const [only] = names
  if (only === undefined || mode === 'none') return decodeChoice(mode)
  if (mode !== 'any') return { names }
  return names.length === 1 ? { name: only } : { names, required: true }
}

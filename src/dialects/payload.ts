/** Telling what a document is that goes to or comes from a provider. */
import type { Dialect } from '../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'

export const PAYLOAD_KINDS = ['request', 'response', 'stream', 'history', 'tools'] as const
export type PayloadKind = (typeof PAYLOAD_KINDS)[number]

/** The kind of a document; what has no mark of a reply or of tools is a request. */
export function kindOfJson(value: JsonValue, dialects: readonly Dialect[]): PayloadKind {
  if (Array.isArray(value)) return value.length > 0 && value.every(isTool) ? 'tools' : 'history'
  if (!isJsonObject(value)) return 'request'
  if (isToolList(value)) return 'tools'
  const shapes = dialects.map((dialect) => dialect.shapeOf(value))
  return shapes.find((shape) => shape !== undefined) ?? 'request'
}

const CONVERSATIONS = ['messages', 'contents', 'input'] as const

/** The tools of a request, without the rest of it. */
function isToolList(value: JsonObject): boolean {
  return Array.isArray(value['tools']) && !CONVERSATIONS.some((field) => field in value)
}

const TOOL_KEYS = ['name', 'function', 'toolSpec', 'functionDeclarations'] as const
/** Types of definitions; items of a conversation have others. */
const TOOL_TYPES: ReadonlySet<JsonValue | undefined> = new Set([undefined, 'function', 'custom'])

function isTool(value: JsonValue): boolean {
  if (!isJsonObject(value) || 'role' in value || !TOOL_TYPES.has(value['type'])) return false
  return TOOL_KEYS.some((key) => key in value)
}

/** The definitions in a document of tools. */
export function toolsIn(value: JsonValue): readonly JsonValue[] {
  const tools = isJsonObject(value) ? value['tools'] : value
  return Array.isArray(tools) ? tools : []
}

/** Parts that say more than the neutral model: marks for the cache, details, what nobody else knows. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Message, ToolResult } from '../../core/model.ts'
import { objectsIn, readMarkedResult } from '../history-call.ts'
import { keepContent, keptBlocks, saysTheSame } from '../kept-content.ts'
import { decodeContent, encodePart, readPart } from './content.ts'

const DIALECT = 'openai-chat'

/** The parts as a field of `extra`, when they are to go back as they came. */
export function keepParts(content: JsonValue | undefined): Partial<JsonObject> {
  const parts = objectsIn(content)
  const { extra } = keepContent(DIALECT, parts, parts.flatMap(readPart).map(encodePart))
  return extra?.[DIALECT] ?? {}
}

/** The parts that the message keeps, as long as they say what it says. */
export function keptParts(message: Message): JsonObject[] | undefined {
  const parts = keptBlocks(DIALECT, message)
  const said = { role: message.role, content: decodeContent(parts) }
  return parts.length > 0 && saysTheSame(said, { ...said, content: message.content })
    ? parts
    : undefined
}

/** Merged messages with the parts that their results came in, where those say more than text. */
export function keepResults(
  merged: readonly Message[],
  messages: readonly JsonObject[],
): Message[] {
  const kept = new Map(messages.flatMap(keptResult))
  return merged.map((message) => (kept.size === 0 ? message : withKeptResults(message, kept)))
}

function keptResult(message: JsonObject): (readonly [id: string, parts: JsonValue])[] {
  const { tool_call_id: id, content } = message as Record<string, JsonValue | undefined>
  const { content: parts } = keepParts(content)
  return typeof id === 'string' && parts !== undefined ? [[id, parts]] : []
}

function withKeptResults(message: Message, kept: ReadonlyMap<string, JsonValue>): Message {
  const own = (message.toolResults ?? []).flatMap(({ callId }) => {
    const parts = kept.get(callId)
    return parts === undefined ? [] : [[callId, parts] as const]
  })
  if (own.length === 0) return message
  return { ...message, extra: { [DIALECT]: { results: Object.fromEntries(own) } } }
}

/** The result with the parts it came in, when they still say the same. */
export function withParts(
  written: JsonObject,
  result: ToolResult,
  kept: JsonValue | undefined,
): JsonObject {
  const { callId } = result
  const parts = isJsonObject(kept) && Object.hasOwn(kept, callId) ? kept[callId] : undefined
  if (parts === undefined) return written
  const came = readMarkedResult({ callId, content: decodeContent(parts) })
  const isSame = saysTheSame(answer(came), answer(result))
  return isSame ? { ...written, content: parts } : written
}

function answer(result: ToolResult): Message {
  return { role: 'tool', content: '', toolResults: [result] }
}

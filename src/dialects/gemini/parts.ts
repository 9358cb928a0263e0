/** Parts of a turn: text, data, thoughts and calls. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Message, Part, ToolCall } from '../../core/model.ts'
import { readMarkedCall } from '../../core/native/call.ts'
import { readHistoryCall } from '../history-call.ts'
import { objectAt } from './candidate.ts'

/** What stands for the signature of a call that another model made. */
const FOREIGN = 'skip_thought_signature_validator'

export function encodeContent(content: Message['content']): JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ text: content }]
  return content.map(encodePart)
}

export function encodePart(part: Part): JsonObject {
  if (part.type === 'text') return { text: part.text }
  const { mediaType, data, url = '' } = part
  const name = part.type === 'file' && part.name ? { displayName: part.name } : {}
  if (data !== undefined) {
    return { inlineData: { mimeType: mediaType ?? 'application/octet-stream', data, ...name } }
  }
  return { fileData: { ...(mediaType && { mimeType: mediaType }), fileUri: url, ...name } }
}

/** Text, or a list where there is more than one part. What is neither text nor data is left out. */
export function decodeContent(parts: readonly JsonObject[]): string | Part[] {
  const decoded = parts.flatMap(decodePart)
  const [only] = decoded
  if (decoded.length === 0) return ''
  return decoded.length === 1 && only?.type === 'text' ? only.text : decoded
}

function decodePart(part: JsonObject): Part[] {
  const { text } = part as { text?: JsonValue }
  if (typeof text === 'string') return [{ type: 'text', text }]
  const data = objectAt(part, 'inlineData')
  const file = objectAt(part, 'fileData')
  const place = data ? { data: data['data'] } : { url: file?.['fileUri'] }
  const [value] = Object.values(place)
  if (typeof value !== 'string') return []
  const { mimeType, displayName } = (data ?? file ?? {}) as Record<string, JsonValue | undefined>
  const mediaType = typeof mimeType === 'string' ? { mediaType: mimeType } : {}
  if (mediaType.mediaType?.startsWith('image/')) {
    return [{ type: 'image', ...mediaType, ...(place as { data: string }) }]
  }
  const name = typeof displayName === 'string' ? { name: displayName } : {}
  return [{ type: 'file', ...mediaType, ...(place as { data: string }), ...name }]
}

/**
 * What the model said aloud. Its text may come in any number of pieces, which belong together; data
 * beside the text makes a list of it.
 */
export function decodeSpoken(parts: readonly JsonObject[]): string | Part[] {
  const spoken = parts.filter((part) => part['thought'] !== true)
  const decoded = spoken.flatMap(decodePart)
  if (decoded.some(({ type }) => type !== 'text')) {
    return decoded.filter((part) => part.type !== 'text' || part.text !== '')
  }
  return decoded.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

export function thoughtsOf(parts: readonly JsonObject[]): string {
  const thoughts = parts.filter((part) => part['thought'] === true)
  return thoughts.map(({ text }) => (typeof text === 'string' ? text : '')).join('')
}

/** The calls of a turn, ids empty where there is none. */
export function decodeCalls(parts: readonly JsonObject[]): ToolCall[] {
  return parts.flatMap((part) => {
    const native = isJsonObject(part['functionCall']) ? readMarkedCall(part) : undefined
    return native ? [readHistoryCall(native)] : []
  })
}

export function encodeCall(call: ToolCall, fields: JsonObject = {}): JsonObject {
  const { name, arguments: args, provider } = call
  const signature = signatureOf(provider)
  return {
    functionCall: { ...fields, name, args },
    ...(signature !== undefined && { thoughtSignature: signature }),
  }
}

/** The signature of a call; Google's OpenAI-compatible endpoint has it in another place. */
function signatureOf(provider: JsonObject | undefined): JsonValue | undefined {
  const google = objectAt(objectAt(provider, 'extra_content'), 'google')
  const found = provider?.['thoughtSignature'] ?? provider?.['thought_signature']
  return found ?? google?.['thoughtSignature']
}

/** Calls of other models have no signature; the first of a turn says so. */
export function markForeign(parts: readonly JsonObject[]): JsonObject[] {
  const isSigned = parts.some((part) => 'thoughtSignature' in part)
  const first = parts.findIndex((part) => 'functionCall' in part)
  return parts.map((part, at) =>
    !isSigned && at === first ? { ...part, thoughtSignature: FOREIGN } : part,
  )
}

/** The parts without the marks of {@link markForeign}, which are no signatures. */
export function withoutMarks(parts: readonly JsonObject[]): JsonObject[] {
  return parts.map((part) => {
    const { thoughtSignature, ...rest } = part
    return thoughtSignature === FOREIGN ? rest : part
  })
}

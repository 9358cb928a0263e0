/** What steps are made of: text and data. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Message, Part } from '../../core/model.ts'
import { objectsIn } from '../history-call.ts'

export function encodeContent(content: Message['content']): JsonObject[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return content.map(encodePart)
}

function encodePart(part: Part): JsonObject {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const { mediaType, data, url = '' } = part
  return {
    type: part.type === 'image' ? 'image' : kindOfFile(mediaType),
    ...(data === undefined ? { uri: url } : { data }),
    ...(mediaType !== undefined && { mime_type: mediaType }),
  }
}

function kindOfFile(mediaType = ''): string {
  return /^(?:audio|video)(?=\/)/.exec(mediaType)?.[0] ?? 'document'
}

/** Text, or a list where there is more than one part. What is neither text nor data is left out. */
export function decodeContent(content: JsonValue | undefined): string | Part[] {
  if (typeof content === 'string') return content
  const parts = (isJsonObject(content) ? [content] : objectsIn(content)).flatMap(decodePart)
  const [only] = parts
  if (parts.length === 0) return ''
  return parts.length === 1 && only?.type === 'text' ? only.text : parts
}

const DATA_TYPES: ReadonlySet<JsonValue | undefined> = new Set(['audio', 'video', 'document'])

function decodePart(part: JsonObject): Part[] {
  const { type, text, data, uri, mime_type: mime } = part as Record<string, JsonValue | undefined>
  if (type === 'text') return typeof text === 'string' ? [{ type, text }] : []
  const mediaType = typeof mime === 'string' ? { mediaType: mime } : {}
  const place =
    typeof data === 'string' ? { data } : typeof uri === 'string' ? { url: uri } : undefined
  if (!place) return []
  if (type === 'image') return [{ type, ...mediaType, ...place }]
  return DATA_TYPES.has(type) ? [{ type: 'file', ...mediaType, ...place }] : []
}

/** Content of items: text, or a list of parts. */
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { Message, Part } from '../../core/model.ts'
import { objectsIn } from '../history-call.ts'
import { partUrl, readUrl } from '../openai-chat/content.ts'

export function encodeContent(content: Message['content']): string | JsonObject[] {
  return typeof content === 'string' ? content : content.map(encodePart)
}

export function encodePart(part: Part): JsonObject {
  if (part.type === 'text') return { type: 'input_text', text: part.text }
  if (part.type === 'image') return { type: 'input_image', image_url: partUrl(part) }
  const name = part.name === undefined ? {} : { filename: part.name }
  if (part.url !== undefined) return { type: 'input_file', file_url: part.url, ...name }
  return { type: 'input_file', ...name, file_data: partUrl(part) }
}

/** An assistant's words; it can say nothing but text. */
export function spokenText(content: Message['content']): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

/** Parts that the neutral model does not know are left out; the message keeps them as they came. */
export function decodeContent(content: JsonValue | undefined): string | Part[] {
  if (typeof content === 'string') return content
  const parts = objectsIn(content).flatMap(decodePart)
  const [only] = parts
  return parts.length === 0 ? '' : parts.length === 1 && only?.type === 'text' ? only.text : parts
}

function decodePart(part: JsonObject): Part[] {
  const { type, text, refusal, image_url: image } = part as Record<string, JsonValue | undefined>
  const words = text ?? refusal
  if (typeof words === 'string') return [{ type: 'text', text: words }]
  if (typeof image === 'string') return [{ type: 'image', ...readUrl(image) }]
  if (type !== 'input_file') return []
  const { file_data: data, file_url: url, filename } = part as Record<string, JsonValue | undefined>
  const name = typeof filename === 'string' ? { name: filename } : {}
  if (typeof data === 'string') return [{ type: 'file', ...readUrl(data), ...name }]
  return typeof url === 'string' ? [{ type: 'file', url, ...name }] : []
}

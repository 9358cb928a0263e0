/** Content blocks of Anthropic: text, images and documents. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Part } from '../../core/model.ts'
import { decodeBase64 } from '../base64.ts'
import { cacheMarkOf } from '../cache-marks.ts'
import { objectsIn } from '../history-call.ts'
import { decodeUtf8 } from '../utf8.ts'

/** The API refuses text blocks in which there is nothing but white space, its own replies' included. */
export function isBlankText(block: JsonValue): boolean {
  if (!isJsonObject(block) || block['type'] !== 'text') return false
  return typeof block['text'] !== 'string' || block['text'].trim() === ''
}

export function textBlock(text: string): JsonObject {
  return { type: 'text', text }
}

/** Text or parts as blocks, without those that are blank. */
export function encodeContent(content: string | readonly Part[]): JsonObject[] {
  const blocks = typeof content === 'string' ? [textBlock(content)] : content.map(encodePart)
  return blocks.filter((block) => !isBlankText(block))
}

export function encodePart(part: Part): JsonObject {
  const mark = cacheMarkOf(part)
  if (part.type === 'text') return { ...textBlock(part.text), ...mark }
  if (part.type === 'image') return { type: 'image', source: encodeSource(part), ...mark }
  const { name } = part
  return { type: 'document', source: encodeSource(part), ...(name && { title: name }), ...mark }
}

function encodeSource(part: Exclude<Part, { type: 'text' }>): JsonObject {
  const { data, url = '', mediaType = 'application/octet-stream' } = part
  if (data === undefined) return { type: 'url', url }
  // Documents in base64 are PDF; plain text must come as text.
  const text = mediaType.startsWith('text/') ? decodeUtf8(decodeBase64(data)) : undefined
  if (text !== undefined) return { type: 'text', media_type: 'text/plain', data: text }
  return { type: 'base64', media_type: mediaType, data }
}

/** Blocks that the neutral model does not know are left out; the message keeps them as they came. */
export function decodeContent(content: JsonValue | undefined): string | Part[] {
  if (typeof content === 'string') return content
  const parts = objectsIn(content).flatMap(decodeBlock)
  const [only] = parts
  return parts.length === 0 ? '' : parts.length === 1 && only?.type === 'text' ? only.text : parts
}

function decodeBlock(block: JsonObject): Part[] {
  const { type, text, source, title } = block as Record<string, JsonValue | undefined>
  if (type === 'text') return typeof text === 'string' ? [{ type, text }] : []
  if (!isJsonObject(source)) return []
  if (type === 'image') return decodeSource(source).map((found) => ({ type, ...found }))
  if (type !== 'document') return []
  return decodeDocument(source, typeof title === 'string' ? { name: title } : {})
}

/** Documents that are text are text to other dialects, too. */
function decodeDocument(source: JsonObject, named: { readonly name?: string }): Part[] {
  const { type, data, content } = source as Record<string, JsonValue | undefined>
  if (type === 'text') return typeof data === 'string' ? [{ type, text: data }] : []
  if (type !== 'content') return decodeSource(source).map((f) => ({ type: 'file', ...f, ...named }))
  const inner = decodeContent(content)
  return typeof inner === 'string' ? [{ type: 'text', text: inner }] : inner
}

function decodeSource(source: JsonObject): { mediaType?: string; data?: string; url?: string }[] {
  const { data, url, media_type: type } = source as Record<string, JsonValue | undefined>
  if (typeof url === 'string') return [{ url }]
  if (typeof data !== 'string') return []
  return [{ ...(typeof type === 'string' && { mediaType: type }), data }]
}

/** Content of messages in OpenAI's form: text, or a list of parts. */

import type { Quirks } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Part } from '../../core/model.ts'
import { cacheMarkOf } from '../cache-marks.ts'
import { objectsIn } from '../history-call.ts'

/** Text stays text; parts become a list, with marks for the cache where the service takes them. */
export function encodeContent(
  content: string | readonly Part[],
  { cacheControl = false }: Quirks = {},
): string | JsonObject[] {
  if (typeof content === 'string') return content
  return content.map((part) => ({ ...encodePart(part), ...(cacheControl && cacheMarkOf(part)) }))
}

export function encodePart(part: Part): JsonObject {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const url = partUrl(part)
  if (part.type === 'image') return { type: 'image_url', image_url: { url } }
  return { type: 'file', file: { file_data: url, ...(part.name && { filename: part.name }) } }
}

/** Where the data is, or the data itself as a URL. */
export function partUrl({ url, data = '', mediaType }: Exclude<Part, { type: 'text' }>): string {
  return url ?? `data:${mediaType ?? 'application/octet-stream'};base64,${data}`
}

/** Parts that the neutral model does not know are left out; the message keeps them as they came. */
export function decodeContent(content: JsonValue | undefined): string | Part[] {
  if (typeof content === 'string') return content
  const parts = objectsIn(content).flatMap(readPart)
  const [only] = parts
  return parts.length === 0 ? '' : parts.length === 1 && only?.type === 'text' ? only.text : parts
}

export function readPart(part: JsonObject): Part[] {
  const { type, text, image_url: image, file } = part as Record<string, JsonValue | undefined>
  if (typeof text === 'string') return [{ type: 'text', text }]
  if (type === 'image_url') {
    const url = isJsonObject(image) ? image['url'] : image
    return typeof url === 'string' ? [{ type: 'image', ...readUrl(url) }] : []
  }
  if (type !== 'file' || !isJsonObject(file)) return []
  const { file_data: data, filename: name } = file as Record<string, JsonValue | undefined>
  if (typeof data !== 'string') return []
  return [{ type: 'file', ...readUrl(data), ...(typeof name === 'string' && { name }) }]
}

const DATA_URL = /^data:([^;,]*);base64,/

/** What a URL stands for: the data in it, or the place it names. */
export function readUrl(
  url: string,
): { readonly url: string } | { readonly mediaType: string; readonly data: string } {
  const [prefix, mediaType = ''] = DATA_URL.exec(url.slice(0, 256)) ?? []
  return prefix === undefined ? { url } : { mediaType, data: url.slice(prefix.length) }
}

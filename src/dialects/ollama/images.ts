/** Images in Ollama's form: a list of base64 beside the text. */
import type { CodecOptions } from '../../core/dialect.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { Part } from '../../core/model.ts'
import { resultText } from '../tool-result.ts'

/** The beginnings of the kinds of images that models read, in base64. */
const KINDS: readonly (readonly [start: string, mediaType: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
]

/** The text, and the images beside it. What is somewhere else, or no image, cannot be sent. */
export function encodeContent(
  content: string | readonly Part[],
  { report }: CodecOptions = {},
): JsonObject {
  if (typeof content === 'string') return { content }
  const images = content.flatMap((part) => imageData(part) ?? [])
  const others = content.filter((part) => imageData(part) === undefined)
  for (const { type } of others) {
    if (type === 'text') continue
    const message = `Ollama takes images as data only; the ${type} is left out`
    report?.({ code: 'not-expressible', message })
  }
  return { content: resultText({ content: others }), ...(images.length > 0 && { images }) }
}

function imageData(part: Part): string | undefined {
  return part.type === 'image' ? part.data : undefined
}

export function decodeContent({ content, images }: JsonObject): string | Part[] {
  const text = typeof content === 'string' ? content : ''
  const parts = (Array.isArray(images) ? images : []).flatMap(decodeImage)
  if (parts.length === 0) return text
  return text === '' ? parts : [{ type: 'text', text }, ...parts]
}

function decodeImage(data: JsonValue): Part[] {
  if (typeof data !== 'string') return []
  const [, mediaType] = KINDS.find(([start]) => data.startsWith(start)) ?? []
  return [{ type: 'image', ...(mediaType !== undefined && { mediaType }), data }]
}

/** Content blocks of Converse: text, images, documents and videos. They have no type but their key. */
import type { CodecOptions } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Part } from '../../core/model.ts'
import { isMarked } from '../cache-marks.ts'
import { objectsIn } from '../history-call.ts'
import { CACHE_POINT } from './cache-points.ts'

type Media = Exclude<Part, { type: 'text' }>

const DOCUMENT_TYPES: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  csv: 'text/csv',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  html: 'text/html',
  md: 'text/markdown',
  txt: 'text/plain',
}
const VIDEO_TYPES: Readonly<Record<string, string>> = {
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  mkv: 'video/x-matroska',
  webm: 'video/webm',
}

/** The API refuses text in which there is nothing but white space. */
export function isBlankText(block: JsonObject): boolean {
  const { text } = block as Record<string, JsonValue | undefined>
  return typeof text === 'string' && text.trim() === ''
}

/** Text or parts as blocks, without those that are blank. */
export function encodeContent(
  content: string | readonly Part[],
  options: CodecOptions = {},
): JsonObject[] {
  const parts: readonly Part[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return parts.map((part) => encodePart(part, options)).filter((block) => !isBlankText(block))
}

/** The same with a mark for the cache after each part that has one; results have no place for marks. */
export function encodeMarked(
  content: string | readonly Part[],
  options: CodecOptions,
): JsonObject[] {
  if (typeof content === 'string') return encodeContent(content, options)
  return content.flatMap((part) => {
    const blocks = encodeContent([part], options)
    return isMarked(part) && blocks.length > 0 ? [...blocks, CACHE_POINT] : blocks
  })
}

function encodePart(part: Part, { report }: CodecOptions): JsonObject {
  if (part.type === 'text') return { text: part.text }
  const source = encodeSource(part)
  const block = source && encodeMedia(part, source)
  if (block) return block
  const what = part.url ?? (part.type === 'file' ? part.name : undefined) ?? part.mediaType
  const message = `Converse takes no ${part.type} like ${what ?? 'this'}; it is only mentioned`
  report?.({ code: 'not-expressible', message })
  return { text: `[${part.type}: ${what ?? 'left out'}]` }
}

/** Data, or a place in S3; nothing else is fetched. */
function encodeSource({ data, url = '' }: Media): JsonObject | undefined {
  if (data !== undefined) return { bytes: data }
  return url.startsWith('s3://') ? { s3Location: { uri: url } } : undefined
}

function encodeMedia(part: Media, source: JsonObject): JsonObject | undefined {
  const [kind, subtype] = (part.mediaType ?? '').split('/')
  if (part.type === 'image' || kind === 'image') {
    return { image: { format: imageFormat(subtype ?? part.url), source } }
  }
  const video = formatIn(VIDEO_TYPES, part)
  if (video) return { video: { format: video, source } }
  const format = formatIn(DOCUMENT_TYPES, part) ?? (kind === 'text' ? 'txt' : undefined)
  if (format === undefined) return undefined
  return { document: { format, name: documentName(part.name), source } }
}

function imageFormat(word = ''): string {
  return /(jpe?g|gif|webp)$/.exec(word)?.[0].replace('jpg', 'jpeg') ?? 'png'
}

function formatIn(
  types: Readonly<Record<string, string>>,
  { mediaType, url, ...rest }: Media,
): string | undefined {
  const name = 'name' in rest ? rest.name : url
  const ending = /\.(\w+)$/.exec(name ?? url ?? '')?.[1]?.toLowerCase() ?? ''
  const byType = Object.entries(types).find(([, type]) => type === mediaType)?.[0]
  return byType ?? (mediaType === undefined && ending in types ? ending : undefined)
}

function documentName(name = 'document'): string {
  return name
    .replace(/[^a-zA-Z0-9\s\-()[\]]+/g, '-')
    .replace(/\s+/g, ' ')
    .slice(0, 200)
}

/** Blocks that the neutral model does not know are left out; the message keeps them as they came. */
export function decodeContent(content: JsonValue | undefined): string | Part[] {
  const parts = objectsIn(content).flatMap(decodeBlock)
  const [only] = parts
  return parts.length === 0 ? '' : parts.length === 1 && only?.type === 'text' ? only.text : parts
}

function decodeBlock(block: JsonObject): Part[] {
  const { text, json, image, document, video } = block as Record<string, JsonValue | undefined>
  if (typeof text === 'string') return [{ type: 'text', text }]
  if (json !== undefined) return [{ type: 'text', text: JSON.stringify(json) }]
  if (isJsonObject(image)) return decodeMedia(image, 'image', (format) => `image/${format}`)
  if (isJsonObject(video)) return decodeMedia(video, 'file', (format) => VIDEO_TYPES[format])
  return isJsonObject(document)
    ? decodeMedia(document, 'file', (format) => DOCUMENT_TYPES[format])
    : []
}

function decodeMedia(
  media: JsonObject,
  type: Media['type'],
  typeOf: (format: string) => string | undefined,
): Part[] {
  const { format, name, source } = media as Record<string, JsonValue | undefined>
  if (!isJsonObject(source)) return []
  const { bytes, text, s3Location: place } = source as Record<string, JsonValue | undefined>
  if (typeof text === 'string') return [{ type: 'text', text }]
  const url = isJsonObject(place) ? place['uri'] : undefined
  const mediaType = typeOf(String(format))
  return [
    {
      type,
      ...(mediaType !== undefined && { mediaType }),
      ...(typeof bytes === 'string' && { data: bytes }),
      ...(typeof url === 'string' && { url }),
      ...(typeof name === 'string' && { name }),
    },
  ]
}

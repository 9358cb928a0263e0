/** Bodies of `multipart/form-data`: their short texts can be read, and one of them replaced; files stay as they are. */
import { joinedBytes } from '../../client/joined-bytes.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { GatewayError } from '../gateway-error.ts'

export interface Form {
  /** The fields that are texts. */
  readonly fields: JsonObject
  /** One line about each part, for those who look on. */
  readonly summary: string
  /** The same form with another text in a field; the form itself when it has no such field. */
  with(field: string, text: string): Uint8Array
}

interface Part {
  readonly name: string
  readonly fileName: string | undefined
  /** Where the content begins and ends. */
  readonly from: number
  readonly to: number
}

/** More than any API takes: several pictures and some settings. */
const MAX_PARTS = 256
const MAX_HEAD_BYTES = 8 * 1024
/** Prompts for pictures have 32,000 characters at most. */
const MAX_TEXT_BYTES = 256 * 1024
/** Of RFC 2046. */
const MAX_BOUNDARY = 70

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const HEAD_END = encoder.encode('\r\n\r\n')
const DASH = 0x2d

/** Throws a GatewayError for what is no form. */
export function readForm(bytes: Uint8Array, contentType: string): Form {
  const parts = partsOf(bytes, boundaryIn(contentType))
  checkModelParts(parts)
  const texts = parts.filter(({ fileName, from, to }) => {
    return fileName === undefined && to - from <= MAX_TEXT_BYTES
  })
  return {
    fields: Object.fromEntries(
      texts.map(({ name, from, to }) => [name, decoder.decode(bytes.subarray(from, to))]),
    ),
    summary: parts.map((part) => summaryOf(part, bytes)).join('\n'),
    with(field, text) {
      const part = parts.find(({ name }) => name === field)
      if (!part) return bytes
      return joinedBytes([
        bytes.subarray(0, part.from),
        encoder.encode(text),
        bytes.subarray(part.to),
      ])
    },
  }
}

/** What the gateway takes for the model must be what the provider takes for it. */
function checkModelParts(parts: readonly Part[]): void {
  const models = parts.filter(({ name }) => name === 'model')
  if (models.length > 1) throw noForm('it has "model" twice')
  if (models.some(({ fileName }) => fileName !== undefined)) throw noForm('"model" is a file')
  if (parts.some(({ name }) => name.includes('\\'))) throw noForm('a name has a backslash')
}

export function isForm(contentType: string | undefined): contentType is string {
  return /^\s*multipart\/form-data\b/i.test(contentType ?? '')
}

function boundaryIn(contentType: string): string {
  const match = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType)
  const boundary = match?.[1] ?? match?.[2]
  if (boundary && boundary.length <= MAX_BOUNDARY) return boundary
  throw noForm('its content-type has no boundary')
}

function partsOf(bytes: Uint8Array, boundary: string): readonly Part[] {
  const delimiter = encoder.encode(`\r\n--${boundary}`)
  const parts: Part[] = []
  // The first delimiter needs no line before it.
  let at = startsWith(bytes, delimiter.subarray(2), 0)
    ? delimiter.length - 2
    : after(bytes, delimiter, 0)
  while (at >= 0 && !isLast(bytes, at)) {
    if (parts.length >= MAX_PARTS) throw noForm(`it has more than ${MAX_PARTS} parts`)
    const head = find(bytes.subarray(0, at + MAX_HEAD_BYTES), HEAD_END, at)
    const end = head < 0 ? -1 : find(bytes, delimiter, head + HEAD_END.length - 2)
    if (end < 0) break
    // Of an empty part, the end of the head is the line before the delimiter.
    const from = Math.min(head + HEAD_END.length, end)
    parts.push({ ...named(decoder.decode(bytes.subarray(at, head))), from, to: end })
    at = end + delimiter.length
  }
  if (at < 0 || !isLast(bytes, at)) throw noForm('it is cut off, or its boundary is another one')
  return parts
}

function named(head: string): Pick<Part, 'name' | 'fileName'> {
  const line = /^content-disposition:.*$/im.exec(head)?.[0] ?? ''
  const name = /[;\s]name=(?:"([^"]*)"|([^\s;]+))/i.exec(line)
  return {
    name: name?.[1] ?? name?.[2] ?? '',
    fileName: /[;\s]filename\*?=(?:"([^"]*)"|[^;]*)/i.exec(line)?.[1],
  }
}

function summaryOf({ name, fileName, from, to }: Part, bytes: Uint8Array): string {
  if (fileName !== undefined) return `${name}: file ${fileName}, ${to - from} bytes`
  const isShort = to - from <= MAX_TEXT_BYTES
  return `${name}: ${isShort ? decoder.decode(bytes.subarray(from, to)) : `${to - from} bytes`}`
}

function isLast(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === DASH && bytes[at + 1] === DASH
}

function after(bytes: Uint8Array, wanted: Uint8Array, from: number): number {
  const at = find(bytes, wanted, from)
  return at < 0 ? -1 : at + wanted.length
}

/** Linear, because what is looked for begins with a return and has no other at which a second comparison could begin. */
function find(bytes: Uint8Array, wanted: Uint8Array, from: number): number {
  const [first = 0] = wanted
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (startsWith(bytes, wanted, at)) return at
  }
  return -1
}

function startsWith(bytes: Uint8Array, wanted: Uint8Array, at: number): boolean {
  return at + wanted.length <= bytes.length && wanted.every((byte, i) => bytes[at + i] === byte)
}

function noForm(why: string): GatewayError {
  return new GatewayError('invalid_request', `the body is no multipart form: ${why}`)
}

/**
 * The headers of a binary frame, each with a type of its own. Only texts are of use:
 *
 *     length of name 1 | name … | 7 | length of text 2 | text …
 */
import { decodeUtf8, encodeUtf8 } from '../utf8.ts'

const TEXT = 7
const BYTES = 6
/** How long values of the other types are: true, false, the integers, a time, a UUID. */
const LENGTHS: ReadonlyMap<number, number> = new Map([
  [0, 0],
  [1, 0],
  [2, 1],
  [3, 2],
  [4, 4],
  [5, 8],
  [8, 8],
  [9, 16],
])

/** The headers between two places that are text; undefined when the bytes are no headers. */
export type Headers = ReadonlyMap<string, string> | undefined

/** What is to be known of the headers between two places. */
export type HeaderReader<Known> = (bytes: Uint8Array, start: number, end: number) => Known

/** Most frames have the headers of the one before, so these are not read again. */
export function createHeaderReader<Known>(learn: (headers: Headers) => Known): HeaderReader<Known> {
  let last = new Uint8Array()
  let known = learn(new Map())
  return (bytes, start, end) => {
    if (last.length === end - start && isRepeated(last, bytes, start)) return known
    last = bytes.slice(start, end)
    known = learn(readHeaders(bytes, start, end))
    return known
  }
}

function isRepeated(last: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let at = 0; at < last.length; at++) if (last[at] !== bytes[start + at]) return false
  return true
}

function readHeaders(
  bytes: Uint8Array,
  start: number,
  end: number,
): Map<string, string> | undefined {
  const headers = new Map<string, string>()
  for (let at = start; at < end; ) {
    const nameEnd = at + 1 + (bytes[at] ?? 0)
    const type = bytes[nameEnd] ?? 0
    const hasLength = type === TEXT || type === BYTES
    const value = nameEnd + (hasLength ? 3 : 1)
    const length = hasLength ? shortAt(bytes, nameEnd + 1) : LENGTHS.get(type)
    if (length === undefined || value + length > end) return undefined
    if (type === TEXT) {
      headers.set(
        decodeUtf8(bytes, at + 1, nameEnd) ?? '',
        decodeUtf8(bytes, value, value + length) ?? '',
      )
    }
    at = value + length
  }
  return headers
}

function shortAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
}

export function writeHeaders(headers: readonly (readonly [string, string])[]): Uint8Array {
  const bytes = headers.flatMap(([name, text]) => {
    const [key, value] = [encodeUtf8(name), encodeUtf8(text)]
    return [key.length, ...key, TEXT, value.length >> 8, value.length & 0xff, ...value]
  })
  return Uint8Array.from(bytes)
}

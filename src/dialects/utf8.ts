/** Text as bytes, with nothing but the language: the classes for it belong to platforms. */

const LONE_SURROGATE = /[\uD800-\uDFFF]/gu
const ESCAPED_BYTE = /%[0-9A-F]{2}|[^%]/g

export function encodeUtf8(text: string): Uint8Array {
  const escaped = encodeURIComponent(text.replace(LONE_SURROGATE, '\uFFFD'))
  const units = escaped.match(ESCAPED_BYTE) ?? []
  return Uint8Array.from(units, (unit) =>
    unit.length === 1 ? unit.charCodeAt(0) : Number.parseInt(unit.slice(1), 16),
  )
}

/** The text between two places, or undefined when the bytes are no UTF-8. */
export function decodeUtf8(
  bytes: Uint8Array,
  start = 0,
  end: number = bytes.length,
): string | undefined {
  let text = ''
  for (let at = start; at < end; ) {
    if (at + 8 <= end && isAscii(bytes, at, at + 8)) {
      text += eightCharacters(bytes, at)
      at += 8
      continue
    }
    const lead = bytes[at] ?? 0
    const length = sequenceLength(lead)
    const code = length === 1 ? lead : readSequence(bytes, at, Math.min(end, at + length), length)
    if (code === undefined) return undefined
    text += code < 0x80 ? String.fromCharCode(code) : String.fromCodePoint(code)
    at += length
  }
  return text
}

function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  let bits = 0
  for (let at = start; at < end; at++) bits |= bytes[at] ?? 0
  return bits < 0x80
}

/** One by one, the characters of a text would cost three times as much. */
function eightCharacters(bytes: Uint8Array, at: number): string {
  const [a = 0, b = 0, c = 0, d = 0] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]
  const [e = 0, f = 0, g = 0, h = 0] = [bytes[at + 4], bytes[at + 5], bytes[at + 6], bytes[at + 7]]
  return String.fromCharCode(a, b, c, d, e, f, g, h)
}

function sequenceLength(lead: number): number {
  if (lead < 0x80) return 1
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
}

/** The least character that needs so many bytes. */
const LEAST = [0, 0, 0x80, 0x800, 0x10000]

function readSequence(
  bytes: Uint8Array,
  start: number,
  end: number,
  length: number,
): number | undefined {
  const lead = bytes[start] ?? 0
  if (lead < 0xc2 || lead > 0xf4 || end - start < length) return undefined
  let code = lead & (0xff >> (length + 1))
  for (let at = start + 1; at < end; at++) {
    const byte = bytes[at] ?? 0
    if (byte >> 6 !== 2) return undefined
    code = (code << 6) | (byte & 0x3f)
  }
  const isSurrogate = code >= 0xd800 && code <= 0xdfff
  return isSurrogate || code < (LEAST[length] ?? 0) || code > 0x10ffff ? undefined : code
}

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
    const plain = plainText(bytes, at, Math.min(end, at + MOST))
    text = text === '' ? plain : text + plain
    at += plain.length
    if (at === end || plain.length === MOST) continue
    const length = sequenceLength(bytes[at] ?? 0)
    const code = readSequence(bytes, at, Math.min(end, at + length), length)
    if (code === undefined) return undefined
    text += String.fromCodePoint(code)
    at += length
  }
  return text
}

/** As many characters are made at once: one by one they would cost several times as much. */
const MOST = 1024

/** The text up to the first byte that is no character by itself. */
function plainText(bytes: Uint8Array, start: number, end: number): string {
  let last = start
  while (last < end && (bytes[last] ?? 0) < 0x80) last++
  // Made in its full length: a list that grows is copied again and again.
  const codes = new Array<number>(last - start)
  for (let at = start; at < last; at++) codes[at - start] = bytes[at] ?? 0
  return String.fromCharCode.apply(undefined, codes)
}

function sequenceLength(lead: number): number {
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

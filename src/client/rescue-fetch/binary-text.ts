/** Bytes as text: with one character for each, so that a place in it is a place in them, and as they spell. */

type Slice = (this: Uint8Array, start: number, end: number) => string

// Buffers have had them ever since, although neither their documents nor their types tell of it; where
// there are none, decoders do the same at several times the cost.
const { latin1Slice, utf8Slice } = (globalThis.Buffer?.prototype ?? {}) as {
  latin1Slice?: Slice
  utf8Slice?: Slice
}

// What the platforms call Latin-1 has other characters for 32 of the bytes, but one for each.
const latin = new TextDecoder('latin1')
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

export function binaryText(bytes: Uint8Array, start = 0, end: number = bytes.length): string {
  return latin1Slice
    ? latin1Slice.call(bytes, start, end)
    : latin.decode(bytes.subarray(start, end))
}

/** The text that the bytes spell in UTF-8. */
export function spelledText(bytes: Uint8Array, start = 0, end: number = bytes.length): string {
  return utf8Slice ? utf8Slice.call(bytes, start, end) : utf8.decode(bytes.subarray(start, end))
}

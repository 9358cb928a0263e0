/**
 * Bytes as a text with one character for each. A place in it is a place in the bytes, and its parts are
 * compared as blocks of memory, which no loop over bytes comes near.
 */

type LatinSlice = (this: Uint8Array, start: number, end: number) => string

// Buffers have had it ever since, although neither their documents nor their types tell of it; where
// there is none, a decoder does the same at twice the cost.
const { latin1Slice } = (globalThis.Buffer?.prototype ?? {}) as { latin1Slice?: LatinSlice }

// What the platforms call Latin-1 has other characters for 32 of the bytes, but one for each.
const decoder = new TextDecoder('latin1')
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

export function binaryText(bytes: Uint8Array): string {
  return latin1Slice ? latin1Slice.call(bytes, 0, bytes.length) : decoder.decode(bytes)
}

const BYTES: ReadonlyMap<string, number> = new Map(
  Array.from(binaryText(Uint8Array.from({ length: 256 }, (_, byte) => byte)), (character, byte) => [
    character,
    byte,
  ]),
)
const BEYOND_ASCII = /[^\0-\x7f]/

/** The text that the bytes spell in UTF-8. */
export function spelledText(binary: string): string {
  if (!BEYOND_ASCII.test(binary)) return binary
  if (latin1Slice) return Buffer.from(binary, 'latin1').toString()
  return utf8.decode(Uint8Array.from(binary, (character) => BYTES.get(character) ?? 0))
}

/** Base64, with nothing but the language: the functions for it belong to platforms. */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const VALUES: ReadonlyMap<string, number> = new Map([
  ...Array.from(ALPHABET, (character, value) => [character, value] as const),
  // The spelling for URLs.
  ['-', 62],
  ['_', 63],
])

/** The bytes; characters that are not of the alphabet are passed over. */
export function decodeBase64(text: string): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((text.length * 3) / 4))
  let length = 0
  let bits = 0
  let count = 0
  for (const character of text) {
    const value = VALUES.get(character)
    if (value === undefined) continue
    bits = ((bits << 6) | value) & 0xffff
    count += 6
    if (count < 8) continue
    count -= 8
    bytes[length++] = (bits >> count) & 0xff
  }
  return bytes.subarray(0, length)
}

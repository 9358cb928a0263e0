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

export function encodeBase64(bytes: Uint8Array): string {
  const texts: string[] = []
  for (let at = 0; at < bytes.length; at += 3) {
    const [first = 0, second = 0, third = 0] = bytes.subarray(at, at + 3)
    const bits = (first << 16) | (second << 8) | third
    const digits = [18, 12, 6, 0].map((shift) => ALPHABET.charAt((bits >> shift) & 63))
    const count = Math.min(3, bytes.length - at) + 1
    texts.push(digits.slice(0, count).join(''), '='.repeat(4 - count))
  }
  return texts.join('')
}

import { expect, test } from 'vitest'
import { decodeBase64, encodeBase64 } from './base64.ts'

test('writes what others write, and reads it back', () => {
  for (let length = 0; length < 8; length++) {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 97 + 250) % 256)
    const text = Buffer.from(bytes).toString('base64')
    expect(encodeBase64(bytes)).toBe(text)
    expect(decodeBase64(text)).toEqual(bytes)
  }
})

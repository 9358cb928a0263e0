import { describe, expect, test } from 'vitest'
import { decodeBase64 } from './base64.ts'
import { decodeUtf8, encodeUtf8 } from './utf8.ts'

describe('text as bytes', () => {
  test.for([
    '',
    'plain text, 100 %',
    'ø “æ” 漢字 😀',
    '\u0000\u007f\u0080\u07ff\u0800\uffff',
    'x😀'.repeat(3000),
  ])('there and back', (text) => {
    expect(decodeUtf8(encodeUtf8(text))).toBe(text)
    expect([...encodeUtf8(text)]).toEqual([...Buffer.from(text, 'utf8')])
  })

  test('half a surrogate pair becomes the sign for what is not known', () => {
    expect(decodeUtf8(encodeUtf8('a\ud83d'))).toBe('a\ufffd')
  })

  test('a part of the bytes', () => {
    expect(decodeUtf8(encodeUtf8('abcøde'), 2, 5)).toBe('cø')
    expect(decodeUtf8(encodeUtf8('abcøde'), 2, 4)).toBeUndefined()
  })

  test.for([
    [[0x80]],
    [[0xc3]],
    [[0xc0, 0xaf]],
    [[0xe0, 0x80, 0xaf]],
    [[0xed, 0xa0, 0x80]],
    [[0xf4, 0x90, 0x80, 0x80]],
    [[0xf8, 0x88, 0x80, 0x80, 0x80]],
    [[0xc3, 0x41]],
  ])('%j is no text', ([bytes]) => {
    expect(decodeUtf8(Uint8Array.from(bytes ?? []))).toBeUndefined()
  })
})

test.for(['', 'a', 'ab', 'abc', 'ø 😀'])('base64 of %j', (text) => {
  const bytes = Buffer.from(text, 'utf8')
  expect([...decodeBase64(bytes.toString('base64'))]).toEqual([...bytes])
  expect([...decodeBase64(bytes.toString('base64url'))]).toEqual([...bytes])
})

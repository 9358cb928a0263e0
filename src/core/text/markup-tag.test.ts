import { describe, expect, test } from 'vitest'
import { isSlip, plainText, tagAt, visibleText } from './markup-tag.ts'

describe('tagAt', () => {
  test.for([
    ['<a>x', 'open', 'a', 3],
    ['<a b="1 > 2" c=\'"\'>', 'open', 'a', 19],
    ['<a/>', 'empty', 'a', 4],
    ['<a b=c />', 'empty', 'a', 9],
    ['</ a >', 'close', 'a', 6],
    ['< /a>', 'close', 'a', 5],
    ['<0>', 'open', '0', 3],
  ] as const)('%s', ([text, kind, name, end]) => {
    expect(tagAt(text, 0, false)).toEqual({ kind, name, end })
    for (let length = 0; length < end; length++) {
      expect(tagAt(text.slice(0, length), 0, false)).toBeNull()
      expect(tagAt(text.slice(0, length), 0, true)).toBeUndefined()
    }
  })

  test('what is no tag is known at once', () => {
    for (const text of ['x', '< a', '<!--', '<a"', '<a <', '</a b', '<-']) {
      expect(tagAt(text, 0, false)).toBeUndefined()
    }
  })

  test('a lead must stand before it', () => {
    expect(tagAt('!<a>', 0, false, '!')).toEqual({ kind: 'open', name: 'a', end: 4 })
    expect(tagAt('!', 0, false, '!')).toBeNull()
    expect(tagAt('<a>', 0, false, '!')).toBeUndefined()
  })
})

test('plainText unwraps CDATA and decodes what stands outside', () => {
  expect(plainText('&lt;<![CDATA[&lt;]]]]><![CDATA[>]]>&amp;<![CDATA[', true)).toBe(
    '<&lt;]]>&<![CDATA[',
  )
  expect(plainText('&lt;', false)).toBe('&lt;')
})

test('visibleText leaves out tags, comments and instructions', () => {
  expect(visibleText(' <?a?>1 < 2<!-- b --> <b c="d">x</b><br/><![CDATA[<e>]]> ')).toBe(
    '1 < 2 x<e>',
  )
})

test('isSlip', () => {
  for (const name of ['locaton', 'locatoin', 'Location', 'locations']) {
    expect(isSlip(name, 'location')).toBe(true)
  }
  for (const name of ['loc', 'elevation', 'cat', '']) expect(isSlip(name, 'location')).toBe(false)
  expect(isSlip('b', 'b')).toBe(false)
})

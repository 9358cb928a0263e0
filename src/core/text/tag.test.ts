import { describe, expect, test } from 'vitest'
import { NEED_MORE } from '../protocol.ts'
import { literally } from './pattern.ts'
import { tagsOf, xmlMarks } from './tag.ts'

const words = {
  sections: ['calls'],
  calls: ['function'],
  parameters: ['parameter', 'param'],
}
const match = tagsOf(words)
const tagIn = (text: string, last = false) => match(text, 0, text.length, last)

describe('a tag', () => {
  const opening = { kind: 'call', word: 'function', closing: false, cut: false }
  const closing = { kind: 'parameter', word: 'param', closing: true, cut: false }
  const cases: readonly (readonly [string, Record<string, unknown>])[] = [
    ['<function=x>', { ...opening, end: 12, name: 'x', short: true }],
    ['< function >', { ...opening, end: 12, name: undefined }],
    ['<functionname="x">', { ...opening, end: 18, name: 'x', short: false }],
    ['<calls>', { kind: 'section', end: 7 }],
    ['<calls x="y">', { kind: 'section', end: 13, name: undefined }],
    ['</param> ', { ...closing, end: 8 }],
    ['</ param > ', { ...closing, end: 10 }],
    ['</param\n<', { ...closing, end: 8 }],
    ['</param=x>', { ...closing, end: 10 }],
    ['</param name="x">', { ...closing, end: 17 }],
    ['</param=x\n<', { ...closing, end: 10 }],
  ]
  test.for(cases)('%j', ([text, tag]) => {
    expect(tagIn(text)).toMatchObject(tag)
  })

  test.for(['<functional>', '<function(x)', '</params>', '<b>', '<calls x,', '<function a,'])(
    '%j is none',
    (text) => {
      expect(tagIn(text)).toBeUndefined()
    },
  )

  test.for([
    '',
    '<',
    '< ',
    '</',
    '<fun',
    '<function',
    '<param',
    '</param',
    '</param ',
    '</param=x',
  ])('%j is not known yet', (text) => {
    expect(tagIn(text)).toBe(NEED_MORE)
  })

  test('one that the reply ends in is cut', () => {
    expect(tagIn('</para', true)).toMatchObject({ kind: 'parameter', closing: true, cut: true })
    expect(tagIn('<parameter=ci', true)).toMatchObject({ kind: 'parameter', cut: true })
    expect(tagIn('<', true)).toBeUndefined()
  })

  test('one that is longer than any is none', () => {
    expect(tagIn(`<function=${'x'.repeat(4000)}`)).toBeUndefined()
  })

  test('a namespace stands in bars of any kind', () => {
    const own = tagsOf({ ...words, marks: xmlMarks('NS') })
    for (const text of ['<｜NS｜function>', '<||NS|| function>', '</｜ NS ｜ function>']) {
      expect(own(text, 0, text.length, false)).toMatchObject({ kind: 'call', word: 'function' })
    }
    for (const text of ['<function ', '<NS function ', '<｜NO｜function ']) {
      expect(own(text, 0, text.length, false)).toBeUndefined()
    }
    expect(own('<｜N', 0, 3, false)).toBe(NEED_MORE)
  })

  test('a separator stands between tags', () => {
    const own = tagsOf({ ...words, separator: literally('<call_sep>') })
    expect(own('<call_sep><', 0, 11, false)).toMatchObject({ kind: 'separator', end: 10 })
    expect(own('<call_se', 0, 8, false)).toBe(NEED_MORE)
    expect(own('<call_se', 0, 8, true)).toBeUndefined()
  })

  test('a parameter without a name is a key where tags are written loosely', () => {
    const own = tagsOf({ ...words, loose: true })
    expect(own('<param>', 0, 7, false)).toMatchObject({ kind: 'key' })
    expect(own('<param=x>', 0, 9, false)).toMatchObject({ kind: 'parameter' })
    expect(tagIn('<param>')).toMatchObject({ kind: 'parameter', name: undefined })
  })
})

describe('a head', () => {
  const cases: readonly (readonly [string, Record<string, unknown>])[] = [
    ['=x>', { name: 'x', short: true, end: 3 }],
    ['="a b">', { name: 'a b', short: true, end: 7 }],
    ['=a b>', { name: 'a b', end: 5 }],
    [' = x >', { name: 'x', end: 6 }],
    ['=x/>', { name: 'x', selfClosing: true, end: 4 }],
    ['=x\nvalue', { name: 'x', end: 2 }],
    ['=x<parameter', { name: 'x', end: 2 }],
    ['>', { name: undefined, end: 1 }],
    [' name="x">', { name: 'x', short: false, end: 10 }],
    [' name=\'x\' string="true">', { name: 'x', reading: 'text', end: 24 }],
    [' name="x" string="false">', { name: 'x', reading: 'json', end: 25 }],
    [' name="x" type="integer">', { name: 'x', reading: 'json', end: 25 }],
    [' name="x" type="integer">', { plain: true, end: 25 }],
    [' name="x" value="1">', { name: 'x', plain: false, end: 20 }],
    [' name="x" />', { plain: false, end: 12 }],
    [' name=x/>', { name: 'x', selfClosing: true, end: 9 }],
    [' name="a &quot;b&quot;" />', { name: 'a "b"', selfClosing: true, end: 26 }],
    [' name="x<|end|>">', { name: 'x', end: 17 }],
    ['\nname="x"\n>', { name: 'x', end: 11 }],
  ]
  test.for(cases)('%j', ([text, head]) => {
    const { end, ...rest } = head
    const tag = tagIn(`<function${text}`)
    expect(tag).toMatchObject({ ...rest, end: Number(end) + '<function'.length })
  })

  test.for(['', '=', '=x', ' name="x', ' name="x" /', ' name="x<|en'])('%j goes on', (text) => {
    expect(tagIn(`<function${text}`)).toBe(NEED_MORE)
    expect(tagIn(`<function${text}`, true)).toMatchObject({ cut: true })
  })

  test('that is none cannot be read', () => {
    expect(tagIn('<function (x)>')).toBeUndefined()
  })
})

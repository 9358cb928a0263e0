import { describe, expect, test } from 'vitest'
import { NEED_MORE } from '../protocol.ts'
import { readHead, tagsOf } from './tag.ts'

const match = tagsOf({
  sections: ['calls'],
  calls: ['function'],
  parameters: ['parameter', 'param'],
})
const tagIn = (text: string, last = false) => match(text, 0, text.length, last)

describe('a tag', () => {
  const opening = { kind: 'call', word: 'function', closing: false, cut: false }
  const closing = { kind: 'parameter', word: 'param', closing: true, cut: false }
  const cases: readonly (readonly [string, unknown])[] = [
    ['<function=x', { ...opening, end: 9 }],
    ['< function >', { ...opening, end: 10 }],
    ['<functionname="x"', { ...opening, end: 9 }],
    ['</param> ', { ...closing, end: 8 }],
    ['</ param > ', { ...closing, end: 10 }],
    ['</param\n<', { ...closing, end: 7 }],
    ['<functional>', undefined],
    ['<function(x)', undefined],
    ['</params>', undefined],
    ['<b>', undefined],
  ]
  test.for(cases)('%j', ([text, tag]) => {
    expect(tagIn(text)).toEqual(tag)
  })

  test.for(['<', '< ', '</', '<fun', '<function', '<param', '</param', '</param '])(
    '%j is not known yet',
    (text) => {
      expect(tagIn(text)).toBe(NEED_MORE)
    },
  )

  test('one that the reply ends in is cut', () => {
    expect(tagIn('</para', true)).toMatchObject({ kind: 'parameter', closing: true, cut: true })
    expect(tagIn('<', true)).toBeUndefined()
  })

  test('a namespace stands in bars of any kind', () => {
    const own = tagsOf({ namespace: 'NS', sections: [], calls: ['invoke'], parameters: [] })
    for (const text of ['<｜NS｜invoke ', '<||NS|| invoke ', '</｜ NS ｜ invoke>']) {
      expect(own(text, 0, text.length, false)).toMatchObject({ kind: 'call', word: 'invoke' })
    }
    for (const text of ['<invoke ', '<NS invoke ', '<｜NO｜invoke ']) {
      expect(own(text, 0, text.length, false)).toBeUndefined()
    }
    expect(own('<｜N', 0, 3, false)).toBe(NEED_MORE)
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
    [' name=\'x\' string="true">', { name: 'x', end: 24 }],
    [' name=x/>', { name: 'x', selfClosing: true, end: 9 }],
    [' name="a &quot;b&quot;" />', { name: 'a "b"', selfClosing: true, end: 26 }],
    [' name="x<|end|>">', { name: 'x', end: 17 }],
    ['\nname="x"\n>', { name: 'x', end: 11 }],
  ]
  test.for(cases)('%j', ([text, head]) => {
    expect(readHead(text, 0, text.length, false)).toMatchObject(head)
  })

  test('tells what its attributes say', () => {
    const head = readHead(' name="x" string="false">', 0, 25, false)
    expect(head).toMatchObject({
      attributes: new Map([
        ['name', 'x'],
        ['string', 'false'],
      ]),
    })
  })

  test.for(['', '=', '=x', ' name="x', ' name="x" /', ' name="x<|en'])('%j goes on', (text) => {
    expect(readHead(text, 0, text.length, false)).toBe(NEED_MORE)
    expect(readHead(text, 0, text.length, true)).toBeUndefined()
  })

  test('that is none cannot be read', () => {
    expect(readHead(' (x)>', 0, 5, false)).toBeUndefined()
  })
})

import { describe, expect, test } from 'vitest'
import type { RepairCode } from '../issue.ts'
import type { Protocol } from '../protocol.ts'
import { createExtractor, extractText } from './extractor.ts'
import { pythonCalls } from './literal-call.ts'
import { writePythonCall } from './literal-writing.ts'
import { marker } from './marker.ts'

const formatCall = writePythonCall('<x>', '</x>')

const protocol: Protocol = {
  id: 'tagged-python',
  emitters: '',
  openers: () => [pythonCalls({ open: marker('<x>'), close: '</x>' })],
  formatTools: () => '',
  formatCall,
  formatResult: () => '',
}

function read(args: string): { value: unknown; repairs: RepairCode[] } {
  const { calls } = extractText(`<x>f(${args})</x>`, { protocols: [protocol] })
  const repairs = calls[0]?.repairs ?? []
  return { value: calls[0]?.arguments, repairs: repairs.map(({ code }) => code) }
}

describe('what Python allows', () => {
  test.for<[args: string, value: unknown]>([
    ['', {}],
    ['a=1,', { a: 1 }],
    ['a = -1.50, b=+2, c=1e3, d=5., e=0b11, f=0', { a: -1.5, b: 2, c: 1000, d: 5, e: 3, f: 0 }],
    ['a=True, b=False, c=None', { a: true, b: false, c: null }],
    ["a='', b=\"\", c=''''''", { a: '', b: '', c: '' }],
    ["a='\\0\\7\\x7f', b='\\N{DASH}'", { a: '\0\u0007\x7f', b: '\\N{DASH}' }],
    ["a=R'\\n', b=rb'\\\\', c=U'x'", { a: '\\n', b: '\\\\', c: 'x' }],
    ["a=('x'), b=('x',), c=(), d={}, e={'x'}", { a: 'x', b: ['x'], c: [], d: {}, e: ['x'] }],
    ["a={'b': [{}, []], 'c': {'d': None},}", { a: { b: [{}, []], c: { d: null } } }],
    ["a={1: 'x', 2.5: 'y'}", { a: { 1: 'x', 2.5: 'y' } }],
    ["a='x' # one\n, # two\n b=2", { a: 'x', b: 2 }],
    ["**{'a': 1, 'b-c': 2}, d=3", { a: 1, 'b-c': 2, d: 3 }],
    ["a=1, __proto__={'x': 1}", JSON.parse('{"a": 1, "__proto__": {"x": 1}}')],
  ])('%s', ([args, value]) => {
    expect(read(args)).toEqual({ value, repairs: [] })
  })
})

describe('what models write', () => {
  test.for<[args: string, value: unknown, repairs: RepairCode[]]>([
    ['a=true, b=null', { a: true, b: null }, []],
    ["a='it's', b='x'", { a: "it's", b: 'x' }, ['escaped-quote']],
    [
      "a=['it's'], b={'k': 'it's'}",
      { a: ["it's"], b: { k: "it's" } },
      ['escaped-quote', 'escaped-quote'],
    ],
    ['a="one\ntwo"', { a: 'one\ntwo' }, ['escaped-control']],
    ['a=word, b=two words', { a: 'word', b: 'two words' }, ['quoted-string', 'quoted-string']],
    ['a=007', { a: 7 }, ['normalized-number']],
    ['a={b: 1, c: [d]}', { a: { b: 1, c: ['d'] } }, ['quoted-string']],
    ['{"a": 1}', { a: 1 }, []],
    ['"x", 2', { arg0: 'x', arg1: 2 }, []],
    ['"a": 1, "b": "y"', { a: 1, b: 'y' }, []],
  ])('%s', ([args, value, repairs]) => {
    expect(read(args)).toEqual({ value, repairs })
  })
})

test.for([
  'a=',
  'a=, b=1',
  ', a=1',
  'a=f(1)',
  'a=b["c"]',
  'a="x".upper()',
  "a={'b'",
  "a={'b': 1, 'c'}",
  "a={'b':}",
  'a={[1]: 2}',
  '*[1]',
  '**[1]',
  'a=[1}',
])('%s is no argument list', (args) => {
  expect(read(args).value).toBeUndefined()
})

test('without repairs, what Python does not allow is refused', () => {
  const options = { protocols: [protocol], repair: 'off' } as const
  expect(extractText("<x>f(a='it's')</x>", options).calls).toEqual([])
  expect(extractText("<x>f(a='its', b={'c': True})</x>", options).calls).toHaveLength(1)
})

test('a long text is told while it arrives', () => {
  const extractor = createExtractor({ protocols: [protocol] })
  const words = 'some words '.repeat(9)
  const told = [`<x>f(a='${words}`, words, `', b=[1, 2])</x>`].map((piece) =>
    extractor
      .push(piece)
      .map((event) => (event.type === 'call-delta' ? event.argumentsDelta : event.type))
      .join(''),
  )
  expect(told).toEqual([`call-start{"a":"${words}`, words, '","b":[1,2]}call-end'])
})

import { expect, test } from 'vitest'
import { parseCases } from './case.ts'

const LEAST = { id: 'own-1', format: 'hermes', source: 'own', text: 'hi', expected: { calls: [] } }

function parse(...cases: unknown[]) {
  return parseCases(cases.map((one) => JSON.stringify(one)).join('\n'), 'own.jsonl')
}

test('a case needs little; the rest has defaults', () => {
  expect(parse(LEAST)).toEqual([
    {
      id: 'own-1',
      format: 'hermes',
      source: 'own',
      test: '',
      tools: undefined,
      text: 'hi',
      chunks: undefined,
      calls: [],
      content: undefined,
      reasoning: undefined,
      strength: 'strict',
      checks: { count: true, names: true, arguments: true },
      policies: [],
      markers: undefined,
    },
  ])
})

test('the source can tell the file and the test', () => {
  const source = { repo: 'harbour', file: 'tides.test.ts', test: 'ebb' }
  expect(parse({ ...LEAST, source })).toMatchObject([
    { source: 'harbour', test: 'tides.test.ts › ebb' },
  ])
})

test('text is compared only where it is asserted, and none is an empty one', () => {
  const expected = { calls: [], content: null, reasoning: 'hm' }
  const asserted = { content: true, reasoning: false }
  expect(parse({ ...LEAST, expected, asserted })).toMatchObject([
    { content: '', reasoning: undefined },
  ])
})

test.for([
  ['names+count', { count: true, names: true, arguments: false }],
  ['arguments', { count: false, names: false, arguments: true }],
  ['zero', { count: true, names: false, arguments: false }],
] as const)('a partial case checks %s only', ([calls, checks]) => {
  expect(parse({ ...LEAST, strength: 'partial', asserted: { calls } })).toMatchObject([{ checks }])
})

test('a strict case checks everything, whatever it asserts', () => {
  expect(parse({ ...LEAST, asserted: { calls: 'names' } })).toMatchObject([
    { checks: { count: true, names: true, arguments: true } },
  ])
})

test('policies are a list or one name', () => {
  const parsed = parse({ ...LEAST, policy: ['a', 'b'] }, { ...LEAST, policy: 'c' })
  expect(parsed.map(({ policies }) => policies)).toEqual([['a', 'b'], ['c']])
})

test('a note can tell the markers that the reference was told to look for', () => {
  const options = { toolCallStart: '<<', toolCallEnd: '>>', other: 1 }
  const notes = `protocol options: ${JSON.stringify(options)}`
  const none = 'protocol options: {"other": {"a": 1}}'
  const parsed = parse({ ...LEAST, notes }, { ...LEAST, notes: none }, { ...LEAST, notes: 'hm' })
  expect(parsed.map(({ markers }) => markers)).toEqual([
    { open: '<<', close: '>>' },
    undefined,
    undefined,
  ])
})

test('empty lines are skipped and mistakes told with their line', () => {
  expect(() => parseCases(`${JSON.stringify(LEAST)}\n\n{"id": 1`, 'own.jsonl')).toThrow(
    /^own\.jsonl:3: /,
  )
})

test.for([
  [[], 'a case must be an object'],
  [{ ...LEAST, text: 1 }, '"text" must be a string'],
  [{ ...LEAST, expected: {} }, '"expected.calls" must be an array'],
  [{ ...LEAST, strength: 'weak' }, '"strength" must be "strict" or "partial"'],
  [{ ...LEAST, mode: 'stream', chunks: ['h'] }, '"chunks" do not join to "text"'],
  [{ ...LEAST, tools: [{}] }, 'the name of a tool must be a string'],
] as const)('%j: %s', ([one, message]) => {
  expect(() => parse(one)).toThrow(`own.jsonl:1: ${message}`)
})

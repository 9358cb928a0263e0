import { expect, test } from 'vitest'
import { extract } from '../src/index.ts'
import { type Case, parseCases } from './case.ts'
import { compareCalls, compareTexts, compareValues } from './compare.ts'

const FOUND = extract(
  '<tool_call>{"name": "tide", "arguments": {"port": "Bergen", "days": 2}}</tool_call>',
).calls

function expecting(fields: object): Case {
  const least = { id: 'own-1', format: 'hermes', source: 'own', text: '', expected: { calls: [] } }
  const [one] = parseCases(JSON.stringify({ ...least, ...fields }), 'own.jsonl')
  if (!one) throw new Error('there is one line')
  return one
}

test('equal calls, whatever the order of keys', () => {
  const calls = [{ name: 'tide', arguments: { days: 2, port: 'Bergen' } }]
  expect(compareCalls(expecting({ expected: { calls } }), FOUND)).toEqual([])
})

test('one difference for each name and value', () => {
  const calls = [{ name: 'wind', arguments: { port: 'Oslo', days: 2 } }]
  expect(compareCalls(expecting({ expected: { calls } }), FOUND)).toEqual([
    { at: 'call 1 name', expected: 'wind', got: 'tide' },
    { at: 'call 1 arguments.port', expected: 'Oslo', got: 'Bergen' },
  ])
})

test('another number of calls is one difference', () => {
  expect(compareCalls(expecting({}), FOUND)).toEqual([
    {
      at: 'calls',
      expected: [],
      got: [{ name: 'tide', arguments: { port: 'Bergen', days: 2 } }],
    },
  ])
})

test('a partial case leaves the rest open', () => {
  const calls = [{ name: 'wind', arguments: { port: 'Bergen', days: 2 } }]
  const partial = { strength: 'partial', asserted: { calls: 'arguments' } }
  const [first] = FOUND
  const twice = first ? [first, first] : []
  expect(compareCalls(expecting({ ...partial, expected: { calls } }), twice)).toEqual([])
  expect(compareCalls(expecting({ ...partial, expected: { calls } }), [])).toHaveLength(1)
})

test.for([
  [0, -0],
  [1, 1.0],
  [{ a: [1, { b: null }] }, { a: [1, { b: null }] }],
])('%j equals %j', ([one, other]) => {
  expect(compareValues(one, other, 'value')).toEqual([])
})

test.for([
  [1, '1'],
  [{ a: null }, {}],
  [[1], [1, 2]],
  [[], {}],
  [{ constructor: 'x' }, {}],
])('%j differs from %j', ([one, other]) => {
  expect(compareValues(one, other, 'value')).toHaveLength(1)
})

test('only the white space at the ends of a text does not count', () => {
  expect(compareTexts(' ebb and flow\n', 'ebb and flow', 'text')).toEqual([])
  expect(compareTexts('ebb and flow', 'ebb  and flow', 'text')).toHaveLength(1)
})

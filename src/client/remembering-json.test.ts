import { expect, test } from 'vitest'
import type { JsonValue } from '../core/json/value.ts'
import { rememberingJson } from './remembering-json.ts'

function counting(limits: { readonly maxEntries: number; readonly maxLength: number }) {
  const seen: string[] = []
  const remembered = rememberingJson((json) => seen.push(JSON.stringify(json)), limits)
  return { seen, remembered }
}

test('values that say the same are computed once', () => {
  const { seen, remembered } = counting({ maxEntries: 8, maxLength: 1000 })
  expect(remembered({ a: [1, { b: 'c' }] })).toBe(1)
  expect(remembered({ a: [1, { b: 'd' }] })).toBe(2)
  expect(remembered({ a: [1, { b: 'c' }] })).toBe(1)
  expect(seen).toEqual(['{"a":[1,{"b":"c"}]}', '{"a":[1,{"b":"d"}]}'])
})

test('those not used for longest are forgotten', () => {
  const { seen, remembered } = counting({ maxEntries: 2, maxLength: 1000 })
  for (const value of ['a', 'b', 'a', 'c', 'a', 'b']) remembered(value)
  expect(seen).toEqual(['"a"', '"b"', '"c"', '"b"'])
})

test('all of them together have a length', () => {
  const { seen, remembered } = counting({ maxEntries: 100, maxLength: 80 })
  const values = Array.from({ length: 9 }, (_, at) => `${at}2345678`)
  for (const value of [...values, ...values.toReversed()]) remembered(value)
  expect(seen).toEqual([...values, '02345678'].map((value) => `"${value}"`))
})

test('what is long or deep is not kept', () => {
  const { seen, remembered } = counting({ maxEntries: 8, maxLength: 10_000 })
  let deep: JsonValue = 0
  for (let depth = 0; depth < 100; depth++) deep = [deep]
  for (const value of ['a', 'x'.repeat(2000), deep, 'x'.repeat(2000), deep, 'a']) remembered(value)
  expect(seen).toHaveLength(5)
})

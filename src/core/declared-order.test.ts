import { expect, test } from 'vitest'
import { declaredOrder } from './declared-order.ts'

interface Value {
  readonly id: string
  readonly before?: readonly string[]
}

const orderOf = (...values: readonly Value[]) =>
  declaredOrder(values, ({ before }) => before).map(({ id }) => id)

test('values that say nothing keep their order', () => {
  expect(orderOf({ id: 'b' }, { id: 'a' }, { id: 'c' })).toEqual(['b', 'a', 'c'])
})

test('a value comes before those that it names, wherever they are listed', () => {
  const c = { id: 'c', before: ['a'] }
  expect(orderOf({ id: 'a' }, { id: 'b' }, c)).toEqual(['b', 'c', 'a'])
  expect(orderOf(c, { id: 'b' }, { id: 'a' })).toEqual(['c', 'b', 'a'])
})

test('the order is transitive', () => {
  const a = { id: 'a', before: ['b'] }
  const b = { id: 'b', before: ['c'] }
  expect(orderOf({ id: 'c' }, b, a)).toEqual(['a', 'b', 'c'])
})

test('names of values that are not in the list mean nothing', () => {
  expect(orderOf({ id: 'a', before: ['gone', 'a'] })).toEqual(['a'])
})

test('a contradiction is reported with all who take part in it', () => {
  const values = [{ id: 'a', before: ['b'] }, { id: 'b', before: ['a'] }, { id: 'c' }]
  expect(() => orderOf(...values)).toThrow(/come before each other: a, b/)
})

import { expect, test } from 'vitest'
import { append } from './append.ts'

test('a list longer than the stack is added', () => {
  const items = Array.from({ length: 1_000_000 }, (_, at) => at)
  const list = [-1]
  append(list, items)
  expect([list.length, list[0], list[1], list.at(-1)]).toEqual([1_000_001, -1, 0, 999_999])
})

import { expect, test } from 'vitest'
import { Queue } from './queue.ts'

test('gives what was put in, in the same order', () => {
  const queue = new Queue<number>()
  const taken: (number | undefined)[] = []
  for (let i = 0; i < 1000; i++) {
    queue.push(i)
    if (i % 3 > 0) taken.push(queue.shift())
  }
  expect(queue.length).toBe(1000 - taken.length)
  expect(queue.head).toBe(taken.length)
  expect([...queue]).toEqual(Array.from({ length: queue.length }, (_, i) => taken.length + i))
  expect(queue.pop()).toBe(999)
  taken.push(...queue.drain())
  expect(taken).toEqual(Array.from({ length: 999 }, (_, i) => i))
  expect([queue.length, queue.head, queue.shift(), queue.pop()]).toEqual([
    0,
    undefined,
    undefined,
    undefined,
  ])
})

test('changes the next one only', () => {
  const queue = new Queue<string>()
  queue.replaceHead('none')
  queue.pushAll(['a', 'b'])
  queue.replaceHead('c')
  expect(queue.drain()).toEqual(['c', 'b'])
})

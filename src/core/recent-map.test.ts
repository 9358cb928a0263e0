import { expect, test } from 'vitest'
import { createRecentMap } from './recent-map.ts'

test('what was used last stays', () => {
  const map = createRecentMap<number>({ maxEntries: 2 })
  map.set('a', 1)
  map.set('b', 2)
  expect(map.get('a')).toBe(1)
  map.set('c', 3)
  expect([...map.keys()]).toEqual(['a', 'c'])
})

test('what is forgotten on request is the oldest', () => {
  const map = createRecentMap<number>({ maxEntries: 9 })
  for (const [key, value] of Object.entries({ a: 1, b: 2, c: 9, d: 1 })) map.set(key, value)
  map.forgetWhile((value) => value < 5)
  expect([...map.keys()]).toEqual(['c', 'd'])
})

test('bytes are given back', () => {
  const map = createRecentMap<string>({
    maxEntries: 100,
    maxBytes: 10,
    bytesOf: (_, value) => value.length,
  })
  for (let i = 0; i < 1000; i += 1) {
    map.set(`key ${i}`, 'x'.repeat(i % 7))
    if (i % 3 === 0) map.delete(`key ${i}`)
  }
  map.set('last', 'x'.repeat(10))
  expect([...map.keys()]).toEqual(['last'])
})

import { expect, test } from 'vitest'
import { randomChunkings } from './chunkings.ts'

const TEXT = 'Low water at Bergen 🌊 is at four. '.repeat(20)

test('every chunking joins to the text and has no empty piece', () => {
  for (const chunks of randomChunkings(TEXT, 20, 'seed')) {
    expect(chunks.join('')).toBe(TEXT)
    expect(chunks).not.toContain('')
  }
})

test('the same seed cuts in the same way, another one in another', () => {
  const cuts = randomChunkings(TEXT, 5, 'one')
  expect(randomChunkings(TEXT, 5, 'one')).toEqual(cuts)
  expect(randomChunkings(TEXT, 5, 'other')).not.toEqual(cuts)
})

test('tiny and large pieces both occur', () => {
  const counts = randomChunkings(TEXT, 20, 'seed').map((chunks) => chunks.length)
  expect(Math.max(...counts)).toBe(TEXT.length)
  expect(Math.min(...counts)).toBeLessThan(20)
})

test('a long text is cut into a bounded number of pieces', () => {
  const long = TEXT.repeat(500)
  for (const chunks of randomChunkings(long, 5, 'seed')) expect(chunks.length).toBeLessThan(5000)
})

test('an empty text has no pieces', () => {
  expect(randomChunkings('', 1, 'seed')).toEqual([[]])
})

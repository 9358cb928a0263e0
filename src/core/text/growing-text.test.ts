import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GrowingText } from './growing-text.ts'

/** Words, and now and then a page. */
const piece = fc.oneof(
  { weight: 9, arbitrary: fc.string({ maxLength: 12 }) },
  { weight: 1, arbitrary: fc.string({ minLength: 500, maxLength: 600 }) },
)

test('is its pieces, whenever it is read', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(piece, fc.boolean()), { maxLength: 400 }), (pieces) => {
      const text = new GrowingText()
      let expected = ''
      for (const [added, isRead] of pieces) {
        text.add(added)
        expected += added
        if (isRead) expect(text.read()).toBe(expected)
      }
      expect(text.read()).toBe(expected)
    }),
  )
})

test('holds thousands of characters that came one by one', () => {
  const text = new GrowingText()
  for (let i = 0; i < 10_000; i++) text.add(String(i % 10))
  expect(text.read()).toBe('0123456789'.repeat(1000))
})

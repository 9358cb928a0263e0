import { expect, test } from 'vitest'
import { UnreadReplies } from './unread-replies.ts'

function fill(sizes: readonly number[], maxBytes = 100) {
  const unread = new UnreadReplies(maxBytes)
  const givenUp: number[] = []
  const replies = sizes.map((bytes, at) => unread.add(bytes, () => givenUp.push(at)))
  return { unread, givenUp, replies }
}

test('those whose clients took nothing for the longest are given up first', () => {
  const { unread, givenUp, replies } = fill([40, 40])
  replies[0]?.taken()
  unread.add(50, () => givenUp.push(9))
  expect(givenUp).toEqual([1])
  expect(unread.bytes).toBe(90)
  // What becomes of one that was given up is of no concern any more.
  replies[1]?.taken()
  replies[1]?.done()
  replies[0]?.done()
  replies[0]?.done()
  expect(unread.bytes).toBe(50)
})

test('as many as necessary are given up, but never the last one', () => {
  const { unread, givenUp } = fill([60, 30, 250])
  expect(givenUp).toEqual([0, 1])
  expect(unread.bytes).toBe(250)
})

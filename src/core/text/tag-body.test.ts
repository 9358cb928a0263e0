import { describe, expect, test } from 'vitest'
import { createTagBody } from './tag-body.ts'

/** Reads up to `</a>`, or to `<b>` at the beginning of a line, in pieces of `size`. */
function read(text: string, size: number, limit?: number) {
  const body = createTagBody(({ kind, name }, startsLine) => {
    if (kind === 'close' && name === 'a') return 'closed'
    return kind === 'open' && name === 'b' && startsLine ? 'left' : undefined
  }, limit)
  let at = 0
  for (let end = size; body.state === 'open'; end += size) {
    at = body.read(text.slice(0, end), at, end >= text.length)
  }
  return [body.state, body.text(), at]
}

describe('createTagBody', () => {
  test.for([
    ['closed', 'x < y <i>z</i></a>rest', 'x < y <i>z</i>', 18],
    ['left', 'x <b>\n<b>rest', 'x <b>\n', 6],
    ['cut', 'x <i>y</a', 'x <i>y', 9],
    ['cut', 'x <', 'x ', 3],
    ['cut', 'x <i', 'x <i', 4],
    ['cut', '', '', 0],
  ] as const)('%s: %j', ([state, text, kept, end]) => {
    for (const size of [1, 2, 3, 100]) expect(read(text, size)).toEqual([state, kept, end])
  })

  test('a text that is too long', () => {
    for (const size of [1, 2, 3, 100]) {
      expect(read('abcdef</a>', size, 6)).toEqual(['cut', 'abcdef', 6])
      expect(read('abcdef</a>', size, 10)).toEqual(['closed', 'abcdef', 10])
    }
  })
})

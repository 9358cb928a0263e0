import { describe, expect, test } from 'vitest'
import { NEED_MORE, NO_MATCH } from '../protocol.ts'
import { literally, oneOf, optional, patternReader, SPACE, sequence } from './pattern.ts'

const HEADER = sequence(
  literally('[call]'),
  SPACE,
  '(?<name>\\w{1,8})',
  optional(literally(' id='), '(?<id>\\d{1,4})'),
  oneOf(literally(':'), literally(' ->')),
)

describe('a pattern', () => {
  const { match, read } = patternReader(HEADER)
  const at = (text: string, last = false) => match(text, 0, text.length, last)

  test.for(['[call]t:', '[call] t ->', '[call]\nt id=12:'])('is found in %j', (text) => {
    expect(at(text)).toBe(text.length)
    expect(at(`${text} and more`)).toBe(text.length)
  })

  test('may be cut anywhere', () => {
    const text = '[call] t id=12 ->'
    for (let end = 0; end < text.length; end++) {
      expect(at(text.slice(0, end))).toBe(NEED_MORE)
      expect(at(text.slice(0, end), true)).toBe(NO_MATCH)
    }
  })

  test.for(['[cell]', '[call]!', '[call]t id:', '[call]t =', 'x'])('is not begun by %j', (text) => {
    expect(at(text)).toBe(NO_MATCH)
  })

  test('tells its groups', () => {
    expect(read('..[call]t id=7: x', 2, 17)).toEqual({
      length: 13,
      whole: true,
      groups: { name: 't', id: '7' },
    })
  })

  test('looks no further than told', () => {
    expect(read('[call]t:', 0, 7)).toMatchObject({ length: 7, whole: false })
  })
})

test('enough of a pattern at the end of a reply counts', () => {
  const { match } = patternReader(HEADER, 6)
  expect(match('[call]t', 0, 7, true)).toBe(7)
  expect(match('[call]t', 0, 7, false)).toBe(NEED_MORE)
  expect(match('[call', 0, 5, true)).toBe(NO_MATCH)
})

test('characters in other spellings', () => {
  const { match } = patternReader(literally('<a_b>', { _: '[_ ]' }))
  expect(match('<a b>', 0, 5, false)).toBe(5)
  expect(match('<a-b>', 0, 5, false)).toBe(NO_MATCH)
})

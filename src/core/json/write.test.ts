import { expect, test } from 'vitest'
import { writeJson } from './write.ts'

const written: readonly { readonly value: unknown; readonly text: string }[] = [
  { value: { a: [1, 'x', null, true] }, text: '{"a":[1,"x",null,true]}' },
  { value: undefined, text: 'null' },
  { value: () => 1, text: 'null' },
  { value: { a: undefined, b: [undefined] }, text: '{"b":[null]}' },
  { value: Number.NaN, text: 'null' },
  { value: [12345678901234567890n], text: '["12345678901234567890"]' },
  { value: '\ud83d', text: '"\\ud83d"' },
]

// One test, not a table: the runner cannot print a bigint in a name.
test('values are written as JSON.stringify would, and bigints as text', () => {
  for (const { value, text } of written) expect(writeJson(value)).toBe(text)
})

test('a cycle is a TypeError that says so', () => {
  const value: Record<string, unknown> = {}
  value['self'] = value
  expect(() => writeJson(value)).toThrow(TypeError)
  expect(() => writeJson(value)).toThrow(/^Cannot write the value as JSON: .*circular/)
})

test('a toJSON that throws is a TypeError with its cause', () => {
  const cause = new Error('no')
  const value = {
    toJSON(): never {
      throw cause
    },
  }
  expect(() => writeJson(value)).toThrow(
    expect.objectContaining({
      name: 'TypeError',
      message: 'Cannot write the value as JSON: no',
      cause,
    }),
  )
})

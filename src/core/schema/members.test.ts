import { expect, test } from 'vitest'
import { canonicalText, distinctJson } from './json-text.ts'
import { membersOf } from './members.ts'

test('members are found by value, objects in any order of keys', () => {
  const { has } = membersOf(['a', 1, null, { b: 1, c: [2] }, []])
  for (const value of ['a', 1, null, { c: [2], b: 1 }, []])
    expect(has(value), `${value}`).toBe(true)
  for (const value of ['A', '1', 0, false, {}, [[]], { b: 1, c: [2], d: 3 }]) {
    expect(has(value), `${value}`).toBe(false)
  }
})

test('members are found by spelling', () => {
  const { like } = membersOf(['dark_blue', 'darkBlue', 'red', 5])
  expect(like('Dark-Blue')).toEqual(['dark_blue', 'darkBlue'])
  expect(like('RED')).toEqual(['red'])
  expect(like('5')).toEqual([])
})

test('a value that contains itself is no member', () => {
  const value: Record<string, never> = {}
  Object.assign(value, { one: value, other: value })
  expect(membersOf([{ one: 1 }]).has(value)).toBe(false)
})

test('texts tell long keys apart', () => {
  const key = 'k'.repeat(200)
  expect(canonicalText({ [`${key}1`]: 1 })).not.toBe(canonicalText({ [`${key}2`]: 1 }))
  expect(distinctJson([{ a: 1, b: 2 }, { b: 2, a: 1 }, { a: 1 }])).toEqual([
    { a: 1, b: 2 },
    { a: 1 },
  ])
})

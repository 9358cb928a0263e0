import { expect, test } from 'vitest'
import { readJson } from './read.ts'

test('what JSON.parse accepts is read by it', () => {
  expect(readJson(' {"a": [1]} ')).toEqual({ value: { a: [1] }, complete: true, repairs: [] })
})

test('a broken value is repaired', () => {
  const { value, complete, repairs } = readJson("{a: 'x',}")
  expect({ value, complete }).toEqual({ value: { a: 'x' }, complete: true })
  expect(repairs.map(({ code }) => code)).toEqual([
    'quoted-key',
    'replaced-quotes',
    'dropped-comma',
  ])
})

test.for(['', ' \n'])('%j has no value', (text) => {
  expect(readJson(text)).toEqual({ value: undefined, complete: false, repairs: [] })
})

test('a value that never ends is not complete', () => {
  const { value, complete } = readJson('{"a": [1, 2')
  expect({ value, complete }).toEqual({ value: { a: [1, 2] }, complete: false })
})

test('text behind the value is reported, and the value kept', () => {
  expect(readJson('{"a": 1} and so on')).toEqual({
    value: { a: 1 },
    complete: false,
    repairs: [{ code: 'dropped-text', path: [], risk: 'guess', before: 'and so on' }],
  })
})

test('a level that forbids a repair leaves no value', () => {
  expect(readJson('{"a": 1', { repair: 'safe' }).value).toBeUndefined()
  expect(readJson('{"a": 1,}', { repair: 'off' }).value).toBeUndefined()
  expect(readJson('{"a": 1,}', { repair: 'safe' }).value).toEqual({ a: 1 })
})

test('the depth is limited for broken text', () => {
  expect(readJson('[[[1,]]]', { maxDepth: 2 }).complete).toBe(false)
})

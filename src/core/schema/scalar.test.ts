import { expect, test } from 'vitest'
import { readNumber, toBoolean, toInteger, toNumber, toText } from './scalar.ts'

test.for([
  [42.0, '42'],
  [3.14, '3.14'],
  [-5.5, '-5.5'],
  [true, 'true'],
  ['  hello world  ', '  hello world  '],
  [null, undefined],
  [Number.NaN, undefined],
  [[1], undefined],
] as const)('the text of %j is %j', ([value, text]) => {
  expect(toText(value)).toBe(text)
})

test.for([
  [42.0, 42],
  [3.14, 3],
  ['123', 123],
  ['-50', -50],
  ['12abc', 12],
  ['not_a_number', undefined],
  ['99999999999999999999', undefined],
  [true, undefined],
  [null, undefined],
] as const)('the integer in %j is %j', ([value, integer]) => {
  expect(toInteger(value)).toBe(integer)
})

test.for([
  [3.5, 3.5],
  [' 3.5 ', 3.5],
  ['3.5x', undefined],
  ['', undefined],
  [Number.POSITIVE_INFINITY, undefined],
  [true, undefined],
] as const)('the number in %j is %j', ([value, number]) => {
  expect(toNumber(value)).toBe(number)
})

test.for([
  ['yes', true],
  ['1', true],
  ['ENABLED', true],
  ['no', false],
  ['0', false],
  [' off ', false],
  ['maybe', undefined],
  [1.5, true],
  [0, false],
  [false, false],
  [null, undefined],
] as const)('the boolean in %j is %j', ([value, boolean]) => {
  expect(toBoolean(value)).toBe(boolean)
})

test.for(['007', '+5', '.5', '5.', '1_000', 'NaN', '0x10', '1e999', '9007199254740993'])(
  '%s is not a number in JSON, or not one that keeps its digits',
  (text) => {
    expect(readNumber(text)).toBeUndefined()
  },
)

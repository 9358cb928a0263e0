import { expect, test } from 'vitest'
import { readNumber } from './number.ts'

test.for([
  ['0', 0],
  ['-12', -12],
  ['1.50', 1.5],
  ['2e3', 2000],
  ['9007199254740993.0', 9007199254740992],
] as const)('%s is a number', ([text, number]) => {
  expect(readNumber(text)).toBe(number)
})

test.for([
  '007',
  '+5',
  '.5',
  '5.',
  '1_000',
  'NaN',
  '0x10',
  '1e999',
  '9007199254740993',
  '-9007199254740993',
])('%s is not a number in JSON, or not one that keeps its digits', (text) => {
  expect(readNumber(text)).toBeUndefined()
})

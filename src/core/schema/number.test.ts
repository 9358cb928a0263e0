import { expect, test } from 'vitest'
import { readNumber } from './number.ts'

test.for([
  ['0', 0],
  ['-12', -12],
  ['1.50', 1.5],
  ['2e3', 2000],
  ['9007199254740993.0', 9007199254740992],
  ['+12', 12],
  ['.25', 0.25],
  ['-.5e1', -5],
  ['3.', 3],
  ['+0.', 0],
] as const)('%s is a number', ([text, number]) => {
  expect(readNumber(text)).toBe(number)
})

test.for([
  '007',
  '',
  '+',
  '.',
  '-.',
  '.e3',
  '+-5',
  '+007',
  '1.2.3',
  '1_000',
  'NaN',
  '0x10',
  '1e999',
  '9007199254740993',
  '-9007199254740993',
])('%s is not a number, or not one that keeps its digits', (text) => {
  expect(readNumber(text)).toBeUndefined()
})

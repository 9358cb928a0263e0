import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isMultipleOf } from './multiple.ts'

test('a decimal number times a whole one is a multiple, whatever the bits say', () => {
  const digits = fc.integer({ min: 1, max: 99_999 })
  fc.assert(
    fc.property(digits, fc.integer({ min: 0, max: 6 }), fc.nat(9999), (unit, places, factor) => {
      const value = Number(`${unit * factor}e-${places}`)
      expect(isMultipleOf(value, Number(`${unit}e-${places}`))).toBe(true)
    }),
  )
})

test.for([
  [0.35, 0.1, false],
  [1e308, 1e-308, true],
  [5e-324, 5e-324, true],
  [-0.3, 0.1, true],
  [1e23, 7, false],
  [2 ** 60, 2, true],
  [7, 0, true],
  [7, -2, true],
  [Number.NaN, 2, true],
] as const)('%d and %d: %s', ([value, divisor, expected]) => {
  expect(isMultipleOf(value, divisor)).toBe(expected)
})

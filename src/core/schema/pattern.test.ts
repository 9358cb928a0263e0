import { expect, test } from 'vitest'
import { createPatterns } from './pattern.ts'

/** The longest text, up to 20 000 characters, on which a pattern that never fits says so. */
function reach(pattern: string): number {
  const matches = createPatterns()
  let reached = 0
  for (let length = 1; length <= 20_000; length = Math.ceil(length * 1.05)) {
    if (!matches(pattern, '\n'.repeat(length))) reached = length
  }
  return reached
}

test.for([
  ['^[a-z]+$', 9000],
  ['^\\d{4}-\\d{2}-\\d{2}$', 9000],
  ['^(red|green)$', 9000],
  ['^[a-z0-9]+(?:-[a-z0-9]+)*$', 3000],
  ['^([a-z]+\\.)+[a-z]+$', 3000],
  ['[a-z]+@[a-z]+', 200],
])('%s is tested on long texts', ([pattern, least]) => {
  expect(reach(`${pattern}`)).toBeGreaterThan(Number(least))
})

test.for([
  '^(a+)+$',
  '^(a|b)*c$',
  '^(a+)\\1$',
  '^(?:[a-z-]+-)*$',
  '^((a{2,}){3,})$',
  '^(?:a?b)*c$',
])('%s is tested on short texts only', (pattern) => {
  const matches = createPatterns()
  expect(matches(pattern, '\n')).toBe(false)
  expect(reach(pattern)).toBeLessThanOrEqual(16)
})

test('what is no expression matches everything', () => {
  expect(createPatterns()('(', 'text')).toBe(true)
})

import { expect, test } from 'vitest'
import { createPatterns } from './pattern.ts'

test.for([
  ['^[a-z]+$', 'a'],
  ['^\\d{4}-\\d{2}-\\d{2}$', '2'],
  ['^[a-z0-9]+(?:-[a-z0-9]+)*$', 'a-'],
  ['^([a-z]+\\.)+[a-z]+$', 'a.'],
  ['[a-z]+@[a-z]+', 'a'],
  ['^(a+)+$', 'a'],
  ['^(?=(a|a)*$)(a|a)*$', 'a'],
] as const)('%s is tried on long texts', ([source, unit]) => {
  expect(createPatterns().match(source, `${unit.repeat(10_000)}!`)).toBe(false)
})

test.for(['(', '^(a+)\\1$', '(?P<name>a)', 'a'.repeat(20_000), '(a{200}){200}'])(
  'whether %.20s matches is not known',
  (source) => {
    const patterns = createPatterns()
    expect(patterns.match(source, 'text')).toBeUndefined()
    expect(patterns.match('x', 'text')).toBe(true)
    expect([...patterns.unknown]).toEqual([source])
  },
)

test('what one inspection spends has a limit, whatever was asked before', () => {
  const source = '^(a?){400}a{400}$'
  for (const _ of ['not compiled before', 'compiled before']) {
    const patterns = createPatterns()
    const answers = Array.from({ length: 100 }, () => patterns.match(source, 'a'.repeat(400)))
    const known = answers.filter((answer) => answer === true)
    expect(known).toHaveLength(8)
    expect(answers.lastIndexOf(true)).toBe(known.length - 1)
    // Also what is cheap: there must be an end to the number of them, too.
    expect(patterns.match('a', 'a')).toBeUndefined()
  }
})

test('many expressions cost no more than one', () => {
  const patterns = createPatterns()
  const answers = Array.from({ length: 10_000 }, (_, at) => patterns.match(`^x${at}[a-z]`, 'x'))
  expect(answers[0]).toBe(false)
  expect(answers.at(-1)).toBeUndefined()
})

test('what was compiled is kept for other inspections', () => {
  const source = '[\\p{L}\\p{N}]{1,2000}$'
  expect(createPatterns().match(source, 'Ærø')).toBe(true)
  const before = performance.now()
  for (let count = 0; count < 100; count++) createPatterns().match(source, 'Ærø')
  expect(performance.now() - before).toBeLessThan(5000)
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isTooDeep, MAX_JSON_DEPTH } from './depth.ts'
import { JsonMeasure } from './measure.ts'
import { parseStrict } from './strict.ts'
import type { JsonValue } from './value.ts'

function nested(depth: number): string {
  return `${'['.repeat(depth)}${']'.repeat(depth)}`
}

function depthOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depthOf))
}

function fits(text: string, depth: number, values?: number): string {
  return new JsonMeasure(text, { depth, values }).read()
}

test('the depth of any JSON is found, in steps of any length', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 1, max: 9 }), (given, step) => {
      const value = given as JsonValue // fast-check has its own type for it
      const text = JSON.stringify(value)
      const depth = depthOf(value)
      expect(fits(text, depth)).toBe('fits')
      if (depth > 0) expect(fits(text, depth - 1)).toBe('depth')
      const measure = new JsonMeasure(text, { depth })
      let state = measure.read(step)
      while (state === 'more') state = measure.read(step)
      expect(state).toBe('fits')
    }),
  )
})

test.for([
  ['[[]]', 1, 'depth'],
  ['["[[[", "\\"[[[", "\\\\"]', 1, 'fits'],
  ['{"a":[1,2,3],"b":{}}', 2, 'fits'],
  ['"[[[[', 0, 'fits'],
] as const)('%s within %i levels: %s', ([text, depth, expected]) => {
  expect(fits(text, depth)).toBe(expected)
})

test('values are counted', () => {
  const message = '{"role":"user","content":"x"}'
  const list = (count: number) => `[${Array<string>(count).fill(message).join(',')}]`
  // Three for each message, one for the list and one for the whole.
  expect(fits(list(100), 10, 301)).toBe('fits')
  expect(fits(list(100), 10, 300)).toBe('values')
  expect(fits(`["${',{['.repeat(100)}"]`, 10, 3)).toBe('fits')
})

test('backslashes before quotes are read once', () => {
  const text = `["${'\\'.repeat(1_000_000)}"]`
  expect(fits(text, 2)).toBe('fits')
})

test('what nests too deeply is not read', () => {
  expect(isTooDeep(nested(MAX_JSON_DEPTH))).toBe(false)
  expect(isTooDeep(nested(MAX_JSON_DEPTH + 1))).toBe(true)
  expect(parseStrict(nested(MAX_JSON_DEPTH))).toBeDefined()
  expect(parseStrict(nested(MAX_JSON_DEPTH + 1))).toBeUndefined()
  expect(parseStrict(nested(200_000))).toBeUndefined()
})

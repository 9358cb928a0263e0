import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonValue } from '../../core/json/value.ts'
import type { JsonSchema } from '../../core/model.ts'
import { validate } from '../../core/schema/validate.ts'
import { sampleArguments } from './sample-arguments.ts'

function one(schema: JsonSchema, name = 'value'): JsonValue | undefined {
  return sampleArguments({ properties: { [name]: schema }, required: [name] })[name]
}

describe('the value of an argument', () => {
  test.for([
    ['a constant', { const: 7 }, 7],
    ['the first of several', { enum: ['a', 'b'] }, 'a'],
    ['not null where something else is allowed', { enum: [null, 'b'] }, 'b'],
    ['an example', { type: 'string', examples: ['x'], default: 'y' }, 'x'],
    ['what it is by default', { type: 'string', default: 'y' }, 'y'],
    ['within a range', { type: 'integer', minimum: 10, maximum: 12 }, 11],
    ['above a limit', { type: 'integer', exclusiveMinimum: 10 }, 11],
    ['below a limit', { type: 'number', exclusiveMaximum: -3 }, -4],
    [
      'between limits that do not count',
      { exclusiveMinimum: 0, exclusiveMaximum: 1, type: 'number' },
      0.5,
    ],
    ['a multiple', { type: 'integer', multipleOf: 25, minimum: 30, maximum: 60 }, 50],
    ['a day', { type: 'string', format: 'date' }, '2026-01-15'],
    ['a pattern', { type: 'string', pattern: '^[A-Z]{2}-\\d{3}$' }, 'AB-123'],
    ['long enough', { type: 'string', minLength: 10 }, 'examplexxx'],
    ['short enough', { type: 'string', maxLength: 3 }, 'exa'],
    ['the first form', { anyOf: [{ type: 'null' }, { type: 'integer', minimum: 5 }] }, 5],
    ['the first type that is not null', { type: ['null', 'boolean'] }, false],
    ['all parts of it', { allOf: [{ type: 'integer' }, { minimum: 9 }] }, 9],
    ['a list of two', { type: 'array', items: { type: 'integer' }, minItems: 2 }, [2, 3]],
    ['a list by place', { prefixItems: [{ const: 'a' }, { const: 1 }] }, ['a', 1]],
    ['anything', true, 'example'],
  ] satisfies [string, JsonSchema, JsonValue][])('%s', ([, schema, value]) => {
    expect(one(schema)).toEqual(value)
  })

  test.for([
    ['city', { type: 'string' }, 'Oslo'],
    ['file_path', { type: 'string' }, 'notes.txt'],
    ['searchQuery', { type: 'string' }, 'fjord ferries'],
    ['cities', { type: 'array', items: { type: 'string' } }, ['Oslo']],
    ['maxResults', { type: 'integer' }, 5],
    ['latitude', { type: 'number' }, 59.91],
  ] satisfies [string, JsonSchema, JsonValue][])('%s, by its name', ([name, schema, value]) => {
    expect(one(schema, name)).toEqual(value)
  })
})

test('required arguments, and of the others those that are given', () => {
  const text = { type: 'string' }
  const properties = { a: text, b: text, c: { type: 'integer' }, d: text, e: text }
  const schema = { properties, required: ['d'] }
  expect(sampleArguments(schema)).toEqual({ d: 'example' })
  const given = (name: string) => (name === 'b' || name === 'c' ? 'given' : undefined)
  // A value that the schema does not allow is no value.
  expect(sampleArguments(schema, { given })).toEqual({ b: 'given', d: 'example' })
  expect(sampleArguments(schema, { texts: ['x', 'y'] })).toEqual({ d: 'x' })
  expect(sampleArguments(schema, { texts: ['x', 'y'], fillsOptional: true })).toEqual({
    a: 'x',
    b: 'y',
    d: 'example',
  })
})

test('references, also to itself', () => {
  const schema = {
    properties: { tree: { $ref: '#/$defs/node' } },
    required: ['tree'],
    $defs: {
      node: {
        type: 'object',
        properties: { label: { type: 'string' }, next: { $ref: '#/$defs/node' } },
        required: ['label'],
      },
    },
  }
  expect(sampleArguments(schema)).toEqual({ tree: { label: 'example' } })
})

test('a schema that demands itself for ever comes to an end', () => {
  const nodes = { type: 'array', minItems: 5, items: { $ref: '#' } }
  const properties = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`n${at}`, nodes]))
  const schema = { type: 'object', properties, required: Object.keys(properties) }
  expect(JSON.stringify(sampleArguments(schema)).length).toBeLessThan(1_000_000)
})

test('a second time, other values', () => {
  const schema = {
    properties: { city: { type: 'string' }, unit: { enum: ['c', 'f'] }, days: { type: 'integer' } },
    required: ['city', 'unit', 'days'],
  }
  expect(sampleArguments(schema)).toEqual({ city: 'Oslo', unit: 'c', days: 3 })
  expect(sampleArguments(schema, { take: 1 })).toEqual({ city: 'Lima', unit: 'f', days: 4 })
})

test('given texts go where any text will do, in order', () => {
  const properties = {
    day: { type: 'string', format: 'date' },
    code: { type: 'string', maxLength: 2 },
    title: { type: 'string' },
    body: { type: 'string' },
  }
  const texts = ['Long title', 'ab', 'Words', 'left over']
  const args = sampleArguments({ properties, required: Object.keys(properties) }, { texts })
  expect(args).toEqual({ day: '2026-01-15', code: 'ab', title: 'Long title', body: 'Words' })
  expect(texts).toEqual(['left over'])
})

test('plain schemas get what they ask for', () => {
  const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.record({ type: fc.constant('string'), minLength: fc.nat(20) }),
      fc.record({ type: fc.constant('string'), maxLength: fc.nat(20) }),
      fc.record({ type: fc.constant('integer'), minimum: fc.integer() }),
      fc.record({ type: fc.constant('number'), exclusiveMaximum: fc.integer() }),
      fc.record({ type: fc.constant('boolean') }),
      fc.record({ enum: fc.array(fc.jsonValue(), { minLength: 1 }) }) as fc.Arbitrary<JsonSchema>,
      fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat(4) }),
      fc.record({
        type: fc.constant('object'),
        properties: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), tie('schema')),
      }),
      fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }),
    ),
  }))
  fc.assert(
    fc.property(schema, (value) => {
      const properties = { value }
      const whole = { type: 'object', properties, required: ['value'] }
      expect(validate(sampleArguments(whole), whole)).toEqual([])
    }),
  )
})

const KEYWORDS =
  'type format properties items prefixItems enum const required $ref allOf anyOf pattern default ' +
  'examples minLength maxLength minItems maxItems minimum maximum exclusiveMinimum multipleOf'

test('no schema makes it throw', () => {
  const words = fc.constantFrom('constructor', '__proto__', '#', '#/properties', 'array', 'integer')
  const schemas = fc.dictionary(
    fc.constantFrom(...KEYWORDS.split(' ')),
    fc.oneof(fc.jsonValue(), words, fc.double()),
  )
  fc.assert(
    fc.property(schemas, (schema) => {
      // The cast: what fast-check calls a JSON value is one.
      sampleArguments(schema as JsonSchema)
      one(schema as JsonSchema)
    }),
    { numRuns: 1000 },
  )
})

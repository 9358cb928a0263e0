import { expect, test } from 'vitest'
import type { JsonObject } from '../../core/json/value.ts'
import { strictSchema } from './strict-schema.ts'

function lowered(schema: JsonObject): { readonly schema: JsonObject; readonly lost: string[] } {
  const lost: string[] = []
  return { schema: strictSchema(schema, (path, key) => lost.push(`${path}:${key}`)), lost }
}

test('objects are closed, on every level, and optional properties stay optional', () => {
  const inner = { type: 'object', properties: { b: { type: 'string' } } }
  const schema = {
    type: 'object',
    properties: { a: inner, c: { type: 'integer' } },
    required: ['a'],
  }
  expect(lowered(schema)).toEqual({
    schema: {
      ...schema,
      properties: { a: { ...inner, additionalProperties: false }, c: { type: 'integer' } },
      additionalProperties: false,
    },
    lost: [],
  })
})

test('what cannot be enforced is told in the description and reported', () => {
  const schema = {
    type: 'object',
    properties: {
      age: { type: 'integer', minimum: 0, description: 'In years' },
      tags: { type: 'array', items: { type: 'string', pattern: '^x' }, minItems: 3 },
    },
    additionalProperties: false,
  }
  expect(lowered(schema)).toEqual({
    schema: {
      type: 'object',
      properties: {
        age: { type: 'integer', description: 'In years\n\n{minimum: 0}' },
        tags: {
          type: 'array',
          items: { type: 'string', description: '{pattern: "^x"}' },
          description: '{minItems: 3}',
        },
      },
      additionalProperties: false,
    },
    lost: [
      '/properties/age:minimum',
      '/properties/tags/items:pattern',
      '/properties/tags:minItems',
    ],
  })
})

test('formats and lengths that can be enforced stay', () => {
  const schema = { type: 'array', minItems: 1, items: { type: 'string', format: 'date-time' } }
  expect(lowered(schema)).toEqual({ schema, lost: [] })
  expect(lowered({ type: 'string', format: 'color' }).lost).toEqual([':format'])
})

test('alternatives are anyOf; references stand alone, definitions beside them', () => {
  const schema = {
    type: 'object',
    properties: { one: { oneOf: [{ type: 'string' }, { $ref: '#/$defs/n', title: 'N' }] } },
    $defs: { n: { type: 'object', properties: {} } },
  }
  expect(lowered(schema).schema).toEqual({
    type: 'object',
    properties: { one: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/n' }] } },
    $defs: { n: { type: 'object', properties: {}, additionalProperties: false } },
    additionalProperties: false,
  })
})

test('open objects are closed, which is reported', () => {
  const { schema, lost } = lowered({ type: 'object', additionalProperties: { type: 'string' } })
  expect(schema).toEqual({ type: 'object', additionalProperties: false })
  expect(lost).toEqual([':additionalProperties'])
})

test('twice is the same as once', () => {
  const once = lowered({
    type: 'object',
    properties: { a: { oneOf: [{ type: 'string', maxLength: 4 }, { type: 'null' }] } },
    minProperties: 1,
  })
  expect(lowered(once.schema)).toEqual({ schema: once.schema, lost: [] })
})

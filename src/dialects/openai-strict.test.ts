import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../core/json/value.ts'
import { strictSchema } from './openai-strict.ts'

function made(schema: JsonObject): { schema: JsonObject | undefined; losses: string[] } {
  const losses: string[] = []
  return { schema: strictSchema(schema, (path, loss) => losses.push(`${path}: ${loss}`)), losses }
}

const closed = (properties: JsonObject): JsonObject => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

test('what is optional may be null', () => {
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string' },
      unit: { type: 'string', enum: ['C', 'F'] },
      when: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
      place: { $ref: '#/$defs/place' },
    },
    required: ['city'],
    $defs: { place: { type: 'object', properties: { x: { type: 'number' } } } },
  }
  const strict = {
    ...closed({
      city: { type: 'string' },
      unit: { type: ['string', 'null'], enum: ['C', 'F', null] },
      when: { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] },
      place: { anyOf: [{ $ref: '#/$defs/place' }, { type: 'null' }] },
    }),
    $defs: { place: closed({ x: { type: ['number', 'null'] } }) },
  }
  expect(made(schema)).toEqual({ schema: strict, losses: [] })
  expect(made(strict)).toEqual({ schema: strict, losses: [] })
})

describe('what is lost is told', () => {
  test.for<[JsonObject, string]>([
    [
      { type: 'array', items: { type: 'string' }, uniqueItems: true },
      '/properties/a: uniqueItems is left out',
    ],
    [{ type: 'string', not: { const: 'x' } }, '/properties/a: not is left out'],
    [
      { type: 'object', properties: {}, additionalProperties: true },
      'other properties are not allowed',
    ],
  ])('%j', ([property, loss]) => {
    const { schema, losses } = made({ type: 'object', properties: { a: property } })
    expect(schema).toBeDefined()
    expect(losses.join()).toContain(loss)
  })
})

test.for<[JsonObject]>([
  [{ type: 'object', additionalProperties: { type: 'string' } }],
  [{ anyOf: [{ type: 'object' }] }],
  [{ type: 'object', properties: { a: {} } }],
  [{ type: 'object', properties: { a: { type: 'array' } } }],
  [{ type: 'object', properties: { a: { $ref: '#' } } }],
])('%j cannot be strict', ([schema]) => {
  const result = made(schema)
  expect(result.schema).toBeUndefined()
  expect(result.losses.join()).toContain('cannot be strict')
})

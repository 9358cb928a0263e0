import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../core/json/value.ts'
import { raiseSchema } from './raise.ts'
import { lowerSchema } from './schema.ts'

function lowered(schema: JsonObject): { schema: JsonObject; losses: string[] } {
  const losses: string[] = []
  const result = lowerSchema(schema, (path, loss) => losses.push(`${path}: ${loss}`))
  return { schema: result, losses }
}

const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...rest,
})

describe('what Gemini can say stays as it is', () => {
  test.for([
    ['plain types', object({ city: { type: 'string', minLength: 1 }, days: { type: 'integer' } })],
    ['enum', object({ unit: { type: 'string', enum: ['C', 'F'] } }, { required: ['unit'] })],
    ['lists', object({ tags: { type: 'array', items: { type: 'string' }, maxItems: 3 } })],
    ['formats', object({ at: { type: 'string', format: 'date-time' } })],
    ['nullable', object({ note: { type: 'string', nullable: true } })],
    ['property named like a keyword', object({ not: { type: 'string' } }, { required: ['not'] })],
  ] as const)('%s', ([, schema]) => {
    expect(lowered(schema)).toEqual({ schema, losses: [] })
  })
})

describe('what it says otherwise', () => {
  test.for<[string, JsonObject, JsonObject]>([
    ['null in a list of types', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
    [
      'null as an alternative',
      { anyOf: [{ type: 'integer' }, { type: 'null' }], description: 'Age' },
      { type: 'integer', nullable: true, description: 'Age' },
    ],
    [
      'several types',
      { type: ['string', 'integer'], description: 'Key' },
      {
        anyOf: [
          { type: 'string', description: 'Key' },
          { type: 'integer', description: 'Key' },
        ],
      },
    ],
    ['a constant', { const: 'on' }, { type: 'string', enum: ['on'] }],
    [
      'a missing type',
      { properties: { a: { type: 'string' } } },
      object({ a: { type: 'string' } }),
    ],
    [
      'integers above a limit',
      { type: 'integer', exclusiveMinimum: 3 },
      { type: 'integer', minimum: 4 },
    ],
    [
      'parts that must all hold',
      {
        allOf: [
          object({ a: { type: 'string' } }),
          object({ b: { type: 'string' } }, { required: ['b'] }),
        ],
      },
      object({ a: { type: 'string' }, b: { type: 'string' } }, { required: ['b'] }),
    ],
    [
      'alternatives that narrow what stands beside them',
      object({ a: { type: 'string' } }, { anyOf: [{ required: ['a'] }, { minProperties: 2 }] }),
      {
        anyOf: [
          object({ a: { type: 'string' } }, { required: ['a'] }),
          object({ a: { type: 'string' } }, { minProperties: 2 }),
        ],
      },
    ],
  ])('%s', ([, schema, wanted]) => {
    expect(lowered(schema)).toEqual({ schema: wanted, losses: [] })
  })

  test('references are put in place', () => {
    const schema = object(
      { from: { $ref: '#/$defs/place' }, to: { $ref: '#/$defs/place', description: 'Goal' } },
      { $defs: { place: object({ name: { type: 'string' } }) } },
    )
    expect(lowered(schema)).toEqual({
      schema: object({
        from: object({ name: { type: 'string' } }),
        to: { ...object({ name: { type: 'string' } }), description: 'Goal' },
      }),
      losses: [],
    })
  })
})

describe('what is lost is told', () => {
  test.for<[JsonObject, string]>([
    [{ type: 'object', additionalProperties: false }, 'additionalProperties is left out'],
    [{ type: 'array', items: { type: 'string' }, uniqueItems: true }, 'uniqueItems is left out'],
    [{ type: 'string', format: 'uuid' }, 'the format uuid is left out'],
    [{ type: 'number', exclusiveMaximum: 1 }, 'exclusiveMaximum becomes maximum'],
    [{ type: 'integer', enum: [1, 2] }, 'allowed numbers are written as text'],
    [{ oneOf: [{ type: 'string' }, { type: 'integer' }] }, 'oneOf becomes anyOf'],
    [{ type: 'string', not: { const: 'x' } }, 'not is left out'],
    [{ type: 'object', properties: {}, required: ['a'] }, 'required a is no property and left out'],
    [{ $ref: 'https://example.org/s.json' }, 'refers to nothing'],
    [
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
      'the order in which',
    ],
    [{ type: 'array' }, '/items: any value'],
    [{ description: 'Whatever' }, 'any value'],
  ])('%j', ([schema, loss]) => {
    const { losses } = lowered(schema)
    expect(losses.join('; ')).toContain(loss)
  })

  test('with the place where it was', () => {
    const schema = object({ list: { type: 'array', items: { type: 'string', format: 'uri' } } })
    expect(lowered(schema).losses).toEqual(['/properties/list/items: the format uri is left out'])
  })
})

test('a schema that refers to itself ends', () => {
  const schema = object(
    { tree: { $ref: '#/$defs/node' } },
    { $defs: { node: object({ children: { type: 'array', items: { $ref: '#/$defs/node' } } }) } },
  )
  const { schema: result, losses } = lowered(schema)
  expect(result).toEqual(
    object({ tree: object({ children: { type: 'array', items: { type: 'object' } } }) }),
  )
  expect(losses).toHaveLength(1)
})

test('a definition may be part of two others', () => {
  const base = object({ id: { type: 'string' } })
  const schema = {
    allOf: [{ $ref: '#/$defs/left' }, { $ref: '#/$defs/right' }],
    $defs: {
      base,
      left: { allOf: [{ $ref: '#/$defs/base' }] },
      right: { allOf: [{ $ref: '#/$defs/base' }], required: ['id'] },
    },
  }
  expect(lowered(schema)).toEqual({ schema: { ...base, required: ['id'] }, losses: [] })
})

test('definitions that double each other do not explode', () => {
  const $defs: JsonObject = { d0: { type: 'string' } }
  for (let at = 1; at <= 40; at++) {
    const ref = { $ref: `#/$defs/d${at - 1}` }
    $defs[`d${at}`] = object({ a: ref, b: ref })
  }
  const { schema } = lowered({ $ref: '#/$defs/d40', $defs })
  expect(JSON.stringify(schema).length).toBeLessThan(1_000_000)
})

test('no keyword that Gemini does not know is left', () => {
  const { schema } = lowered({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: 'x',
    ...object({ a: { type: 'string', readOnly: true, deprecated: true } }),
    patternProperties: { '^x': { type: 'string' } },
    if: {},
  })
  expect(schema).toEqual(object({ a: { type: 'string' } }))
})

describe('the way back', () => {
  test.for<[JsonObject, JsonObject]>([
    [{ type: 'STRING', nullable: true }, { type: ['string', 'null'] }],
    [
      { type: 'INTEGER', format: 'enum', enum: ['1', '2'] },
      { type: 'integer', enum: [1, 2] },
    ],
    [
      {
        type: 'OBJECT',
        properties: { a: { type: 'ARRAY', items: { type: 'NUMBER' }, min_items: '2' } },
      },
      object({ a: { type: 'array', items: { type: 'number' }, minItems: 2 } }),
    ],
  ])('%j', ([schema, wanted]) => {
    expect(raiseSchema(schema)).toEqual(wanted)
  })
})

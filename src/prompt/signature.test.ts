import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../core/json/value.ts'
import type { JsonSchema } from '../core/model.ts'
import { formatParameters } from './signature.ts'

/** How a required parameter `p` of the given schema is written. */
function typeOf(schema: JsonSchema, definitions: JsonObject = {}): string {
  const text = formatParameters({
    type: 'object',
    properties: { p: schema },
    required: ['p'],
    $defs: definitions,
  })
  expect(text).toMatch(/^p: /)
  return text.slice('p: '.length)
}

const point: JsonObject = {
  type: 'object',
  properties: { y: { type: 'number' }, x: { type: 'number' }, label: { type: 'string' } },
  required: ['x', 'y'],
}
const POINT = '{x: number, y: number, label?: string}'

interface TypeCase {
  readonly name: string
  readonly schema: JsonSchema
  readonly type: string
}

const scalars: readonly TypeCase[] = [
  ...['string', 'number', 'integer', 'boolean', 'null', 'object', 'array'].map((type) => ({
    name: `${type} is written as it is`,
    schema: { type },
    type,
  })),
  { name: 'types in capitals are written small', schema: { type: 'STRING' }, type: 'string' },
  { name: 'a schema that allows everything is any', schema: true, type: 'any' },
  { name: 'a schema that says nothing is any', schema: { description: 'x' }, type: 'any' },
  { name: 'a schema that allows nothing is never', schema: false, type: 'never' },
]

const unions: readonly TypeCase[] = [
  { name: 'a list of types is a union', schema: { type: ['string', 'null'] }, type: 'string|null' },
  {
    name: 'anyOf is a union',
    schema: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    type: 'integer|null',
  },
  {
    name: 'oneOf is a union',
    schema: { oneOf: [{ type: 'string' }, point] },
    type: `string|${POINT}`,
  },
  {
    name: 'nullable is a union with null',
    schema: { type: 'string', nullable: true },
    type: 'string|null',
  },
  {
    name: 'the same type is written once',
    schema: {
      anyOf: [
        { type: 'string', format: 'date' },
        { type: 'string', format: 'uri' },
      ],
    },
    type: 'string',
  },
  {
    name: 'a union with an open member is any',
    schema: { anyOf: [{ type: 'string' }, {}] },
    type: 'any',
  },
  {
    name: 'a long union keeps the names of its types',
    schema: {
      anyOf: ['first', 'second', 'third', 'fourth'].map((key) => ({
        type: ['object', 'null'],
        properties: { [`${key}_property_with_a_long_name`]: { type: 'string' } },
      })),
    },
    type: 'object|null',
  },
  {
    name: 'allOf is merged',
    schema: { allOf: [point, { properties: { z: { type: 'number' } }, required: ['z'] }] },
    type: '{x: number, y: number, z: number, label?: string}',
  },
]

const literals: readonly TypeCase[] = [
  {
    name: 'an enum is its values in the given order',
    schema: { type: 'string', enum: ['desc', 'asc'] },
    type: '"desc"|"asc"',
  },
  { name: 'an enum may hold numbers', schema: { type: 'integer', enum: [1, 2] }, type: '1|2' },
  { name: 'an enum needs no type', schema: { enum: ['a', null] }, type: '"a"|null' },
  {
    name: 'an enum may be nullable',
    schema: { type: ['string', 'null'], enum: ['a', 'b'] },
    type: '"a"|"b"|null',
  },
  { name: 'a const is its value', schema: { const: 'v1' }, type: '"v1"' },
  {
    name: 'constants in a union are its members',
    schema: { anyOf: [{ const: 'a' }, { const: 'b' }] },
    type: '"a"|"b"',
  },
  {
    name: 'values of 60 characters are written',
    schema: { enum: ['x'.repeat(28), 'y'.repeat(27)] },
    type: `"${'x'.repeat(28)}"|"${'y'.repeat(27)}"`,
  },
  {
    name: 'values of 61 characters are replaced by their type',
    schema: { enum: ['x'.repeat(28), 'y'.repeat(28)] },
    type: 'string',
  },
  {
    name: 'a long enum keeps its declared types',
    schema: { type: ['string', 'null'], enum: ['x'.repeat(70), null] },
    type: 'string|null',
  },
  {
    name: 'quotes and line breaks in values are escaped',
    schema: { enum: ['"', '\n'] },
    type: '"\\""|"\\n"',
  },
]

function nestArrays(levels: number): JsonObject {
  return levels === 0 ? { type: 'string' } : { type: 'array', items: nestArrays(levels - 1) }
}

const arrays: readonly TypeCase[] = [
  {
    name: 'an array is written by its items',
    schema: { type: 'array', items: { type: 'string' } },
    type: 'string[]',
  },
  {
    name: 'an array needs no type beside its items',
    schema: { items: { type: 'string' } },
    type: 'string[]',
  },
  {
    name: 'a union in an array is parenthesised',
    schema: { type: 'array', items: { type: ['string', 'null'] } },
    type: '(string|null)[]',
  },
  {
    name: 'an enum in an array is parenthesised',
    schema: { type: 'array', items: { enum: ['a', 'b'] } },
    type: '("a"|"b")[]',
  },
  {
    name: 'arrays nest',
    schema: { type: 'array', items: { type: 'array', items: { type: 'number' } } },
    type: 'number[][]',
  },
  { name: 'items may be objects', schema: { type: 'array', items: point }, type: `${POINT}[]` },
  {
    name: 'items may be objects without properties',
    schema: { type: 'array', items: { type: 'object' } },
    type: 'object[]',
  },
  {
    name: 'open items leave just an array',
    schema: { type: 'array', items: {} },
    type: 'array',
  },
  {
    name: 'an array may be one member of a union',
    schema: { type: ['string', 'array'], items: { type: 'string' } },
    type: 'string|string[]',
  },
  {
    name: 'a tuple lists its items',
    schema: { type: 'array', prefixItems: [{ type: 'string' }, { type: ['number', 'null'] }] },
    type: '[string, number|null]',
  },
  {
    name: 'a tuple of very many items is an array',
    schema: { type: 'array', prefixItems: Array.from({ length: 99 }, () => ({ const: 1 })) },
    type: 'array',
  },
  {
    name: 'arrays in arrays in arrays end somewhere',
    schema: nestArrays(50),
    type: `array${'[]'.repeat(8)}`,
  },
  {
    name: 'a long tuple is an array',
    schema: { type: 'array', prefixItems: Array.from({ length: 30 }, () => ({ type: 'string' })) },
    type: 'array',
  },
]

function wide(prefix: string, size: number, schema: JsonObject = { type: 'string' }): JsonObject {
  const keys = Array.from({ length: size }, (_, at) => `${prefix}_${at}`)
  return { type: 'object', properties: Object.fromEntries(keys.map((key) => [key, schema])) }
}

const objects: readonly TypeCase[] = [
  { name: 'an object lists its members, required ones first', schema: point, type: POINT },
  {
    name: 'an object inside an object is spelled out',
    schema: { type: 'object', properties: { at: point }, required: ['at'] },
    type: `{at: ${POINT}}`,
  },
  {
    name: 'an object inside that is not',
    schema: {
      type: 'object',
      properties: { a: { type: 'object', properties: { b: point } } },
    },
    type: '{a?: {b?: object}}',
  },
  {
    name: 'inner objects are given up first when the text gets long',
    schema: { type: 'object', properties: { a: wide('key', 4), b: wide('key', 4) } },
    type: '{a?: object, b?: object}',
  },
  { name: 'a long object is just an object', schema: wide('property', 20), type: 'object' },
  {
    name: 'a map shows the type of its values',
    schema: { type: 'object', additionalProperties: { type: 'number' } },
    type: '{[key: string]: number}',
  },
  {
    name: 'an open map is an object',
    schema: { type: 'object', additionalProperties: true },
    type: 'object',
  },
  {
    name: 'keys that would confuse are quoted',
    schema: { properties: { 'user-id': { type: 'string' }, 'a, b?': { type: 'string' } } },
    type: '{"a, b?"?: string, user-id?: string}',
  },
]

test.for([...scalars, ...unions, ...literals, ...arrays, ...objects])(
  '$name',
  ({ schema, type }) => {
    expect(typeOf(schema)).toBe(type)
  },
)

describe('references', () => {
  test('a local reference is followed', () => {
    expect(typeOf({ $ref: '#/$defs/point' }, { point })).toBe(POINT)
    expect(typeOf({ type: 'array', items: { $ref: '#/$defs/point' } }, { point })).toBe(
      `${POINT}[]`,
    )
  })

  test('a reference may stand at the top', () => {
    const schema = { $ref: '#/definitions/point', definitions: { point } }
    expect(formatParameters(schema)).toBe(POINT.slice(1, -1))
  })

  test('a reference that leads nowhere is any', () => {
    expect(typeOf({ $ref: '#/$defs/missing' })).toBe('any')
    expect(typeOf({ $ref: 'https://example.com/schema.json' })).toBe('any')
  })

  test('a type that contains itself is spelled out once', () => {
    const node = {
      type: 'object',
      properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } } },
    }
    expect(typeOf({ $ref: '#/$defs/node' }, { node })).toBe('{children?: {children?: array}[]}')
  })

  test('an array that contains itself ends', () => {
    const list = { type: 'array', items: { $ref: '#/$defs/list' } }
    expect(typeOf({ $ref: '#/$defs/list' }, { list })).toBe('array[][]')
  })

  test('references in a circle end', () => {
    const definitions = { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }
    expect(typeOf({ $ref: '#/$defs/a' }, definitions)).toBe('any')
  })

  test('definitions that double at every step do not take for ever', () => {
    const pair = (at: number): JsonObject => {
      const next = { $ref: `#/$defs/n${at + 1}` }
      return { type: 'array', prefixItems: [next, { ...next }] }
    }
    const definitions = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`n${at}`, pair(at)]),
    )
    expect(typeOf({ $ref: '#/$defs/n0' }, definitions).length).toBeLessThanOrEqual(120)
  })
})

describe('parameters', () => {
  const string = { type: 'string' }

  test('a schema without properties has none', () => {
    for (const schema of [{}, { type: 'object' }, { properties: {} }, true, false]) {
      expect(formatParameters(schema)).toBe('')
    }
  })

  test('required ones come first, each group in alphabetical order', () => {
    const schema = {
      properties: { d: string, b: string, Z: string, c: string, a: string },
      required: ['c', 'b', 'undeclared'],
    }
    expect(formatParameters(schema)).toBe(
      'b: string, c: string, Z?: string, a?: string, d?: string',
    )
  })

  test('variants that only differ in what they require share one list', () => {
    const schema = {
      properties: { id: string, name: string, at: string },
      required: ['at'],
      anyOf: [{ required: ['id'] }, { required: ['name'] }],
    }
    expect(formatParameters(schema)).toBe('at: string, id?: string, name?: string')
  })

  test('variants with parameters of their own are put together', () => {
    const schema = {
      oneOf: [
        { properties: { kind: { const: 'a' }, size: { type: 'integer' } }, required: ['kind'] },
        { properties: { kind: { const: 'b' }, name: string }, required: ['kind', 'name'] },
      ],
    }
    expect(formatParameters(schema)).toBe('kind: "a"|"b", name?: string, size?: integer')
  })

  test('names of Object.prototype are names like any other', () => {
    const schema = JSON.parse(
      '{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}},"required":["toString"]}',
    )
    expect(formatParameters(schema)).toBe('__proto__?: string, constructor?: number')
  })
})

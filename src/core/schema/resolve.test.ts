import { describe, expect, test } from 'vitest'
import type { JsonSchema } from '../model.ts'
import { alternativesOf, propertyOrder, propertySchema } from './resolve.ts'

const ALL = ['any']

function typesOf(schema: JsonSchema): string[] {
  return [...new Set(alternativesOf(schema, schema).map(({ type }) => type))]
}

describe('accepted types', () => {
  const cases: readonly (readonly [string, JsonSchema, readonly string[]])[] = [
    ['one type', { type: 'string' }, ['string']],
    ['a list of types', { type: ['integer', 'null'] }, ['integer', 'null']],
    ['Gemini spelling', { type: 'INTEGER' }, ['integer']],
    [
      'names of other languages',
      { type: ['str', 'int32', 'dict', 'bool'] },
      ['string', 'integer', 'object', 'boolean'],
    ],
    ['an unknown type says nothing', { type: 'geometry' }, ALL],
    ['no type', {}, ALL],
    ['true', true, ALL],
    ['false', false, []],
    ['nullable', { type: 'string', nullable: true }, ['string', 'null']],
    [
      'nullable beside a choice',
      { anyOf: [{ type: 'string' }], nullable: true },
      ['string', 'null'],
    ],
    ['the members of an enum', { enum: ['a', 1, null] }, ['string', 'integer', 'null']],
    ['a constant', { const: true }, ['boolean']],
    ['properties mean an object', { properties: {} }, ['object']],
    ['items mean an array', { items: {} }, ['array']],
    ['anyOf', { anyOf: [{ type: 'string' }, { type: 'number' }] }, ['string', 'number']],
    ['oneOf', { oneOf: [{ type: 'string' }, { type: 'null' }] }, ['string', 'null']],
    [
      'allOf narrows',
      { allOf: [{ type: ['string', 'number'] }, { type: 'integer' }] },
      ['integer'],
    ],
    ['a reference', { $ref: '#/$defs/a', $defs: { a: { type: 'string' } } }, ['string']],
    [
      'an old reference',
      { $ref: '#/definitions/a', definitions: { a: { type: 'string' } } },
      ['string'],
    ],
    [
      'an escaped reference',
      { $ref: '#/$defs/a~1b%20c', $defs: { 'a/b c': { type: 'null' } } },
      ['null'],
    ],
    ['a reference to elsewhere', { $ref: 'https://example.com/schema' }, ALL],
    ['a dangling reference', { $ref: '#/$defs/constructor', $defs: {} }, ALL],
    ['a broken escape', { $ref: '#/%E0%A4%A' }, ALL],
    ['a reference to itself', { $ref: '#' }, ALL],
    [
      'a circle of references',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
      ALL,
    ],
  ]
  test.for(cases)('%s', ([, schema, types]) => {
    expect(typesOf(schema)).toEqual(types)
  })
})

test('definitions that double at every step come to an end', () => {
  const $defs: Record<string, JsonSchema> = { d0: { type: 'string' } }
  for (let at = 1; at < 60; at++) {
    const $ref = `#/$defs/d${at - 1}`
    $defs[`d${at}`] = { anyOf: [{ $ref }, { $ref }] }
  }
  const schema = { $ref: '#/$defs/d59', $defs }
  expect(typesOf(schema)).toEqual(ALL)
})

test('the same schema is compiled once', () => {
  const schema = { type: 'string' }
  expect(alternativesOf(schema, schema)).toBe(alternativesOf(schema, schema))
})

describe('properties', () => {
  const text = { type: 'string' }
  const count = { type: 'integer' }

  test('a declared property', () => {
    expect(propertySchema({ properties: { a: text } }, 'a')).toBe(text)
    expect(propertySchema({ properties: { a: text } }, 'b')).toBeUndefined()
    expect(propertySchema({ properties: { a: text } }, 'constructor')).toBeUndefined()
  })

  test('through a reference and allOf', () => {
    const schema = {
      allOf: [{ $ref: '#/$defs/base' }, { properties: { b: count } }],
      $defs: { base: { properties: { a: text } } },
    }
    expect(propertySchema(schema, 'a')).toBe(text)
    expect(propertySchema(schema, 'b')).toBe(count)
  })

  test('declared by several alternatives', () => {
    const schema = { anyOf: [{ properties: { a: text } }, { properties: { a: count } }] }
    expect(propertySchema(schema, 'a')).toEqual({ anyOf: [text, count] })
  })

  test('the required ones come first, in their order', () => {
    const schema = { properties: { a: {}, b: {}, c: {} }, required: ['c', 'b', 'ghost'] }
    expect(propertyOrder(schema)).toEqual(['c', 'b', 'a'])
  })
})

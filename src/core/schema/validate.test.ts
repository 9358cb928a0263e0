import { Validator } from '@cfworker/json-schema'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../json/value.ts'
import type { JsonSchema } from '../model.ts'
import { coerce } from './coerce.ts'
import { formatViolations, validate } from './validate.ts'

const CHAIN = { type: 'object', properties: { next: { $ref: '#' } }, required: ['id'] }
const SHAPES = {
  oneOf: [
    { properties: { kind: { const: 'circle' }, radius: { type: 'number' } }, required: ['radius'] },
    { properties: { kind: { const: 'square' }, side: { type: 'number' } }, required: ['side'] },
  ],
}

/** A pattern that is never tried: matching it takes more than linear time. */
const UNTRIED = '^(.)\\1$'

/** Each schema with values that fit, and values that do not with what is said about them. */
const TABLE: readonly [
  schema: JsonSchema,
  fitting: readonly JsonValue[],
  others: readonly (readonly [value: JsonValue, said: string])[],
][] = [
  [true, [null, 1, {}], []],
  [false, [], [[1, 'at the arguments: is not allowed']]],
  [{}, [null, 'a', [1]], []],
  [
    { type: 'integer' },
    [0, -3, 5.0, 1e20],
    [
      ['abc', 'at the arguments: must be integer, got string "abc"'],
      [1.5, 'at the arguments: must be integer, got number 1.5'],
      [null, 'at the arguments: must be integer, got null'],
      [true, 'at the arguments: must be integer, got boolean true'],
      [[1], 'at the arguments: must be integer, got an array'],
      [{}, 'at the arguments: must be integer, got an object'],
    ],
  ],
  [{ type: 'number' }, [1, 1.5], [['1', 'at the arguments: must be number, got string "1"']]],
  [{ type: 'string' }, ['', 'a'], [[7, 'at the arguments: must be string, got number 7']]],
  [{ type: 'array' }, [[]], [[{}, 'at the arguments: must be array, got an object']]],
  [{ type: 'null' }, [null], [[0, 'at the arguments: must be null, got number 0']]],
  [
    { type: ['string', 'null'] },
    ['a', null],
    [[1, 'at the arguments: must be string or null, got number 1']],
  ],
  // As models and services write types.
  [{ type: 'INTEGER' }, [3], [['3', 'at the arguments: must be integer, got string "3"']]],
  [{ type: 'dict' }, [{}], [[[], 'at the arguments: must be object, got an array']]],
  [{ type: 'any' }, [1, 'a', null], []],
  [{ type: ['string', 'file'] }, [1, 'a', null], []],
  [
    { type: 'string', nullable: true, minLength: 1, enum: ['a', 'b'] },
    [null, 'a'],
    [['c', 'at the arguments: is not one of "a", "b"; got string "c"']],
  ],
  [
    { type: 'string', nullable: false },
    ['a'],
    [[null, 'at the arguments: must be string, got null']],
  ],
  [
    { enum: ['a', 1, null, { b: [2] }] },
    ['a', 1, null, { b: [2] }],
    [
      ['A', 'at the arguments: is not one of "a", 1, null, {"b":[2]}; got string "A"'],
      [{ b: [3] }, 'at the arguments: is not one of "a", 1, null, {"b":[2]}; got an object'],
    ],
  ],
  [
    { type: 'integer', enum: ['1', '2'] },
    [1, 2],
    [[3, 'at the arguments: is not one of "1", "2"; got number 3']],
  ],
  [{ enum: ['1', '2'] }, ['1'], [[1, 'at the arguments: is not one of "1", "2"; got number 1']]],
  [
    { const: { a: 1, b: 2 } },
    [{ b: 2, a: 1 }],
    [[{ a: 1 }, 'at the arguments: must be {"a":1,"b":2}, got an object']],
  ],
  [{ const: null }, [null], [[0, 'at the arguments: must be null, got number 0']]],
  [
    { properties: { a: { type: 'string' } }, required: ['a', 'b'] },
    [{ a: 'x', b: 1 }, 'not an object'],
    [
      [{}, 'at a: is required\nat b: is required'],
      [{ a: 1 }, 'at b: is required\nat a: must be string, got number 1'],
    ],
  ],
  [{ required: ['toString'] }, [{ toString: 1 }], [[{}, 'at toString: is required']]],
  [
    { properties: { a: {}, b: {} }, additionalProperties: false },
    [{ a: 1 }, {}],
    [
      [{ a: 1, c: 2 }, 'at c: is not a known property; known are: a, b'],
      [{ constructor: 1 }, 'at constructor: is not a known property; known are: a, b'],
    ],
  ],
  [
    { additionalProperties: false },
    [{}],
    [[{ 'odd key': 1 }, 'at ["odd key"]: is not a known property; there are none']],
  ],
  [
    { properties: { a: {} }, additionalProperties: { type: 'integer' } },
    [{ a: 'x', b: 1 }],
    [[{ b: 'x' }, 'at b: must be integer, got string "x"']],
  ],
  [
    { patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false },
    [{ 'x-a': 'b' }],
    [
      [{ 'x-a': 1 }, 'at ["x-a"]: must be string, got number 1'],
      [{ y: 1 }, 'at y: is not a known property; there are none'],
    ],
  ],
  [{ patternProperties: { '(': { type: 'string' } } }, [{ a: 'b' }], []],
  // Nobody knows what these match, so they refuse nothing, however they are put.
  [{ pattern: UNTRIED }, ['ab'], []],
  [{ not: { pattern: UNTRIED } }, ['ab', 'aa'], []],
  [{ not: { not: { pattern: UNTRIED } } }, ['ab'], []],
  [{ if: { pattern: UNTRIED }, else: false }, ['ab'], []],
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
  [{ if: { pattern: UNTRIED }, then: false }, ['ab'], []],
  [{ anyOf: [{ pattern: UNTRIED }, false] }, ['ab'], []],
  [{ oneOf: [{ pattern: UNTRIED }, { minLength: 1 }] }, ['ab', ''], []],
  [
    { contains: { pattern: UNTRIED } },
    [['ab']],
    [[[], 'at the arguments: must have at least 1 item of a certain form, has 0']],
  ],
  [{ contains: { pattern: UNTRIED }, maxContains: 0 }, [['ab']], []],
  [{ propertyNames: { pattern: UNTRIED } }, [{ ab: 1 }], []],
  [{ patternProperties: { [UNTRIED]: false }, additionalProperties: false }, [{ ab: 1 }], []],
  // But what else is wrong is said.
  [
    { not: { pattern: UNTRIED }, maxLength: 1 },
    ['a'],
    [['ab', 'at the arguments: must have at most 1 character, has 2']],
  ],
  [
    { propertyNames: { pattern: '^[a-z]+$', maxLength: 3 } },
    [{ abc: 1 }, {}],
    [
      [
        { A: 1 },
        'at A: is no allowed name of a property: must match the pattern ^[a-z]+$, got string "A"',
      ],
    ],
  ],
  [
    { minProperties: 1, maxProperties: 2 },
    [{ a: 1 }, []],
    [
      [{}, 'at the arguments: must have at least 1 property, has 0'],
      [{ a: 1, b: 2, c: 3 }, 'at the arguments: must have at most 2 properties, has 3'],
    ],
  ],
  [
    { items: { type: 'integer' } },
    [[], [1, 2], 'text'],
    [
      [
        [1, 'a', null],
        'at [1]: must be integer, got string "a"\nat [2]: must be integer, got null',
      ],
    ],
  ],
  [
    { properties: { list: { items: { properties: { n: { type: 'integer' } } } } } },
    [{ list: [{ n: 1 }] }],
    [[{ list: [{}, { n: 'x' }] }, 'at list[1].n: must be integer, got string "x"']],
  ],
  [
    { prefixItems: [{ type: 'integer' }, { type: 'string' }], items: false },
    [[1, 'a'], [1], []],
    [
      [['a'], 'at [0]: must be integer, got string "a"'],
      [[1, 'a', 2], 'at [2]: is not allowed'],
    ],
  ],
  [
    { items: [{ type: 'integer' }], additionalItems: { type: 'string' } },
    [[1, 'a', 'b']],
    [[[1, 2], 'at [1]: must be string, got number 2']],
  ],
  [
    { items: [{ type: 'integer' }] },
    [[1, 'a', null]],
    [[['x'], 'at [0]: must be integer, got string "x"']],
  ],
  [
    { contains: { type: 'integer' } },
    [[1], ['a', 1]],
    [[['a'], 'at the arguments: must have at least 1 item of a certain form, has 0']],
  ],
  [
    { contains: { const: 1 }, minContains: 2, maxContains: 2 },
    [[1, 1, 2]],
    [
      [[1], 'at the arguments: must have at least 2 items of a certain form, has 1'],
      [[1, 1, 1], 'at the arguments: must have at most 2 items of a certain form, has 3'],
    ],
  ],
  [{ contains: { const: 1 }, minContains: 0 }, [[], [2]], []],
  [
    { minItems: 1, maxItems: 2 },
    [[1], 'text'],
    [
      [[], 'at the arguments: must have at least 1 item, has 0'],
      [[1, 2, 3], 'at the arguments: must have at most 2 items, has 3'],
    ],
  ],
  [
    { uniqueItems: true },
    [[1, '1', true, [1], { a: 1 }, [['a', 1]], null, 'null']],
    [
      [[1, 2, 1], 'at [2]: is the same as item 0, and items must differ'],
      [
        [
          { a: 1, b: [2] },
          { b: [2], a: 1 },
        ],
        'at [1]: is the same as item 0, and items must differ',
      ],
    ],
  ],
  [{ uniqueItems: false }, [[1, 1]], []],
  [
    { minLength: 2, maxLength: 3 },
    ['ab', '😀😀😀', 5],
    [
      ['a', 'at the arguments: must have at least 2 characters, has 1'],
      ['😀', 'at the arguments: must have at least 2 characters, has 1'],
      ['abcd', 'at the arguments: must have at most 3 characters, has 4'],
    ],
  ],
  [
    { pattern: '^\\d{4}-\\d{2}$' },
    ['2026-11', 5],
    [['Nov', 'at the arguments: must match the pattern ^\\d{4}-\\d{2}$, got string "Nov"']],
  ],
  [
    { pattern: 'b' },
    ['abc'],
    [['a', 'at the arguments: must match the pattern b, got string "a"']],
  ],
  [{ pattern: '^.$' }, ['😀'], []],
  [{ pattern: '[' }, ['anything'], []],
  [
    { pattern: '\\_' },
    ['a_b'],
    [['ab', 'at the arguments: must match the pattern \\_, got string "ab"']],
  ],
  [
    { minimum: 1, maximum: 5 },
    [1, 5, 'text'],
    [
      [0, 'at the arguments: must be at least 1, got 0'],
      [5.5, 'at the arguments: must be at most 5, got 5.5'],
    ],
  ],
  [
    { exclusiveMinimum: 1, exclusiveMaximum: 5 },
    [1.1],
    [
      [1, 'at the arguments: must be greater than 1, got 1'],
      [5, 'at the arguments: must be less than 5, got 5'],
    ],
  ],
  [
    { minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false },
    [2, 5],
    [[1, 'at the arguments: must be greater than 1, got 1']],
  ],
  [
    { multipleOf: 0.1 },
    [0.3, 0.7, 1.1, 19.9, 1e20, 0],
    [[0.35, 'at the arguments: must be a multiple of 0.1, got 0.35']],
  ],
  [
    { multipleOf: 0.01 },
    [19.99, 4.35, 100_000_000.01],
    [[100_000_000.005, 'at the arguments: must be a multiple of 0.01, got 100000000.005']],
  ],
  [
    { multipleOf: 1e-7 },
    [3e-7, 1.5e-6, 1e300],
    [[2.5e-7, 'at the arguments: must be a multiple of 1e-7, got 2.5e-7']],
  ],
  [{ multipleOf: 3 }, [9, -9], [[10, 'at the arguments: must be a multiple of 3, got 10']]],
  [{ multipleOf: 0 }, [1], []],
  [
    { allOf: [{ type: 'integer' }, { minimum: 3 }] },
    [3],
    [
      [2, 'at the arguments: must be at least 3, got 2'],
      ['2', 'at the arguments: must be integer, got string "2"'],
    ],
  ],
  [
    { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    ['a', 1],
    [[true, 'at the arguments: must be string or integer, got boolean true']],
  ],
  [
    { anyOf: [{ type: 'string', minLength: 3 }, { type: 'null' }] },
    ['abc', null],
    [['ab', 'at the arguments: must have at least 3 characters, has 2']],
  ],
  [
    { anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    [{ a: 1 }, { b: 1 }],
    [[{}, 'at the arguments: fits none of several forms: a is required; or b is required']],
  ],
  [
    SHAPES,
    [
      { kind: 'circle', radius: 1 },
      { kind: 'square', side: 1 },
    ],
    [
      [{ kind: 'square', side: 'x' }, 'at side: must be number, got string "x"'],
      [{ kind: 'circle' }, 'at radius: is required'],
    ],
  ],
  [
    { oneOf: [{ type: 'number' }, { minimum: 3 }] },
    [2, 'text'],
    [[4, 'at the arguments: fits 2 of several forms, and must fit exactly one']],
  ],
  [{ anyOf: [] }, [1], []],
  [{ not: { type: 'string' } }, [1], [['a', 'at the arguments: has a form that is not allowed']]],
  [
    {
      if: { properties: { mode: { const: 'fast' } }, required: ['mode'] },
      // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema.
      then: { required: ['speed'] },
      else: { required: ['reason'] },
    },
    [
      { mode: 'fast', speed: 1 },
      { mode: 'slow', reason: '' },
    ],
    [
      [{ mode: 'fast' }, 'at speed: is required'],
      [{}, 'at reason: is required'],
    ],
  ],
  [
    { dependentRequired: { card: ['address'] } },
    [{}, { card: 1, address: 2 }],
    [[{ card: 1 }, 'at address: is required']],
  ],
  [
    { dependencies: { a: ['b'], c: { required: ['d'] } } },
    [
      { a: 1, b: 1 },
      { c: 1, d: 1 },
    ],
    [[{ a: 1, c: 1 }, 'at b: is required\nat d: is required']],
  ],
  [{ dependentSchemas: { c: { required: ['d'] } } }, [{}], [[{ c: 1 }, 'at d: is required']]],
  [
    { $ref: '#/$defs/id', $defs: { id: { type: 'integer' } } },
    [1],
    [['x', 'at the arguments: must be integer, got string "x"']],
  ],
  [
    { properties: { a: { $ref: '#/definitions/a~1b' } }, definitions: { 'a/b': { minimum: 2 } } },
    [{ a: 2 }],
    [[{ a: 1 }, 'at a: must be at least 2, got 1']],
  ],
  [{ $ref: 'https://example.com/elsewhere.json' }, [1, 'a'], []],
  [{ $ref: '#/nowhere' }, [1, 'a'], []],
  [
    CHAIN,
    [{ id: 1, next: { id: 2, next: { id: 3 } } }],
    [[{ id: 1, next: { id: 2, next: {} } }, 'at next.next.id: is required']],
  ],
  // Keywords that are not what they should be ask nothing.
  [
    { properties: 5, required: 'a', items: 'x', enum: 1, minLength: 'a', allOf: {} },
    [{}, 'a', [1]],
    [],
  ],
  [{ properties: { a: 'string' } }, [{ a: 1 }], []],
]

describe('validate', () => {
  const rows = TABLE.flatMap(([schema, fitting, others]) => [
    ...fitting.map((value) => ({ schema, value, said: '' })),
    ...others.map(([value, said]) => ({ schema, value, said })),
  ])

  test.for(rows)('$schema on $value', ({ schema, value, said }) => {
    expect(formatViolations(validate(value, schema))).toBe(said)
  })

  test('gives places as keys and indexes', () => {
    const schema = { items: { properties: { a: { type: 'null' } } } }
    expect(validate([{ a: null }, { a: 1 }], schema)).toEqual([
      { path: [1, 'a'], message: 'must be null, got number 1' },
    ])
  })

  test('stops after twenty', () => {
    const values = Array.from({ length: 1000 }, (_, at) => `${at}`)
    expect(validate(values, { items: { type: 'integer' } })).toHaveLength(20)
  })

  test('does not say the same twice', () => {
    const schema = { allOf: [{ type: 'string' }, { type: 'string' }], type: 'string' }
    expect(validate(1, schema)).toHaveLength(1)
  })

  test('keeps what it shows short', () => {
    const said = formatViolations(
      validate('x'.repeat(1e6), {
        enum: Array.from({ length: 1e5 }, (_, at) => `${at}`.repeat(100)),
        pattern: 'y'.repeat(1e5),
      }),
    )
    expect(said.length).toBeLessThan(5000)
  })
})

/** Values and schemas about the same few names and numbers, so that they often fit. */
const name = fc.constantFrom('a', 'b', 'c')
const small = fc.integer({ min: 0, max: 3 })
const scalar = fc.oneof(
  fc.constantFrom<JsonValue>(null, true, false, '', 'a', 'ab', '😀', 0.5),
  fc.integer({ min: -2, max: 5 }),
)
const { value: anyValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
}))

const type = fc.constantFrom('null', 'boolean', 'integer', 'number', 'string', 'array', 'object')

function keyword(key: string, value: fc.Arbitrary<JsonValue>): fc.Arbitrary<[string, JsonValue]> {
  return value.map((one) => [key, one])
}

/** Up to three keywords: with many of them nothing would ever fit. */
const { schema: anySchema } = fc.letrec<{ schema: JsonValue; list: JsonValue; map: JsonValue }>(
  (tie) => ({
    list: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
    map: fc.dictionary(name, tie('schema'), { maxKeys: 3 }),
    schema: fc.oneof(
      { maxDepth: 3 },
      { arbitrary: fc.boolean(), weight: 1 },
      { arbitrary: type.map((one) => ({ type: one })), weight: 2 },
      {
        arbitrary: fc
          .array(
            fc.oneof(
              keyword('type', fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
              keyword('enum', fc.array(scalar, { minLength: 1, maxLength: 4 })),
              keyword('const', anyValue),
              keyword('properties', tie('map')),
              keyword('properties', tie('map')),
              keyword('required', fc.uniqueArray(name, { maxLength: 2 })),
              keyword('additionalProperties', tie('schema')),
              keyword(
                'patternProperties',
                fc.dictionary(fc.constantFrom('^a', '[bc]'), tie('schema'), { maxKeys: 2 }),
              ),
              keyword('propertyNames', tie('schema')),
              keyword('minProperties', small),
              keyword('maxProperties', small),
              keyword('dependentRequired', fc.dictionary(name, fc.tuple(name), { maxKeys: 2 })),
              keyword('dependentSchemas', tie('map')),
              keyword('prefixItems', tie('list')),
              keyword('items', tie('schema')),
              keyword('contains', tie('schema')),
              keyword('minContains', small),
              keyword('maxContains', small),
              keyword('minItems', small),
              keyword('maxItems', small),
              keyword('uniqueItems', fc.boolean()),
              keyword('minLength', small),
              keyword('maxLength', small),
              keyword('pattern', fc.constantFrom('a', '^b', '^.$')),
              keyword('minimum', small),
              keyword('maximum', small),
              keyword('exclusiveMinimum', small),
              keyword('exclusiveMaximum', small),
              keyword('multipleOf', fc.constantFrom(1, 2, 0.5)),
              keyword('allOf', tie('list')),
              keyword('anyOf', tie('list')),
              keyword('oneOf', tie('list')),
              keyword('not', tie('schema')),
              keyword('if', tie('schema')),
              keyword('then', tie('schema')),
              keyword('else', tie('schema')),
              keyword('$ref', fc.constantFrom('#/$defs/a', '#/$defs/b')),
            ),
            { minLength: 1, maxLength: 3 },
          )
          .map((entries): JsonValue => Object.fromEntries(entries)),
        weight: 8,
      },
    ),
  }),
)

/** A schema and two that it may refer to. Those refer to nothing, so that there are no circles. */
const anyDocument = fc.tuple(anySchema, anySchema, anySchema).map(([schema, a, b]): JsonObject => {
  const target = (one: JsonValue) => JSON.parse(JSON.stringify(one).replaceAll('"$ref"', '"$x"'))
  return { allOf: [schema], $defs: { a: target(a), b: target(b) } }
})

describe('laws', () => {
  test('it agrees with another validator', () => {
    const verdicts = { fits: 0, fails: 0 }
    fc.assert(
      fc.property(
        anyDocument,
        fc.array(anyValue, { minLength: 1, maxLength: 8 }),
        (schema, values) => {
          const other = new Validator(schema, '2020-12')
          for (const value of values) {
            const fits = validate(value, schema).length === 0
            verdicts[fits ? 'fits' : 'fails'] += 1
            expect(fits).toBe(other.validate(value).valid)
          }
        },
      ),
      { numRuns: 2000 },
    )
    expect(verdicts.fits).toBeGreaterThan(1000)
    expect(verdicts.fails).toBeGreaterThan(1000)
  })

  test('a violation leads to a place in the value, or to a key that is missing there', () => {
    fc.assert(
      fc.property(anyDocument, anyValue, (schema, value) => {
        for (const { path, message } of validate(value, schema)) {
          expect(message).not.toBe('')
          let place: unknown = value
          for (const [at, step] of path.entries()) {
            expect(typeof place).toBe('object')
            const isThere = Object.hasOwn(Object(place), step)
            expect(isThere || (at === path.length - 1 && message === 'is required')).toBe(true)
            place = Object(place)[step]
          }
        }
      }),
      { numRuns: 2000 },
    )
  })

  test('no schema and no value makes it throw', () => {
    fc.assert(
      fc.property(fc.json(), fc.json(), fc.json(), (...texts) => {
        const [value, one, other] = texts.map((text) => JSON.parse(text))
        validate(value, one)
        validate(value, { ...Object(one), properties: one, items: other, required: one })
        validate(value, { allOf: other, anyOf: [one, other], not: one, enum: other, type: one })
      }),
    )
  })

  test('what was coerced without an issue has the right types', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: { days: { type: 'integer' }, unit: { enum: ['metric', 'imperial'] } },
      required: ['days'],
    }
    const { value } = coerce({ days: '3', unit: 'METRIC' }, schema)
    expect(validate(value, schema)).toEqual([])
  })
})

describe('hostile input', () => {
  const LOOPS: readonly JsonSchema[] = [
    { $ref: '#' },
    { allOf: [{ $ref: '#' }] },
    { anyOf: [{ $ref: '#' }, { $ref: '#' }], type: 'string' },
    { $ref: '#', not: {} },
    { not: { $ref: '#' } },
    { if: { $ref: '#' }, else: { $ref: '#' }, type: 'null' },
    { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    { oneOf: [{ $ref: '#' }], items: { $ref: '#' }, additionalProperties: { $ref: '#' } },
  ]

  test.for(LOOPS)('a schema that leads back to itself: %j', (schema) => {
    for (const value of [1, 'a', null, [[1]], { a: { b: 1 } }]) {
      expect(Array.isArray(validate(value, schema))).toBe(true)
    }
  })

  test.for([
    ['fits', 1],
    ['does not fit', 'x'],
  ] as const)('definitions that double at every step, for a value that %s', ([, value]) => {
    const $defs: JsonObject = { d60: { type: 'integer' } }
    for (let at = 0; at < 60; at++) {
      const next = { $ref: `#/$defs/d${at + 1}` }
      $defs[`d${at}`] =
        at % 2 === 0 ? { allOf: [next, next] } : { anyOf: [next, { allOf: [next] }] }
    }
    const violations = validate(value, { $ref: '#/$defs/d0', $defs })
    expect(violations.length > 0).toBe(value === 'x')
  })

  test('a choice at every level of a deep value', () => {
    const node = { properties: { child: { $ref: '#' } } }
    const schema = {
      anyOf: [{ ...node, required: ['a'] }, { ...node, required: ['b'] }, { type: 'null' }],
    }
    let value: JsonValue = {}
    for (let at = 0; at < 100; at++) value = { a: 1, child: value }
    expect(validate(value, schema)).not.toEqual([])
  })

  test('values and schemas that are nested without end', () => {
    let deep: JsonValue = 1
    let schema: JsonSchema = { type: 'integer' }
    for (let at = 0; at < 100_000; at++) {
      deep = [deep]
      schema = { allOf: [schema] }
    }
    validate(deep, { items: { $ref: '#' }, type: 'array' })
    validate(1, schema)
    validate(deep, { uniqueItems: true, const: deep, enum: [deep] })
    const itself: JsonObject = {}
    itself['itself'] = itself
    expect(validate(itself, { additionalProperties: { $ref: '#' } })).toEqual([])
  })

  test.for([
    '^(a+)+$',
    '^(a|a)*$',
    '^(a|b|ab)*$',
    '^(\\w+\\s?)*$',
    '(x+x+)+y',
    'a*a*a*a*a*a*b',
    '.*.*.*=.*',
    '^([a-z]+[a-z-]+)*$',
    '^(?:(?:a{1,9}){1,9}){1,9}$',
    '(a+)\\1+b',
    '^(?:a-?)*$',
  ])('the pattern %s', (pattern) => {
    const start = performance.now()
    for (const length of [10, 16, 30, 100, 1000, 100_000]) {
      validate(`${'a'.repeat(length)}!`, { pattern })
      validate(`${'x'.repeat(length)}!`, { pattern })
    }
    expect(performance.now() - start).toBeLessThan(5000)
  })

  test('usual patterns are tested on texts of usual length', () => {
    for (const [pattern, text] of [
      ['^[a-z0-9]+(?:-[a-z0-9]+)*$', 'A'],
      ['^([a-z]+\\.)+[a-z]+$', 'A'],
      ['^[^@\\s]+@[^@\\s]+\\.[a-z]+$', ' '],
      ['^\\d{4}-\\d{2}-\\d{2}$', 'x'],
      ['^/(\\w+/)*\\w+$', '!'],
      ['^https?://', 'x'],
    ] as const) {
      expect(validate(text.repeat(80), { pattern }), pattern).toHaveLength(1)
    }
  })

  test.for<readonly [string, JsonSchema, JsonValue]>([
    [
      'forms for each item',
      { items: { anyOf: Array.from({ length: 9000 }, (_, at) => ({ minimum: -at })) } },
      Array.from({ length: 50_000 }, (_, at) => at),
    ],
    [
      'parts for each key',
      { allOf: Array.from({ length: 9000 }, () => ({ properties: { a: {} } })) },
      Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`key${at}`, at])),
    ],
    [
      'characters for each part',
      { allOf: Array.from({ length: 9000 }, () => ({ minLength: 1 })) },
      'x'.repeat(1_000_000),
    ],
  ])('more than anybody waits for is refused: %s', ([, schema, value]) => {
    expect(validate(value, schema)).toEqual([{ path: [], message: 'is too much to be checked' }])
  })

  test('long keys are told apart', () => {
    const key = 'k'.repeat(200)
    const value = [{ [`${key}1`]: 1 }, { [`${key}2`]: 1 }]
    expect(validate(value, { uniqueItems: true })).toEqual([])
  })

  test('time grows with the value', () => {
    const schema: JsonSchema = {
      type: 'array',
      uniqueItems: true,
      items: {
        anyOf: [{ type: 'object', properties: { n: { type: 'integer' } } }, { type: 'null' }],
      },
    }
    const value = Array.from({ length: 50_000 }, (_, n) => ({ n }))
    const start = performance.now()
    expect(validate(value, schema)).toEqual([])
    expect(performance.now() - start).toBeLessThan(10_000)
  })
})

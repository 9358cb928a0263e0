import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { extract } from '../../extract.ts'
import type { JsonObject, JsonValue } from '../json/value.ts'
import type { JsonSchema } from '../model.ts'
import { canStreamText, coerce, coerceProperty, isOpenSchema } from './coerce.ts'

type Case = readonly [
  name: string,
  value: unknown,
  schema: JsonSchema,
  result: unknown,
  code?: string,
]

const integer = { type: 'integer' }
const number = { type: 'number' }
const boolean = { type: 'boolean' }
const text = { type: 'string' }
const nothing = { type: 'null' }

function codes(value: unknown, schema: JsonSchema): string[] {
  const { repairs, issues } = coerce(value, schema)
  return [...repairs, ...issues].map(({ code }) => code)
}

describe('a value becomes what the schema asks for', () => {
  const cases: readonly Case[] = [
    ['text to an integer', '5', integer, 5, 'coerced-number'],
    ['text with spaces around', ' 5\n', integer, 5, 'coerced-number'],
    ['an integral fraction', '5.0', integer, 5, 'coerced-number'],
    ['an exponent', '1e3', integer, 1000, 'coerced-number'],
    ['text to a number', '-0.5', number, -0.5, 'coerced-number'],
    ['true', 'true', boolean, true, 'coerced-boolean'],
    ['False', 'False', boolean, false, 'coerced-boolean'],
    ['yes', 'yes', boolean, true, 'coerced-boolean'],
    ['the number 0', 0, boolean, false, 'coerced-boolean'],
    ['null', 'null', nothing, null, 'coerced-null'],
    [
      'None, where a number may be missing',
      'None',
      { type: ['integer', 'null'] },
      null,
      'coerced-null',
    ],
    [
      'empty text, where a number may be missing',
      '',
      { type: ['integer', 'null'] },
      null,
      'coerced-null',
    ],
    ['a number to text', 90210, text, '90210', 'coerced-string'],
    ['a boolean to text', true, text, 'true', 'coerced-string'],
    ['one item to a list', 'a', { type: 'array', items: text }, ['a'], 'coerced-array'],
    [
      'items without brackets',
      '1, -2,.5',
      { type: 'array', items: number },
      [1, -2, 0.5],
      'coerced-array',
    ],
    [
      'objects without brackets',
      '{"a": 1}, {"a": 2}',
      { type: 'array', items: { type: 'object' } },
      [{ a: 1 }, { a: 2 }],
      'coerced-array',
    ],
    [
      'one text with commas to a list',
      'a,b',
      { type: 'array', items: text },
      ['a,b'],
      'coerced-array',
    ],
    ['no text to an empty list', ' ', { type: 'array', items: text }, [], 'coerced-array'],
    [
      'a list in an object that only names it',
      { tag: ['a', 5] },
      { type: 'array', items: text },
      ['a', '5'],
      'unwrapped-value',
    ],
    [
      'a list of objects in an object, as XML writes it',
      { item: [{ n: '1' }, { n: '2' }] },
      { type: 'array', items: { type: 'object', properties: { n: integer } } },
      [{ n: 1 }, { n: 2 }],
      'unwrapped-value',
    ],
    [
      'a list as an object with numbered keys',
      { 1: 'b', 0: 'a' },
      { type: 'array', items: text },
      ['a', 'b'],
      'unwrapped-value',
    ],
    [
      'one item in an object that only names it',
      { item: '5' },
      { type: 'array', items: number },
      [5],
      'unwrapped-value',
    ],
    ['a number in an object that only names it', { value: '5' }, number, 5, 'unwrapped-value'],
    ['text in an object that only names it', { '#text': 'a' }, text, 'a', 'unwrapped-value'],
    [
      'a list of objects of which one key is a list',
      { tags: ['a'] },
      { type: 'array', items: { type: 'object', properties: { tags: { type: 'array' } } } },
      [{ tags: ['a'] }],
      'coerced-array',
    ],
    ['an enum in quotes', "'Celsius'", { enum: ['celsius', 'kelvin'] }, 'celsius', 'coerced-enum'],
    ['a number with a sign', '+5', integer, 5, 'coerced-number'],
    ['a number without its zero', '-.5', number, -0.5, 'coerced-number'],
    ['a number with a point behind it', '5.', integer, 5, 'coerced-number'],
    ['one object to a list', { a: 1 }, { type: 'array' }, [{ a: 1 }], 'coerced-array'],
    ['a list in text', '[1, 2]', { type: 'array', items: integer }, [1, 2], 'coerced-json'],
    ['an object in text', '{"a": 1}', { type: 'object' }, { a: 1 }, 'coerced-json'],
    [
      'a nearly valid object in text, where nothing is guessed',
      "{'a': True,}",
      { type: 'object' },
      { a: true },
      'coerced-json',
    ],
    [
      'text that only starts like a list',
      '[label]: x',
      { type: 'array' },
      ['[label]: x'],
      'coerced-array',
    ],
    ['an object in text in text', '"{\\"a\\": 1}"', { type: 'object' }, { a: 1 }, 'coerced-json'],
    [
      'an enum in another case',
      'Celsius',
      { enum: ['celsius', 'kelvin'] },
      'celsius',
      'coerced-enum',
    ],
    [
      'an enum with other separators',
      'IN PROGRESS',
      { enum: ['in_progress', 'done'] },
      'in_progress',
      'coerced-enum',
    ],
    ['a constant', 'A', { const: 'a' }, 'a', 'coerced-enum'],
    ['a numeric enum', '2', { enum: [1, 2] }, 2, 'coerced-number'],
    ['an enum of digits', 2, { enum: ['1', '2'] }, '2', 'coerced-string'],
    [
      'an integer whose enum Gemini spells as text',
      '2',
      { type: 'INTEGER', enum: ['1', '2'] },
      2,
      'coerced-number',
    ],
    [
      'the branch that can be reached',
      'x',
      { anyOf: [integer, { enum: ['X'] }] },
      'X',
      'coerced-enum',
    ],
    ['a number before a yes', '1', { type: ['boolean', 'integer'] }, 1, 'coerced-number'],
    [
      'a value before a list of it',
      5,
      { anyOf: [text, { type: 'array', items: text }] },
      '5',
      'coerced-string',
    ],
    ['a fraction', '1.5', { type: ['integer', 'number'] }, 1.5, 'coerced-number'],
    ['a list or nothing', '[]', { type: ['array', 'null'] }, [], 'coerced-json'],
    ['through a reference', '5', { $ref: '#/$defs/n', $defs: { n: integer } }, 5, 'coerced-number'],
    ['through allOf', '5', { allOf: [number, { minimum: 0 }] }, 5, 'coerced-number'],
    ['nullable', 'null', { type: 'integer', nullable: true }, null, 'coerced-null'],
  ]
  test.for(cases)('%s', ([, value, schema, result, code]) => {
    expect(coerce(value, schema).value).toEqual(result)
    expect(codes(value, schema)[0]).toBe(code)
    expect(coerce(value, schema).issues).toEqual([])
  })
})

describe('a value stays', () => {
  const cases: readonly Case[] = [
    ['an object for text', { debug: 'on' }, text, { debug: 'on' }, 'schema-mismatch'],
    ['digits and letters', '12abc', integer, '12abc', 'schema-mismatch'],
    ['digits in groups', '1_000', integer, '1_000', 'schema-mismatch'],
    ['leading zeros', '007', integer, '007', 'schema-mismatch'],
    ['a fraction for an integer', '5.5', integer, '5.5', 'schema-mismatch'],
    [
      'an integer that would lose digits',
      '12345678901234567890',
      integer,
      '12345678901234567890',
      'schema-mismatch',
    ],
    [
      'the same for a number',
      '12345678901234567890',
      number,
      '12345678901234567890',
      'schema-mismatch',
    ],
    ['a fraction is not cut', 5.5, integer, 5.5, 'schema-mismatch'],
    ['maybe', 'maybe', boolean, 'maybe', 'schema-mismatch'],
    ['the number 2 is no boolean', 2, boolean, 2, 'schema-mismatch'],
    ['null is not text', null, text, null, 'schema-mismatch'],
    ['null is no list', null, { type: 'array' }, null, 'schema-mismatch'],
    ['an object is not text', {}, text, {}, 'schema-mismatch'],
    [
      'an object in an object is not text',
      { a: { b: 'c' } },
      text,
      { a: { b: 'c' } },
      'schema-mismatch',
    ],
    ['a null with a name is not text', { a: null }, text, { a: null }, 'schema-mismatch'],
    [
      'an object that names another value',
      { a: 'x' },
      { type: 'array', items: number },
      { a: 'x' },
      'schema-mismatch',
    ],
    ['a list is no object', [], { type: 'object' }, [], 'schema-mismatch'],
    ['prose for an object', '{not json', { type: 'object' }, '{not json', 'schema-mismatch'],
    [
      'a list of lists is not reached in two steps',
      5,
      { type: 'array', items: { type: 'array' } },
      5,
      'schema-mismatch',
    ],
    ['no member is meant', 'x', { enum: ['a', 'b'] }, 'x', 'schema-mismatch'],
    ['two members are meant', 'A B', { enum: ['a-b', 'a_b'] }, 'A B', 'ambiguous-value'],
    ['two branches can be reached', 1, { type: ['string', 'boolean'] }, 1, 'ambiguous-value'],
    ['nothing is allowed', 1, false, 1, 'schema-mismatch'],
    ['what JSON cannot hold', Number.NaN, number, Number.NaN, 'schema-mismatch'],
    ['undefined', undefined, text, undefined, 'schema-mismatch'],
  ]
  test.for(cases)('%s', ([, value, schema, result, code]) => {
    expect(coerce(value, schema).value).toEqual(result)
    expect(codes(value, schema)).toEqual([code])
  })
})

describe('a value that fits is not touched', () => {
  const cases: readonly (readonly [unknown, JsonSchema])[] = [
    ['5', text],
    ['true', text],
    ['null', { type: ['string', 'null'] }],
    ['', { type: ['string', 'null'] }],
    ['[label]: see below', text],
    ['[1]', { type: ['string', 'array'] }],
    [5, number],
    [5, { type: ['string', 'integer'] }],
    ['5', { anyOf: [integer, text] }],
    [null, { type: 'string', enum: ['a'], nullable: true }],
    ['x', { anyOf: [{ enum: ['X'] }, text] }],
    [{ a: '1' }, {}],
    [{ a: '1' }, true],
    [{ extra: '1' }, { properties: { a: integer } }],
    [{}, { properties: { a: integer }, required: ['a'] }],
    [{ x: 1 }, { properties: {}, additionalProperties: false }],
    [{ 'Content-Type': 'x' }, { properties: { content_type: text }, additionalProperties: text }],
    [{ 'x-a': '1' }, { properties: { xA: integer }, patternProperties: { '^x-': text } }],
    [{ y: '1' }, { patternProperties: { '^x-': integer } }],
    [{ x: '1' }, { patternProperties: { '(': integer, '^(a+)+$': integer } }],
    [{ xx: '1' }, { patternProperties: { '^(x)\\1$': integer }, additionalProperties: integer }],
  ]
  test.for(cases)('%j under %j', ([value, schema]) => {
    const result = coerce(value, schema)
    expect(result.value).toBe(value)
    expect(result).toMatchObject({ repairs: [], issues: [] })
  })
})

describe('keys', () => {
  const schema = { properties: { user_id: integer, maxResults: integer } }

  test.for(['userId', 'User-ID', 'USER_ID', 'user id', 'userid'])('%s is user_id', (key) => {
    const { value, repairs } = coerce({ [key]: 1 }, schema)
    expect(value).toEqual({ user_id: 1 })
    expect(repairs).toMatchObject([{ code: 'coerced-key', path: ['user_id'] }])
  })

  test('the value under a renamed key is coerced as well, and the order is kept', () => {
    const { value, repairs } = coerce({ max_results: '5', user_id: 1 }, schema)
    expect(JSON.stringify(value)).toBe('{"maxResults":5,"user_id":1}')
    expect(repairs.map(({ code }) => code)).toEqual(['coerced-key', 'coerced-number'])
  })

  test.for(['usr_id', 'userd', 'maxReslts', 'max_result', 'maxResultss', 'maxReslults'])(
    '%s has a letter too few or too many',
    (key) => {
      const { value, repairs } = coerce({ [key]: '1' }, schema)
      const [name = ''] = Object.keys(Object(value))
      expect(schema.properties).toHaveProperty(name)
      expect(Object.values(Object(value))).toEqual([1])
      expect(repairs).toMatchObject([
        { code: 'corrected-key', risk: 'guess', path: [name], before: JSON.stringify(key) },
        { code: 'coerced-number', path: [name] },
      ])
    },
  )

  test.for<[JsonObject, JsonSchema]>([
    // The property is there itself.
    [{ user_id: 1, usr_id: 2 }, schema],
    // Another letter, a number or so few letters make another word.
    [{ user_ib: 1 }, schema],
    [{ user_id2: 1 }, schema],
    [{ d: 1 }, { properties: { id: integer } }],
    // Two keys for one property, two properties for one key.
    [{ usr_id: 1, uer_id: 2 }, schema],
    [{ tag: 1 }, { properties: { tags: integer, stag: integer } }],
    // Other keys are welcome.
    [{ usr_id: 1 }, { ...schema, additionalProperties: true }],
    [{ usr_id: 1 }, { ...schema, patternProperties: { '^u': integer } }],
  ])('%j stays', ([value, wanted]) => {
    expect(coerce(value, wanted).value).toBe(value)
  })

  test('a property that is there itself is not overwritten', () => {
    const value = { user_id: 1, userId: 2 }
    expect(coerce(value, schema).value).toBe(value)
  })

  test('two keys for one property stay', () => {
    const value = { userId: 1, 'user-id': 2 }
    expect(coerce(value, schema).value).toBe(value)
    expect(codes(value, schema)).toEqual(['ambiguous-value'])
  })

  test('two properties for one key stay', () => {
    const twins = { properties: { userId: integer, user_id: integer } }
    expect(codes({ USERID: 1 }, twins)).toEqual(['ambiguous-value'])
  })

  test('a required property is found even where other keys are welcome', () => {
    const open = { ...schema, required: ['user_id'], additionalProperties: true }
    expect(coerce({ userId: 1, max_results: 2 }, open).value).toEqual({
      user_id: 1,
      max_results: 2,
    })
  })

  test('ambiguous keys deep inside are reported too', () => {
    const outer = { properties: { inner: schema } }
    const { issues } = coerce({ inner: { userId: 1, 'user-id': 2 } }, outer)
    expect(issues[0]?.message).toMatch(/^\$\.inner: /)
  })

  test('__proto__ and constructor are ordinary keys', () => {
    const given: unknown = JSON.parse('{"__proto__": "1", "constructor": "2", "n": "3"}')
    const wanted: JsonSchema = JSON.parse(
      '{"properties": {"__proto__": {"type": "integer"}, "n": {"type": "integer"}}}',
    )
    const { value } = coerce(given, wanted)
    expect(JSON.stringify(value)).toBe('{"__proto__":1,"constructor":"2","n":3}')
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })
})

test('values are coerced by how their keys are spelled', () => {
  const schema = {
    type: 'object',
    patternProperties: { '^n_': integer, _list$: { type: 'array', items: integer } },
    additionalProperties: boolean,
  }
  const given = { n_a: '1', b_list: '2', c: 'true' }
  expect(coerce(given, schema).value).toEqual({ n_a: 1, b_list: [2], c: true })
})

test.for(['^(a|a)*$', '^(a?){26}a{26}$', '^(a+)+$', '^(?=(a+)+$)a'])(
  'keys are tried against %s in linear time',
  (pattern) => {
    const schema = { patternProperties: { [pattern]: integer }, additionalProperties: boolean }
    const long = `${'a'.repeat(300)}!`
    const { value } = coerce({ [long]: 'true', [`${'a'.repeat(40)}`]: '1' }, schema)
    expect(value).toEqual({ [long]: true, [`${'a'.repeat(40)}`]: 1 })
  },
)

describe('nested values', () => {
  const schema = {
    properties: {
      items: { type: 'array', items: { properties: { n: integer } } },
      'odd key': boolean,
      map: { type: 'object', additionalProperties: integer },
      pair: { type: 'array', prefixItems: [integer, text], items: boolean },
    },
  }

  test('are coerced where they are', () => {
    const given = { items: [{ n: '1' }, { n: 2 }], map: { a: '1' }, pair: ['1', 2, 'true'] }
    const { value, repairs } = coerce(given, schema)
    expect(value).toEqual({ items: [{ n: 1 }, { n: 2 }], map: { a: 1 }, pair: [1, '2', true] })
    expect(repairs.map(({ path }) => path.join('.'))).toEqual([
      'items.0.n',
      'map.a',
      'pair.0',
      'pair.1',
      'pair.2',
    ])
  })

  test('parts that fit stay the same objects', () => {
    const given = { items: [{ n: '1' }, { n: 2 }] }
    const { value } = coerce(given, schema)
    expect((value as typeof given).items[1]).toBe(given.items[1])
  })

  test('an issue names its place and what was expected', () => {
    const { issues } = coerce({ items: [{ n: 'x' }], 'odd key': 'x' }, schema)
    expect(issues.map(({ message }) => message)).toEqual([
      '$.items[0].n: expected integer, got "x"',
      '$["odd key"]: expected boolean, got "x"',
    ])
  })

  test('text in text in text is decoded as far as the schema asks', () => {
    const given = { items: JSON.stringify([JSON.stringify({ n: '1' })]) }
    expect(coerce(given, schema).value).toEqual({ items: [{ n: 1 }] })
  })

  test('a long value is cut in the message', () => {
    const { issues } = coerce('x'.repeat(10_000), integer)
    expect(issues[0]?.message.length).toBeLessThan(200)
  })
})

describe('choices between objects', () => {
  const schema = {
    anyOf: [
      { properties: { kind: { const: 'circle' }, size: number }, required: ['kind', 'size'] },
      { properties: { kind: { const: 'label' }, size: text }, required: ['kind', 'size'] },
    ],
  }

  test('are decided by their constant', () => {
    expect(coerce({ kind: 'circle', size: '5' }, schema).value).toEqual({ kind: 'circle', size: 5 })
    expect(coerce({ kind: 'label', size: 5 }, schema).value).toEqual({ kind: 'label', size: '5' })
    expect(coerce({ kind: 'Label', size: '5' }, schema).value).toEqual({ kind: 'label', size: '5' })
  })

  test('are decided by their required keys', () => {
    const either = {
      anyOf: [
        { properties: { path: text }, required: ['path'] },
        { properties: { count: integer }, required: ['count'] },
      ],
    }
    expect(coerce({ count: '5' }, either).value).toEqual({ count: 5 })
  })

  test('what is wrong inside the only possible branch is still coerced and reported', () => {
    const maybe = { anyOf: [{ properties: { a: integer, b: integer } }, nothing] }
    const { value, issues } = coerce({ a: '1', b: 'x' }, maybe)
    expect(value).toEqual({ a: 1, b: 'x' })
    expect(issues.map(({ message }) => message)).toEqual(['$.b: expected integer, got "x"'])
  })
})

describe('hostile values', () => {
  const list: JsonSchema = {
    anyOf: [
      { type: 'array', items: { $ref: '#' } },
      { type: 'array', items: { $ref: '#' } },
      integer,
    ],
  }

  function nest(depth: number): JsonValue {
    let value: JsonValue = '1'
    for (let at = 0; at < depth; at++) value = ['1', value]
    return value
  }

  test('alternatives do not multiply with depth', () => {
    expect(coerce(nest(400), list).issues).toEqual([])
  })

  test('a scalar is not wrapped level after level', () => {
    expect(coerce('x', list).value).toBe('x')
  })

  test('beyond 512 levels a value is left alone', () => {
    const given = nest(100_000)
    expect(coerce(given, { type: 'array', items: { $ref: '#' } }).value).toBe(given)
  })

  test('a value that contains itself comes to an end', () => {
    const given: Record<string, unknown> = { n: '1' }
    given['left'] = given
    given['right'] = given
    const tree = { properties: { n: integer, left: { $ref: '#' }, right: { $ref: '#' } } }
    expect(coerce(given, tree).value).toMatchObject({ n: 1 })
  })

  test('a property without a name is not looked for in texts', () => {
    const schema = { properties: { city: { type: 'string' }, '': { type: 'string' } } }
    const tools = [{ name: 'look', inputSchema: { type: 'object', ...schema } }]
    const { calls } = extract(
      '<tool_call>{"name":"look","arguments":{"city":x a=b y}}</tool_call>',
      {
        tools,
      },
    )
    expect(calls).toMatchObject([{ name: 'look', arguments: { city: 'x a=b y' } }])
  })

  test('thousands of keys for one property take linear time', () => {
    const keys = Array.from({ length: 20_000 }, (_, at) => [
      `a${'-'.repeat(at % 50)}${'_'.repeat(at % 7)}${at}`,
      1,
    ])
    const schema = {
      properties: Object.fromEntries(keys.map(([key]) => [`${key}`.toUpperCase(), integer])),
    }
    expect(coerce(Object.fromEntries(keys), schema).issues.length).toBeLessThan(20_000)
  })
})

describe('what streaming asks', () => {
  const schema: JsonObject = {
    properties: {
      text,
      long: { type: 'string', maxLength: 5 },
      referred: { $ref: '#/$defs/text' },
      choice: { enum: ['a'] },
      maybe: { type: ['string', 'null'] },
      n: integer,
      open: {},
    },
    $defs: { text },
  }

  test.for([
    ['text', true],
    ['long', true],
    ['referred', true],
    ['choice', false],
    ['maybe', false],
    ['n', false],
    ['open', false],
    ['Text', false],
    ['constructor', false],
  ] as const)('text under %s can be handed on at once: %j', ([key, expected]) => {
    expect(canStreamText(schema, key)).toBe(expected)
  })

  test('nothing is handed on where the other keys decide', () => {
    expect(
      canStreamText(
        { anyOf: [{ properties: { text } }, { properties: { text: integer } }] },
        'text',
      ),
    ).toBe(false)
  })

  test('a property alone is coerced as in its object', () => {
    for (const key of ['text', 'choice', 'maybe', 'n', 'open']) {
      for (const value of ['A', '5', 5, null, true, ['x'], { n: '1' }]) {
        const whole = coerce({ [key]: value }, schema)
        const alone = coerceProperty(key, value, schema)
        expect({ ...alone, value: { [key]: alone.value } }).toEqual(whole)
      }
    }
  })

  test.for([
    [true, true],
    [{}, true],
    [{ type: 'object' }, true],
    [{ type: 'object', properties: {} }, true],
    [{ type: 'object', additionalProperties: false }, true],
    [{ type: 'object', additionalProperties: integer }, false],
    [{ type: 'object', patternProperties: { '': integer } }, false],
    [{ properties: { n: integer } }, false],
    [{ const: { a: 1 } }, false],
    [false, false],
  ] as const)('%j is open: %j', ([open, expected]) => {
    expect(isOpenSchema(open)).toBe(expected)
  })
})

describe('laws', () => {
  const scalar: fc.Arbitrary<JsonObject> = fc.constantFrom<JsonObject[]>(
    nothing,
    boolean,
    integer,
    number,
    text,
    { enum: ['a', 'B', 'c d'] },
    { type: ['integer', 'null'] },
    {},
  )
  const { schemas } = fc.letrec<{ schemas: JsonObject }>((tie) => ({
    schemas: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      scalar,
      tie('schemas').map((items) => ({ type: 'array', items })),
      fc
        .record({
          properties: fc.dictionary(fc.constantFrom('a', 'b', 'user_id'), tie('schemas')),
          required: fc.subarray(['a', 'b']),
        })
        .map((parts) => ({ type: 'object', ...parts })),
      fc.array(tie('schemas'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    ),
  }))
  const scalarText = fc.constantFrom(
    '1',
    '1.5',
    'true',
    'null',
    '',
    'A',
    'C_D',
    '[1]',
    '{"a":"1"}',
    'yes',
    'x',
  )
  const { values } = fc.letrec<{ values: JsonValue }>((tie) => ({
    values: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.oneof(scalarText, fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<JsonValue>),
      fc.array(tie('values'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'A', 'userId', '__proto__'), tie('values')),
    ),
  }))

  interface Valid {
    readonly schema: JsonObject
    readonly value: JsonValue
  }
  const validScalar: fc.Arbitrary<Valid> = fc.oneof(
    fc.oneof(scalarText, fc.string()).map((value) => ({ schema: text, value })),
    fc.integer().map((value) => ({ schema: integer, value })),
    fc.integer().map((value) => ({ schema: number, value })),
    fc.boolean().map((value) => ({ schema: boolean, value })),
    fc.constantFrom('a', 'B').map((value) => ({ schema: { enum: ['a', 'A', 'B'] }, value })),
    fc.constant({ schema: { type: 'string', nullable: true }, value: null }),
    values.map((value) => ({ schema: {}, value })),
  )
  const { valids } = fc.letrec<{ valids: Valid }>((tie) => ({
    valids: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      validScalar,
      tie('valids').map((item) => ({
        schema: { type: 'array', items: item.schema },
        value: [item.value, item.value],
      })),
      fc
        .dictionary(fc.constantFrom('a', 'b', 'user_id', '__proto__'), tie('valids'))
        .map((object) => {
          const entries = Object.entries(object)
          const properties = Object.fromEntries(entries.map(([key, { schema }]) => [key, schema]))
          return {
            schema: { type: 'object', properties, required: Object.keys(properties) },
            value: Object.fromEntries(entries.map(([key, { value }]) => [key, value])),
          }
        }),
      fc.tuple(tie('valids'), schemas, schemas).map(([{ schema, value }, before, after]) => ({
        schema: { anyOf: [before, schema, after] },
        value,
      })),
    ),
  }))

  test('a valid value comes back as it is', () => {
    fc.assert(
      fc.property(valids, ({ schema, value }) => {
        const result = coerce(value, schema)
        expect(result.value).toBe(value)
        expect(result).toMatchObject({ repairs: [], issues: [] })
      }),
      { numRuns: 2000 },
    )
  })

  test('coercing twice changes nothing more', () => {
    fc.assert(
      fc.property(values, schemas, (value, schema) => {
        const once = coerce(value, schema)
        const twice = coerce(once.value, schema)
        expect(twice.value).toBe(once.value)
        expect(twice.repairs).toEqual([])
      }),
      { numRuns: 2000 },
    )
  })

  test('without repairs the value is the same, with repairs it is another', () => {
    fc.assert(
      fc.property(values, schemas, (value, schema) => {
        const { value: after, repairs } = coerce(value, schema)
        expect(after === value).toBe(repairs.length === 0)
      }),
      { numRuns: 2000 },
    )
  })

  test('any value under any schema, however odd, is no reason to throw', () => {
    fc.assert(
      fc.property(
        fc.anything(),
        fc.oneof(schemas, fc.object() as fc.Arbitrary<JsonObject>),
        (value, schema) => {
          coerce(value, schema)
        },
      ),
    )
  })
})

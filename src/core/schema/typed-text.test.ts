import { describe, expect, test } from 'vitest'
import type { JsonSchema } from '../model.ts'
import { typeText } from './typed-text.ts'

const maybe = { type: ['string', 'integer', 'boolean', 'null', 'object', 'array'] }

describe('raw text becomes', () => {
  const cases: readonly (readonly [string, string, JsonSchema | undefined, unknown])[] = [
    ['itself without a schema', '5', undefined, '5'],
    ['itself where everything is allowed', '5', {}, '5'],
    ['itself where text is wanted', 'null', { type: 'string' }, 'null'],
    ['an integer', '5', { type: 'integer' }, 5],
    ['an integral number', '5.0', { type: 'number' }, 5],
    ['an integer with an exponent', '1e+21', { type: 'integer' }, 1e21],
    [
      'itself when digits would be lost',
      '12345678901234567890',
      { type: 'integer' },
      '12345678901234567890',
    ],
    ['itself when it has leading zeros', '007', { type: 'integer' }, '007'],
    ['a Python dictionary', "{'a': None, 'b': [True]}", { type: 'object' }, { a: null, b: [true] }],
    ['an object that was encoded twice', '"{\\"a\\": 1}"', { type: 'object' }, { a: 1 }],
    ['a boolean', 'True', { type: 'boolean' }, true],
    ['an object', '{"a": "1"}', { properties: { a: { type: 'integer' } } }, { a: 1 }],
    ['a list', '["a"]', { type: 'array' }, ['a']],
    ['null where that is allowed', 'null', { type: ['integer', 'null'] }, null],
    ['null where neither that nor text is allowed', 'null', { type: 'integer' }, null],
    ['null where a list is wanted', 'null', { type: 'array', items: { type: 'string' } }, null],
    ['an enum member in the letters of null', 'null', { enum: ['NULL'] }, 'NULL'],
    ['a list of what its JSON says', '{"a": 1}', { type: 'array' }, [{ a: 1 }]],
    ['a list of one text without its quotation marks', '"a"', { type: 'array' }, ['a']],
    ['a list of one text with digits', '5', { type: 'array', items: { type: 'string' } }, ['5']],
    ['a number before a boolean', '1', { type: ['boolean', 'integer'] }, 1],
    ['an enum member', 'Celsius', { enum: ['celsius'] }, 'celsius'],
    ['an enum member in quotation marks', '"celsius"', { enum: ['celsius'] }, 'celsius'],
    ['an integer in quotation marks', '"5"', { type: 'integer' }, 5],
    ['itself when nothing fits, quotation marks included', '"abc"', { type: 'integer' }, '"abc"'],
    ['itself when nothing fits', 'abc', { type: 'integer' }, 'abc'],
    ['a literal beside text: null', 'null', maybe, null],
    ['a literal beside text: true', 'true', maybe, true],
    ['a literal beside text: a number', '5', maybe, 5],
    ['a literal beside text: an object', '{"a": 1}', maybe, { a: 1 }],
    ['text beside a literal: another case', 'True', maybe, 'True'],
    ['text beside a literal: leading zeros', '007', maybe, '007'],
    ['text beside a literal: a sign', '+5', maybe, '+5'],
    ['text beside a literal: a fraction', '5.0', maybe, '5.0'],
    ['text beside a literal: spaces', ' 5', maybe, ' 5'],
    ['text beside a literal: JSON of a string', '"a"', maybe, '"a"'],
    [
      'text beside a list it does not fit',
      '["a"]',
      { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'integer' } }] },
      '["a"]',
    ],
    ['text beside a type it does not have', 'true', { type: ['string', 'integer'] }, 'true'],
  ]
  test.for(cases)('%s', ([, raw, schema, value]) => {
    expect(typeText(raw, schema ?? true).value).toEqual(value)
  })
})

test('reading a type from its JSON is no repair', () => {
  expect(typeText('5', { type: 'integer' }).repairs).toEqual([])
  expect(typeText('[1, 2]', { type: 'array' }).repairs).toEqual([])
  expect(typeText('null', { type: 'null' }).repairs).toEqual([])
})

test('reading it from anything else is one', () => {
  expect(typeText('True', { type: 'boolean' }).repairs).toMatchObject([{ code: 'coerced-boolean' }])
  expect(typeText('a', { type: 'array' }).repairs).toMatchObject([{ code: 'coerced-array' }])
})

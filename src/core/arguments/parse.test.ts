import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isJsonObject } from '../json/value.ts'
import type { JsonSchema } from '../model.ts'
import { parseArguments } from './parse.ts'

type Case = readonly [text: string, result: unknown]

function read(text: string, schema?: JsonSchema): unknown {
  return parseArguments(text, schema).arguments
}

describe('what the seed systems read', () => {
  const cases: readonly Case[] = [
    ['query="python", limit=10', { query: 'python', limit: 10 }],
    ['python, 10', { arg0: 'python', arg1: '10' }],
    [
      'question_number=1, question="Q", active=true',
      { question_number: 1, question: 'Q', active: true },
    ],
    ['count=42', { count: 42 }],
    ['ratio=3.14', { ratio: 3.14 }],
    ['active=true', { active: true }],
    ['name="John"', { name: 'John' }],
    ['', {}],
    ['arg1, arg2', { arg0: 'arg1', arg1: 'arg2' }],
    ['"a": 1, "b": [1,2]', { a: 1, b: [1, 2] }],
    ['a=[1,2], b={"x":1}', { a: '[1,2]', b: '{"x":1}' }],
    ['{"query": "python", "limit": 10}', { query: 'python', limit: 10 }],
    ['a="it\'s, ok", b=2', { a: "it's, ok", b: 2 }],
    ["{'cmd':'read','file':'main.go'}", { cmd: 'read', file: 'main.go' }],
    ["{'cmd':'read','args':{'file':'main.go'}}", { cmd: 'read', args: { file: 'main.go' } }],
    ['{\'cmd\':"read",\'file\':"main.go"}', { cmd: 'read', file: 'main.go' }],
    ['{cmd: "read", file: "main.go"}', { cmd: 'read', file: 'main.go' }],
    ['{cmd: read, file: main.go}', { cmd: 'read', file: 'main.go' }],
    ['{"cmd":"read","file":"main.go",}', { cmd: 'read', file: 'main.go' }],
    [
      "{'cmd':'exec','args':{'cmd':'echo \"hello\"'}}",
      { cmd: 'exec', args: { cmd: 'echo "hello"' } },
    ],
    ['{regex: true, term: TODO}', { regex: true, term: 'TODO' }],
  ]
  test.for(cases)('%s', ([text, result]) => {
    expect(read(text)).toEqual(result)
  })
})

describe('where we read better than they do', () => {
  const cases: readonly Case[] = [
    ['timeout: 30', { timeout: 30 }],
    ['path: /tmp', { path: '/tmp' }],
    ['{"key": "value"}', { key: 'value' }],
    ['**{"key": "value"}', { key: 'value' }],
    ['**bold** words', { arg0: '**bold** words' }],
    [
      'code="02134", v="1.0", ok="true", grade=F',
      { code: '02134', v: '1.0', ok: 'true', grade: 'F' },
    ],
    ['"a=b"', { arg0: 'a=b' }],
    ['q="x", 5', { q: 'x', arg1: '5' }],
  ]
  test.for(cases)('%s', ([text, result]) => {
    expect(read(text)).toEqual(result)
  })
})

describe('values without quotes', () => {
  const cases: readonly Case[] = [
    ['a=TRUE', { a: true }],
    ['a=null', { a: 'null' }],
    ['a=None', { a: 'None' }],
    ['a=NaN, b=Infinity', { a: 'NaN', b: 'Infinity' }],
    ['a=007', { a: '007' }],
    ['a=12345678901234567890', { a: '12345678901234567890' }],
    ['a=-1.5e3', { a: -1500 }],
    ['a=', { a: '' }],
    ['a=[draft] notes', { a: '[draft] notes' }],
    ['a="x" + "y"', { a: '"x" + "y"' }],
  ]
  test.for(cases)('%s', ([text, result]) => {
    expect(read(text)).toEqual(result)
  })
})

describe('names and what only looks like one', () => {
  const cases: readonly Case[] = [
    ['http://example.com/?q=1', { arg0: 'http://example.com/?q=1' }],
    ['12:30', { arg0: '12:30' }],
    ['std::vector', { arg0: 'std::vector' }],
    ['C:\\temp', { arg0: 'C:\\temp' }],
    ['a == b', { arg0: 'a == b' }],
    ['x => x', { arg0: 'x => x' }],
    ['read --file=main.go', { arg0: 'read --file=main.go' }],
    ['read --file main.go', { arg0: 'read --file main.go' }],
    ['"note: x"', { arg0: 'note: x' }],
    ['f(a=1)', { arg0: 'f(a=1)' }],
    ['path: a=b', { path: 'a=b' }],
    ['größe=5', { größe: 5 }],
    ['phone=+4790, rate=.5', { phone: '+4790', rate: '.5' }],
    ['"my key"=5', { 'my key': 5 }],
    ["'a': 1, 'b': 'x'", { a: 1, b: 'x' }],
    ['a = 1', { a: 1 }],
    ['x, arg0=1', { arg1: 'x', arg0: 1 }],
    ['{"x": 1}, 5', { arg0: '{"x": 1}', arg1: '5' }],
  ]
  test.for(cases)('%s', ([text, result]) => {
    expect(read(text)).toEqual(result)
  })
})

describe('quotes', () => {
  const cases: readonly Case[] = [
    ['a="x\\"y"', { a: 'x"y' }],
    ["a='it\\'s'", { a: "it's" }],
    ['a="line\\nbreak \\u00e9"', { a: 'line\nbreak é' }],
    ['a="\\d+ \\u12"', { a: '\\d+ \\u12' }],
    ['a="\'x\'"', { a: "'x'" }],
    ['"unclosed, 5', { arg0: '"unclosed, 5' }],
    ['a="b, c=1', { a: '"b, c=1' }],
  ]
  test.for(cases)('%s', ([text, result]) => {
    expect(read(text)).toEqual(result)
  })
})

describe('JSON in other wrappings', () => {
  const cases: readonly Case[] = [
    ['["python", 10]', { arg0: 'python', arg1: 10 }],
    ['[]', {}],
    ['"{\\"a\\": 1}"', { a: 1 }],
    ['"plain"', { arg0: 'plain' }],
    ['[label]: see below', { arg0: '[label]: see below' }],
    ['  {"a": 1}\n', { a: 1 }],
    ['{"a": 1},', { a: 1 }],
    ['{"a": 1', { a: 1 }],
    ["['x', True]", { arg0: 'x', arg1: true }],
  ]
  test.for(cases)('%s', ([text, result]) => {
    expect(read(text)).toEqual(result)
  })
})

describe('with a schema', () => {
  const search: JsonSchema = {
    type: 'object',
    properties: {
      limit: { type: 'integer' },
      query: { type: 'string' },
      tags: { type: 'array', items: { type: 'string' } },
      when: { type: ['string', 'null'] },
    },
    required: ['query'],
  }
  const one: JsonSchema = { properties: { command: { type: 'string' } }, required: ['command'] }
  const list: JsonSchema = {
    properties: { numbers: { type: 'array', items: { type: 'integer' } } },
  }

  const cases: readonly (readonly [string, string, JsonSchema, unknown])[] = [
    [
      'positionals take names, the required first',
      'python, 10',
      search,
      { query: 'python', limit: 10 },
    ],
    [
      'positionals take names not given',
      '10, query=python',
      search,
      { limit: 10, query: 'python' },
    ],
    [
      'positionals beyond the names stay',
      'a, 1, b, c, d',
      search,
      { query: 'a', limit: 1, tags: ['b'], when: 'c', arg4: 'd' },
    ],
    ['text keeps its spelling', 'query=1.0', search, { query: '1.0' }],
    ['null where it is allowed', 'query=null, when=null', search, { query: 'null', when: null }],
    ['names in another case', 'Query=a, LIMIT=5', search, { query: 'a', limit: 5 }],
    ['a positional list', 'a, 1, ["x", "y"]', search, { query: 'a', limit: 1, tags: ['x', 'y'] }],
    ['a colon after a declared name', 'query: a, limit: 5', search, { query: 'a', limit: 5 }],
    ['a colon in prose', 'note: buy milk', search, { query: 'note: buy milk' }],
    ['unknown names stay', 'query=a, foo=1', search, { query: 'a', foo: 1 }],
    [
      'a long id keeps its digits',
      '{"query": 12345678901234567890}',
      search,
      { query: '12345678901234567890' },
    ],
    ['JSON is coerced', '{"limit": "5"}', search, { limit: 5 }],
    ['a JSON array gives positionals', '["python", "10"]', search, { query: 'python', limit: 10 }],
    ['a list for a tool that takes a list', '[1, "2"]', list, { numbers: [1, 2] }],
    ['one text takes everything', 'ls -la, A=1', one, { command: 'ls -la, A=1' }],
    ['one text that looks like a name', 'FOO=bar make', one, { command: 'FOO=bar make' }],
    ['one text in quotes', '"echo \\"hi\\""', one, { command: 'echo "hi"' }],
    ['one text by its name', 'command="ls"', one, { command: 'ls' }],
    ['one text that is JSON in quotes', '"{\\"a\\": 1}"', one, { command: '{"a": 1}' }],
    [
      'an encoded object that names a property',
      '"{\\"command\\": \\"ls\\"}"',
      one,
      { command: 'ls' },
    ],
    ['a schema that is not for an object', 'a=1', { type: 'array' }, { a: 1 }],
    ['nothing', '', search, {}],
  ]
  test.for(cases)('%s', ([, text, schema, result]) => {
    expect(read(text, schema)).toEqual(result)
  })

  test('naming a positional is a guess and is reported', () => {
    expect(parseArguments('python', search).repairs).toMatchObject([
      { code: 'named-positional', path: ['query'], risk: 'guess', before: 'arg0' },
    ])
  })

  test('a guess at a type is reported, a type as written is not', () => {
    expect(parseArguments('limit=5, tags=a', search).repairs).toMatchObject([
      { code: 'coerced-array', path: ['tags'], risk: 'guess' },
    ])
  })

  test('what does not fit is an issue', () => {
    expect(parseArguments('query=a, limit=many', search)).toMatchObject({
      arguments: { query: 'a', limit: 'many' },
      issues: [{ code: 'schema-mismatch', message: '$.limit: expected integer, got "many"' }],
    })
  })
})

describe('laws', () => {
  const pieces = fc.array(
    fc.constantFrom(
      'a',
      '1',
      '=',
      ':',
      ' ',
      ',',
      '"',
      "'",
      '\\',
      '[',
      ']',
      '{',
      '}',
      '(',
      ')',
      '__proto__',
      'null',
    ),
    { maxLength: 40 },
  )
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    pieces.map((list) => list.join('')),
  )
  const schema: JsonSchema = { properties: { a: { type: 'integer' }, b: { type: 'array' } } }

  test('any text gives a plain object', () => {
    fc.assert(
      fc.property(texts, fc.constantFrom(undefined, true, schema), (text, given) => {
        const result = read(text, given)
        expect(isJsonObject(result)).toBe(true)
        expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
      }),
      { numRuns: 2000 },
    )
  })

  test('an object written as JSON comes back', () => {
    const objects = fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), fc.jsonValue())
    fc.assert(
      fc.property(objects, (object) => {
        const text = JSON.stringify(object)
        expect(read(text)).toEqual(JSON.parse(text))
      }),
    )
  })

  test.for([
    ['open brackets', '['],
    ['open braces', '{'],
    ['pairs', 'a=1,'],
    ['separators', 'a:=:= '],
    ['quotes', `"'`],
    ['backslashes', '"\\'],
    ['braced keys', '{a:'],
    ['clashing names', 'arg9=1,x,'],
  ] as const)('a hundred thousand characters of %s are read', ([, piece]) => {
    // That it takes time in proportion is measured in bench/; here it must only come to an end.
    expect(read(piece.repeat(100_000 / piece.length))).toBeTypeOf('object')
  })
})

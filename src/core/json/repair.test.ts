import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Repair } from '../issue.ts'
import { repairJson } from './repair.ts'

function kindsOf(repairs: readonly Repair[]): string[] {
  return [...new Set(repairs.map(({ code, risk }) => (risk === 'guess' ? `${code}?` : code)))]
}

const FENCE = '```'

test.for<[name: string, input: string, value: unknown, ...repairs: string[]]>([
  ['valid JSON', '{"a": [1, 2.5, "x", null, true]}', { a: [1, 2.5, 'x', null, true] }],
  ['a code fence', `${FENCE}json\n{"a": 1}\n${FENCE}`, { a: 1 }, 'unwrapped-fence'],
  ['a code fence without a language', `${FENCE}\n[1]\n${FENCE}\n`, [1], 'unwrapped-fence'],
  ['a code fence on one line', `${FENCE}{"a": 1}${FENCE}`, { a: 1 }, 'unwrapped-fence'],
  ['a code fence never closed', `${FENCE}json\n{"a": 1}`, { a: 1 }, 'unwrapped-fence'],
  [
    'broken JSON in a fence',
    `${FENCE}json\n{a: 1\n${FENCE}`,
    { a: 1 },
    'unwrapped-fence',
    'quoted-key',
    'added-bracket?',
  ],
  [
    'prose around a fence',
    `Here:\n${FENCE}json\n{"a": 1}\n${FENCE}\nDone.`,
    { a: 1 },
    'dropped-text?',
    'unwrapped-fence',
  ],
  ['prose before and after', 'Sure! {"a": 1} I hope it helps.', { a: 1 }, 'dropped-text?'],
  ['prose with braces behind', '{"a": 1}\nUse {x} for [y].', { a: 1 }, 'dropped-text?'],
  ['prose with brackets before', 'As [1] says, {maybe} it is {"a": 1}', { a: 1 }, 'dropped-text?'],
  ['two objects in a row', '{"a": 1}{"b": 2}', { a: 1 }, 'dropped-text?'],
  ['a brace too many', '{"a": 1}}', { a: 1 }, 'dropped-bracket?'],
  ['a comma behind the value', '{"a": 1},', { a: 1 }, 'dropped-comma'],
  ['a missing opening brace', '"a": 1, "b": 2}', { a: 1, b: 2 }, 'added-bracket?'],
  ['a byte order mark', '\uFEFF{"a": 1}', { a: 1 }, 'dropped-text'],
  ['a literal of Python', 'True', true, 'normalized-literal'],
  ['a number of another notation', '+5', 5, 'normalized-number'],
  ['plain text', 'main.go', 'main.go', 'quoted-string?'],
  ['plain text with spaces', ' ls -la ', ' ls -la ', 'quoted-string?'],
  ['a string with inner quotes', '"say "hi" there"', 'say "hi" there', 'escaped-quote?'],
  ['a string in single quotes', "'x'", 'x', 'replaced-quotes'],
  ['missing closers', '{"a": [1, {"b": 2', { a: [1, { b: 2 }] }, 'added-bracket?'],
  ['a cut string', '{"a": "x', { a: 'x' }, 'closed-string?', 'added-bracket?'],
  [
    'numbers and NaN',
    '{"a": +1, "b": .5, "c": 1_000, "d": NaN}',
    { a: 1, b: 0.5, c: 1000, d: 'NaN' },
    'normalized-number',
    'quoted-string?',
  ],
])('%s', ([, input, value, ...repairs]) => {
  const result = repairJson(input)
  expect(result.value).toStrictEqual(value)
  expect(kindsOf(result.repairs)).toStrictEqual(repairs)
})

test('constructor and __proto__ are keys like any other', () => {
  const input = `{'__proto__': {'polluted': 1}, 'constructor': {'prototype': 2}}`
  const { value } = repairJson(input)
  expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(input.replaceAll("'", '"'))))
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
})

describe('completeness', () => {
  test.for([
    ['{"a": 1}', true],
    ['{"a": 1', false],
    ['{"a": "b', false],
    ['{"a": tru', false],
    ['{a: 1,}', true],
    ['', false],
    [' \n', false],
  ] as const)('%s', ([input, complete]) => {
    expect(repairJson(input).complete).toBe(complete)
  })

  test('nothing in, nothing out', () => {
    expect(repairJson('  ')).toStrictEqual({ value: undefined, complete: false, repairs: [] })
  })

  test.for<[input: string, value: unknown]>([
    ['{"a": 1, "b', { a: 1 }],
    ['{"a": 1, "b"', { a: 1 }],
    ['{"a": 1, "b": tr', { a: 1 }],
    ['{"a": [1, 22', { a: [1] }],
    ['{"a": "xy', { a: 'xy' }],
    ['{"a": "x\\', { a: 'x' }],
    ['[', []],
    ['tru', undefined],
  ])('partial: what may still change in %s is left out', ([input, value]) => {
    const result = repairJson(input, { partial: true })
    expect(result.value).toStrictEqual(value)
    expect(result.complete).toBe(false)
  })

  test('the rest of several values is quoted, up to 200 characters', () => {
    const { repairs } = repairJson(`{"a": 1}\n{"b": "${'x'.repeat(500)}"}`)
    expect(repairs).toHaveLength(1)
    expect(repairs[0]?.before).toHaveLength(200)
    expect(repairs[0]?.before?.startsWith('{"b": "xxx')).toBe(true)
  })
})

describe('with a schema', () => {
  const schema = {
    type: 'object',
    properties: { id: { type: 'string' }, list: { items: { type: 'string' } } },
  }

  test('a string that spells the object is decoded', () => {
    const once = JSON.stringify({ a: 1 })
    expect(repairJson(JSON.stringify(once), { schema })).toMatchObject({ value: { a: 1 } })
    const twice = repairJson(JSON.stringify(JSON.stringify(once)), { schema })
    expect(twice.value).toStrictEqual({ a: 1 })
    expect(twice.repairs.map(({ code }) => code)).toStrictEqual([
      'decoded-string',
      'decoded-string',
    ])
  })

  test('broken JSON in the string is repaired too', () => {
    const { value, repairs } = repairJson(JSON.stringify(`{'a': 1,}`), { schema })
    expect(value).toStrictEqual({ a: 1 })
    expect(kindsOf(repairs)).toStrictEqual(['decoded-string?', 'replaced-quotes', 'dropped-comma'])
  })

  test('a string stays one where the schema allows it, or where it spells nothing', () => {
    expect(repairJson('"{}"', { schema: { type: ['object', 'string'] } }).value).toBe('{}')
    expect(repairJson('"hello"', { schema }).value).toBe('hello')
    expect(repairJson('"[1]"', { schema }).value).toBe('[1]')
    expect(repairJson('"{}"').value).toBe('{}')
  })

  test('digits the schema wants as text are kept exactly', () => {
    const { value, repairs } = repairJson(
      '{"id": 12345678901234567890, "list": [98765432109876543210]}',
      { schema },
    )
    expect(value).toStrictEqual({ id: '12345678901234567890', list: ['98765432109876543210'] })
    expect(kindsOf(repairs)).toStrictEqual(['coerced-string'])
  })
})

describe('integers beyond 2^53', () => {
  test('they are reported with their place, in valid and in broken JSON', () => {
    for (const input of [
      '{"a": [1, {"b": 9007199254740993}]}',
      "{'a': [1, {'b': 9007199254740993}]}",
    ]) {
      const found = repairJson(input).repairs.filter(({ code }) => code === 'unsafe-integer')
      expect(found).toStrictEqual([
        {
          code: 'unsafe-integer',
          path: ['a', 1, 'b'],
          risk: 'guess',
          before: '9007199254740993',
          after: '9007199254740992',
        },
      ])
    }
  })

  test.for(['{"a": 9007199254740991}', '["12345678901234567890"]', '[0.1234567890123456789]'])(
    '%s has none',
    (input) => {
      expect(repairJson(input).repairs).toStrictEqual([])
    },
  )
})

describe('modes', () => {
  test('off takes only what JSON.parse takes', () => {
    expect(repairJson('{"a": 1}', { repair: 'off' }).value).toStrictEqual({ a: 1 })
    expect(repairJson("{'a': 1}", { repair: 'off' })).toMatchObject({
      value: undefined,
      complete: false,
    })
    expect(repairJson('x {"a": 1}', { repair: 'off' }).value).toBeUndefined()
  })

  test('safe takes no guess', () => {
    expect(repairJson("{'a': 1,}", { repair: 'safe' }).value).toStrictEqual({ a: 1 })
    expect(repairJson('{"a": }', { repair: 'safe' }).value).toBeUndefined()
    expect(repairJson('so: {"a": 1}', { repair: 'safe' }).value).toBeUndefined()
  })
})

describe('hostile input', () => {
  test('depth: JSON.parse wins on valid text, the limit holds on broken text', () => {
    const valid = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
    expect(repairJson(valid)).toMatchObject({ complete: true, repairs: [] })
    expect(repairJson('['.repeat(100_000)).complete).toBe(false)
    expect(repairJson('{"a":'.repeat(100_000)).complete).toBe(false)
  })

  test('arbitrary text never makes it throw, and the value is JSON', () => {
    const debris = fc.constantFrom(...'{}[]"\':,\\ntrue1.-` ', FENCE, '{"a":', '//')
    const texts = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(debris).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(texts, fc.boolean(), (text, partial) => {
        const { value } = repairJson(text, { partial })
        if (value !== undefined) expect(JSON.parse(JSON.stringify(value))).toStrictEqual(value)
      }),
      { numRuns: 3000 },
    )
  })

  test('repairs are empty if and only if JSON.parse accepts the text', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.constantFrom(...'{}[]",:x1'), (json, at, piece) => {
        const text = json.slice(0, at % json.length) + piece + json.slice(at % json.length)
        for (const input of [json, text]) {
          const repairs = repairJson(input).repairs.filter(({ code }) => code !== 'unsafe-integer')
          expect(repairs.length === 0).toBe(isJson(input))
        }
      }),
    )
  })

  function isJson(text: string): boolean {
    try {
      JSON.parse(text)
      return true
    } catch {
      return false
    }
  }
})

test('a literal with more quotes than any text has is given up, not guessed at', () => {
  const { value, complete } = repairJson(`{"a": "${'"'.repeat(20_000)}`)
  expect({ value, complete }).toEqual({ value: undefined, complete: false })
})

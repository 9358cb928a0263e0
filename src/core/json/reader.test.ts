import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Repair } from '../issue.ts'
import { createJsonReader, type JsonReaderOptions } from './reader.ts'

/** Documents of the differential test; nightly runs raise it to a million. */
const DOCUMENTS = Number(process.env['JSON_DOCUMENTS'] ?? 4000)

interface Outcome {
  readonly json: string
  readonly repairs: readonly Repair[]
  readonly status: string
  readonly failure: string | undefined
  readonly truncated: boolean
  readonly rest: string
}

function readChunks(chunks: readonly string[], options: JsonReaderOptions = {}): Outcome {
  const pieces: string[] = []
  const repairs: Repair[] = []
  const reader = createJsonReader(
    { text: (piece) => pieces.push(piece), repair: (repair) => repairs.push(repair) },
    options,
  )
  let rest = ''
  chunks.forEach((chunk, index) => {
    rest += chunk
    rest = rest.slice(reader.read(rest, 0, index === chunks.length - 1))
  })
  const truncated = reader.status === 'open'
  reader.finish()
  const { status, failure } = reader
  const json = pieces.join('')
  return { json, repairs, status, failure, truncated, rest: status === 'failed' ? '' : rest }
}

function read(text: string, options?: JsonReaderOptions): Outcome {
  return readChunks([text], options)
}

/** `code` for a safe repair, `code?` for a guess; each kind once. */
function kindsOf(repairs: readonly Repair[]): string[] {
  return [...new Set(repairs.map(({ code, risk }) => (risk === 'guess' ? `${code}?` : code)))]
}

interface Case {
  readonly name: string
  readonly input: string
  readonly value: unknown
  readonly repairs: readonly string[]
  readonly truncated?: boolean
}

function kind(name: string, input: string, value: unknown, ...repairs: string[]): Case {
  return { name, input, value, repairs }
}

function cut(name: string, input: string, value: unknown, ...repairs: string[]): Case {
  return { name, input, value, repairs, truncated: true }
}

const cases: readonly Case[] = [
  // Quotes
  kind(
    'single quotes',
    `{'cmd':'read','file':'main.go'}`,
    { cmd: 'read', file: 'main.go' },
    'replaced-quotes',
  ),
  kind(
    'single quotes in nested objects',
    `{'cmd':'read','args':{'file':'main.go'}}`,
    { cmd: 'read', args: { file: 'main.go' } },
    'replaced-quotes',
  ),
  kind(
    'single and double quotes side by side',
    `{'cmd':"read",'file':"main.go"}`,
    { cmd: 'read', file: 'main.go' },
    'replaced-quotes',
  ),
  kind(
    'double quotes inside single quotes',
    `{'cmd':'exec','args':{'cmd':'echo "hello"'}}`,
    { cmd: 'exec', args: { cmd: 'echo "hello"' } },
    'replaced-quotes',
  ),
  kind(
    'an apostrophe inside single quotes',
    `{'a': 'it's here', 'b': 1}`,
    { a: "it's here", b: 1 },
    'replaced-quotes',
    'escaped-quote?',
  ),
  kind(
    'an escaped apostrophe inside single quotes',
    `{'a': 'it\\'s'}`,
    { a: "it's" },
    'replaced-quotes',
  ),
  kind(
    'an escaped apostrophe inside double quotes',
    `{"a": "it\\'s\\n"}`,
    { a: "it's\n" },
    'replaced-quotes',
  ),
  kind('smart double quotes', '{“a”: “b”}', { a: 'b' }, 'replaced-quotes'),
  kind('smart single quotes', '{‘a’: ‘it’s’}', { a: 'it’s' }, 'replaced-quotes', 'escaped-quote?'),
  kind('a smart quote closed by a plain one', '{“a": 1}', { a: 1 }, 'replaced-quotes'),
  kind('backticks', '{"a": `x "y" z`}', { a: 'x "y" z' }, 'replaced-quotes'),
  kind(
    'triple quotes',
    '{"a": """x "y"\nz""", "b": 1}',
    { a: 'x "y"\nz', b: 1 },
    'replaced-quotes',
    'escaped-control',
  ),
  kind('triple single quotes', `{"a": '''it's'''}`, { a: "it's" }, 'replaced-quotes'),
  kind('a raw string', '{"a": r"\\d+\\n", "b": 1}', { a: '\\d+\\n', b: 1 }, 'replaced-quotes'),
  kind('a raw string with an escaped quote', '{"a": r"\\"x"}', { a: '\\"x' }, 'replaced-quotes'),
  kind('prefixed strings', `{u'a': b'x', "c": f"y"}`, { a: 'x', c: 'y' }, 'replaced-quotes'),
  kind(
    'an unescaped inner quote',
    '{"a": "say "hi" now", "b": 1}',
    { a: 'say "hi" now', b: 1 },
    'escaped-quote?',
  ),
  kind(
    'an unescaped quote before a comma',
    '{"a": "say "hi", then go", "b": 1}',
    { a: 'say "hi", then go', b: 1 },
    'escaped-quote?',
  ),
  kind(
    'a comma in quotes',
    '{"a": "x.split(",")", "b": "print(", ".join(y))"}',
    { a: 'x.split(",")', b: 'print(", ".join(y))' },
    'escaped-quote?',
  ),
  kind('a key without a value is a word', '{"a": "b", "c"}', { a: 'b', c: null }, 'added-null?'),
  kind('unescaped quotes at both ends', '{"a": ""hi""}', { a: '"hi"' }, 'escaped-quote?'),
  kind(
    'an unescaped quote in an array',
    '["say "hi", she said", 2]',
    ['say "hi", she said', 2],
    'escaped-quote?',
  ),
  kind(
    'a quoted bracket inside a string',
    '{"b": {"a": "if "}" then", "c": 1}}',
    { b: { a: 'if "}" then', c: 1 } },
    'escaped-quote?',
  ),
  kind(
    'JSON quoted without escapes',
    '{"arguments": "{"city": "Oslo", "n": "2"}"}',
    { arguments: '{"city": "Oslo", "n": "2"}' },
    'escaped-quote?',
  ),
  kind(
    'JSON escaped once too often',
    '{\\"a\\": \\"x\\\\ny \\\\\\"z\\\\\\"\\"}',
    { a: 'x\ny "z"' },
    'replaced-quotes',
  ),
  kind(
    'escaped line breaks between tokens',
    '{\\n  \\"a\\": 1\\n}',
    { a: 1 },
    'dropped-text?',
    'replaced-quotes',
  ),
  kind(
    'a value without its opening quote',
    '{"a": listt_windows"}',
    { a: 'listt_windows' },
    'quoted-string?',
  ),
  kind('a key without its opening quote', '{name": 1}', { name: 1 }, 'quoted-key?'),
  kind('a key without its closing quote', '{"name: 1, "b": 2}', { name: 1, b: 2 }, 'quoted-key?'),
  kind(
    'a key without its closing quote before a string',
    '{"name: "Bob", "b": 2}',
    { name: 'Bob', b: 2 },
    'quoted-key?',
  ),
  kind('a quote too many behind a value', '{"a": {"b": 1}"}', { a: { b: 1 } }, 'dropped-text?'),

  // Escapes and control characters
  kind(
    'a Windows path',
    '{"file":"C:\\Users\\builder\\deployment.yaml"}',
    { file: 'C:\\Users\\builder\\deployment.yaml' },
    'invalid-escape?',
  ),
  kind(
    'a Windows path of invalid escapes only',
    '{"file":"C:\\Windows\\System32"}',
    { file: 'C:\\Windows\\System32' },
    'invalid-escape',
  ),
  kind(
    'a Windows path with what looks like escapes',
    '{"a": "C:\\new\\Users"}',
    { a: 'C:\\new\\Users' },
    'invalid-escape?',
  ),
  kind('a Windows path with a bad \\u', '{"s":"C:\\users"}', { s: 'C:\\users' }, 'invalid-escape'),
  kind(
    'a Windows path that ends in a backslash',
    '{"dir": "C:\\dir\\"}',
    { dir: 'C:\\dir\\' },
    'invalid-escape',
  ),
  kind(
    'escapes of another string',
    '{"content":"line1\\nline2","file":"C:\\Users\\x"}',
    { content: 'line1\nline2', file: 'C:\\Users\\x' },
    'invalid-escape',
  ),
  kind('a regular expression', '{"a": "\\d+\\.\\d"}', { a: '\\d+\\.\\d' }, 'invalid-escape'),
  kind(
    'an invalid escape far behind a valid one',
    `{"a": "\\n${'x'.repeat(80)}\\d"}`,
    { a: `\n${'x'.repeat(80)}\\d` },
    'invalid-escape?',
  ),
  kind('raw line breaks and tabs', '{"a": "x\n\ty"}', { a: 'x\n\ty' }, 'escaped-control'),
  kind('a raw NUL', '["\u0000"]', ['\u0000'], 'escaped-control'),
  kind('a NUL between tokens', '[1,\u00002]', [1, 2], 'dropped-text'),
  kind('a byte order mark', '\uFEFF{"a": 1}', { a: 1 }, 'dropped-text'),
  kind('no-break spaces', '{\u00A0"a":\u00A01}', { a: 1 }, 'dropped-text'),

  // Scalars
  kind(
    'Python literals',
    `{"a": True, "b": False, "c": None}`,
    { a: true, b: false, c: null },
    'normalized-literal',
  ),
  kind('undefined', '{"a": undefined}', { a: null }, 'normalized-literal?'),
  kind('NaN and Infinity', '[NaN, -Infinity]', ['NaN', '-Infinity'], 'quoted-string?'),
  kind(
    'numbers of other notations',
    '[+1, .5, 5., 1_000, 0x1F, -.25, 1.e3]',
    [1, 0.5, 5, 1000, 31, -0.25, 1000],
    'normalized-number',
  ),
  kind(
    'leading zeros',
    '{"zip": 02134, "agent": 007}',
    { zip: '02134', agent: '007' },
    'quoted-string?',
  ),
  kind('a date without quotes', '{"day": 2024-01-31}', { day: '2024-01-31' }, 'quoted-string?'),
  kind('a version without quotes', '[1.2.3, 10.0.0.1]', ['1.2.3', '10.0.0.1'], 'quoted-string?'),
  kind(
    'bare keys',
    '{cmd: "read", file: "main.go"}',
    { cmd: 'read', file: 'main.go' },
    'quoted-key',
  ),
  kind(
    'bare keys of all kinds',
    '{a-b: 1, c.d: 2, $e: 3, 4: 5, ключ: 6}',
    { 'a-b': 1, 'c.d': 2, $e: 3, 4: 5, ключ: 6 },
    'quoted-key',
  ),
  kind(
    'bare keys and values',
    '{cmd: read, file: main.go}',
    { cmd: 'read', file: 'main.go' },
    'quoted-key',
    'quoted-string?',
  ),
  kind(
    'a bare value beside a literal',
    '{regex: true, term: TODO}',
    { regex: true, term: 'TODO' },
    'quoted-key',
    'quoted-string?',
  ),
  kind(
    'bare values with spaces and commas',
    '{cmd: ls -la /tmp, text: a, b and c, n: 3}',
    { cmd: 'ls -la /tmp', text: 'a, b and c', n: 3 },
    'quoted-key',
    'quoted-string?',
  ),
  kind(
    'a bare value with brackets',
    '{p: ~{x}/y, q: f(1, 2)}',
    { p: '~{x}/y', q: 'f(1, 2)' },
    'quoted-key',
    'quoted-string?',
  ),
  kind(
    'a bare URL',
    '{u: https://x.org/a?b=c, n: 1}',
    { u: 'https://x.org/a?b=c', n: 1 },
    'quoted-key',
    'quoted-string?',
  ),
  kind(
    'a bare Windows path',
    '{p: C:\\new\\x}',
    { p: 'C:\\new\\x' },
    'quoted-key',
    'quoted-string?',
  ),
  kind(
    'a number that begins a text',
    '{"a": 5 apples, "b": 1}',
    { a: '5 apples', b: 1 },
    'quoted-string?',
  ),
  kind('a colour', '{color: #ff0000}', { color: '#ff0000' }, 'quoted-key', 'quoted-string?'),

  // Separators
  kind(
    'a trailing comma in an object',
    '{"cmd":"read","file":"main.go",}',
    { cmd: 'read', file: 'main.go' },
    'dropped-comma',
  ),
  kind('a trailing comma in an array', '[1, 2, ]', [1, 2], 'dropped-comma'),
  kind('leading and double commas', '[,1,,2]', [1, 2], 'dropped-comma'),
  kind('a leading comma in an object', '{,"a":1,,"b":2}', { a: 1, b: 2 }, 'dropped-comma'),
  kind(
    'missing commas in an object',
    '{"a": "x" "b": 2 "c": [1]\n"d": true}',
    { a: 'x', b: 2, c: [1], d: true },
    'added-comma',
  ),
  kind(
    'missing commas between bare keys',
    '{a: "x" b: 2}',
    { a: 'x', b: 2 },
    'quoted-key',
    'added-comma',
  ),
  kind(
    'missing commas in an array',
    '[1 2 "a" "b" {} []]',
    [1, 2, 'a', 'b', {}, []],
    'added-comma?',
  ),
  kind('a missing colon', '{"a" 1, "b" "x", "c" {}}', { a: 1, b: 'x', c: {} }, 'added-colon?'),
  kind('equals signs', '{"a" = 1, b => 2}', { a: 1, b: 2 }, 'replaced-separator', 'quoted-key'),
  kind('semicolons', '{"a": 1; "b": [1; 2]}', { a: 1, b: [1, 2] }, 'replaced-separator'),
  kind('a missing value', '{"a": , "b": }', { a: null, b: null }, 'added-null?'),
  kind('a key alone', '{"a", "b": 1}', { a: null, b: 1 }, 'added-null?'),
  kind(
    'comments',
    '{"a": 1, // one\n/* two */ "b": 2 # three\n}',
    { a: 1, b: 2 },
    'dropped-comment',
  ),
  kind(
    'a comment behind a string',
    '{"a": "x", // say "hi"\n"b": "y" /* z */}',
    { a: 'x', b: 'y' },
    'dropped-comment',
  ),
  kind('an ellipsis', '[1, 2, ...]', [1, 2], 'dropped-ellipsis?', 'dropped-comma'),
  kind('an ellipsis in an object', '{"a": 1, …}', { a: 1 }, 'dropped-ellipsis?', 'dropped-comma'),
  kind('strings joined by plus', '{"a": "x" + "y", "b": 1}', { a: 'xy', b: 1 }, 'joined-strings?'),
  kind('strings side by side', '{"a": "x "\n  "y", "b": 1}', { a: 'x y', b: 1 }, 'joined-strings?'),

  // Brackets
  kind('a tuple', '{"a": (1, 2)}', { a: [1, 2] }, 'replaced-bracket'),
  kind('a missing inner bracket', '{"a":[1,2}', { a: [1, 2] }, 'added-bracket?'),
  kind('a wrong inner bracket', '{"a":[1,2}}', { a: [1, 2] }, 'replaced-bracket?'),
  kind(
    'a wrong bracket before a key',
    '{"a":[1,2}, "b": 3}',
    { a: [1, 2], b: 3 },
    'replaced-bracket?',
  ),
  kind(
    'a missing brace in an array',
    '[{"a": 1, {"a": 2}]',
    [{ a: 1 }, { a: 2 }],
    'dropped-comma',
    'added-bracket?',
    'added-comma?',
  ),
  kind('a missing brace before a bracket', '{"a": [{"b": 1]}', { a: [{ b: 1 }] }, 'added-bracket?'),
  kind('a bracket too many inside', '{"a": 1]}', { a: 1 }, 'dropped-bracket?'),
  kind('doubled braces', '{{"a": {{"b": 1}}, "c": 2}}', { a: { b: 1 }, c: 2 }, 'dropped-bracket?'),

  // Endings
  cut('stopped behind a value', '{"a": [1, 2', { a: [1, 2] }, 'added-bracket?'),
  cut(
    'stopped in a string',
    '{"a": "some te',
    { a: 'some te' },
    'closed-string?',
    'added-bracket?',
  ),
  cut('stopped in an escape', '{"a": "x\\u00', { a: 'x' }, 'closed-string?', 'added-bracket?'),
  cut('stopped in a key', '{"a": 1, "b', { a: 1 }, 'dropped-text?', 'added-bracket?'),
  cut('stopped behind a colon', '{"a": 1, "b": ', { a: 1 }, 'dropped-text?', 'added-bracket?'),
  cut('stopped behind a comma', '[1, ', [1], 'added-bracket?'),
  cut('stopped in a literal', '{"a": tru', { a: true }, 'normalized-literal?', 'added-bracket?'),
  cut('stopped in a number', '[1.', [1], 'normalized-number', 'added-bracket?'),
  cut('stopped in a comment', '[1 /* x', [1], 'dropped-comment', 'added-bracket?'),

  // Keys with a past
  kind(
    '__proto__ in broken JSON',
    `{'__proto__': {'x': 1}}`,
    JSON.parse('{"__proto__": {"x": 1}}'),
    'replaced-quotes',
  ),
  kind('duplicate keys', `{'a': 1, 'a': 2}`, { a: 2 }, 'replaced-quotes'),
]

describe('repairs', () => {
  test.for(cases)('$name', ({ input, value, repairs, truncated = false }) => {
    const outcome = read(input)
    expect(JSON.parse(outcome.json)).toStrictEqual(value)
    expect(kindsOf(outcome.repairs)).toStrictEqual(repairs)
    expect(outcome).toMatchObject({ status: 'done', truncated, rest: '' })
  })

  test.for(cases)('$name, whatever the chunks', ({ input }) => {
    const whole = read(input)
    expect(readChunks([...input])).toStrictEqual(whole)
    for (let at = 1; at < input.length; at++) {
      expect(readChunks([input.slice(0, at), input.slice(at)])).toStrictEqual(whole)
    }
  })

  test('a repair names the exact place', () => {
    const { repairs } = read(`{"a": [{"b": 1}, {"c": 'x', d: True}]}`)
    expect(repairs).toStrictEqual([
      { code: 'replaced-quotes', path: ['a', 1, 'c'], risk: 'safe', before: "'", after: '"' },
      { code: 'quoted-key', path: ['a', 1, 'd'], risk: 'safe', before: 'd', after: '"d"' },
      {
        code: 'normalized-literal',
        path: ['a', 1, 'd'],
        risk: 'safe',
        before: 'True',
        after: 'true',
      },
    ])
  })

  test('a million equal repairs are reported a hundred times, and others still are', () => {
    const { repairs } = read(`[${','.repeat(100_000)} 'x']`)
    expect(repairs).toHaveLength(101)
  })
})

describe('valid JSON', () => {
  test.for(['x: "', ': ', 'x: '])('keys as long as the window that begin with %j', (start) => {
    for (let length = 250; length <= 262; length++) {
      const name = start + 'k'.repeat(length - start.length)
      const text = JSON.stringify({ [name]: 1, b: { [name]: 'x' } })
      const { json, repairs, status } = readChunks([...text])
      expect({ json, repairs, status }).toEqual({ json: text, repairs: [], status: 'done' })
    }
  })

  test.for([
    '"a"',
    '""',
    ' {} ',
    '[[]]',
    '"\\ud83d"',
    '{"":""}',
    '[1e+5,"a",-0]',
    '{"a": "[b", "c": 1}',
    '{"a":"b\\\\"}',
    '{"a": "{", "b": "}"}',
    '["a", 1e+5]',
    '{"a": "x // y", "b": "# z"}',
    '"C:\\new\\table"',
    '{"a: b": 1}',
    `[${'1'.repeat(400)}.5e10, 2]`,
    `{"${'k'.repeat(600)}": "${'v'.repeat(600)}"}`,
    '{"a": "\u2028”"}',
  ])('%s passes unchanged', (input) => {
    for (const chunks of [[input], [...input], [input.slice(0, 7), input.slice(7)]]) {
      expect(readChunks(chunks)).toMatchObject({ json: input.trim(), repairs: [], status: 'done' })
    }
  })

  test(`${DOCUMENTS} random documents are read as JSON.parse reads them`, {
    timeout: 7_200_000,
  }, () => {
    const random = createRandom(20_261_115)
    for (let round = 0; round < DOCUMENTS; round++) {
      const input = random.space() + random.value(0) + random.space()
      const chunkings = [[input], random.chunks(input), ...(round % 4 === 0 ? [[...input]] : [])]
      for (const chunks of chunkings) {
        const { json, repairs, status, truncated } = readChunks(chunks)
        if (json === input.trim() && repairs.length === 0 && status === 'done' && !truncated)
          continue
        expect.fail(`${JSON.stringify(input)} became ${json}`)
      }
    }
  })

  test('arbitrary values are read as JSON.parse reads them', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), fc.nat(4), (value, indent) => {
        const input = JSON.stringify(value, null, indent)
        expect(read(input)).toMatchObject({ json: input, repairs: [], status: 'done' })
      }),
      { numRuns: 1000 },
    )
  })
})

describe('broken JSON', () => {
  const broken = fc
    .tuple(
      fc.integer(),
      fc.array(fc.tuple(fc.nat(), fc.nat(4), fc.nat()), { minLength: 1, maxLength: 4 }),
    )
    .map(([seed, edits]) => {
      const random = createRandom(seed)
      let text = random.value(1)
      for (const edit of edits) text = damage(text, edit)
      return text
    })

  test('the outcome does not depend on the chunks', () => {
    fc.assert(
      fc.property(broken, fc.integer(), (text, seed) => {
        const whole = read(text)
        expect(readChunks([...text, ''])).toStrictEqual(whole)
        expect(readChunks([...createRandom(seed).chunks(text), ''])).toStrictEqual(whole)
      }),
      { numRuns: 2000 },
    )
  })

  test('the output is always JSON, in every mode', () => {
    fc.assert(
      fc.property(broken, fc.constantFrom('off', 'safe', 'guess'), (text, repair) => {
        expect(() => JSON.parse(read(text, { repair }).json)).not.toThrow()
      }),
      { numRuns: 2000 },
    )
  })

  test('there are repairs if and only if the input is not JSON', () => {
    fc.assert(
      fc.property(broken, (text) => {
        const { repairs, rest } = read(text)
        const used = text.slice(0, text.length - rest.length)
        expect(repairs.length === 0).toBe(isJson(used))
      }),
      { numRuns: 2000 },
    )
  })

  test('arbitrary text never makes it throw', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        expect(readChunks([...text, ''])).toStrictEqual(read(text))
      }),
      { numRuns: 2000 },
    )
  })
})

describe('runs of alike members', () => {
  const items = Array.from({ length: 80 }, (_, id) => ({
    id,
    url: `https://x.org/${id}`,
    note: id % 7 === 0 ? 'a, b: c /* d */' : `Entry ${id}`,
    share: id / 8 - 1,
    tags: ['t: 1', 'u // v', id, null],
    none: [],
    inner: { done: id % 2 === 0 },
  }))
  const plain = JSON.stringify({ items })

  // Single characters never form a run: the machine reads them one by one.
  test.for<[name: string, text: string]>([
    ['plain', `${plain},`],
    ['with space', JSON.stringify({ items }, null, 3).replace(/null/, 'None')],
    ['in single quotes', plain.replaceAll('"', "'")],
    ['in smart quotes', plain.replace(/"([^"]*)"/g, '“$1”')],
    ['with bare keys', plain.replace(/"(\w+)":/g, '$1: ')],
    ['with comments', plain.replace(/("\w+":)/g, '// it\'s "one"\n$1 /* b */')],
    ['without commas', plain.replace(/,("\w+":)/g, '\n$1')],
    ['with trailing commas', plain.replaceAll('}', ',}')],
  ])('%s', ([, text]) => {
    const whole = read(text)
    const { rest, ...single } = readChunks([...text])
    expect(whole).toMatchObject(single)
    expect(JSON.parse(whole.json)).toEqual({ items })
  })
})

describe('windows', () => {
  // What stands at the end of a window must not depend on how much text is there behind it.
  test.for([253, 254, 255, 256, 257, 258])('a stray quote and %d spaces', (count) => {
    const text = `{"a": 2": "${' '.repeat(count)}b}`
    const { rest, ...single } = readChunks([...text])
    expect(read(text)).toMatchObject(single)
  })

  test.for(['1', '-0.5', '1.5e', '7e+'])('a number of %s and hundreds of digits', (start) => {
    const number = start + '3'.repeat(400)
    for (const text of [`[${number}]`, `{"a": ${number}, "b": 1}`, number]) {
      expect(read(text)).toMatchObject({ json: text, repairs: [] })
      expect(readChunks([...text])).toMatchObject({ json: text, repairs: [] })
    }
  })
})

describe('limits and modes', () => {
  test('a million open brackets fail by depth at once', () => {
    const { status, failure, json } = read('['.repeat(1_000_000))
    expect([status, failure]).toStrictEqual(['failed', 'depth'])
    expect(json).toBe('['.repeat(512) + ']'.repeat(512))
  })

  test('the depth limit itself is allowed', () => {
    const input = `${'['.repeat(20)}${']'.repeat(20)}`
    expect(read(input, { maxDepth: 20 }).status).toBe('done')
    expect(read(input, { maxDepth: 19 }).failure).toBe('depth')
  })

  test.for(cases)('off: $name fails', ({ input, truncated = false }) => {
    expect(read(input, { repair: 'off' })).toMatchObject({ status: 'failed', repairs: [] })
    expect(truncated || !isJson(input)).toBe(true)
  })

  test.for(cases)('safe: $name fails only where a guess is needed', ({ input, repairs }) => {
    const guesses = repairs.some((name) => name.endsWith('?'))
    expect(read(input, { repair: 'safe' }).status).toBe(guesses ? 'failed' : 'done')
  })

  test('strict reading begins where it is asked for', () => {
    const pieces: string[] = []
    const reader = createJsonReader({ text: (piece) => pieces.push(piece) })
    reader.read(`{'a': 1, `, 0, false)
    reader.strict()
    reader.read(`, 'b': 2}`, 0, true)
    expect(reader.status).toBe('failed')
  })

  test.for([
    ['"', (n: number) => '"'.repeat(n)],
    ['a backslash', (n: number) => `"${'\\'.repeat(n)}`],
    ['{', (n: number) => '{'.repeat(n)],
    ['"a",', (n: number) => `{"a":${'"a",'.repeat(n / 4)}`],
    ['"a "b, ', (n: number) => `[${'"a "b, '.repeat(n / 7)}`],
    ['an apostrophe', (n: number) => `{'a':'${"it's, ".repeat(n / 6)}`],
    ['a comma', (n: number) => `{a: ${'b, '.repeat(n / 3)}`],
    [']', (n: number) => `{"a":1${']'.repeat(n)}`],
    ['a space', (n: number) => `[1,${' '.repeat(n)}`],
    ['a digit', (n: number) => `[${'1'.repeat(n)}`],
    ['an invalid escape', (n: number) => `{"a":"C:\\x${'\\"'.repeat(n / 2)}`],
  ] as const)('a megabyte of %s takes no more than seconds', ([, build]) => {
    const start = process.cpuUsage().user
    read(build(1_000_000))
    expect(process.cpuUsage().user - start).toBeLessThan(5e6)
  })

  test('a long string streams out while it arrives', () => {
    let length = 0
    const reader = createJsonReader({ text: (piece) => (length += piece.length) })
    reader.read('{"a": "x', 0, false)
    for (let round = 0; round < 100; round++) reader.read('x'.repeat(50), 0, false)
    expect(length).toBeGreaterThan(4900)
  })

  test('a million characters, one by one, take no more than seconds', () => {
    const start = process.cpuUsage().user
    let length = 0
    const reader = createJsonReader({ text: (piece) => (length += piece.length) })
    reader.read('["x', 0, false)
    for (let round = 0; round < 1_000_000; round++) reader.read('x', 0, false)
    expect(length).toBeGreaterThan(1_000_000)
    expect(process.cpuUsage().user - start).toBeLessThan(5e6)
  })
})

describe('the closer of the enclosing block', () => {
  const isCloser = (text: string, at: number, last: boolean): boolean | undefined => {
    if (text.startsWith('</call>', at)) return true
    return !last && '</call>'.startsWith(text.slice(at)) ? undefined : false
  }

  test.for([
    ['{"a": "x"</call>', { a: 'x' }],
    ['{"a": [1, 2</call>', { a: [1, 2] }],
    ['{"a": 1,\n</call>', { a: 1 }],
    ['{"a": foo</call>', { a: 'foo' }],
    ['{"a": </call>', { a: null }],
    ['{"a": {"b": "</call>"}</call>', { a: { b: '</call>' } }],
    ['{"a": tru</call>', { a: 'tru' }],
    ['{"a": 1 // b}</call>', { a: 1 }],
    ['{"a": 1 /* b} *</call>', { a: 1 }],
    ['{"a": 1, // </b>\n"c": 2 /* </ */</call>', { a: 1, c: 2 }],
  ] as const)('%s stops there', ([input, value]) => {
    const whole = read(input, { isCloser })
    expect(JSON.parse(whole.json)).toStrictEqual(value)
    expect(whole).toMatchObject({ status: 'done', truncated: false, rest: '</call>' })
    expect(kindsOf(whole.repairs)).toContain('added-bracket?')
    expect(readChunks([...input], { isCloser })).toMatchObject({ json: whole.json })
  })

  test.for([
    ['{"a": 1, // not </call> yet\n"b": 2}', { a: 1, b: 2 }],
    ['{"a": 1 # the last before </call>\r\n  }', { a: 1 }],
    ['{"a": /* </call>, </call>\n</call> */ 1}', { a: 1 }],
    [`{"a": 1 // </call> ${'and so on '.repeat(20)}\n}`, { a: 1 }],
  ] as const)('%s mentions it in a comment', ([input, value]) => {
    const whole = read(input, { isCloser })
    expect(JSON.parse(whole.json)).toStrictEqual(value)
    expect(kindsOf(whole.repairs)).toEqual(['dropped-comment'])
    expect(readChunks([...input], { isCloser })).toMatchObject({ json: whole.json })
  })

  test.for([
    '{"a": 1 // b}</call>\nThat is all.',
    '{"a": 1 // b}</call>\n<call>{"a": 2}</call>',
    '{"a": 1 /* b}</call>\nThat is all.',
    `{"a": 1 /* b}</call>${'\nThat is all.'.repeat(30)} */`,
  ])('%s ends in a comment that swallowed the brackets', (input) => {
    const whole = read(input, { isCloser })
    expect(JSON.parse(whole.json)).toStrictEqual({ a: 1 })
    expect(readChunks([...input], { isCloser })).toMatchObject({ json: whole.json })
  })
})

describe('callbacks', () => {
  test('they come in the order of the text, down to the watched depth', () => {
    const events: string[] = []
    const reader = createJsonReader(
      {
        text: (piece) => events.push(piece),
        key: (depth, key) => events.push(`key ${depth} ${key}`),
        valueStart: (depth, kind) => events.push(`start ${depth} ${kind}`),
        valueEnd: (depth) => events.push(`end ${depth}`),
      },
      { watchDepth: 1 },
    )
    reader.read('{"a": [1, {"b": 2}], "c": "d"}', 0, true)
    expect(events).toStrictEqual([
      'start 0 object',
      'key 1 a',
      '{"a": ',
      'start 1 array',
      '[1, {"b": 2}]',
      'end 1',
      'key 1 c',
      ', "c": ',
      'start 1 string',
      '"d"',
      'end 1',
      '}',
      'end 0',
    ])
  })

  test('a key is decoded', () => {
    const keys: string[] = []
    const reader = createJsonReader(
      { text: () => undefined, key: (_depth, key) => keys.push(key) },
      { watchDepth: 1 },
    )
    reader.read(`{"a\\n": 1, 'b"': 2, c: 3}`, 0, true)
    expect(keys).toStrictEqual(['a\n', 'b"', 'c'])
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const DEBRIS = [
  ...`"'\\{}[](),:;=+-.#/\`“”‘’ \n\t01xtfN<_$`,
  '...',
  '//',
  '/*',
  '*/',
  '"""',
  'True',
  'None',
  '\\"',
  '\u0000',
  '\\u',
  'r"',
  '=>',
  '\uFEFF',
]

/** Deletes, inserts, replaces or doubles a few characters. */
function damage(text: string, [place, kind, choice]: [number, number, number]): string {
  const at = place % (text.length + 1)
  const length = 1 + (choice % 3)
  const piece = DEBRIS[choice % DEBRIS.length] ?? ''
  if (kind === 0) return text.slice(0, at) + text.slice(at + length)
  if (kind === 1) return text.slice(0, at) + text.slice(at, at + 8) + text.slice(at)
  if (kind === 2) return text.slice(0, at) + piece + text.slice(at + 1)
  if (kind === 3) return text.slice(0, at)
  return text.slice(0, at) + piece + text.slice(at)
}

/** Valid documents full of what a repairing reader might trip over. */
function createRandom(seed: number) {
  let state = seed >>> 0
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  const pick = (list: readonly string[]): string => list[below(list.length)] ?? ''
  const spaces = ['', '', '', '', '', ' ', '\n', '\t', '\r\n', '\n    ']
  const contents = [
    'a',
    'b c',
    '\\"',
    '\\\\',
    '\\n',
    '\\u0041',
    '\\ud83d',
    '😀',
    '\\/',
    "'",
    ',',
    ':',
    '{',
    '}',
    '[',
    ']',
    '\\", \\"',
    '\\"x\\": ',
    'true',
    '12',
    '\u2028',
    '”',
    '//',
    '#',
    'C:\\\\',
    '`',
    '...',
    'é',
    '(',
    ')',
    ';',
    '=',
    '+',
    'C:\\\\new',
    '/*',
    '\\t',
  ]
  const numbers = [
    '0',
    '-0',
    '12',
    '-3.5',
    '1e5',
    '1E+10',
    '2e-7',
    '123456789012345678901234567890',
  ]
  const space = (): string => pick(spaces)
  const string = (): string =>
    `"${Array.from({ length: below(6) }, () => pick(contents)).join('')}"`
  const key = (): string => (below(5) === 0 ? pick(['"__proto__"', '"a"', '""']) : string())
  const list = (item: () => string): string =>
    Array.from({ length: below(4) }, () => space() + item() + space()).join(',') || space()
  function value(depth: number): string {
    const choice = below(depth > 4 ? 4 : 7)
    if (choice === 0) return pick(numbers)
    if (choice === 1) return pick(['true', 'false', 'null'])
    if (choice < 4) return string()
    if (choice === 4) return `[${list(() => value(depth + 1))}]`
    return `{${list(() => `${key()}${space()}:${space()}${value(depth + 1)}`)}}`
  }
  function chunks(text: string): string[] {
    const parts: string[] = []
    for (let at = 0; at < text.length; ) {
      const length = 1 + below(next() < 0.5 ? 3 : 40)
      parts.push(text.slice(at, at + length))
      at += length
    }
    return parts
  }
  return { space, value, chunks }
}

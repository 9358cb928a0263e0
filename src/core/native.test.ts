import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createIdMint } from './ids.ts'
import type { Tool, ToolCall } from './model.ts'
import { type ParsedNative, type ParseNativeOptions, parseNative, readNative } from './native.ts'

function parse(
  reply: unknown,
  { ids = {}, ...options }: Partial<ParseNativeOptions> & { ids?: object } = {},
): ParsedNative {
  return parseNative(readNative(reply)?.calls ?? [], {
    repair: 'safe',
    mint: createIdMint({ ids: 'sequential', ...ids }),
    ...options,
  })
}

const call = (name: string, args: unknown, id: string | null = `id-${name}`): object => ({
  type: 'function',
  ...(id !== null && { id }),
  function: { name, arguments: args },
})

const brief = ({ id, name, arguments: args }: ToolCall): unknown => [id, name, args]
const codes = ({ issues }: ParsedNative): string[] => issues.map(({ code }) => code)

describe('names', () => {
  const tools: Tool[] = [
    { name: 'get_weather', inputSchema: { properties: { days: { type: 'integer' } } } },
  ]

  test.for([
    'functions.get_weather',
    'Get-Weather',
    'get_weather<|channel|>commentary',
    'functions.get_weather<|constrain|>json',
  ])('%s is a name of get_weather', (name) => {
    const { calls, issues } = parse([call(name, '{"days": "2"}')], { tools })
    expect(calls[0]).toMatchObject({ name: 'get_weather', arguments: { days: 2 } })
    expect(calls[0]?.repairs?.[0]).toMatchObject({ code: 'resolved-name', before: name })
    expect(issues).toEqual([])
  })

  test.for<[string, Partial<ParseNativeOptions>]>([
    ['get_forecast', { tools }],
    ['Get-Weather', { tools, repair: 'off' }],
    ['functions.get_weather', {}],
  ])('%s stays what it is', ([name, options]) => {
    expect(parse([call(name, '{}')], options).calls[0]?.name).toBe(name)
  })
})

describe('arguments', () => {
  test.for<[what: string, sent: unknown, args: object]>([
    ['JSON text', '{"path": "/tmp/a"}', { path: '/tmp/a' }],
    ['JSON text with space around it', ' \n{"a": 1}\n', { a: 1 }],
    ['an object', { path: '/tmp/a' }, { path: '/tmp/a' }],
    ['an empty text', '', {}],
    ['a blank text', ' \n ', {}],
    ['null', null, {}],
    ['nothing', undefined, {}],
    ['the text null', 'null', {}],
    ['JSON encoded twice', '"{\\"a\\": 1}"', { a: 1 }],
    ['JSON encoded twice, with a comma too many', '"{\\"a\\": 1,}"', { a: 1 }],
    ['a comma too many', '{"path": "b.txt",}', { path: 'b.txt' }],
    [
      'keys that JavaScript has plans for',
      '{"__proto__": {"x": 1}}',
      JSON.parse('{"__proto__": {"x": 1}}'),
    ],
  ])('%s', ([, sent, args]) => {
    const result = parse([call('read', sent)])
    expect(result.calls.map(brief)).toEqual([['id-read', 'read', args]])
    expect(result.issues).toEqual([])
  })

  test.for<[what: string, sent: unknown, code: string]>([
    ['a list', [1, 2], 'invalid-arguments'],
    ['the text of a list', '[1,2]', 'invalid-arguments'],
    ['a number', 7, 'invalid-arguments'],
    ['the text of a number', '7', 'invalid-arguments'],
    ['the text of a text', '"Oslo"', 'invalid-arguments'],
    ['JSON encoded three times', '"\\"{}\\""', 'invalid-arguments'],
    ['prose', 'not-json-at-all', 'invalid-json'],
  ])('not %s', ([, sent, code]) => {
    const result = parse([call('read', sent)])
    expect(result.calls).toEqual([])
    expect(result.issues).toMatchObject([{ code, name: 'read', callId: 'id-read' }])
  })

  test.for(['{"path": "/tmp/a', '{"path": "/tmp/a"', '{"paths": ["a", "b"', '{"path":'])(
    '%s was cut off and is not completed',
    (sent) => {
      const result = parse([call('read', sent)], { repair: 'guess' })
      expect(result.calls).toEqual([])
      expect(result.issues).toMatchObject([{ code: 'truncated-call', raw: sent }])
    },
  )

  test('what was sent as text is kept byte for byte', () => {
    const sent = ' {"a":  1,} '
    const [made] = parse([call('read', sent)]).calls
    expect(made).toMatchObject({ rawArguments: sent, arguments: { a: 1 }, origin: 'native' })
    expect(made?.repairs?.map(({ code }) => code)).toEqual(['dropped-comma'])
  })

  test('what was sent as an object has no text', () => {
    expect(parse([call('read', { a: 1 })]).calls[0]).not.toHaveProperty('rawArguments')
  })

  test('an integer too large for a double is reported', () => {
    const [made] = parse([call('read', '{"id": 12345678901234567890}')]).calls
    expect(made?.repairs?.map(({ code }) => code)).toEqual(['unsafe-integer'])
    expect(made?.rawArguments).toBe('{"id": 12345678901234567890}')
  })

  test('nothing is repaired when repairs are off', () => {
    expect(codes(parse([call('read', '{"a": 1,}')], { repair: 'off' }))).toEqual(['invalid-json'])
    expect(codes(parse([call('read', '"{}"')], { repair: 'off' }))).toEqual(['invalid-arguments'])
  })

  test('nesting has a limit', () => {
    const sent = `{"a": ${'['.repeat(600)}${']'.repeat(600)}}`
    expect(codes(parse([call('read', sent)]))).toEqual(['limit-exceeded'])
    expect(codes(parse([call('read', sent)], { limits: { maxDepth: 1000 } }))).toEqual([])
  })
})

describe('tools', () => {
  const tools: Tool[] = [
    { name: 'read', inputSchema: { type: 'object', properties: { lines: { type: 'integer' } } } },
  ]

  test('values are fitted to the schema of the tool', () => {
    const { calls, issues } = parse([call('read', '{"lines": "12"}')], { tools })
    expect(calls[0]?.arguments).toEqual({ lines: 12 })
    expect(calls[0]?.repairs?.map(({ code }) => code)).toEqual(['coerced-number'])
    expect(issues).toEqual([])
  })

  test('what does not fit is reported with its call', () => {
    const { calls, issues } = parse([call('read', '{"lines": "many"}')], { tools })
    expect(calls[0]?.arguments).toEqual({ lines: 'many' })
    expect(issues).toMatchObject([{ code: 'schema-mismatch', name: 'read', callId: 'id-read' }])
  })

  test('a call to an unknown tool is kept, because it must be answered', () => {
    const { calls, issues } = parse([call('write', '{}')], { tools })
    expect(calls.map(brief)).toEqual([['id-write', 'write', {}]])
    expect(issues).toMatchObject([{ code: 'unknown-tool', name: 'write', callId: 'id-write' }])
  })

  test('the arguments of several calls in one are no call: which one was meant cannot be told', () => {
    for (const args of ['{"a": 1}{"a": 2}', '{"a": 1}\n{"a": 2}', '{"a": 1}, {"a": 2}']) {
      const parsed = parse({ tool_calls: [call('read', args)] }, { repair: 'guess' })
      expect(parsed.calls).toEqual([])
      expect(codes(parsed)).toEqual(['invalid-json'])
    }
    const { calls } = parse(
      { tool_calls: [call('read', '{"a": 1} and so on')] },
      { repair: 'guess' },
    )
    expect(calls.map(brief)).toEqual([['id-read', 'read', { a: 1 }]])
  })

  test('unknown tools are not reported when they are allowed or when there are no tools', () => {
    expect(parse([call('write', '{}')], { tools, allowUnknownTools: true }).issues).toEqual([])
    expect(parse([call('write', '{}')]).issues).toEqual([])
  })
})

describe('malformed calls', () => {
  const batch = [call('good', '{}'), call('bad', '{totally broken'), call('fine', '{}')]

  test('become issues and leave the others alone', () => {
    const { calls, issues, error } = parse(batch)
    expect(calls.map(({ name }) => name)).toEqual(['good', 'fine'])
    expect(issues).toMatchObject([{ name: 'bad', callId: 'id-bad', raw: '{totally broken' }])
    expect(error).toBeUndefined()
  })

  test('void the batch when they are to be errors', () => {
    const { calls, issues, error } = parse(batch, { onMalformed: 'error' })
    expect(calls).toEqual([])
    expect(error).toMatchObject({ name: 'bad' })
    expect(issues).toEqual([error])
  })

  test('become sentinels that keep name and id', () => {
    const { calls, issues } = parse(batch, { onMalformed: 'sentinel' })
    expect(calls[1]).toMatchObject({
      id: 'id-bad',
      name: 'bad',
      arguments: { __invalid_json__: '{totally broken' },
    })
    expect(issues).toHaveLength(1)
  })

  test('show at most 400 characters in a sentinel, and no half ones', () => {
    const broken = `${'x'.repeat(399)}😀😀`
    const [made] = parse([call('bad', broken)], { onMalformed: 'sentinel' }).calls
    expect(made?.arguments).toEqual({ __invalid_json__: 'x'.repeat(399) })
  })

  test('are handed on raw', () => {
    const { calls } = parse([call('bad', 'not-json-at-all')], { onMalformed: 'raw' })
    expect(calls.map(brief)).toEqual([['id-bad', 'bad', { raw: 'not-json-at-all' }]])
  })

  test('are skipped without a word', () => {
    const { calls, issues } = parse(batch, { onMalformed: 'skip' })
    expect(calls.map(({ name }) => name)).toEqual(['good', 'fine'])
    expect(issues).toEqual([])
  })

  test('without a name say so', () => {
    const chunk = { type: 'tool_call', name: null, arguments: {}, metadata: {} }
    expect(codes(parse([chunk]))).toEqual(['missing-name'])
    expect(parse([chunk], { onMalformed: 'sentinel' }).calls.map(brief)).toEqual([
      ['unknown_0', 'unknown', { __invalid_json__: JSON.stringify(chunk) }],
    ])
  })

  test('of no known shape say so', () => {
    const { issues } = parse([{ tool: 'read' }, 7])
    expect(issues).toMatchObject([
      { code: 'unknown-shape', raw: '{"tool":"read"}' },
      { code: 'unknown-shape', raw: '7' },
    ])
  })

  test('without an id are malformed only where the shape must be that of OpenAI', () => {
    const nameless = call('read', '{}', null)
    expect(parse([nameless]).calls.map(brief)).toEqual([['read_0', 'read', {}]])
    expect(codes(parse([nameless], { nativeShape: 'openai' }))).toEqual(['missing-id'])
  })
})

describe('ids', () => {
  test('the later of two equal ids is replaced', () => {
    const { calls, issues } = parse([call('a', '{}', 'x'), call('b', '{}', 'x')])
    expect(calls).toMatchObject([
      { id: 'x', name: 'a' },
      { id: 'b_1', name: 'b', originalId: 'x' },
    ])
    expect(issues).toMatchObject([{ code: 'duplicate-id', name: 'b', callId: 'b_1' }])
  })

  test('ids of earlier turns count', () => {
    const { calls } = parse([call('a', '{}', 'a:0')], { ids: { usedIds: ['a:0'] } })
    expect(calls).toMatchObject([{ id: 'a_0', originalId: 'a:0' }])
  })

  test('equal ids stay when uniqueness is off', () => {
    const { calls, issues } = parse([call('a', '{}', 'x'), call('b', '{}', 'x')], {
      ids: { ensureUniqueIds: false },
    })
    expect(calls.map(({ id }) => id)).toEqual(['x', 'x'])
    expect(issues).toEqual([])
  })
})

describe('repeated calls', () => {
  const batch = [
    call('read', '{"path": "a", "n": 1}', 'x'),
    call('read', '{"n": 1, "path": "a"}', 'x'),
    call('read', '{"path": "b"}', 'x'),
    call('read', '{"path": "a", "n": 1}', 'y'),
  ]
  const ids = (dedupe: false | 'exact' | 'adjacent'): string[] =>
    parse(batch, { dedupe }).calls.map(({ id }) => id)

  test('are kept', () => {
    expect(ids(false)).toHaveLength(4)
  })

  test('are dropped and reported with exact', () => {
    expect(ids('exact')).toEqual(['x', 'read_1'])
    expect(codes(parse(batch, { dedupe: 'exact' }))).toEqual([
      'duplicate-dropped',
      'duplicate-id',
      'duplicate-dropped',
    ])
  })

  test('are dropped only behind each other with adjacent', () => {
    expect(ids('adjacent')).toEqual(['x', 'read_1', 'y'])
  })
})

describe('calls of our own model', () => {
  test('come back as they were', () => {
    const own: ToolCall = {
      id: 'c1',
      name: 'read',
      arguments: { a: 1 },
      rawArguments: '{"a": "1"}',
      origin: 'text',
      protocol: 'hermes',
      span: [0, 9],
      repairs: [{ code: 'coerced-number', path: ['a'], risk: 'safe' }],
      originalId: 'c0',
      provider: { thoughtSignature: 's' },
    }
    expect(parse([own])).toEqual({ calls: [own], issues: [] })
  })
})

describe('whatever a provider sends', () => {
  const args = fc.oneof(fc.json(), fc.string(), fc.jsonValue())
  const known = fc.record(
    {
      id: fc.oneof(fc.constantFrom('a', 'b', ' '), fc.jsonValue()),
      type: fc.constantFrom('function', 'tool_use', 'tool_call', 'x'),
      name: fc.oneof(fc.constantFrom('read', 'write'), fc.jsonValue()),
      input: args,
      arguments: args,
      function: fc.record({ name: fc.constantFrom('read', ''), arguments: args }),
    },
    { requiredKeys: [] },
  )

  test('it does not throw, arguments are objects and ids do not repeat', () => {
    const onMalformed = fc.constantFrom('issue', 'error', 'sentinel', 'raw', 'skip')
    const dedupe = fc.constantFrom(false as const, 'exact' as const, 'adjacent' as const)
    fc.assert(
      fc.property(
        fc.array(fc.oneof(known, fc.jsonValue())),
        onMalformed,
        dedupe,
        fc.constantFrom('off', 'safe', 'guess'),
        (reply, onMalformed, dedupe, repair) => {
          const { calls } = parse(reply, { onMalformed, dedupe, repair })
          for (const { arguments: value } of calls) {
            expect(Object.prototype.toString.call(value)).toBe('[object Object]')
          }
          expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('it does not throw on what is not even JSON', () => {
    const cycle: Record<string, unknown> = { name: 'read' }
    cycle['arguments'] = cycle
    const odd = [cycle, { name: 'read', arguments: 10n }, { name: 'read', arguments: () => 1 }]
    expect(codes(parse(odd))).toEqual(['limit-exceeded', 'invalid-arguments', 'invalid-arguments'])
    expect(parse(odd, { onMalformed: 'sentinel' }).calls).toHaveLength(3)
  })
})

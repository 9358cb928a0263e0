/**
 * What four earlier systems say about tool calls, in our own words: each of their promises with the
 * preset that keeps it or with the defaults, and what we do better where they fail.
 */
import { describe, expect, test } from 'vitest'
import {
  augmentSystemPrompt,
  createExtractor,
  decodeResponse,
  type ExtractOptions,
  errorCodeOf,
  extract,
  formatAssistantMessage,
  formatToolResult,
  formatToolResults,
  formatTools,
  type IssueCode,
  type JsonObject,
  type PresetName,
  parseArguments,
  parseToolCalls,
  repairJson,
} from '../src/index.ts'

interface Made {
  readonly name: string
  readonly arguments: JsonObject
}

type Row<Input, Output> = readonly [sentence: string, input: Input, output: Output]

const made = (name: string, args: JsonObject = {}): Made => ({ name, arguments: args })

function callsIn(reply: unknown, options?: ExtractOptions): Made[] {
  return extract(reply, options).calls.map(({ name, arguments: args }) => made(name, args))
}

function namesIn(reply: unknown, options?: ExtractOptions): string[] {
  return extract(reply, options).calls.map(({ name }) => name)
}

function issuesIn(reply: unknown, options?: ExtractOptions): IssueCode[] {
  return extract(reply, options).issues.map(({ code }) => code)
}

const GENERATED = /^call_[\w-]{12}$/

// ── ExAthena ────────────────────────────────────────────────────────────────────────────────────

describe('ExAthena', () => {
  const generations: readonly PresetName[] = ['exathena-0.4', 'exathena-0.4.6', 'exathena']
  const strict: readonly PresetName[] = ['exathena-0.4', 'exathena-0.4.6']

  const openai = (args: unknown, id: string | null = 'k1', name: string | null = 'open_door') => ({
    type: 'function',
    id,
    function: { name, arguments: args },
  })

  describe('native calls', () => {
    const shapes: readonly Row<object, readonly [id: string | RegExp, args: JsonObject]>[] = [
      ['arguments are JSON text', openai('{"door": 3}'), ['k1', { door: 3 }]],
      ['arguments are an object', openai({ door: 3 }), ['k1', { door: 3 }]],
      ['empty text means no arguments', openai(''), ['k1', {}]],
      ['blank text means no arguments', openai(' \n'), ['k1', {}]],
      ['null means no arguments', openai(null), ['k1', {}]],
      ['a call without an id gets one', openai('{}', null), [GENERATED, {}]],
      ['a blank id is none', openai('{}', ' '), [GENERATED, {}]],
      [
        'Claude says input',
        { type: 'tool_use', id: 'u1', name: 'open_door', input: { door: 3 } },
        ['u1', { door: 3 }],
      ],
      [
        'a call may be parsed already',
        { id: 'p1', name: 'open_door', arguments: { door: 3 } },
        ['p1', { door: 3 }],
      ],
      [
        'a call may be parsed already and have no id',
        { name: 'open_door', input: { door: 3 } },
        [GENERATED, { door: 3 }],
      ],
      [
        'arguments go before input',
        { id: 'p1', name: 'open_door', arguments: { door: 3 }, input: { door: 4 } },
        ['p1', { door: 3 }],
      ],
      [
        'a chunk of a stream carries its id in the metadata',
        { type: 'tool_call', name: 'open_door', arguments: { door: 3 }, metadata: { id: 'm1' } },
        ['m1', { door: 3 }],
      ],
      [
        'a chunk of a stream may have no id',
        { type: 'tool_call', name: 'open_door', arguments: { door: 3 }, metadata: {} },
        [GENERATED, { door: 3 }],
      ],
      [
        'the type may be missing',
        { id: 'k1', function: { name: 'open_door', arguments: '{"door": 3}' } },
        ['k1', { door: 3 }],
      ],
      [
        'type and id may be missing, as Ollama does it',
        { function: { name: 'open_door', arguments: { door: 3 } } },
        [GENERATED, { door: 3 }],
      ],
    ]

    test.for(shapes)('%s', ([, call, [id, args]]) => {
      for (const preset of [undefined, ...generations]) {
        const { calls } = extract([call], preset ? { preset } : {})
        expect(calls).toMatchObject([made('open_door', args)])
        expect(calls[0]?.id).toMatch(id)
      }
    })

    test('no calls are no calls', () => {
      for (const preset of generations) expect(extract([], { preset }).calls).toEqual([])
    })

    test('a comma before a bracket is repaired', () => {
      const list = [openai('{"door": 3}', 'a'), openai('{"door": [4,],}', 'b')]
      expect(callsIn(list, { preset: 'exathena' })).toEqual([
        made('open_door', { door: 3 }),
        made('open_door', { door: [4] }),
      ])
    })

    const malformed: readonly Row<object, string>[] = [
      ['text that is no JSON', openai('{door, and so on'), 'open_door'],
      ['a number for arguments', openai(7), 'open_door'],
      ['a chunk without a name', { type: 'tool_call', name: null, arguments: {} }, 'unknown'],
      ['a shape nobody knows', { colour: 'red' }, 'unknown'],
    ]

    test.for(malformed)('once, %s voided the whole list', ([, call]) => {
      for (const preset of strict) {
        const { calls, error } = extract([openai('{}', 'ok'), call], { preset })
        expect(calls).toEqual([])
        expect(error).toBeDefined()
      }
    })

    test.for(malformed)('later, %s became a call that says so', ([, call, name]) => {
      const { calls } = extract([openai('{}', 'ok'), call], { preset: 'exathena' })
      expect(calls).toHaveLength(2)
      expect(calls[1]).toMatchObject({ name, arguments: { __invalid_json__: expect.any(String) } })
    })

    test.for(malformed)('by default, %s is an issue and the others are calls', ([, call]) => {
      const result = extract([openai('{}', 'ok'), call])
      expect(result.calls.map(({ id }) => id)).toEqual(['ok'])
      expect(result.issues).toHaveLength(1)
    })

    test('what a call shows of its broken arguments is cut at 400 characters', () => {
      const { calls } = extract([openai(`[${'x'.repeat(1000)}`)], { preset: 'exathena' })
      expect(String(calls[0]?.arguments['__invalid_json__']).length).toBeLessThanOrEqual(400)
    })

    test('later, repeated calls were dropped and repeated ids renewed', () => {
      const list = [openai('{"door": 1}'), openai('{"door":1}'), openai('{"door": 2}')]
      const { calls, issues } = extract(list, { preset: 'exathena' })
      expect(calls.map(({ arguments: args }) => args)).toEqual([{ door: 1 }, { door: 2 }])
      expect(calls[0]?.id).toBe('k1')
      expect(calls[1]?.id).not.toBe('k1')
      expect(issues.map(({ code }) => code)).toEqual(['duplicate-dropped', 'duplicate-id'])
    })

    test('by default, repeated calls are kept and the later id is renewed', () => {
      const { calls } = extract([openai('{}'), openai('{}')])
      expect(calls.map(({ originalId }) => originalId)).toEqual([undefined, 'k1'])
      expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
    })

    test.for([
      ['a list', '[1, 2]'],
      ['a number', '5'],
      ['a truth value', 'true'],
    ])('%s in JSON text is no set of arguments', ([, args]) => {
      expect(callsIn([openai(args)])).toEqual([])
      expect(issuesIn([openai(args)])).toEqual(['invalid-arguments'])
    })

    test('null in JSON text means no arguments', () => {
      expect(callsIn([openai('null')])).toEqual([made('open_door')])
    })

    test('a malformed call keeps the id of its provider', () => {
      expect(extract([openai('{door')], { preset: 'exathena' }).calls[0]?.id).toBe('k1')
      expect(extract([openai('{door')]).issues[0]?.callId).toBe('k1')
    })
  })

  describe('text blocks', () => {
    const block = (body: string): string => `~~~tool_call\n${body}\n~~~`

    const good: readonly Row<string, readonly Made[]>[] = [
      [
        'a block behind prose',
        `I open it.\n\n${block('{"name": "open_door", "arguments": {"door": 3}}')}\n`,
        [made('open_door', { door: 3 })],
      ],
      [
        'several blocks, in order',
        `${block('{"name": "knock", "arguments": {}}')}\n\n${block('{"name": "open_door", "arguments": {"door": 3}}')}`,
        [made('knock'), made('open_door', { door: 3 })],
      ],
      ['prose alone', 'There is no door.', []],
      [
        'arguments that are text with an object in it',
        block('{"name": "open_door", "arguments": "{\\"door\\": 3}"}'),
        [made('open_door', { door: 3 })],
      ],
      [
        'arguments that are empty text',
        block('{"name": "knock", "arguments": ""}'),
        [made('knock')],
      ],
      ['arguments that are missing', block('{"name": "knock"}'), [made('knock')]],
      ['arguments that are null', block('{"name": "knock", "arguments": null}'), [made('knock')]],
      [
        'lines that end in CRLF',
        '~~~tool_call\r\n{"name": "knock", "arguments": {}}\r\n~~~\r\n',
        [made('knock')],
      ],
      ['an empty block', '~~~tool_call\n~~~\nNobody there.', []],
    ]

    test.for(good)('%s', ([, text, calls]) => {
      for (const preset of [undefined, ...generations]) {
        const result = extract(text, preset ? { preset } : {})
        expect(result.error).toBeUndefined()
        expect(callsIn(text, preset ? { preset } : {})).toEqual(calls)
      }
    })

    const bad: readonly Row<string, IssueCode>[] = [
      ['a block without a name', '{"arguments": {"door": 3}}', 'missing-name'],
      ['a block with an empty name', '{"name": "", "arguments": {}}', 'missing-name'],
      ['a block that is no JSON', '{open the door', 'invalid-json'],
      ['a list as arguments', '{"name": "knock", "arguments": [1]}', 'invalid-arguments'],
      ['a number as arguments', '{"name": "knock", "arguments": 2}', 'invalid-arguments'],
      ['text without an object', '{"name": "knock", "arguments": "thrice"}', 'invalid-arguments'],
    ]

    test.for(bad)('in the old system, %s voids all other blocks', ([, body, code]) => {
      const text = `${block('{"name": "knock", "arguments": {}}')}\n${block(body)}`
      for (const preset of strict) {
        const { calls, error } = extract(text, { preset })
        expect(calls).toEqual([])
        expect(error?.code).toBe(code)
      }
    })

    test.for(bad)('by default, %s leaves the other blocks alone', ([, body, code]) => {
      const text = `${block('{"name": "knock", "arguments": {}}')}\n${block(body)}\nBye.`
      const result = extract(text)
      expect(callsIn(text)).toEqual([made('knock')])
      expect(result.issues.map((issue) => issue.code)).toEqual([code])
      expect(result.text).toBe('\n\nBye.')
    })

    test('in the old system a list in a block has no name', () => {
      const text = block('[{"name": "knock", "arguments": {}}]')
      for (const preset of strict)
        expect(extract(text, { preset }).error?.code).toBe('missing-name')
      expect(callsIn(text)).toEqual([made('knock')])
    })

    test('an id in the block is kept, otherwise one is made', () => {
      const text = `${block('{"id": "mine", "name": "knock"}')}\n${block('{"name": "knock"}')}`
      for (const preset of strict) {
        const { calls } = extract(text, { preset })
        expect(calls[0]?.id).toBe('mine')
        expect(calls[1]?.id).toMatch(GENERATED)
      }
    })

    const better: readonly Row<string, readonly Made[]>[] = [
      [
        'the indentation of our own instructions does not hide a block',
        '    ~~~tool_call\n    {"name": "knock", "arguments": {}}\n    ~~~',
        [made('knock')],
      ],
      [
        'a block that is not closed does not swallow the next',
        `~~~tool_call\n{"name": "knock"}\n\n${block('{"name": "enter"}')}`,
        [made('knock'), made('enter')],
      ],
    ]

    test('a last block needs no end, but in the old systems it does', () => {
      const text = '~~~tool_call\n{"name": "knock"}'
      expect(callsIn(text)).toEqual([made('knock')])
      for (const preset of generations)
        expect(issuesIn(text, { preset })).toEqual(['unclosed-call'])
    })

    test.for(better)('%s', ([, text, calls]) => {
      for (const preset of [undefined, ...generations]) {
        expect(callsIn(text, preset ? { preset } : {})).toEqual(calls)
      }
    })

    test('a fence in the middle of a line is no block', () => {
      const text = 'see ~~~tool_call\n{"name": "knock", "arguments": {}}\n~~~ there'
      expect(extract(text, { protocols: ['text-tagged'] })).toMatchObject({ calls: [], text })
    })

    test('a block that was cut off is reported, not taken for the answer', () => {
      const text = 'Well.\n~~~tool_call\n{"name": "knock", "argum'
      const result = extract(text, { finishReason: 'length' })
      expect(result).toMatchObject({ calls: [], text: 'Well.\n' })
      expect(result.issues.map(({ code }) => code)).toEqual(['truncated-call'])
    })

    test('blocks with the same id get ids of their own', () => {
      const one = block('{"id": "1", "name": "knock"}')
      const ids = extract(`${one}\n${one}`).calls.map(({ id }) => id)
      expect(ids).toHaveLength(2)
      expect(new Set(ids).size).toBe(2)
    })

    test('an example in a code block is not a call', () => {
      const text = `\`\`\`\nYou may write:\n${block('{"name": "knock"}')}\n\`\`\``
      expect(extract(text)).toMatchObject({ calls: [], text })
      expect(issuesIn(text)).toEqual(['quoted-call'])
    })
  })

  describe('bare JSON', () => {
    const rows: readonly Row<string, readonly Made[]>[] = [
      ['a call', '{"name": "knock", "arguments": {}}', [made('knock')]],
      [
        'a call in a JSON code block',
        '```json\n{"name": "open_door", "arguments": {"door": 3}}\n```\n',
        [made('open_door', { door: 3 })],
      ],
      [
        'a call in a plain code block',
        '```\n{"name": "knock", "arguments": {}}\n```',
        [made('knock')],
      ],
      [
        'nested arguments',
        '{"name": "open_door", "arguments": {"door": 3, "how": {"slowly": true}}}',
        [made('open_door', { door: 3, how: { slowly: true } })],
      ],
      ['a call behind prose', 'I knock now.\n{"name": "knock", "arguments": {}}', [made('knock')]],
      ['prose alone', 'nobody is here {really}', []],
      ['nothing', '', []],
      ['a brace that is never closed', '{"name": "knock", "arguments": {', []],
      ['other data', '{"door": "green"}', []],
      ['a name without arguments', '{"name": "knock"}', []],
      ['null arguments', '{"name": "knock", "arguments": null}', [made('knock')]],
      [
        'arguments as text',
        '{"name": "open_door", "arguments": "{\\"door\\": 3}"}',
        [made('open_door', { door: 3 })],
      ],
      ['arguments that are a list', '{"name": "knock", "arguments": [1]}', []],
      [
        'two calls on two lines',
        '{"name": "knock", "arguments": {"n": 1}}\n{"name": "enter", "arguments": {"n": 2}}\n',
        [made('knock', { n: 1 }), made('enter', { n: 2 })],
      ],
      [
        'calls in a wrapper',
        '{"tool_calls": [{"name": "knock", "arguments": {}}, {"name": "enter", "arguments": {}}]}',
        [made('knock'), made('enter')],
      ],
      [
        'a call under the key function',
        '{"function": {"name": "open_door", "arguments": {"door": 3}}}',
        [made('open_door', { door: 3 })],
      ],
      [
        'a call inside the arguments is an argument',
        '{"name": "later", "arguments": {"next": {"name": "knock", "arguments": {}}}}',
        [made('later', { next: { name: 'knock', arguments: {} } })],
      ],
      [
        'a call inside a text is a text',
        '{"name": "say", "arguments": {"words": "{\\"name\\":\\"rob\\",\\"arguments\\":{}}"}}',
        [made('say', { words: '{"name":"rob","arguments":{}}' })],
      ],
      // Where the old system was wrong.
      ['data with a call-shaped part', '{"seen": {"name": "knock", "arguments": {}}}', []],
      [
        'the spelling of Llama 3',
        '{"name": "open_door", "parameters": {"door": 3}}',
        [made('open_door', { door: 3 })],
      ],
    ]

    test.for(rows)('%s', ([, text, calls]) => {
      expect(callsIn(text, { protocols: ['raw-json'] })).toEqual(calls)
      expect(callsIn(text)).toEqual(calls)
    })

    test('ids are kept or made', () => {
      const text =
        '{"id": "mine", "name": "knock", "arguments": {}}{"name": "knock", "arguments": {}}'
      const [first, second] = extract(text, { protocols: ['raw-json'] }).calls
      expect(first?.id).toBe('mine')
      expect(second?.id).toMatch(GENERATED)
    })

    test('an answer in JSON is no call of a tool that was not offered', () => {
      const text = '{"name": "Ada", "arguments": {"for": 3, "against": 1}}'
      expect(extract(text, { tools: ['knock'] })).toMatchObject({ calls: [], text, issues: [] })
    })
  })

  describe('where calls are looked for', () => {
    const native = {
      tool_calls: [{ type: 'function', id: '1', function: { name: 'knock', arguments: '{}' } }],
    }
    const fence = '~~~tool_call\n{"name": "knock", "arguments": {}}\n~~~'
    const json = '{"name": "knock", "arguments": {"door": 3}}'
    const tag = `<tool_call>\n${json}\n</tool_call>`
    const quoted = `It went well. What I sent was\n${json} and nothing else.`

    const all = generations
    const rows: readonly Row<
      unknown,
      readonly [
        names: readonly string[],
        presets: readonly PresetName[],
        caps?: ExtractOptions['capabilities'],
      ]
    >[] = [
      ['native calls are taken', { ...native, text: '' }, [['knock'], all]],
      ['with native calls the text is ignored', { ...native, text: tag }, [['knock'], all]],
      [
        'a fence, although calls are native',
        { tool_calls: null, text: fence },
        [['knock'], all, { nativeToolCalls: true }],
      ],
      [
        'a fence, where calls are not native',
        { tool_calls: null, text: fence },
        [['knock'], all, { nativeToolCalls: false }],
      ],
      ['a fence, where nothing is known', { text: fence }, [['knock'], all]],
      ['text alone', { tool_calls: null, text: 'Nobody there.' }, [[], all]],
      ['no text at all', { tool_calls: null, text: '' }, [[], all]],
      [
        'a provider that runs its tools itself',
        { text: fence },
        [[], all, { selfContainedTools: true }],
      ],
      [
        'its native calls neither',
        native,
        [[], all, { selfContainedTools: true, nativeToolCalls: false }],
      ],
      ['bare JSON was nothing at first', { text: json }, [[], ['exathena-0.4']]],
      [
        'bare JSON, although calls are native',
        { text: json },
        [['knock'], ['exathena-0.4.6', 'exathena'], { nativeToolCalls: true }],
      ],
      [
        'bare JSON, where calls are not native',
        { text: json },
        [['knock'], ['exathena-0.4.6', 'exathena'], { nativeToolCalls: false }],
      ],
      ['a leaked tag', { tool_calls: [], text: `Let me.\n${tag}` }, [['knock'], ['exathena']]],
      ['JSON quoted in prose was once a call', { text: quoted }, [['knock'], ['exathena-0.4.6']]],
      [
        'JSON quoted in prose is none any more',
        { text: quoted },
        [[], ['exathena-0.4', 'exathena']],
      ],
      [
        'JSON behind reasoning',
        { text: `<think>Is {"name": 1} it?</think>\n${json}` },
        [['knock'], ['exathena']],
      ],
    ]

    test.for(rows)('%s', ([, reply, [names, presets, capabilities]]) => {
      for (const preset of presets) {
        expect(namesIn(reply, { preset, ...(capabilities && { capabilities }) })).toEqual(names)
      }
    })

    test('a fence goes before bare JSON', () => {
      const text = `${fence}\n{"name": "enter", "arguments": {}}`
      for (const preset of generations) expect(namesIn({ text }, { preset })).toEqual(['knock'])
    })

    const withTools: ExtractOptions = { tools: ['knock'] }
    const better: readonly Row<string, readonly string[]>[] = [
      ['JSON quoted in prose is never a call of a declared tool', quoted, []],
      ['JSON that begins a sentence is none', `${json} is what I sent.`, []],
      ['JSON in a code block of its own is one', `\`\`\`json\n${json}\n\`\`\``, ['knock']],
      [
        'JSON in a code block behind prose is one',
        `I knock:\n\n\`\`\`json\n${json}\n\`\`\``,
        ['knock'],
      ],
      ['a draft in reasoning is none', `<think>Should I?\n${json}</think>\nNo.`, []],
      ['a draft in reasoning left open is none', `<think>Should I?\n${json}`, []],
      ['reasoning that was never opened does not hide a call', `Hm.</think>\n${tag}`, ['knock']],
      [
        'a tag without its end does not swallow the next',
        `<tool_call>${json}\n${tag}`,
        ['knock', 'knock'],
      ],
      [
        'the end tag inside a text does not cut the call',
        '<tool_call>{"name": "knock", "arguments": {"say": "</tool_call>"}}</tool_call>',
        ['knock'],
      ],
    ]

    test.for(better)('%s', ([, text, names]) => {
      expect(namesIn(text, withTools)).toEqual(names)
    })

    test('a call in quotation marks is not made by another format either', () => {
      const text = `It wrote "${tag}" to me.`
      for (const options of [withTools, {}]) {
        expect(extract(text, options)).toMatchObject({ calls: [], text })
        expect(issuesIn(text, options)).toEqual(['quoted-call'])
      }
    })

    test('a tag with broken JSON does not vanish in silence', () => {
      expect(issuesIn(`<tool_call>{knock, please</tool_call>\n${tag}`, withTools)).toEqual([
        'invalid-json',
      ])
    })
  })

  describe('the system prompt', () => {
    const schema = {
      type: 'object',
      properties: { door: { type: 'integer' }, colour: { type: 'string' } },
      required: ['door'],
    }
    const door = { name: 'open_door', description: 'Open a door. Mind the step.', schema }

    test('the tools follow what was there before', () => {
      const prompt = augmentSystemPrompt('Be brief.', [door])
      expect(prompt.startsWith('Be brief.\n\n')).toBe(true)
      for (const part of [
        '~~~tool_call',
        '`open_door`',
        'Mind the step.',
        JSON.stringify(schema),
      ]) {
        expect(prompt).toContain(part)
      }
    })

    test.for([[undefined], [null], [''], [' \n']])(
      'without a prompt (%j) there are only instructions',
      ([base]) => {
        expect(augmentSystemPrompt(base, [])).toBe(augmentSystemPrompt(undefined, []))
        expect(augmentSystemPrompt(base, [])).toContain('~~~tool_call')
      },
    )

    test('the full list is what one gets without asking', () => {
      expect(augmentSystemPrompt('x', [door], { compact: false })).toBe(
        augmentSystemPrompt('x', [door]),
      )
    })

    const compact: readonly Row<object, string>[] = [
      [
        'what is required comes first, and the first sentence is enough',
        door,
        '- open_door(door: integer, colour?: string) — Open a door.',
      ],
      [
        'no parameters',
        { name: 'knock', description: 'Knock once', schema: {} },
        '- knock() — Knock once',
      ],
      ['no description', { name: 'knock', schema: {} }, '- knock()'],
      [
        'lists of plain values',
        {
          name: 'open_all',
          schema: {
            type: 'object',
            properties: { doors: { type: 'array', items: { type: 'integer' } } },
            required: ['doors'],
          },
        },
        '- open_all(doors: integer[])',
      ],
      [
        'what is optional is sorted by name',
        {
          name: 't',
          schema: { type: 'object', properties: { b: { type: 'string' }, a: { type: 'boolean' } } },
        },
        '- t(a?: boolean, b?: string)',
      ],
      [
        'unions stay unions',
        { name: 't', schema: { type: 'object', properties: { u: { type: ['string', 'null'] } } } },
        '- t(u?: string|null)',
      ],
    ]

    test.for(compact)('compact: %s', ([, tool, line]) => {
      const prompt = augmentSystemPrompt(undefined, [tool], { compact: true })
      expect(prompt.endsWith(`Available tools:\n\n${line}\n`)).toBe(true)
    })

    test('a compact list is much shorter', () => {
      const properties = Object.fromEntries(
        Array.from({ length: 5 }, (_, i) => [
          `field_${i}`,
          { type: 'string', description: 'Some field of it' },
        ]),
      )
      const tools = Array.from({ length: 10 }, (_, i) => ({
        name: `tool_${i}`,
        description: 'Does a thing. Then another.',
        schema: { type: 'object', properties, required: ['field_0'] },
      }))
      const long = augmentSystemPrompt(undefined, tools)
      expect(augmentSystemPrompt(undefined, tools, { compact: true }).length).toBeLessThanOrEqual(
        0.8 * long.length,
      )
    })

    test('a compact description is not cut at an abbreviation, and a long one says that it was cut', () => {
      const line = (description: string) =>
        augmentSystemPrompt(undefined, [{ name: 't', description, schema: {} }], { compact: true })
          .trimEnd()
          .split('\n')
          .at(-1)
      expect(line('Opens things, e.g. Doors and windows.')).toBe(
        '- t() — Opens things, e.g. Doors and windows.',
      )
      expect(line('door '.repeat(40))).toMatch(/^- t\(\) — .{1,79}…$/)
    })

    test('a model that repeats the instructions calls nothing', () => {
      const prompt = augmentSystemPrompt(undefined, [door])
      expect(extract(prompt, { tools: [door] }).calls).toEqual([])
    })
  })

  describe('what the user sees while it streams', () => {
    const rows: readonly Row<readonly string[], string>[] = [
      ['plain text', ['kno', 'ck ', 'kno', 'ck\n'], 'knock knock\n'],
      ['a block in one piece', ['yes\n~~~tool_call\n{"name":"knock"}\n~~~\nno'], 'yes\n\nno'],
      [
        'a block in many pieces',
        ['yes\n', '~~~to', 'ol_c', 'all\n{"name":', '"knock"}', '\n~~~', '\nno'],
        'yes\n\nno',
      ],
      ['a marker cut after its first character', ['~', '~~tool_', 'call\nhm\n~~~', '\nno'], '\nno'],
      ['a closer in pieces', ['~~~tool_call\n{"name":"knock"}', '\n~', '~~', '\nno'], '\nno'],
      ['a longer word than the marker', ['~~~tool_c', 'alls here'], '~~~tool_calls here'],
      [
        'words behind the marker',
        ['~~~tool_call ', 'is what I write'],
        '~~~tool_call is what I write',
      ],
      [
        'two blocks',
        ['a\n~~~tool_call\n{"name":"x"}\n~~~\nb\n', '~~~tool_call\n{"name":"y"}\n~~~\nc'],
        'a\n\nb\n\nc',
      ],
      ['a block that never ends', ['~~~tool_call\n{"name":"knock"'], ''],
      ['blanks behind the marker', ['~~~tool_call \t', ' \n{"name":"x"}\n~~~', 'ok'], 'ok'],
      ['a result the model made up', ['a\n~~~tool_', 'result\nopen\n~~~\nb'], 'a\n\nb'],
      [
        'a longer word than the result marker',
        ['see ~~~tool_results here'],
        'see ~~~tool_results here',
      ],
      ['a result that never ends', ['a\n~~~tool_result\nope'], 'a\n'],
      // Where the old system lost text.
      ['an empty block', ['a\n~~~tool_call\n~~~\nTHE POINT'], 'a\n\nTHE POINT'],
      [
        'a marker in inline code',
        ['I write `~~~tool_call\n` first. Then'],
        'I write `~~~tool_call\n` first. Then',
      ],
    ]

    test.for(rows)('%s', ([, chunks, visible]) => {
      for (const options of [{}, { preset: 'exathena-0.4' }] as const) {
        const extractor = createExtractor(options)
        const events = [...chunks.flatMap((chunk) => extractor.push(chunk)), ...extractor.end()]
        const told = events.map((event) => (event.type === 'text-delta' ? event.text : ''))
        expect(told.join('')).toBe(visible)
        expect(extractor.result().text).toBe(visible)
      }
    })

    test('only what may become a marker is held back', () => {
      const extractor = createExtractor()
      expect(extractor.push('well~~')).toEqual([{ type: 'text-delta', text: 'well' }])
      expect(extractor.end()).toEqual([{ type: 'text-delta', text: '~~' }])
    })

    test('a leak of another format is not shown either', () => {
      const extractor = createExtractor({ tools: ['knock'] })
      const text = 'Well. <tool_call>{"name": "knock", "arguments": {}}</tool_call>'
      const events = [...extractor.push(text), ...extractor.end()]
      expect(events.filter(({ type }) => type === 'text-delta')).toEqual([
        { type: 'text-delta', text: 'Well. ' },
      ])
    })
  })
})

// ── go-agentic ──────────────────────────────────────────────────────────────────────────────────

describe('go-agentic', () => {
  const preset = { preset: 'go-agentic' } as const

  describe('calls in text', () => {
    const rows: readonly Row<string, readonly (Made & { readonly id: string })[]>[] = [
      [
        'keys and values',
        'FindBook(title="Emma", shelf=4)',
        [{ id: 'FindBook_0', ...made('FindBook', { title: 'Emma', shelf: 4 }) }],
      ],
      [
        'a name in small letters',
        'find_book(title="Jane Eyre")',
        [{ id: 'find_book_0', ...made('find_book', { title: 'Jane Eyre' }) }],
      ],
      [
        'a name that begins with an underscore',
        '_lend(to="Ann")',
        [{ id: '_lend_0', ...made('_lend', { to: 'Ann' }) }],
      ],
      [
        'a name with both',
        'HTTP_Get(path="/books")',
        [{ id: 'HTTP_Get_0', ...made('HTTP_Get', { path: '/books' }) }],
      ],
      [
        'prose above and below',
        'I look.\nFindBook(shelf=4)\nHere it is.',
        [{ id: 'FindBook_0', ...made('FindBook', { shelf: 4 }) }],
      ],
      [
        'several calls are counted through',
        'First these:\nListBooks()\nFindShelf(/fiction)\n',
        [
          { id: 'ListBooks_0', ...made('ListBooks') },
          { id: 'FindShelf_1', ...made('FindShelf', { arg0: '/fiction' }) },
        ],
      ],
      [
        'several calls in one sentence',
        'I try: ListBooks(all=true) and Ping(10.0.0.7)',
        [
          { id: 'ListBooks_0', ...made('ListBooks', { all: true }) },
          { id: 'Ping_1', ...made('Ping', { arg0: '10.0.0.7' }) },
        ],
      ],
      ['a name cannot begin with a digit', '4th(shelf)', []],
      [
        'the same call twice is one',
        'shuffle() shuffle()',
        [{ id: 'shuffle_0', ...made('shuffle') }],
      ],
      ['nothing', '', []],
      // Where the old system was wrong.
      [
        'a call on several lines',
        'find(\n  shelf=4\n)',
        [{ id: 'find_0', ...made('find', { shelf: 4 }) }],
      ],
      [
        'a call inside a call is an argument',
        'sum(of=count(2), plus=3)',
        [{ id: 'sum_0', ...made('sum', { of: 'count(2)', plus: 3 }) }],
      ],
      [
        'parentheses inside a text',
        'note(text="see (1) below", n=1)',
        [{ id: 'note_0', ...made('note', { text: 'see (1) below', n: 1 }) }],
      ],
      ['a program in a code block', '```python\nprint("Emma")\nos.unlink("/books")\n```', []],
      [
        'a dash, a dot or a letter beyond ASCII before the name',
        'find-book(x=1), shelf.find(x=1), café(x)',
        [],
      ],
    ]

    test.for(rows)('%s', ([, text, calls]) => {
      expect(extract(text, preset).calls).toMatchObject(calls)
      expect(extract(text, preset).calls).toHaveLength(calls.length)
    })

    test('a repeated call that was dropped is reported', () => {
      expect(issuesIn('shuffle() shuffle()', preset)).toEqual(['duplicate-dropped'])
    })

    test('with tools, prose is full of parentheses and none of them is a call', () => {
      const text = 'Please check the book(s) (see find(bar)) before you lend().'
      expect(extract(text, { tools: ['find', 'lend', 'book'] })).toMatchObject({ calls: [], text })
    })

    test('with tools, ids of earlier turns do not come again', () => {
      const options: ExtractOptions = { tools: ['find'], ids: 'sequential', usedIds: ['find_0'] }
      expect(extract('find(x=1)', options).calls[0]?.id).not.toBe('find_0')
    })

    test('with tools, positions get the names of the schema', () => {
      const inputSchema = {
        type: 'object',
        properties: { limit: { type: 'integer' }, title: { type: 'string' } },
        required: ['title'],
      }
      const tools = [{ name: 'find', inputSchema }]
      expect(callsIn('find("Emma", 3)', { tools })).toEqual([
        made('find', { title: 'Emma', limit: 3 }),
      ])
    })
  })

  describe('arguments', () => {
    const rows: readonly Row<string, JsonObject>[] = [
      ['nothing', '', {}],
      ['keys and values', 'title="Emma", shelf=4', { title: 'Emma', shelf: 4 }],
      ['positions stay text', 'Emma, 4', { arg0: 'Emma', arg1: '4' }],
      ['integers', 'shelf=42', { shelf: 42 }],
      ['fractions', 'price=2.75', { price: 2.75 }],
      ['truth values', 'lent=true, lost=FALSE', { lent: true, lost: false }],
      ['text', 'title="Emma"', { title: 'Emma' }],
      ['null is a word', 'title=null', { title: 'null' }],
      ['positions that look like names', 'arg1, arg2', { arg0: 'arg1', arg1: 'arg2' }],
      ['JSON without its braces', '"shelf": 4, "tags": ["a", "b"]', { shelf: 4, tags: ['a', 'b'] }],
      ['JSON', '{"title": "Emma", "shelf": 4}', { title: 'Emma', shelf: 4 }],
      [
        'commas and apostrophes in quotes',
        'title="Emma\'s, mine", shelf=4',
        { title: "Emma's, mine", shelf: 4 },
      ],
      ['an address is one position', '10.0.0.7', { arg0: '10.0.0.7' }],
      ['a list is one position of two', '[1, 2], Emma', { arg0: '[1, 2]', arg1: 'Emma' }],
      [
        'lists and objects as values stay text',
        'tags=["a"], by={"name": "Jane"}',
        { tags: '["a"]', by: '{"name": "Jane"}' },
      ],
      // Where the old system was wrong, or its notes ask for more.
      [
        'quotes make text',
        'zip="00501", v="1.0", ok="true"',
        { zip: '00501', v: '1.0', ok: 'true' },
      ],
      ['a letter is no truth value', 'grade=F, t=T', { grade: 'F', t: 'T' }],
      ['what is no number in JSON stays text', 'a=NaN, b=Infinity', { a: 'NaN', b: 'Infinity' }],
      ['an equal sign in quotes', '"a=b"', { arg0: 'a=b' }],
      ['a position beside a key', 'title="Emma", 5', { title: 'Emma', arg1: '5' }],
      ['a colon between key and value', 'shelf: 4', { shelf: 4 }],
      ['escaped quotes', 'title="the \\"E\\" book"', { title: 'the "E" book' }],
      ['bare keys in braces', "{title: 'Emma', shelf: 4,}", { title: 'Emma', shelf: 4 }],
    ]

    test.for(rows)('%s', ([, text, args]) => {
      expect(parseArguments(text).arguments).toEqual(args)
    })

    test('with a schema, lists and objects are values', () => {
      const schema = {
        type: 'object',
        properties: { tags: { type: 'array' }, by: { type: 'object' } },
      }
      const { arguments: args } = parseArguments('tags=["a"], by={"name": "Jane"}', schema)
      expect(args).toEqual({ tags: ['a'], by: { name: 'Jane' } })
    })

    test('integers too large for a number keep their digits', () => {
      const { arguments: args } = parseArguments('id=12345678901234567890')
      expect(args).toEqual({ id: '12345678901234567890' })
    })
  })

  describe('native calls', () => {
    const call = (id: string | undefined, name: string, args: unknown) => ({
      ...(id !== undefined && { id }),
      type: 'function',
      function: { name, arguments: args },
    })

    test('two calls with one id are both kept as they are', () => {
      const { calls } = extract(
        [call('same', 'find', '{"a": 1}'), call('same', 'lend', '{"b": 2}')],
        preset,
      )
      expect(calls).toMatchObject([
        { id: 'same', ...made('find', { a: 1 }) },
        { id: 'same', ...made('lend', { b: 2 }) },
      ])
    })

    test('a call without an id or with broken JSON is skipped', () => {
      const list = [call(undefined, 'find', '{}'), call('a', 'find', '{oh'), call('b', 'lend', '')]
      expect(extract(list, preset).calls).toMatchObject([{ id: 'b', ...made('lend') }])
    })

    test('by default the same calls are not lost in silence', () => {
      const list = [call(undefined, 'find', '{}'), call('a', 'find', '{oh')]
      expect(namesIn(list)).toEqual(['find'])
      expect(issuesIn(list)).toHaveLength(1)
    })

    test('arguments sent as an object are kept', () => {
      expect(callsIn([call('a', 'find', { shelf: 4 })], preset)).toEqual([
        made('find', { shelf: 4 }),
      ])
    })

    test('when no native call can be used, the text is searched', () => {
      const reply = { tool_calls: [call('a', 'find', '{oh')], content: 'find(shelf=4)' }
      expect(callsIn(reply, preset)).toEqual([made('find', { shelf: 4 })])
      expect(callsIn(reply)).toEqual([])
    })

    test('when one can be used, the text is not', () => {
      const reply = { tool_calls: [call('a', 'find', '{}')], content: 'lend(shelf=4)' }
      expect(namesIn(reply, preset)).toEqual(['find'])
    })
  })
})

// ── chatcli ─────────────────────────────────────────────────────────────────────────────────────

describe('chatcli', () => {
  const preset = { preset: 'chatcli' } as const

  describe('calls in text', () => {
    const rows: readonly Row<string, readonly Made[]>[] = [
      ['brackets', 'I search.\n\n[tool: @find {"term":"moss"}]', [made('@find', { term: 'moss' })]],
      [
        'brackets add the sign to a name',
        '[tool: find {"term":"moss"}]',
        [made('@find', { term: 'moss' })],
      ],
      [
        'the longer bracket',
        '[tool_call: @shelf {"cmd":"open"}]',
        [made('@shelf', { cmd: 'open' })],
      ],
      [
        'brackets with single quotes',
        "[tool: @find {'term':'moss'}]",
        [made('@find', { term: 'moss' })],
      ],
      [
        'brackets with a command line',
        '[tool: @coder read --file moss.ts]',
        [made('@coder', { arg0: 'read --file moss.ts' })],
      ],
      ['brackets with nothing', '[tool: @shelf]', [made('@shelf')]],
      [
        'several brackets',
        'Two:\n[tool: @find {"term":"a"}]\n[tool: @shelf {"cmd":"x","args":{"y":1}}]',
        [made('@find', { term: 'a' }), made('@shelf', { cmd: 'x', args: { y: 1 } })],
      ],
      [
        'a bracket that is not closed',
        '[tool: @find {"term":"moss"}',
        [made('@find', { term: 'moss' })],
      ],
      [
        'brackets in prose beside a tag',
        `As in [tool: syntax], so:\n<tool_call name="@find" args='{"term":"moss"}' />`,
        [made('@find', { term: 'moss' })],
      ],
      [
        'the alias behind reasoning',
        `<reasoning>1. look</reasoning>\n<tool name="@coder" args='{"cmd":"read","args":{"file":"a.ts"}}' />`,
        [made('@coder', { cmd: 'read', args: { file: 'a.ts' } })],
      ],
      [
        'a pair of tags',
        `<tool name="@find" args='{"term":"moss"}'></tool>`,
        [made('@find', { term: 'moss' })],
      ],
      [
        'both spellings, in order',
        `<tool_call name="@a" args='{"n":1}' />\n<tool name="@b" args='{"n":2}' />\n<tool_call name="@c" args='{"n":3}'></tool_call>`,
        [made('@a', { n: 1 }), made('@b', { n: 2 }), made('@c', { n: 3 })],
      ],
      [
        'capital letters',
        `<TOOL name="@find" args='{"term":"moss"}' />`,
        [made('@find', { term: 'moss' })],
      ],
      [
        'a greater-than sign inside quotes',
        `<tool name="@coder" args='{"cmd":"exec","args":{"cmd":"sort a > b"}}' />`,
        [made('@coder', { cmd: 'exec', args: { cmd: 'sort a > b' } })],
      ],
      [
        'arguments that look like a command are not a second call',
        `<tool_call name="@find" args='{"cmd":"search","args":{"term":"moss"}}' />`,
        [made('@find', { cmd: 'search', args: { term: 'moss' } })],
      ],
      [
        'attributes on several lines',
        `<tool_call\n name="@x"\n args='{"a":1}'\n/>`,
        [made('@x', { a: 1 })],
      ],
      [
        'escaped quotes',
        '<tool_call name="@x" args="{\\"a\\":\\"b\\"}" />',
        [made('@x', { a: 'b' })],
      ],
      ['no quotes', '<tool_call name=@x args={"a":1} />', [made('@x', { a: 1 })]],
      [
        'equal calls are both kept',
        '<tool_call name="@x" args="{}" /><tool_call name="@x" args="{}" />',
        [made('@x'), made('@x')],
      ],
      [
        'a command as JSON',
        '{"cmd":"search","args":{"term":"moss","dir":"."}}',
        [made('@coder', { cmd: 'search', args: { term: 'moss', dir: '.' } })],
      ],
      ['a web search as JSON is data', '{"cmd":"search","args":{"query":"moss"}}', []],
      ['a command nobody knows is data', '{"cmd":"fly","args":{}}', []],
      [
        'JSON with a name and its sign',
        'So: {"tool":"@find","args":{"term":"moss"}}',
        [made('@find', { term: 'moss' })],
      ],
      ['JSON with a name without the sign is data', '{"name":"moss","arguments":{"wet":true}}', []],
      // Where the old system was wrong.
      [
        'a tag without its pair does not swallow the next',
        `<tool_call name="@a" args='{"n":1}'>\n<tool_call name="@b" args='{"n":2}'></tool_call>`,
        [made('@a', { n: 1 }), made('@b', { n: 2 })],
      ],
      [
        'arguments between the tags',
        '<tool_call name="@x">{"a":1}</tool_call>',
        [made('@x', { a: 1 })],
      ],
      [
        'the form of Hermes',
        '<tool_call>{"name":"find","arguments":{"a":1}}</tool_call>',
        [made('find', { a: 1 })],
      ],
      [
        'an apostrophe in single quotes',
        `<tool_call name="@x" args='{"a":"moss's"}' />`,
        [made('@x', { a: "moss's" })],
      ],
      [
        'a name inside the arguments',
        `<tool_call args='{"a":"name=other"}' name="@x"/>`,
        [made('@x', { a: 'name=other' })],
      ],
      [
        'escapes of JSON',
        `<tool_call name="@x" args='{"a":"D:\\\\moss\\n"}' />`,
        [made('@x', { a: 'D:\\moss\n' })],
      ],
      [
        'entities',
        '<tool_call name="@x" args="{&quot;a&quot;:&quot;b &amp; c&quot;}" />',
        [made('@x', { a: 'b & c' })],
      ],
      ['an example in inline code', 'Write `<tool_call name="@x" args="{}" />` for it.', []],
      ['an example in a code block', '```\nLike this:\n<tool_call name="@x" args="{}" />\n```', []],
      [
        'a letter that grows in lower case',
        `İİİ <tool name="@x" args='{"a":"İ"}' /> İ`,
        [made('@x', { a: 'İ' })],
      ],
    ]

    test.for(rows)('%s', ([, text, calls]) => {
      expect(callsIn(text, preset)).toEqual(calls)
    })

    test.for([
      'a [toolbox: saw] is no call',
      'read the [tool manual] first',
      'an empty [tool: ] name',
      'nothing at all',
      '<toolbox name="@x" args=\'{}\' /> <tools> </tools> <tool_caller name="@x" args=\'{}\' />',
      'see the <toolbox> chapter',
    ])('text stays text: %s', (text) => {
      expect(extract(text, preset)).toMatchObject({ calls: [], text })
    })

    test('the shim reads what its prompt asks for', () => {
      const text = '```json\n{"tool_call": "find", "args": {"term": "moss"}}\n```'
      expect(callsIn(text, preset)).toEqual([made('find', { term: 'moss' })])
      expect(callsIn(text, { tools: ['find'] })).toEqual([made('find', { term: 'moss' })])
      const { calls } = extract(`${text}\n${text}`, { tools: ['find'] })
      expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
    })

    test('the markup is taken out of the text and nothing else', () => {
      const text = `One <tool name="@x" args='{}'/> two <tool name="@x" args='{}'></tool> three <tool_call name="@x" args='{}'></tool_call> four.`
      expect(extract(text, preset).text).toBe('One  two  three  four.')
    })

    test('with tools, the sign before a name does not matter', () => {
      expect(namesIn('[tool: @find {"term":"moss"}]', { tools: ['find'] })).toEqual(['find'])
      expect(namesIn('<tool name="@Find" args="{}" />', { tools: ['find'] })).toEqual(['find'])
    })
  })

  describe('work for other agents', () => {
    test('what stands between the tags belongs to the task', () => {
      const text =
        '<agent_call agent="gardener" task="Weed the beds">\nAlso:\n- water the moss\n</agent_call>'
      expect(callsIn(text, preset)).toEqual([
        made('agent_call', { agent: 'gardener', task: 'Weed the beds\nAlso:\n- water the moss' }),
      ])
    })

    test('what lacks an agent or a task is reported and not made', () => {
      const text =
        '<agent_call agent="gardener" />\nand\n<agent_call task="weed" />\n<agent_call agent="gardener" task="weed" />'
      for (const options of [preset, {}]) {
        expect(callsIn(text, options)).toEqual([
          made('agent_call', { agent: 'gardener', task: 'weed' }),
        ])
        expect(issuesIn(text, options)).toEqual(['missing-argument', 'missing-argument'])
      }
    })
  })

  describe('arguments', () => {
    const rows: readonly Row<string, JsonObject>[] = [
      ['nothing', '', {}],
      ['single quotes', "{'cmd':'dig','spot':'bed 1'}", { cmd: 'dig', spot: 'bed 1' }],
      [
        'single quotes, nested',
        "{'cmd':'dig','args':{'spot':1}}",
        { cmd: 'dig', args: { spot: 1 } },
      ],
      ['both kinds of quotes', '{\'cmd\':"dig",\'spot\':"bed"}', { cmd: 'dig', spot: 'bed' }],
      ['double quotes inside single ones', "{'say':'call it \"moss\"'}", { say: 'call it "moss"' }],
      ['bare keys', '{cmd: "dig", spot: "bed"}', { cmd: 'dig', spot: 'bed' }],
      ['bare keys and values', '{cmd: dig, spot: bed.one}', { cmd: 'dig', spot: 'bed.one' }],
      ['bare words and truth values', '{deep: true, term: MOSS}', { deep: true, term: 'MOSS' }],
      ['a comma too many', '{"cmd":"dig","spot":"bed",}', { cmd: 'dig', spot: 'bed' }],
    ]

    test.for(rows)('%s', ([, text, args]) => {
      expect(parseArguments(text).arguments).toEqual(args)
    })

    test('a plain text goes to the field the tool has for it', () => {
      const one = { type: 'object', properties: { spot: { type: 'string' } }, required: ['spot'] }
      expect(parseArguments('bed one', one).arguments).toEqual({ spot: 'bed one' })
      expect(parseArguments('dig -d 3, then rest', one).arguments).toEqual({
        spot: 'dig -d 3, then rest',
      })
      expect(parseArguments('{"spot": "bed"}', one).arguments).toEqual({ spot: 'bed' })
      expect(parseArguments('bed one').arguments).toEqual({ arg0: 'bed one' })
    })

    const escapes: readonly Row<string, JsonObject>[] = [
      [
        'a path of Windows',
        '{"f":"D:\\Users\\garden\\moss.txt"}',
        { f: 'D:\\Users\\garden\\moss.txt' },
      ],
      [
        'a path beside a text with a line break',
        '{"text":"one\\ntwo","f":"D:\\Users\\x"}',
        { text: 'one\ntwo', f: 'D:\\Users\\x' },
      ],
      ['a character by its number', '{"s":"\\u004d"}', { s: 'M' }],
      ['a path that looks like a number of a character', '{"s":"D:\\users"}', { s: 'D:\\users' }],
    ]

    test.for(escapes)('backslashes: %s', ([, text, value]) => {
      expect(repairJson(text).value).toEqual(value)
    })
  })

  describe('responses', () => {
    const response = (args: string) => ({
      choices: [
        {
          message: {
            role: 'assistant',
            content: 'On it.',
            tool_calls: [
              { id: 'g1', type: 'function', function: { name: 'dig', arguments: args } },
            ],
          },
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 20, completion_tokens: 8, total_tokens: 28 },
    })

    test('text, calls, the reason it stopped and the tokens are read', () => {
      const decoded = decodeResponse(response('{"spot": "bed"}'), 'openai')
      expect(decoded).toMatchObject({
        message: { content: 'On it.', toolCalls: [{ id: 'g1', ...made('dig', { spot: 'bed' }) }] },
        finishReason: 'tool-calls',
        stopReason: 'tool_calls',
        usage: { inputTokens: 20, outputTokens: 8, totalTokens: 28 },
      })
    })

    test('arguments that are no JSON were handed on as they are', () => {
      expect(callsIn(response('dig it'), preset)).toEqual([made('dig', { raw: 'dig it' })])
    })

    test('by default they are reported and nothing is made of them', () => {
      expect(callsIn(response('dig it'))).toEqual([])
      expect(issuesIn(response('dig it'))).toEqual(['invalid-json'])
    })

    test('empty arguments are no broken ones', () => {
      expect(callsIn(response(''), preset)).toEqual([made('dig')])
    })

    test.for([['no JSON'], [{ choices: [] }], [null]])('%j is no response', ([body]) => {
      expect(decodeResponse(body, 'openai').error).toBeDefined()
    })

    test('the texts of Claude are joined by line breaks', () => {
      const content = [
        { type: 'text', text: 'One.' },
        { type: 'text', text: 'Two.' },
        { type: 'tool_use', id: 'u1', name: 'dig', input: {} },
      ]
      const body = {
        content,
        stop_reason: 'tool_use',
        usage: { input_tokens: 5, output_tokens: 2 },
      }
      expect(decodeResponse(body, 'anthropic')).toMatchObject({
        message: { content: 'One.\nTwo.', toolCalls: [made('dig')] },
        finishReason: 'tool-calls',
        usage: { totalTokens: 7 },
      })
    })
  })

  describe('results', () => {
    const openai: readonly Row<
      { content: string; isError?: boolean; errorCode?: string },
      string
    >[] = [
      ['a success is its text', { content: 'dug' }, 'dug'],
      [
        'an error shows its code',
        { content: 'no spade', isError: true, errorCode: 'ENOENT' },
        '[ERROR:ENOENT] no spade',
      ],
      [
        'an error without a code is marked',
        { content: 'it broke', isError: true },
        '[ERROR] it broke',
      ],
      [
        'an error without a text is marked',
        { content: '', isError: true, errorCode: 'Timeout' },
        '[ERROR:Timeout] ',
      ],
      [
        'a code without an error means nothing',
        { content: 'dug', isError: false, errorCode: 'ENOENT' },
        'dug',
      ],
    ]

    test.for(openai)('for OpenAI, %s', ([, result, content]) => {
      expect(formatToolResult({ id: 'g1', name: 'dig', ...result }, 'openai')).toEqual({
        role: 'tool',
        tool_call_id: 'g1',
        content,
      })
    })

    const anthropic: readonly Row<
      { content: string; isError?: boolean; errorCode?: string },
      object
    >[] = [
      ['a success has no flag', { content: 'dug' }, { content: 'dug' }],
      [
        'an error has a flag and its code',
        { content: 'no spade', isError: true, errorCode: 'ENOENT' },
        { is_error: true, content: '[ERROR:ENOENT] no spade' },
      ],
      [
        'an error without a code has only the flag',
        { content: 'it broke', isError: true },
        { is_error: true, content: 'it broke' },
      ],
    ]

    test.for(anthropic)('for Claude, %s', ([, result, fields]) => {
      expect(formatToolResult({ id: 'u1', name: 'dig', ...result }, 'anthropic')).toEqual({
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'u1', ...fields }],
      })
    })

    test('for Claude, the results of a turn are one message', () => {
      const results = ['u1', 'u2'].map((id) => ({ id, name: 'dig', content: 'dug' }))
      expect(formatToolResults(results, 'anthropic')).toHaveLength(1)
      expect(formatToolResults(results, 'openai')).toHaveLength(2)
    })

    const codes: readonly Row<unknown, string>[] = [
      ['no error', null, ''],
      ['a cancelled request', new DOMException('stop', 'AbortError'), 'Canceled'],
      ['a request that took too long', new DOMException('late', 'TimeoutError'), 'Timeout'],
      ['a cancelled context', new Error('context canceled'), 'Canceled'],
      ['a context past its deadline', new Error('context deadline exceeded'), 'Timeout'],
      ['a missing file', Object.assign(new Error('open'), { code: 'ENOENT' }), 'ENOENT'],
      ['a forbidden file', Object.assign(new Error('open'), { code: 'EACCES' }), 'EACCES'],
      [
        'what only the owner may do',
        Object.assign(new Error('chown'), { code: 'EPERM' }),
        'EACCES',
      ],
      [
        'a folder in place of a file',
        Object.assign(new Error('read'), { code: 'EISDIR' }),
        'EISDIR',
      ],
      ['a file that is there', Object.assign(new Error('mkdir'), { code: 'EEXIST' }), 'EEXIST'],
      [
        'a refused connection',
        Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
        'ECONNREFUSED',
      ],
      [
        'a wrapped error',
        new Error('failed', { cause: Object.assign(new Error('x'), { code: 'ENOSPC' }) }),
        'ENOSPC',
      ],
      [
        'a host nobody knows',
        Object.assign(new Error('lookup'), { code: 'ENOTFOUND' }),
        'DNSError',
      ],
      ['a network error', new Error('dial tcp 192.0.2.7:80: reset'), 'NetworkError'],
      [
        'a network that took too long',
        new Error('dial tcp 192.0.2.7:80: i/o timeout'),
        'NetworkTimeout',
      ],
      ['a process that failed', new Error('exit status 3'), 'ExitCode:3'],
      ['a first word', new Error('toml: line 2: key expected'), 'TomlError'],
      ['a first word with digits', new Error('b64: bad padding'), 'B64Error'],
      [
        'a first word that is cut',
        new Error(`${'z'.repeat(40)} happened`),
        `Z${'z'.repeat(23)}Error`,
      ],
      ['no word at all', new Error(': what'), 'UnknownError'],
      [
        "a code of one's own",
        Object.assign(new Error('x'), { errorCode: 'GardenError:NoSpade' }),
        'GardenError:NoSpade',
      ],
    ]

    test.for(codes)('the code of %s', ([, error, code]) => {
      expect(errorCodeOf(error)).toBe(code)
    })

    test('arguments that break a schema have a code of their own', () => {
      const error = Object.assign(new Error('bad'), { issues: [{ message: 'spot is missing' }] })
      expect(errorCodeOf(error)).toBe('InvalidArgs')
    })
  })
})

// ── AI-Gents ────────────────────────────────────────────────────────────────────────────────────

describe('AI-Gents', () => {
  const parameters = {
    type: 'object',
    properties: { port: { type: 'string' } },
    required: ['port'],
  }
  const tool = {
    type: 'function',
    function: { name: 'get_tide', description: 'Tide of a port', parameters },
  }
  const args = '{"port":  "Brest"}'
  const call = { id: 't1', type: 'function', function: { name: 'get_tide', arguments: args } }

  describe('tools', () => {
    test.for(['openai', 'openrouter', 'ollama'])('for %s they stay as they are', (provider) => {
      expect(formatTools([tool], provider)).toEqual([tool])
    })

    test('for Claude the schema has another name', () => {
      expect(formatTools([tool], 'anthropic')).toEqual([
        { name: 'get_tide', description: 'Tide of a port', input_schema: parameters },
      ])
    })
  })

  describe('calls', () => {
    test.for(['openai', 'openrouter'])('of %s keep their text byte for byte', (provider) => {
      const response = {
        choices: [{ message: { role: 'assistant', content: null, tool_calls: [call] } }],
      }
      expect(parseToolCalls(response, provider)).toEqual([
        { id: 't1', name: 'get_tide', arguments: args },
      ])
    })

    test('of Claude become compact text', () => {
      const content = [
        { type: 'text', text: 'Let me see.' },
        { type: 'tool_use', id: 'u1', name: 'get_tide', input: { port: 'Brest' } },
        { type: 'tool_use', id: 'u2', name: 'now', input: {} },
      ]
      expect(parseToolCalls({ content }, 'anthropic')).toEqual([
        { id: 'u1', name: 'get_tide', arguments: '{"port":"Brest"}' },
        { id: 'u2', name: 'now', arguments: '{}' },
      ])
    })

    test('of Ollama become compact text and get ids of their own', () => {
      const tool_calls = [1, 2].map((day) => ({
        function: { name: 'get_tide', arguments: { day } },
      }))
      const calls = parseToolCalls(
        { message: { role: 'assistant', content: '', tool_calls } },
        'ollama',
      )
      expect(calls).toMatchObject([
        { name: 'get_tide', arguments: '{"day":1}' },
        { name: 'get_tide', arguments: '{"day":2}' },
      ])
      expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
    })

    test('of OpenAI are text even where the server sent an object', () => {
      const tool_calls = [{ id: 't1', function: { name: 'get_tide', arguments: { day: 1 } } }]
      const response = { choices: [{ message: { tool_calls } }] }
      expect(parseToolCalls(response, 'openai')).toEqual([
        { id: 't1', name: 'get_tide', arguments: '{"day":1}' },
      ])
    })

    const none: readonly Row<unknown, string>[] = [
      ['a message with text alone', { choices: [{ message: { content: 'hi' } }] }, 'openai'],
      ['a response without choices', { choices: [] }, 'openai'],
      ['blocks of text', { content: [{ type: 'text', text: 'hi' }] }, 'anthropic'],
      ['a message of Ollama', { message: { content: 'hi' } }, 'ollama'],
    ]

    test.for(none)('there are none in %s', ([, response, provider]) => {
      expect(parseToolCalls(response, provider)).toEqual([])
    })

    test('only native ones count', () => {
      const preset = { preset: 'ai-gents' } as const
      const text = '~~~tool_call\n{"name": "get_tide", "arguments": {}}\n~~~'
      expect(extract(text, preset)).toMatchObject({ calls: [], text })
      expect(namesIn({ choices: [{ message: { tool_calls: [call] } }] }, preset)).toEqual([
        'get_tide',
      ])
    })
  })

  describe('results', () => {
    const content = '3 m "low"'
    const rows: readonly Row<string, object>[] = [
      ['OpenAI wants the id', 'openai', { role: 'tool', tool_call_id: 't1', content }],
      ['OpenRouter wants the id', 'openrouter', { role: 'tool', tool_call_id: 't1', content }],
      ['Ollama wants the name', 'ollama', { role: 'tool', tool_name: 'get_tide', content }],
      [
        'Claude wants a block in a message of the user',
        'anthropic',
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content }] },
      ],
    ]

    test.for(rows)('%s', ([, provider, message]) => {
      expect(formatToolResult({ id: 't1', name: 'get_tide', content }, provider)).toEqual(message)
    })
  })

  describe('the assistant message', () => {
    test('of OpenAI goes back as it came', () => {
      const message = { role: 'assistant', content: null, tool_calls: [call] }
      expect(formatAssistantMessage({ choices: [{ message }] }, 'openai')).toEqual(message)
    })

    const reply = {
      content: [
        { type: 'text', text: 'Let me ' },
        { type: 'text', text: 'see.' },
        { type: 'tool_use', id: 'u1', name: 'get_tide', input: { port: 'Brest' } },
      ],
    }

    test('of Claude goes back in the form of OpenAI', () => {
      expect(formatAssistantMessage(reply, 'anthropic')).toEqual({
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [
          {
            id: 'u1',
            type: 'function',
            function: { name: 'get_tide', arguments: '{"port":"Brest"}' },
          },
        ],
      })
    })

    test('of Claude goes back in its own form when asked for', () => {
      expect(formatAssistantMessage(reply, 'anthropic', { shape: 'native' })).toEqual({
        role: 'assistant',
        content: reply.content,
      })
    })
  })
})

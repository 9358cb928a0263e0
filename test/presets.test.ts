/** Presets are literal: what each system reads, and what it refuses, in whole replies and in streams. */
import { describe, expect, test } from 'vitest'
import {
  createExtractor,
  type ExtractOptions,
  extract,
  extractStream,
  PRESET_NAMES,
  type PresetName,
} from '../src/index.ts'
import { chunksOf } from '../src/testing/index.ts'

const block = (body: string): string => `~~~tool_call\n${body}\n~~~`
const CALL = '{"name": "knock", "arguments": {"door": 3}}'
const KNOCK = ['knock', { door: 3 }] as const

const native = (args: unknown, more: object = {}) => ({
  id: 'k1',
  type: 'function',
  function: { name: 'knock', arguments: args },
  ...more,
})

function callsIn(reply: unknown, options: ExtractOptions): (readonly [string, object])[] {
  return extract(reply, options).calls.map(({ name, arguments: args }) => [name, args] as const)
}

const GENERATIONS = ['exathena-0.4', 'exathena-0.4.6', 'exathena'] as const
const OLD = ['exathena-0.4', 'exathena-0.4.6'] as const

const ALMOST_JSON = [
  '{"name": "knock", "arguments": {"door": 3,}}',
  "{'name': 'knock', 'arguments': {}}",
  '{name: "knock", "arguments": {}}',
  '{"name": "knock", "arguments": {"door": 3}',
  '{"name": "knock", "arguments": ',
  '{"name": "knock", "arguments": {"door": 3}} and more',
  '{"name": "knock", "arguments": {"door": True}}',
  '{"name": "knock", "arguments": "{\'door\': 3}"}',
  '{"name": "knock", /* twice */ "arguments": {}}',
]

describe('blocks of the ExAthena presets', () => {
  test.for(ALMOST_JSON)('%s is not repaired', (body) => {
    for (const preset of GENERATIONS) {
      const { calls, error } = extract(`${block(CALL)}\n${block(body)}`, { preset })
      expect(calls, preset).toEqual([])
      expect(error, preset).toBeDefined()
    }
  })

  test.for(['{"tool": "knock", "arguments": {}}', '{"function": {"name": "knock"}}', '[]', '5'])(
    '%s has no name',
    (body) => {
      for (const preset of GENERATIONS) {
        expect(extract(block(body), { preset }).error?.code, preset).toBe('missing-name')
      }
    },
  )

  test('the closing fence needs a line of its own', () => {
    const text = `~~~tool_call\n${CALL} ~~~\nmore`
    for (const preset of GENERATIONS) {
      const { calls, issues, error } = extract(text, { preset })
      expect(calls).toEqual([])
      expect(issues.map(({ code }) => code)).toEqual(['unclosed-call'])
      expect(error).toBeUndefined()
    }
    expect(extract(`${text}\n~~~`, { preset: 'exathena-0.4' }).error?.code).toBe('invalid-json')
  })

  test('a block that is not closed is no call, and leaves the others alone', () => {
    const text = `${block(CALL)}\n~~~tool_call\n{"name": "enter", "arguments": {}}`
    for (const preset of GENERATIONS) {
      expect(callsIn(text, { preset })).toEqual([KNOCK])
      expect(extract(text, { preset }).issues).toMatchObject([{ code: 'unclosed-call' }])
    }
  })

  test('a block on one line is none, and does not hide the next', () => {
    const text = `~~~tool_call {"name": "enter", "arguments": {}} ~~~\n${block(CALL)}`
    for (const preset of GENERATIONS) expect(callsIn(text, { preset })).toEqual([KNOCK])
    const alone = '~~~tool_call {"name": "enter", "arguments": {}} ~~~'
    expect(extract(alone, { preset: 'exathena-0.4' })).toMatchObject({ calls: [], text: alone })
  })

  test('equal calls and equal ids are kept', () => {
    const one = block('{"id": "mine", "name": "knock", "arguments": {}}')
    for (const preset of GENERATIONS) {
      const { calls, issues } = extract(`${one}\n${one}`, { preset })
      expect(calls.map(({ id }) => id)).toEqual(['mine', 'mine'])
      expect(issues).toEqual([])
    }
  })

  test('an option of the caller goes before the preset', () => {
    const text = block(ALMOST_JSON[0] ?? '')
    expect(callsIn(text, { preset: 'exathena-0.4', repair: 'guess' })).toEqual([KNOCK])
    const hermes = `<tool_call>${CALL}</tool_call>`
    expect(callsIn(hermes, { preset: 'exathena-0.4.6', protocols: ['hermes'] })).toEqual([KNOCK])
  })
})

describe('native calls of the ExAthena presets', () => {
  test.for(['{"door": 3,}', "{'door': 3}", '{door: 3}', '{"door": 3', '{"door": 3} {}'])(
    'at first %s voided all',
    (args) => {
      for (const preset of OLD) {
        const { calls, error } = extract([native('{}'), native(args)], { preset })
        expect(calls, preset).toEqual([])
        expect(error, preset).toBeDefined()
      }
    },
  )

  test('later a comma too many is dropped, and nothing else is repaired', () => {
    const preset = 'exathena'
    expect(callsIn([native('{"door": [3,],}')], { preset })).toEqual([['knock', { door: [3] }]])
    for (const args of ["{'door': 3}", '{door: 3}', '{"door": 3', '{"door": 3} {}']) {
      expect(callsIn([native(args)], { preset })).toEqual([['knock', { __invalid_json__: args }]])
    }
  })

  test.for([
    ['{"door": 3}', { door: 3 }],
    [{ door: 3 }, { door: 3 }],
    ['', {}],
    ['  ', {}],
    [null, {}],
    [undefined, {}],
  ] as const)('%j passes', ([args, read]) => {
    for (const preset of PRESET_NAMES) {
      expect(callsIn([native(args)], { preset }), preset).toEqual([['knock', read]])
    }
  })

  test('at first repeated ids were kept', () => {
    for (const preset of OLD) {
      const { calls } = extract([native('{}'), native('{}')], { preset })
      expect(calls.map(({ id }) => id)).toEqual(['k1', 'k1'])
    }
  })
})

describe('tiers', () => {
  const preset = 'exathena-0.4.6'
  const json = '{"name": "enter", "arguments": {}}'
  const notNative = { nativeToolCalls: false }

  test('a fence shuts out bare JSON, before it and after it', () => {
    for (const capabilities of [{}, notNative]) {
      for (const preset of ['exathena-0.4.6', 'exathena'] as const) {
        const options = { preset, capabilities }
        expect(callsIn(`${json}\n${block(CALL)}`, options)).toEqual([KNOCK])
        expect(callsIn(`Here: ${json}\n${block(CALL)}\n${json}`, options)).toEqual([KNOCK])
      }
    }
  })

  test('a fence shuts out tags, and tags shut out bare JSON', () => {
    const tag = '<tool_call>{"name": "leave", "arguments": {}}</tool_call>'
    for (const capabilities of [{}, notNative]) {
      const options = { preset: 'exathena', capabilities } as const
      expect(callsIn(`${tag}\n${block(CALL)}`, options)).toEqual([KNOCK])
      expect(callsIn(`${json}\n${tag}`, options)).toEqual([['leave', {}]])
    }
  })

  test('a block on one line is no fence: its JSON is a bare call', () => {
    const text = `~~~tool_call ${json} ~~~`
    for (const capabilities of [{}, { nativeToolCalls: true }, notNative]) {
      expect(callsIn(text, { preset, capabilities })).toEqual([['enter', {}]])
    }
  })

  test('a fence that is no block decides, unless the provider has no native calls', () => {
    for (const text of [`~~~tool_call\n${json} ~~~\nmore`, `~~~tool_call\n~~~\n${json}`]) {
      expect(callsIn(text, { preset })).toEqual([])
      expect(callsIn(text, { preset, capabilities: { nativeToolCalls: true } })).toEqual([])
      expect(callsIn(text, { preset, capabilities: notNative })).toEqual([['enter', {}]])
    }
  })

  test('a malformed block decides as well', () => {
    const result = extract(`${json}\n${block('nope')}`, { preset, capabilities: notNative })
    expect(result.calls).toEqual([])
    expect(result.error?.code).toBe('invalid-json')
  })

  test.for([
    '{"name": "enter", "parameters": {}}',
    '{"name": "enter"}',
    '{"tool": "enter", "arguments": {}}',
    '{"name": "", "arguments": {}}',
    '{"name": "enter", "arguments": 5}',
    '{"name": "enter", "arguments": [1]}',
    '{"name": "enter", "arguments": "soon"}',
    "{'name': 'enter', 'arguments': {}}",
    '{"name": "enter", "arguments": {"x": 1,}}',
    '{"name": "enter", "arguments": {',
  ])('%s is no bare call, and no error', (text) => {
    for (const preset of ['exathena-0.4.6', 'exathena'] as const) {
      const { calls, error } = extract(text, { preset })
      expect(calls, preset).toEqual([])
      expect(error, preset).toBeUndefined()
    }
  })

  test('bare JSON was a call anywhere', () => {
    for (const text of [`I use ${json} now.`, `So:\n\`\`\`json\n${json}\n\`\`\`\nDone.`]) {
      expect(callsIn(text, { preset }), text).toEqual([['enter', {}]])
    }
    expect(callsIn(`{"tool_calls": [${json}, ${CALL}]}`, { preset })).toEqual([
      ['enter', {}],
      KNOCK,
    ])
  })

  test('later a message had to begin with it', () => {
    const preset = 'exathena'
    expect(callsIn(`${json}\nThat is all.`, { preset })).toEqual([['enter', {}]])
    expect(callsIn(`<think>Well.</think>\n${json}`, { preset })).toEqual([['enter', {}]])
    expect(callsIn(`Well. ${json}`, { preset })).toEqual([])
    expect(callsIn(`Well.\n\n${json}`, { preset })).toEqual([])
  })

  test('tags are read strictly: what is no JSON stays text', () => {
    const preset = 'exathena'
    const bad = "<tool_call>{'name': 'enter'}</tool_call>"
    const { calls, text } = extract(`${bad}<tool_call>${CALL}</tool_call>`, { preset })
    expect(calls).toMatchObject([{ name: 'knock' }])
    expect(text).toBe(bad)
    expect(
      callsIn('<tool_call>{"name": "enter", "arguments": [1]}</tool_call>', { preset }),
    ).toEqual([['enter', { __invalid_json__: expect.any(String) }]])
    const twice = `<tool_call>${CALL}</tool_call>`.repeat(2)
    expect(callsIn(twice, { preset })).toEqual([KNOCK])
  })

  test('brackets are read only where nothing else is a call', () => {
    const preset = 'chatcli'
    const bracket = '[tool: @enter {"door": 1}]'
    expect(callsIn(bracket, { preset })).toEqual([['@enter', { door: 1 }]])
    const tag = `<tool_call name="@knock" args='{"door": 3}' />`
    for (const text of [`${bracket}\n${tag}`, `${tag}\n${bracket}`]) {
      expect(callsIn(text, { preset })).toEqual([['@knock', { door: 3 }]])
    }
  })
})

describe('go-agentic', () => {
  const preset = 'go-agentic'

  test.for([
    ['an id that is no text', { id: 5 }],
    ['no function', { function: undefined, name: 'knock', arguments: '{}' }],
    ['a name that is no text', { function: { name: 5, arguments: '{}' } }],
    ['arguments that are almost JSON', { function: { name: 'knock', arguments: '{"door": 3,}' } }],
    ['arguments in single quotes', { function: { name: 'knock', arguments: "{'door': 3}" } }],
  ] as const)('a native call with %s is skipped', ([, more]) => {
    const { calls, issues } = extract([native('{}', more), native('{"door": 3}')], { preset })
    expect(calls).toMatchObject([{ id: 'k1', name: 'knock', arguments: { door: 3 } }])
    expect(issues).toEqual([])
  })

  test('equal native calls are kept, equal calls in text are not', () => {
    expect(extract([native('{}'), native('{}')], { preset }).calls).toHaveLength(2)
    expect(extract('knock()\nknock()', { preset }).calls.map(({ id }) => id)).toEqual(['knock_0'])
  })

  test.for([
    ['knock({door: 3})', { door: 3 }],
    ['knock({"door": 3})', { door: 3 }],
    ['knock(door=3, loud=true)', { door: 3, loud: true }],
    ['knock(front, 3)', { arg0: 'front', arg1: '3' }],
    ['knock("door": 3)', { door: 3 }],
    ['knock()', {}],
  ] as const)('%s', ([text, args]) => {
    expect(extract(text, { preset }).calls).toMatchObject([{ id: 'knock_0', arguments: args }])
  })
})

test('native arguments that are no JSON are not repaired for chatcli', () => {
  const args = '{"door": 3,}'
  expect(callsIn([native(args)], { preset: 'chatcli' })).toEqual([['knock', { raw: args }]])
})

describe('streams', () => {
  const texts = [
    `Here: {"name":"a","arguments":{}}\n${block(CALL)}\nbye`,
    `I use {"name":"a","arguments":{}} now.`,
    `<think>Hm.</think>Let me.\n<tool_call>${CALL}</tool_call>\nDone.`,
    `{"name":"a","arguments":{}}\nThen.`,
    `~~~tool_call {"name":"a","arguments":{}} ~~~\nThen.`,
    `~~~tool_call\n${CALL} ~~~\nmore`,
    `a\n~~~tool_result\n{"x": 1}\n~~~\nb {"name":"a","arguments":{}}`,
    `[tool: @enter {"door": 1}]\n<tool_call name="@knock" args='{}' />`,
    'Just words, nothing more.',
    '',
  ]

  test.for(PRESET_NAMES)('%s reads a stream like the whole', (preset) => {
    for (const nativeToolCalls of [true, false]) {
      const options = {
        preset,
        capabilities: { nativeToolCalls },
        ids: ({ index }: { index: number }) => `c${index}`,
      }
      for (const text of texts) {
        const whole = extract(text, options)
        for (const chunks of [1, 2, 7, 1000].map((size) => chunksOf(text, size))) {
          const extractor = createExtractor(options)
          const events = [...chunks.flatMap((chunk) => extractor.push(chunk)), ...extractor.end()]
          expect(extractor.result()).toEqual(whole)
          const ended = events.flatMap((event) => (event.type === 'call-end' ? [event.call] : []))
          expect(ended).toEqual(whole.error ? expect.anything() : whole.calls)
          const told = events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []))
          expect(told.join('')).toBe(whole.text)
        }
      }
    }
  })

  test('text goes out as long as every tier takes it for text', () => {
    const extractor = createExtractor({ preset: 'exathena' })
    expect(extractor.push('Let me look. ')).toEqual([{ type: 'text-delta', text: 'Let me look. ' }])
    const held = extractor.push(`<tool_call>${CALL}</tool_call> and then`)
    expect(held.every(({ type }) => type === 'text-delta')).toBe(true)
    expect(extractor.end().map(({ type }) => type)).toContain('call-end')
  })

  test('a fence decides at once', () => {
    const extractor = createExtractor({ preset: 'exathena-0.4.6' })
    const events = extractor.push(`${block(CALL)}\n`)
    expect(events.map(({ type }) => type)).toContain('call-end')
  })

  test('extractStream reads tiers as well', async () => {
    async function* chunks() {
      yield 'Here: {"name":"a","argu'
      yield `ments":{}}\n${block(CALL)}`
    }
    const { calls } = await extractStream(chunks(), { preset: 'exathena-0.4.6' }).result
    expect(calls).toMatchObject([{ name: 'knock' }])
  })

  test('usedIds may be read only once', () => {
    const usedIds = new Set(['mine']).values()
    const text = '{"id": "mine", "name": "enter", "arguments": {}}'
    const options = { preset: 'exathena-0.4.6', usedIds, ensureUniqueIds: true } as const
    expect(extract(text, options).calls[0]?.originalId).toBe('mine')
  })
})

test('no preset takes a call from a reply of a provider that runs its tools itself', () => {
  for (const preset of PRESET_NAMES satisfies readonly PresetName[]) {
    const options = { preset, capabilities: { selfContainedTools: true } }
    expect(extract(block(CALL), options)).toMatchObject({ calls: [], text: block(CALL) })
  }
})

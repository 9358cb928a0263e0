/** No call is made up: arguments that were begun and lost are an issue, never `{}`. */
import { describe, expect, test } from 'vitest'
import type { Protocol } from '../src/core/protocol.ts'
import { createExtractor, type Extraction, extract } from '../src/index.ts'
import { allProtocols } from '../src/protocols/registry.ts'

/** Nothing is required, so that no missing argument protects the tool. */
const tools = [
  {
    name: 'purge',
    inputSchema: {
      type: 'object',
      properties: { filter: { type: 'string' }, days: { type: 'integer' } },
    },
  },
] as const

const VALUE = 'Oslo'

/** Where the arguments of a written call begin, where their value ends, and where closers may begin. */
function partsOf({ formatCall }: Protocol) {
  const text = formatCall({ name: 'purge', arguments: { filter: VALUE } })
  const empty = formatCall({ name: 'purge', arguments: {} })
  const object = text.indexOf('{"filter"')
  let begin = object
  // A tag is begun with its first letter: `<` may as well close the call.
  if (object === -1) begin = firstDifference(text, empty) + 1
  const end = text.indexOf(VALUE, begin) + VALUE.length
  const closers = [...text.slice(end).matchAll(/[<\n}\])~`[]|$/g)].map(({ index }) => end + index)
  return { text, empty, begin, end, closers }
}

function firstDifference(one: string, other: string): number {
  return Array.from(one).findIndex((_, at) => one.charAt(at) !== other.charAt(at))
}

/** The call with its arguments cut off at each place, and each part of its end behind them. */
function* damagedCalls(protocol: Protocol): Generator<string> {
  const { text, empty, begin, end, closers } = partsOf(protocol)
  for (let cut = begin + 1; cut < end; cut++) {
    for (const closer of closers) {
      const damaged = text.slice(0, cut) + text.slice(closer)
      if (!isEmptyCall(damaged, empty)) yield damaged
    }
  }
}

/** What is left may be a call without arguments, written as such: `{}`, `()`. */
function isEmptyCall(damaged: string, empty: string): boolean {
  const bare = damaged.replace(/\s+/g, '')
  return bare === empty.replace(/\s+/g, '') || /\{\}|\(\)/.test(bare)
}

function emptyCalls({ calls }: Extraction): readonly unknown[] {
  return calls.filter(({ arguments: args, repairs = [] }) => {
    const isFilled = repairs.some(({ code }) => code === 'added-null')
    return Object.values(args).every((value) => isFilled && value === null)
  })
}

describe('arguments that were begun and lost are never {}', () => {
  test.for(allProtocols)('$id', (protocol) => {
    let count = 0
    for (const text of damagedCalls(protocol)) {
      count++
      for (const options of [{ tools }, { tools, protocols: [protocol] }]) {
        expect(emptyCalls(extract(text, options)), text).toEqual([])
      }
    }
    expect(count).toBeGreaterThan(5)
  })
})

describe('the value of the arguments alone is lost', () => {
  const written = allProtocols.filter((protocol) => {
    const { text } = partsOf(protocol)
    return /"(?:arguments|parameters|args)":\{/.test(text)
  })

  test.for(written)('$id', (protocol) => {
    const { text } = partsOf(protocol)
    const whole = `{"filter":"${VALUE}"}`
    const lost = ['', ' ', '{', '...', '{...}', '{"filter"', '{"filter":', '{"filter": }', '"{']
    for (const value of lost) {
      const damaged = [text.replace(whole, value), text.replace(`${whole}}`, value)]
      for (const one of damaged.filter((it) => !/\{\}/.test(it))) {
        expect(emptyCalls(extract(one, { tools })), one).toEqual([])
        expect(emptyCalls(extract(one, { tools, protocols: [protocol] })), one).toEqual([])
      }
    }
  })

  test.for([
    '<tool_call>{"name": "purge", "arguments": </tool_call>',
    '<tool_call>{"name": "purge", "arguments": {</tool_call>',
    '<tool_call>{"name": "purge", "arguments": {...}}</tool_call>',
    '~~~tool_call\n{"name": "purge", "arguments": \n~~~',
    '<tool_call>\n<function=purge>\nfilter: Oslo\n</function>\n</tool_call>',
    '<tool_call>purge\n<arg_key>filter\n</tool_call>',
    '<|tool_call_start|>[purge(<|tool_call_end|>',
    '<tool_call name="purge" args="{&#34;filter}" />',
  ])('%s is an issue, whatever the chunks', (text) => {
    const whole = extract(text, { tools })
    expect(whole.calls).toEqual([])
    expect(whole.issues).toMatchObject([{ name: 'purge', span: [0, expect.any(Number)] }])
    expect(['invalid-arguments', 'truncated-call']).toContain(whole.issues[0]?.code)
    const extractor = createExtractor({ tools, ids: () => whole.issues[0]?.callId ?? '' })
    for (const character of text) extractor.push(character)
    extractor.end()
    expect(extractor.result()).toEqual(whole)
  })
})

/** One text is enough for the tool; what lost its beginning is not that text. */
describe('damaged arguments are not the text of a tool that takes one', () => {
  const inputSchema = {
    type: 'object',
    properties: { city: { type: 'string' }, hours: { type: 'array' } },
    required: ['city'],
  }
  const weather = { tools: [{ name: 'get_weather', inputSchema }] }

  test.for([
    '<|start|>assistant<|channel|>commentary to=functions.get_weather<|message|>"city":"Oslo","hours":[1]}<|call|>',
    '<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather\n``json\n{"city":"Oslo"}\n```<｜tool▁call▁end｜>',
    '<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>"city":"Oslo"}<|tool_call_end|>',
    '<|start|>asistant to=get_weather<|message|><atem:function_calls>\n<atem:invoke name="get_weather">\n<atem:parameter name="city">Oslo</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eom|>',
  ])('%j', (text) => {
    const { calls, issues } = extract(text, weather)
    expect(calls).toEqual([])
    expect(issues.length).toBeGreaterThan(0)
  })

  test('a text is', () => {
    const text =
      '<|start|>assistant<|channel|>commentary to=functions.get_weather<|message|>Oslo "city": x<|call|>'
    expect(extract(text, weather).calls).toMatchObject([{ arguments: { city: 'Oslo "city": x' } }])
  })
})

test.for([...['{', '{"fil', '{"filter":', '{"filter": }', '{...}', '"{']])(
  'native arguments %s are an issue',
  (args) => {
    const call = { id: 'c1', type: 'function', function: { name: 'purge', arguments: args } }
    const { calls, issues } = extract({ tool_calls: [call] }, { tools })
    expect(calls).toEqual([])
    expect(issues).toHaveLength(1)
  },
)

describe('arguments that are empty stay so', () => {
  test.for(allProtocols)('$id', (protocol) => {
    const text = protocol.formatCall({ name: 'purge', arguments: {} })
    expect(extract(text, { tools, protocols: [protocol] }).calls).toMatchObject([
      { name: 'purge', arguments: {} },
    ])
  })

  test.for([
    '<tool_call>{"name": "purge"}</tool_call>',
    '<tool_call>{"name": "purge", "arguments": null}</tool_call>',
    '<tool_call>{"name": "purge", "arguments": ""}</tool_call>',
    '<tool_call>{"name": "purge", "arguments": {}</tool_call>',
    '<tool_call>{"name": "purge", "arguments": {/* none */}}</tool_call>',
    '<|tool_call_begin|>functions.purge:0<|tool_call_argument_begin|><|tool_call_end|>',
    // A prompt that stops at the observation leaves nothing behind the colon.
    'Action: purge\nAction Input: ',
    'Action: purge\nAction Input:\nObservation: ',
  ])('%s', (text) => {
    expect(extract(text, { tools }).calls).toMatchObject([{ name: 'purge', arguments: {} }])
  })
})

import { describe, expect, test } from 'vitest'
import type { ExtractEvent } from './core/model.ts'
import { detect } from './detect.ts'
import { createExtractor, extract, extractStream } from './extract.ts'

const tools = [
  {
    name: 'get_weather',
    inputSchema: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city'],
    },
  },
]
const oslo = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'
const broken = '<tool_call>{"name": "get_weather", "arguments": [1]}</tool_call>'

async function* sourceOf(...chunks: string[]): AsyncGenerator<string> {
  yield* chunks
}

async function eventsOf(stream: AsyncIterable<ExtractEvent>): Promise<string[]> {
  const types: string[] = []
  for await (const event of stream) types.push(event.type)
  return types
}

describe('a stream', () => {
  test('gives events and then the result', async () => {
    const stream = extractStream(sourceOf('Hi ', oslo.slice(0, 30), oslo.slice(30)), { tools })
    const types = await eventsOf(stream)
    expect(types[0]).toBe('text-delta')
    expect(types).toContain('call-start')
    expect(types.at(-1)).toBe('call-end')
    expect((await stream.result).calls[0]?.arguments).toEqual({ city: 'Oslo' })
  })

  test('gives the result alone', async () => {
    expect((await extractStream(sourceOf(oslo), { tools }).result).calls).toHaveLength(1)
  })

  test('still tells its events when the result was asked for first', async () => {
    const stream = extractStream(sourceOf('a', oslo), { tools })
    const result = stream.result
    expect(await eventsOf(stream)).toContain('call-end')
    expect((await result).text).toBe('a')
  })

  test('left early has what was read until then', async () => {
    const stream = extractStream(sourceOf('x', 'y', 'z'))
    for await (const _ of stream) break
    expect((await stream.result).text).toBe('x')
  })

  test('passes an error of its source on, to the reader and to the result', async () => {
    async function* failing(): AsyncGenerator<string> {
      yield 'a'
      throw new Error('connection lost')
    }
    const stream = extractStream(failing())
    await expect(eventsOf(stream)).rejects.toThrow('connection lost')
    await expect(stream.result).rejects.toThrow('connection lost')
    await expect(extractStream(failing()).result).rejects.toThrow('connection lost')
  })
})

describe('an extractor', () => {
  test('hands out results that do not change any more', () => {
    const extractor = createExtractor({ tools, trace: true })
    extractor.push('First. ')
    const early = extractor.result()
    const copy = structuredClone(early)
    extractor.push('<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>')
    extractor.push(' and <tool_call>{"name": "get_weather", "arguments": {"ci')
    const late = extractor.result()
    extractor.end({ finishReason: 'length' })
    expect(early).toEqual(copy)
    expect(late.issues).toEqual([])
    expect(extractor.result().issues).toHaveLength(1)
  })

  test('calls text reasoning in a later result only, when its end alone is marked', () => {
    const extractor = createExtractor({ tools, trace: true })
    extractor.push('Hm, Oslo. ')
    const early = extractor.result()
    extractor.push('</think> It rains.')
    extractor.end()
    expect(early.segments?.map(({ kind }) => kind)).toEqual(['text'])
    expect(extractor.result().segments?.map(({ kind }) => kind)).toEqual([
      'reasoning',
      'markup',
      'text',
    ])
  })

  test('ends once', () => {
    const extractor = createExtractor({ tools })
    extractor.push('text <tool_')
    expect(extractor.end()).toEqual([{ type: 'text-delta', text: '<tool_' }])
    expect(extractor.end()).toEqual([])
    expect(extractor.result().text).toBe('text <tool_')
  })

  test('starts a call as soon as its name and the beginning of its arguments are there', () => {
    const extractor = createExtractor({ tools })
    const events = extractor.push('<tool_call>{"name": "get_weather", "arguments": {')
    expect(events).toMatchObject([{ type: 'call-start', name: 'get_weather' }])
  })

  test('tells a short call at once, and a long one while it arrives', () => {
    const extractor = createExtractor({ tools })
    extractor.push('<tool_call>{"name": "get_weather", "arguments": {"city": "')
    let held = 0
    for (const character of 'Llanfairpwllgwyngyll'.repeat(50)) {
      held++
      for (const event of extractor.push(character)) {
        if (event.type === 'call-delta') held -= event.argumentsDelta.length
      }
      expect(held).toBeLessThanOrEqual(256)
    }
    expect(held).toBeLessThanOrEqual(32)
  })

  test('holds back what the schema may still change', () => {
    const extractor = createExtractor({ tools })
    extractor.push(`<tool_call>{"name": "get_weather", ${' '.repeat(300)}"arguments": {"days": "`)
    expect(extractor.push('1')).toEqual([])
    expect(extractor.push('2"}}</tool_call>').at(0)).toMatchObject({ argumentsDelta: '{"days":12' })
    expect(extractor.result().calls[0]?.arguments).toEqual({ days: 12 })
  })
})

test('the tags of one format around the calls of another are markup', () => {
  const call = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'
  const { calls, text } = extract(`Both.\n<tool_calls>\n${call}\n${call}\n</tool_calls>`)
  expect(calls).toHaveLength(2)
  expect(text.trim()).toBe('Both.')
})

describe('options', () => {
  test('a provider that runs its tools itself calls none of ours', () => {
    const options = { tools, capabilities: { selfContainedTools: true } }
    expect(extract(oslo, options)).toMatchObject({ calls: [], text: oslo })
    expect(extract([{ name: 'get_weather', arguments: {} }], options).calls).toEqual([])
    const extractor = createExtractor(options)
    extractor.push(oslo)
    extractor.end()
    expect(extractor.result().calls).toEqual([])
  })

  test('a call with nothing but the end of the reply behind it is cut off when that was a limit', () => {
    const words = '[tool: @get_weather Osl'
    expect(extract(words, { tools }).calls).toHaveLength(1)
    const cut = extract(words, { tools, finishReason: 'length' })
    expect(cut.calls).toEqual([])
    expect(cut.issues[0]?.code).toBe('truncated-call')
  })

  test.for([
    '{"name": "note", "arguments": {"title": "a, "tags": ["b"], "body": "c"}}',
    '{"name": "note", "arguments": {"title": "a", tags": ["b"], "body": "c"}}',
    '{"name": "note", "arguments": {"title": "a", "tags": ["b", "body": "c"}}',
    '{"name": "note", "arguments": {"title": "a", "size": 5"body": "c"}}',
  ])('a call of which a text or a list took in what follows is none: %s', (json) => {
    const properties = {
      title: { type: 'string' },
      size: { type: 'integer' },
      tags: { type: 'array', items: { type: 'string' } },
      body: { type: 'string' },
    }
    const options = { tools: [{ name: 'note', inputSchema: { type: 'object', properties } }] }
    const { calls, issues } = extract(`<tool_call>${json}</tool_call>`, options)
    expect(calls).toEqual([])
    expect(issues).toMatchObject([{ code: 'invalid-arguments', name: 'note' }])
  })

  test.for([
    ['qwen3-coder', '<tool_call>\n<function=write>\n<parameter=path>\na\n</parameter>\n'],
    ['glm45', '<tool_call>write\n<arg_key>path</arg_key>\n<arg_value>a</arg_value>\n'],
    ['anthropic-xml', '<function_calls><invoke name="write"><parameter name="path">a</parameter>'],
    ['morph-xml', '<write>\n<path>a</path>\n'],
    ['react', 'Action: write\nAction Input: path = a'],
  ])('%s: nor is it a call when it lacks what the tool requires', ([, text]) => {
    const schema = {
      type: 'object',
      properties: { path: {}, body: {} },
      required: ['path', 'body'],
    }
    const cut = extract(text, { tools: [{ name: 'write', inputSchema: schema }] })
    expect(cut.calls).toEqual([])
    expect(cut.issues.map(({ code }) => code)).toEqual(['truncated-call'])
    const whole = { ...schema, required: ['path'] }
    expect(extract(text, { tools: [{ name: 'write', inputSchema: whole }] }).calls).toHaveLength(1)
  })

  test('complete arguments count whatever ended the reply', () => {
    const unclosed = oslo.replace('</tool_call>', '')
    const { calls } = extract(unclosed, { tools, finishReason: 'length' })
    expect(calls[0]?.repairs?.map(({ code }) => code)).toEqual(['missing-closer'])
  })

  test.for([
    ['issue', [], ['invalid-arguments'], undefined],
    ['skip', [], [], undefined],
    ['error', [], ['invalid-arguments'], 'invalid-arguments'],
    ['sentinel', [{ __invalid_json__: broken }], ['invalid-arguments'], undefined],
    ['raw', [{ raw: broken }], ['invalid-arguments'], undefined],
  ] as const)('a malformed call with onMalformed: %s', ([onMalformed, args, codes, error]) => {
    const result = extract(broken, { tools, onMalformed })
    expect(result.calls.map((call) => call.arguments)).toEqual(args)
    expect(result.issues.map(({ code }) => code)).toEqual(codes)
    expect(result.error?.code).toBe(error)
  })

  test('an error voids the calls before it', () => {
    expect(extract(oslo + broken, { tools, onMalformed: 'error' }).calls).toEqual([])
  })

  test('calls beyond the limit are text, and the limit is reported once', () => {
    const { calls, issues, text } = extract(oslo.repeat(4), { tools, limits: { maxCalls: 2 } })
    expect(calls).toHaveLength(2)
    expect(issues.map(({ code }) => code)).toEqual(['limit-exceeded'])
    expect(text).toContain('<tool_call>')
  })

  test('a call longer than the buffer is an issue and the rest is text', () => {
    const long = `<tool_call>{"name": "get_weather", "arguments": {"city": "${'x'.repeat(500)}`
    const extractor = createExtractor({ tools, limits: { maxBuffer: 100 } })
    for (const character of long) extractor.push(character)
    extractor.end()
    const { calls, issues } = extractor.result()
    expect(calls).toEqual([])
    expect(issues[0]).toMatchObject({ code: 'limit-exceeded', name: 'get_weather' })
  })

  test('duplicates are dropped only when asked, and reported', () => {
    expect(extract(oslo + oslo, { tools }).calls).toHaveLength(2)
    const { calls, issues } = extract(oslo + oslo, { tools, dedupe: 'exact' })
    expect(calls).toHaveLength(1)
    expect(issues[0]?.code).toBe('duplicate-dropped')
  })

  test('an id of an earlier turn is not given again', () => {
    const reply = '{"id": "c1", "name": "get_weather", "arguments": {}}'
    const { calls, issues } = extract(reply, { tools, usedIds: ['c1'] })
    expect(calls[0]).toMatchObject({ originalId: 'c1' })
    expect(calls[0]?.id).not.toBe('c1')
    expect(issues[0]?.code).toBe('duplicate-id')
  })

  test('calls in code are read when code is to be scanned', () => {
    const quoted = `Write \`${oslo}\` like this.`
    expect(extract(quoted, { tools }).calls).toEqual([])
    expect(extract(quoted, { tools, scanCode: true }).calls).toHaveLength(1)
  })

  test.for([
    ['protocol', '</think>', 0],
    ['protocol', '', 1],
    ['ignore', '', 0],
    ['allow', '</think>', 1],
  ] as const)('a call in reasoning, %s, closed by "%s": %i', ([inReasoning, close, count]) => {
    expect(extract(`<think>So: ${oslo}${close}`, { tools, inReasoning }).calls).toHaveLength(count)
  })

  test('bare JSON can be switched off', () => {
    const bare = '{"name": "get_weather", "arguments": {"city": "Oslo"}}'
    expect(extract(bare, { tools }).calls).toHaveLength(1)
    expect(extract(bare, { tools, rawJson: 'off' })).toMatchObject({ calls: [], text: bare })
  })

  test('an unknown protocol or preset is the caller’s mistake', () => {
    expect(() => extract('', { protocols: ['morse'] })).toThrow(/unknown protocol "morse".*hermes/)
    // @ts-expect-error: checked for those who do not type-check.
    expect(() => extract('', { preset: 'morse' })).toThrow(/unknown preset "morse".*chatcli/)
  })
})

test('a reply of no known shape is reported, not thrown', () => {
  for (const reply of [null, undefined, 7, Symbol('x'), () => 1]) {
    expect(extract(reply).issues[0]?.code).toBe('unknown-shape')
  }
})

test('text beside native calls stays text, without its reasoning', () => {
  const reply = {
    role: 'assistant',
    content: `<think>hm</think>Let me see. ${oslo}`,
    tool_calls: [{ id: 'a', function: { name: 'get_weather', arguments: '{"city":"Rome"}' } }],
  }
  const result = extract(reply, { tools })
  expect(result.calls.map(({ arguments: args }) => args)).toEqual([{ city: 'Rome' }])
  expect(result).toMatchObject({ protocol: 'native', reasoning: 'hm' })
  expect(result.text).toBe(`Let me see. ${oslo}`)
})

describe('arguments that stand elsewhere', () => {
  const city = '{"city": "Oslo"}'

  test.for([
    ['around the name', `{"function": {"name": "get_weather"}, "arguments": ${city}}`],
    ['before it', `{"arguments": ${city}, "function": {"name": "get_weather"}}`],
    ['as text', `{"function": {"name": "get_weather"}, "arguments": ${JSON.stringify(city)}}`],
    ['under the key twice', `{"name": "get_weather", "arguments": {"arguments": ${city}}}`],
    ['in a call', `{"name": "get_weather", "arguments": {"name": "get_weather", "args": ${city}}}`],
  ] as const)('%s are found', ([, json]) => {
    for (const text of [json, `<tool_call>${json}</tool_call>`]) {
      const { calls } = extract(text, { tools })
      expect(calls.map((call) => call.arguments)).toEqual([{ city: 'Oslo' }])
      const extractor = createExtractor({ tools })
      const events = [...[...text].flatMap((piece) => extractor.push(piece)), ...extractor.end()]
      const told = events.map((event) => (event.type === 'call-delta' ? event.argumentsDelta : ''))
      expect(JSON.parse(told.join(''))).toEqual({ city: 'Oslo' })
    }
  })

  test('a list of calls that have names and no more is a list of calls', () => {
    const json = '{"tool_calls": [{"function": {"name": "now"}}, {"function": {"name": "now"}}]}'
    const { calls } = extract(`<tool_call>${json}</tool_call>`, { tools: ['now'] })
    expect(calls.map((call) => call.arguments)).toEqual([{}, {}])
  })

  test('what a tool may take besides is no envelope', () => {
    const inputSchema = { ...tools[0]?.inputSchema, additionalProperties: true }
    const text = '<tool_call>{"name": "log", "arguments": {"data": {"city": "Oslo"}}}</tool_call>'
    const { calls } = extract(text, { tools: [{ name: 'log', inputSchema }] })
    expect(calls[0]?.arguments).toEqual({ data: { city: 'Oslo' } })
  })
})

describe('detection', () => {
  test('names the protocol and shows the evidence', () => {
    const [found, ...others] = detect(`Hi\n${oslo}`, { tools })
    expect(others).toEqual([])
    expect(found).toMatchObject({ protocol: 'hermes', confidence: 0.95 })
    expect(found?.evidence).toMatch(/^"<tool_call>.*" begins a call of get_weather$/)
  })

  test('is less sure of a format without markers', () => {
    const bare = '{"name": "get_weather", "arguments": {}}'
    const sure = detect(oslo, { tools })[0]?.confidence ?? 0
    expect(detect(bare, { tools })[0]?.confidence).toBeLessThan(sure)
  })

  test('says what was wrong with a call that could not be read', () => {
    const [found] = detect(oslo.slice(0, -20), { tools })
    expect(found).toMatchObject({ protocol: 'hermes' })
    expect(found?.evidence).toContain('truncated-call')
  })

  test('finds nothing in prose', () => {
    expect(detect('Just text.', { tools })).toEqual([])
  })
})

test('the name of the model decides where two formats fit', () => {
  expect(extract(oslo, { tools }).protocol).toBe('hermes')
  expect(extract(oslo, { tools, model: 'ibm/Granite-4.0-H-Small' }).protocol).toBe('granite4')
  expect(extract('Just text.', { tools, model: 'granite-4' }).calls).toEqual([])
})

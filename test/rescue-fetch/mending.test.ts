/** What a mended reply looks like on the wire. */
import { describe, expect, it } from 'vitest'
import { isJsonObject, type JsonObject } from '../../src/core/json/value.ts'
import { getDialect } from '../../src/dialects/registry.ts'
import { randomChunks } from '../../src/testing/chunks.ts'
import { streamBytes } from '../../src/testing/upstream-reply.ts'
import { bytesOf, REQUESTS, readFrames, rescue, sse, URLS, type WireId } from './replies.ts'

const BERGEN = '<tool_call>{"name": "get_weather", "arguments": {"city": "Bergen"}}</tool_call>'
const OSLO = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'
const WIRES = Object.keys(URLS) as WireId[]
const JSON_TYPE = { type: 'application/json' }

/** The reply that a client of the dialect would put together. */
function decode(wire: WireId, stream: string) {
  const decoder = getDialect(wire).createStreamDecoder()
  for (const data of readFrames(stream)) decoder.push({ data: JSON.stringify(data) })
  const last = decoder.end().at(-1)
  if (last?.type !== 'finish') throw new Error(`not finished: ${JSON.stringify(last)}`)
  const { message, finishReason, usage } = last.response
  return {
    text: message.content,
    calls: (message.toolCalls ?? []).map(({ name, arguments: args }) => ({ name, args })),
    ids: (message.toolCalls ?? []).map(({ id }) => id),
    finishReason,
    usage,
  }
}

function streamOf(wire: WireId, text: string, pieceLength: number): Uint8Array {
  const usage = { inputTokens: 3, outputTokens: 4, totalTokens: 7 }
  const message = { role: 'assistant', content: text } as const
  const reply = { id: 'r1', model: 'm', message, finishReason: 'stop', usage, issues: [] } as const
  return bytesOf(streamBytes(getDialect(wire), reply, pieceLength))
}

function typeOf(wire: WireId): string {
  return getDialect(wire).framing === 'sse' ? 'text/event-stream' : 'application/x-ndjson'
}

describe.each(WIRES)('%s', (wire) => {
  it('takes several calls out of the text, however the bytes are cut', async () => {
    const text = `First.\n${BERGEN}\n${OSLO}\nThen “é” 名.`
    for (const length of [1, 5, 13, 1000]) {
      const stream = Buffer.from(streamOf(wire, text, length)).toString('latin1')
      for (let seed = 0; seed < 8; seed++) {
        const pieces = randomChunks(stream, random(seed)).map(latin1)
        const got = decode(wire, await rescue(wire, pieces, { type: typeOf(wire) }))
        expect(got.calls).toEqual([
          { name: 'get_weather', args: { city: 'Bergen' } },
          { name: 'get_weather', args: { city: 'Oslo' } },
        ])
        // Blocks that stand apart are joined with a line break.
        expect(String(got.text).replace(/\n+/g, '\n')).toBe('First.\nThen “é” 名.')
        expect(got.finishReason).toBe('tool-calls')
        expect(got.usage).toMatchObject({ inputTokens: 3, outputTokens: 4 })
        expect(new Set(got.ids).size).toBe(2)
      }
    }
  })

  it('is the same whole and streamed', async () => {
    const text = `First.\n${BERGEN}\nThen.\n${OSLO}`
    const bytes = streamOf(wire, text, 4)
    const streamed = decode(wire, await rescue(wire, [bytes], { type: typeOf(wire) }))
    const whole = getDialect(wire).encodeResponse({
      id: 'r1',
      message: { role: 'assistant', content: text },
      finishReason: 'stop',
      usage: {},
      issues: [],
    })
    const url = URLS[wire].replace('streamGenerate', 'generate')
    const body = await rescue(wire, [JSON.stringify(whole)], { ...JSON_TYPE, url })
    const { message, finishReason } = getDialect(wire).decodeResponse(JSON.parse(body))
    expect(finishReason).toBe(streamed.finishReason)
    expect(message.content).toBe(streamed.text)
    const calls = message.toolCalls?.map(({ name, arguments: args }) => ({ name, args }))
    expect(calls).toEqual(streamed.calls)
  })

  it('leaves a call that was cut off in the text', async () => {
    const text = 'See: <tool_call>{"name": "get_weather", "arguments": {"city": "Be'
    const got = await rescue(wire, [streamOf(wire, text, 6)], { type: typeOf(wire) })
    expect(decode(wire, got)).toMatchObject({ text, calls: [], finishReason: 'stop' })
  })
})

const head = { id: 'c1', object: 'chat.completion.chunk', created: 17, model: 'm' }

function chunk(delta: JsonObject, fields: JsonObject = {}, index = 0): JsonObject {
  return {
    ...head,
    system_fingerprint: 'fp',
    choices: [{ index, delta, logprobs: null, finish_reason: null, ...fields }],
  }
}

describe('a stream of chunks', () => {
  it('keeps everything else', async () => {
    const stream = sse(
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning_content: 'Hm.' }),
      chunk({ content: 'Look: ' }, { logprobs: { content: [] } }),
      chunk({ content: BERGEN }),
      chunk({}, { finish_reason: 'stop', stop_reason: 7 }),
      { ...head, choices: [], usage: { total_tokens: 9 } },
      '[DONE]',
    )
    const got = await rescue('openai-chat', [stream])
    const call = { name: 'get_weather', arguments: '{"city":"Bergen"}' }
    const id = expect.stringMatching(/^call_[\w-]+$/)
    expect(readFrames(got)).toEqual([
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning_content: 'Hm.' }),
      chunk({ content: 'Look: ' }, { logprobs: { content: [] } }),
      chunk({ tool_calls: [{ index: 0, id, type: 'function', function: call }] }),
      chunk({}, { finish_reason: 'tool_calls', stop_reason: 7 }),
      { ...head, choices: [], usage: { total_tokens: 9 } },
    ])
    expect(got.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  it('keeps the choices apart', async () => {
    const [half, rest] = [BERGEN.slice(0, 20), BERGEN.slice(20)]
    const stream = sse(
      chunk({ content: half }, {}, 0),
      chunk({ content: 'Plain ' }, {}, 1),
      chunk({ content: rest }, {}, 0),
      chunk({ content: 'text.' }, {}, 1),
      chunk({}, { finish_reason: 'stop' }, 0),
      chunk({}, { finish_reason: 'stop' }, 1),
    )
    const choices = readFrames(await rescue('openai-chat', [stream])).flatMap((frame) =>
      Array.isArray(frame['choices']) ? frame['choices'].filter(isJsonObject) : [],
    )
    const of = (index: number) => choices.filter((choice) => choice['index'] === index)
    expect(of(0).map((choice) => choice['finish_reason'])).toEqual([null, 'tool_calls'])
    expect(of(1).map((choice) => choice['delta'])).toEqual([
      { content: 'Plain ' },
      { content: 'text.' },
      {},
    ])
    expect(of(1).at(-1)?.['finish_reason']).toBe('stop')
  })

  it('puts calls of the server right that have no id, no index, or one that is taken', async () => {
    const part = (name: string, json: string) => ({ function: { name, arguments: json } })
    const stream = sse(
      chunk({ tool_calls: [{ index: 0, ...part('get_weather', '{"city":') }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"Bergen"}' } }] }),
      chunk({ tool_calls: [{ index: 0, id: 'b', ...part('get_weather', '{"city":"Oslo"}') }] }),
      chunk({ tool_calls: [{ id: 'c', ...part('get_weather', '{"city":"Molde"}') }] }),
      chunk({}, { finish_reason: 'stop' }),
    )
    const frames = readFrames(await rescue('openai-chat', [stream]))
    const calls = frames.flatMap(({ choices }) => {
      const [one] = Array.isArray(choices) ? choices : []
      const delta = isJsonObject(one) ? one['delta'] : undefined
      return isJsonObject(delta) && Array.isArray(delta['tool_calls']) ? delta['tool_calls'] : []
    })
    expect(calls).toMatchObject([
      { index: 0, id: expect.stringMatching(/./) },
      { index: 0 },
      { index: 1, id: 'b' },
      { index: 2, id: 'c' },
    ])
    expect(frames.at(-1)).toEqual(chunk({}, { finish_reason: 'tool_calls' }))
  })

  it('tells calls apart that all come under one index', async () => {
    const whole = (city: string) => ({
      index: 0,
      function: { name: 'get_weather', arguments: JSON.stringify({ city }) },
    })
    const stream = sse(
      chunk({ tool_calls: [whole('Bergen')] }),
      chunk({ tool_calls: [whole('Oslo')] }),
      chunk({}, { finish_reason: 'stop' }),
    )
    const got = decode('openai-chat', await rescue('openai-chat', [stream]))
    expect(got.calls.map(({ args }) => args)).toEqual([{ city: 'Bergen' }, { city: 'Oslo' }])
    expect(new Set(got.ids).size).toBe(2)
  })

  it('takes a call of which nothing is there for none', async () => {
    const nothing = { index: 0, id: '', type: 'function', function: { name: '', arguments: '' } }
    const stream = sse(
      chunk({ content: 'Good day.' }),
      chunk({ tool_calls: [nothing] }),
      chunk({}, { finish_reason: 'stop' }),
    )
    const got = decode('openai-chat', await rescue('openai-chat', [stream]))
    expect(got).toMatchObject({ finishReason: 'stop', calls: [] })
  })

  it('makes room for a call beside those of the server', async () => {
    const own = { index: 0, id: 'own', type: 'function' }
    const begun = { ...own, function: { name: 'get_weather', arguments: '{"city":' } }
    const stream = sse(
      chunk({ content: BERGEN }),
      chunk({ tool_calls: [begun] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"Oslo"}' } }] }),
      chunk({}, { finish_reason: 'tool_calls' }),
    )
    const got = decode('openai-chat', await rescue('openai-chat', [stream]))
    expect(got.calls.map(({ args }) => args)).toEqual([{ city: 'Bergen' }, { city: 'Oslo' }])
    expect(got.ids[1]).toBe('own')
  })

  it('has ids that Mistral takes back', async () => {
    const stream = sse(chunk({ content: BERGEN }), chunk({}, { finish_reason: 'stop' }))
    const url = 'https://api.mistral.ai/v1/chat/completions'
    const { ids } = decode('openai-chat', await rescue('openai-chat', [stream], { url }))
    expect(ids[0]).toMatch(/^[a-zA-Z0-9]{9}$/)
  })

  it('stays cut off when it was', async () => {
    const stream = sse(chunk({ content: `${BERGEN} And` }), chunk({}, { finish_reason: 'length' }))
    expect(decode('openai-chat', await rescue('openai-chat', [stream]))).toMatchObject({
      finishReason: 'length',
      calls: [{ name: 'get_weather' }],
    })
  })

  it('passes on what comes before a call without waiting for its end', async () => {
    const cut = BERGEN.length - 20
    const pieces = [
      sse(chunk({ content: `Look: ${BERGEN.slice(0, cut)}` })),
      sse(chunk({ content: BERGEN.slice(cut) }), chunk({}, { finish_reason: 'stop' })),
    ]
    const frames = readFrames(await rescue('openai-chat', pieces))
    expect(frames[0]).toEqual(chunk({ content: 'Look: ' }))
    expect(frames).toHaveLength(3)
  })
})

describe('a stream of blocks', () => {
  it('has no block without text, and all blocks in order', async () => {
    const bytes = streamOf('anthropic', `${BERGEN} Then ${OSLO}`, 9)
    const events = readFrames(await rescue('anthropic', [bytes]))
    const outline = events.map(({ type, index, content_block: block }) =>
      [type, index, isJsonObject(block) ? block['type'] : undefined]
        .filter((one) => one !== undefined)
        .join(' ')
        .replace('content_block_', ''),
    )
    expect(outline.filter((line, i) => line !== outline[i - 1])).toEqual([
      'message_start',
      'start 0 tool_use',
      'delta 0',
      'stop 0',
      'start 1 text',
      'delta 1',
      'stop 1',
      'start 2 tool_use',
      'delta 2',
      'stop 2',
      'message_delta',
      'message_stop',
    ])
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } })
  })

  it('moves the blocks that follow', async () => {
    const data = [
      { type: 'message_start', message: { id: 'm1', role: 'assistant', content: [] } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'ping' },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hm. ' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: BERGEN } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'tool_use', id: 't1', name: 'get_weather', input: {} },
      },
      {
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'input_json_delta', partial_json: '{"city":"Oslo"}' },
      },
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ]
    const got = readFrames(await rescue('anthropic', [sse(...data)]))
    const own = got.filter(({ index }) => index === 2)
    expect(own.map(({ type }) => type)).toEqual([
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
    ])
    const moved = { ...data[9], delta: { stop_reason: 'tool_use' } }
    expect(got.slice(0, 4)).toEqual(data.slice(0, 4))
    expect(got.at(-2)).toEqual(moved)
  })

  it('gives ids that the API takes back', async () => {
    const kimi =
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0' +
      '<|tool_call_argument_begin|>{"city": "Bergen"}<|tool_call_end|><|tool_calls_section_end|>'
    const { ids } = decode('anthropic', await rescue('anthropic', [streamOf('anthropic', kimi, 7)]))
    expect(ids[0]).toMatch(/^[\w-]+$/)
  })
})

describe('a stream of items', () => {
  it('numbers its events and tells at the end what it told before', async () => {
    const bytes = streamOf('openai-responses', `Look. ${BERGEN}${OSLO}`, 9)
    const events = readFrames(await rescue('openai-responses', [bytes]))
    expect(events.map((event) => event['sequence_number'])).toEqual(events.map((_, i) => i))
    const done = events.filter(({ type }) => type === 'response.output_item.done')
    const inOrder = done.sort(
      (one, other) => Number(one['output_index']) - Number(other['output_index']),
    )
    const last = events.at(-1)?.['response']
    expect(isJsonObject(last) && last['output']).toEqual(inOrder.map(({ item }) => item))
    expect(inOrder.map(({ item }) => isJsonObject(item) && item['type'])).toEqual([
      'message',
      'function_call',
      'function_call',
    ])
    expect(JSON.stringify(events)).not.toContain('tool_call>')
  })

  it('has no message when there is no text', async () => {
    const bytes = streamOf('openai-responses', BERGEN, 9)
    const events = readFrames(await rescue('openai-responses', [bytes]))
    const added = events.filter(({ type }) => type === 'response.output_item.added')
    expect(added).toMatchObject([{ output_index: 0, item: { type: 'function_call' } }])
  })
})

describe('a whole reply', () => {
  const message = { role: 'assistant', content: `Look.\n${BERGEN}`, annotations: [] }
  const whole = (fields: JsonObject, finish = 'stop') => ({
    id: 'c1',
    choices: [
      { index: 0, message: { ...message, ...fields }, logprobs: null, finish_reason: finish },
    ],
    usage: { total_tokens: 9 },
    service_tier: 'default',
  })
  const mend = async (body: JsonObject, request = REQUESTS['openai-chat']) =>
    JSON.parse(await rescue('openai-chat', [JSON.stringify(body)], { ...JSON_TYPE, request }))

  it('keeps everything else', async () => {
    const function_ = { name: 'get_weather', arguments: '{"city":"Bergen"}' }
    const call = { id: expect.stringMatching(/./), type: 'function', function: function_ }
    expect(await mend(whole({}))).toEqual(
      whole({ content: 'Look.\n', tool_calls: [call] }, 'tool_calls'),
    )
    expect(await mend(whole({ content: BERGEN }))).toEqual(
      whole({ content: null, tool_calls: [call] }, 'tool_calls'),
    )
  })

  it('does not tell a call twice that the server left in the text', async () => {
    const own = {
      id: 'own',
      type: 'function',
      function: { name: 'get_weather', arguments: '{ "city": "Bergen" }' },
    }
    expect(await mend(whole({ tool_calls: [own] }, 'tool_calls'))).toEqual(
      whole({ content: 'Look.\n', tool_calls: [own] }, 'tool_calls'),
    )
  })

  it('puts calls of the server right', async () => {
    const own = { type: 'function', function: { name: 'get_weather', arguments: '{}' } }
    const fixed = { ...own, id: expect.stringMatching(/./) }
    expect(await mend(whole({ content: null, tool_calls: [own] }))).toEqual(
      whole({ content: null, tool_calls: [fixed] }, 'tool_calls'),
    )
  })

  it('has no call of which nothing is there', async () => {
    const nothing = { id: '', type: 'function', function: { name: '', arguments: '' } }
    expect(await mend(whole({ content: 'Hello', tool_calls: [nothing] }))).toEqual(
      whole({ content: 'Hello' }),
    )
  })

  it('takes no JSON for a call where JSON was asked for', async () => {
    const content = '{"name": "get_weather", "arguments": {"city": "Bergen"}}'
    const request = { ...REQUESTS['openai-chat'], response_format: { type: 'json_object' } }
    expect(await mend(whole({ content }), request)).toEqual(whole({ content }))
    expect(await mend(whole({ content }))).toMatchObject({
      choices: [{ finish_reason: 'tool_calls' }],
    })
  })

  it('gives no id that the history has', async () => {
    const id = 'functions.get_weather:0'
    const kimi = (city: string) =>
      `<|tool_call_begin|>${id}<|tool_call_argument_begin|>{"city": "${city}"}<|tool_call_end|>`
    const content = `<|tool_calls_section_begin|>${kimi('Bergen')}<|tool_calls_section_end|>`
    const earlier = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
    }
    const request = { ...REQUESTS['openai-chat'], messages: [earlier] }
    const idIn = (body: { choices: [{ message: { tool_calls: [{ id: string }] } }] }) =>
      body.choices[0].message.tool_calls[0].id
    expect(idIn(await mend(whole({ content })))).toBe(id)
    expect(idIn(await mend(whole({ content }), request))).not.toBe(id)
  })
})

function latin1(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'latin1'))
}

function random(seed: number): () => number {
  let state = seed + 1
  return () => {
    state = (state * 16_807) % 2_147_483_647
    return state / 2_147_483_647
  }
}

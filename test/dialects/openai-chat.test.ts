/** What servers that speak something like OpenAI's form do differently, and what they are sent. */
import { describe, expect, test } from 'vitest'
import type { ChatEvent, ChatResponse } from '../../src/core/chat.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import { openaiChat } from '../../src/dialects/openai-chat.ts'
import { call, weather } from './samples.ts'

function play(chunks: readonly (JsonObject | string)[]): ChatEvent[] {
  const decoder = openaiChat.createStreamDecoder({ ids: 'sequential' })
  const frames = chunks.map((chunk) => (typeof chunk === 'string' ? chunk : JSON.stringify(chunk)))
  return [...frames.flatMap((data) => decoder.push({ data })), ...decoder.end()]
}

function reply(events: readonly ChatEvent[]): ChatResponse {
  const last = events.at(-1)
  if (last?.type !== 'finish') throw new Error(`ended with ${JSON.stringify(last)}`)
  return last.response
}

function piece(delta: JsonObject, finish: string | null = null, index = 0): JsonObject {
  return { id: 'r', choices: [{ index, delta, finish_reason: finish }] }
}

function calling(fields: JsonObject, name?: string, json?: string): JsonObject {
  const part = {
    ...(name !== undefined && { name }),
    ...(json !== undefined && { arguments: json }),
  }
  return piece({ tool_calls: [{ ...fields, function: part }] })
}

const END = piece({}, 'tool_calls')

describe('calls in pieces', () => {
  test.for<[what: string, chunks: JsonObject[], calls: [name: string, args: JsonObject][]]>([
    [
      'an empty id and name on what follows',
      [calling({ index: 0, id: 'a' }, 'f', '{"x"'), calling({ index: 0, id: '' }, '', ':1}')],
      [['f', { x: 1 }]],
    ],
    [
      'an index that starts at one and has a gap',
      [calling({ index: 1, id: 'a' }, 'f', '{}'), calling({ index: 4, id: 'b' }, 'g', '{}')],
      [
        ['f', {}],
        ['g', {}],
      ],
    ],
    [
      'one index for two ids',
      [calling({ index: 0, id: 'a' }, 'f', '{"x":1}'), calling({ index: 0, id: 'b' }, 'g', '{}')],
      [
        ['f', { x: 1 }],
        ['g', {}],
      ],
    ],
    [
      'one index for all, and no ids',
      [
        calling({ index: 0 }, 'f', '{"x":1}'),
        calling({ index: 0 }, 'f', '{"x":2}'),
        calling({ index: 0, id: '' }, 'g', ''),
        calling({ index: 0, id: '' }, 'h', '{"y"'),
        calling({ index: 0 }, 'h', ':3}'),
      ],
      [
        ['f', { x: 1 }],
        ['f', { x: 2 }],
        ['g', {}],
        ['h', { y: 3 }],
      ],
    ],
    [
      'one id for two indexes',
      [calling({ index: 0, id: 'a' }, 'f', '{}'), calling({ index: 1, id: 'a' }, 'g', '{}')],
      [
        ['f', {}],
        ['g', {}],
      ],
    ],
    [
      'neither id nor index',
      [calling({}, 'f', '{"x":1}'), calling({}, 'g', '{'), calling({}, undefined, '}')],
      [
        ['f', { x: 1 }],
        ['g', {}],
      ],
    ],
    [
      'an id after the name',
      [calling({ index: 0 }, 'f', '{"x"'), calling({ index: 0, id: 'late' }, undefined, ':1}')],
      [['f', { x: 1 }]],
    ],
    [
      'a name after the id',
      [calling({ index: 0, id: 'a' }), calling({ index: 0 }, 'f', '{}')],
      [['f', {}]],
    ],
    [
      'two calls that grow at the same time',
      [
        calling({ index: 0, id: 'a' }, 'f', ''),
        calling({ index: 1, id: 'b' }, 'g', ''),
        calling({ index: 0 }, undefined, '{"x":1}'),
        calling({ index: 1 }, undefined, '{"y":2}'),
      ],
      [
        ['f', { x: 1 }],
        ['g', { y: 2 }],
      ],
    ],
    [
      'an empty piece for nobody at the end',
      [calling({ index: 0, id: 'a' }, 'f', '{}'), calling({ index: 1, id: '' }, '', '')],
      [['f', {}]],
    ],
    [
      'arguments as an object',
      [piece({ tool_calls: [{ id: 'a', function: { name: 'f', arguments: { x: 1 } } }] })],
      [['f', { x: 1 }]],
    ],
    ['no arguments at all', [calling({ index: 0, id: 'a' }, 'f')], [['f', {}]]],
    [
      'the old form',
      [
        piece({ function_call: { name: 'f', arguments: '{"x"' } }),
        piece({ function_call: { arguments: ':1}' } }),
      ],
      [['f', { x: 1 }]],
    ],
  ])('%s', ([, chunks, wanted]) => {
    const events = play([...chunks, END])
    const { message, finishReason, issues } = reply(events)
    expect(message.toolCalls?.map(({ name, arguments: args }) => [name, args])).toEqual(wanted)
    expect(finishReason).toBe('tool-calls')
    expect(issues).toEqual([])
    const ended = events.flatMap((event) => (event.type === 'call-end' ? [event.call] : []))
    expect(ended.map(({ id, arguments: args }) => [id, args])).toEqual(
      message.toolCalls?.map(({ id, arguments: args }) => [id, args]),
    )
  })

  test('a tool that takes text', () => {
    const custom = (fields: JsonObject): JsonObject =>
      piece({ tool_calls: [{ index: 0, ...fields }] })
    const events = play([
      custom({ id: 'a', type: 'custom', custom: { name: 'run_sql', input: 'select "' } }),
      custom({ custom: { input: 'ø"\n' } }),
      END,
    ])
    const [made] = reply(events).message.toolCalls ?? []
    expect(made).toMatchObject({ name: 'run_sql', arguments: { input: 'select "ø"\n' } })
    expect(events.find(({ type }) => type === 'call-end')).toMatchObject({
      call: { arguments: made?.arguments },
    })
    const body = openaiChat.encodeResponse(reply(events))
    expect(body['choices']).toMatchObject([
      { message: { tool_calls: [{ type: 'custom', custom: { input: 'select "ø"\n' } }] } },
    ])
  })
})

describe('ends', () => {
  test('a word that is empty ends a reply with calls', () => {
    const { finishReason } = reply(play([calling({ index: 0, id: 'a' }, 'f'), piece({}, '')]))
    expect(finishReason).toBe('tool-calls')
  })

  test('`[DONE]` is enough', () => {
    expect(reply(play([piece({ content: 'Hi' }), '[DONE]'])).message.content).toBe('Hi')
  })

  test('other choices are other answers', () => {
    const events = play([
      piece({ content: 'Yes' }),
      piece({ content: 'No' }, null, 1),
      piece({}, 'stop'),
      piece({}, 'stop', 1),
    ])
    expect(reply(events).message.content).toBe('Yes')
  })

  test.for<[chunk: JsonObject, error: JsonObject]>([
    [{ error: { message: 'Busy', code: 502 } }, { message: 'Busy', status: 502 }],
    [
      { error: { message: 'Busy', type: 'server_error' } },
      { message: 'Busy', code: 'server_error' },
    ],
    [
      { code: 'limit', error: 'Too fast' },
      { message: 'Too fast', code: 'limit' },
    ],
    [
      { object: 'error', message: 'Bad', code: 400 },
      { message: 'Bad', status: 400 },
    ],
    [
      { choices: null, base_resp: { status_code: 1008, status_msg: 'no balance' } },
      { message: 'no balance', code: '1008' },
    ],
  ])('%j is a failure', ([chunk, error]) => {
    const last = play([piece({ content: 'So' }), chunk, END]).at(-1)
    expect(last).toMatchObject({
      type: 'error',
      error: { ...error, partial: { message: { content: 'So' } } },
    })
  })
})

describe('counts', () => {
  test.for<[what: string, usage: JsonObject, wanted: JsonObject]>([
    [
      'reasoning beside the output',
      {
        prompt_tokens: 100,
        completion_tokens: 20,
        total_tokens: 150,
        completion_tokens_details: { reasoning_tokens: 30 },
      },
      { outputTokens: 50, reasoningTokens: 30, totalTokens: 150 },
    ],
    [
      'reasoning in the output',
      {
        prompt_tokens: 100,
        completion_tokens: 50,
        total_tokens: 150,
        completion_tokens_details: { reasoning_tokens: 30 },
      },
      { outputTokens: 50, reasoningTokens: 30 },
    ],
    [
      'written to the cache, in the details',
      { prompt_tokens: 9, prompt_tokens_details: { cache_creation_input_tokens: 4 } },
      { cacheWriteTokens: 4 },
    ],
    [
      'the cache in the words of Anthropic',
      { prompt_tokens: 9, cache_read_input_tokens: 3, cache_creation_input_tokens: 4 },
      { cacheReadTokens: 3, cacheWriteTokens: 4 },
    ],
    ['cached, at the top', { prompt_tokens: 9, cached_tokens: 4 }, { cacheReadTokens: 4 }],
    ['cached, as a number of', { prompt_tokens: 9, num_cached_tokens: 4 }, { cacheReadTokens: 4 }],
    ['cached, as a hit', { prompt_tokens: 9, prompt_cache_hit_tokens: 4 }, { cacheReadTokens: 4 }],
    [
      'what the others tell',
      { prompt_tokens: 9, total_tokens: 12 },
      { inputTokens: 9, outputTokens: 3, totalTokens: 12 },
    ],
    [
      'no sum',
      { prompt_tokens: 9, completion_tokens: 3 },
      { inputTokens: 9, outputTokens: 3, totalTokens: 12 },
    ],
    [
      'cached, where OpenAI has it',
      { prompt_tokens: 9, prompt_tokens_details: { cached_tokens: 4 } },
      { cacheReadTokens: 4 },
    ],
  ])('%s', ([, usage, wanted]) => {
    const body = { choices: [{ message: { role: 'assistant', content: '' } }], usage }
    const response = openaiChat.decodeResponse(body)
    expect(response.usage).toMatchObject(wanted)
    const again = openaiChat.decodeResponse(openaiChat.encodeResponse(response))
    expect(again.usage).toMatchObject(wanted)
  })

  test.for<[what: string, last: JsonObject]>([
    ['in a chunk of its own', { choices: [], usage: { prompt_tokens: 7 } }],
    ['inside the choice', { choices: [{ index: 0, delta: {}, usage: { prompt_tokens: 7 } }] }],
    ['under a name of the service', { choices: [], x_groq: { usage: { prompt_tokens: 7 } } }],
  ])('in streams: %s', ([, last]) => {
    expect(reply(play([piece({}, 'stop'), last])).usage.inputTokens).toBe(7)
  })
})

describe('reasoning', () => {
  const details = (text: string, more: JsonObject = {}): JsonObject =>
    piece({ reasoning_details: [{ type: 'reasoning.text', index: 0, text, ...more }] })

  test('its details are told again, its words only once', () => {
    const signed = details('. So', { signature: 'c2ln' })
    const events = play([details('Hm'), signed, piece({ content: 'Hi' }), piece({}, 'stop')])
    const encoder = openaiChat.createStreamEncoder()
    const frames = events.flatMap((event) => encoder.push(event))
    const { message } = reply(play(frames.map(({ data }) => data)))
    expect(message).toEqual(reply(events).message)
    expect(message).toMatchObject({ reasoning: 'Hm. So' })
  })

  test('its details come back as they were', () => {
    const { message } = reply(play([details('Hm'), details('. So'), piece({ content: 'Hi' }), END]))
    expect(message.reasoning).toBe('Hm. So')
    const back = openaiChat.encodeRequest(
      { model: 'm', messages: [message] },
      { quirks: { reasoningField: 'reasoning_details' } },
    )
    expect(back['messages']).toMatchObject([
      { reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'Hm. So' }] },
    ])
  })

  test('goes to a service in the one field it knows', () => {
    const body = {
      model: 'm',
      messages: [{ role: 'assistant', content: 'Hi', reasoning_content: 'Hm.' }],
    }
    const request = openaiChat.decodeRequest(body)
    expect(openaiChat.encodeRequest(request)).toEqual(body)
    const sent = openaiChat.encodeRequest(request, { quirks: { reasoningField: 'reasoning' } })
    expect(sent['messages']).toEqual([{ role: 'assistant', content: 'Hi', reasoning: 'Hm.' }])
    const plain = openaiChat.encodeRequest(request, { quirks: {} })
    expect(plain['messages']).toEqual([{ role: 'assistant', content: 'Hi' }])
  })

  test('stands in for itself where calls must have it', () => {
    const messages = [{ role: 'assistant', content: '', toolCalls: [call('a', 'f', {})] }] as const
    const quirks = { reasoningField: 'reasoning_content', reasoningRequired: true } as const
    const sent = openaiChat.encodeRequest({ model: 'm', messages }, { quirks })
    expect(sent['messages']).toMatchObject([{ reasoning_content: ' ' }])
  })
})

describe('requests', () => {
  const request = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] } as const

  test('keep tools that are no functions', () => {
    const tools = [
      { type: 'custom', custom: { name: 'run_sql', format: { type: 'text' } } },
      { type: 'web_search' },
    ]
    const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }], tools }
    const read = openaiChat.decodeRequest(body)
    expect(read.tools).toMatchObject([
      { name: 'run_sql', inputSchema: { properties: { input: { type: 'string' } } } },
    ])
    expect(openaiChat.encodeRequest(read)).toEqual(body)
  })

  test('close the schema of a strict tool', () => {
    const tools = [{ ...weather, strict: true }]
    const sent = openaiChat.encodeRequest({ ...request, tools })
    expect(sent['tools']).toMatchObject([
      {
        function: {
          strict: true,
          parameters: { additionalProperties: false, required: ['city', 'days'] },
        },
      },
    ])
  })

  test('leave out what the service refuses', () => {
    const open = { type: 'object', properties: { additionalProperties: { type: 'string' } } }
    const tools = [
      { ...weather, strict: true, inputSchema: { ...open, additionalProperties: false } },
    ]
    const quirks = { strict: false, parallel: false, schemaWithout: ['additionalProperties'] }
    const sent = openaiChat.encodeRequest(
      { ...request, tools, parallelToolCalls: false },
      { quirks },
    )
    expect(sent).not.toHaveProperty('parallel_tool_calls')
    expect(sent['tools']).toEqual([
      {
        type: 'function',
        function: { name: weather.name, description: weather.description, parameters: open },
      },
    ])
  })

  test('say nothing of parallel calls where there are no tools', () => {
    const sent = openaiChat.encodeRequest({ ...request, parallelToolCalls: false })
    expect(sent).not.toHaveProperty('parallel_tool_calls')
  })

  test('say where the picture of a result is', () => {
    const image = { type: 'image', url: 'https://example.com/a.png' } as const
    const content = [{ type: 'text', text: 'Here.' }, image] as const
    const toolResults = [
      { callId: 'c1', content },
      { callId: 'c2', content: 'Nothing.' },
    ]
    const sent = openaiChat.encodeRequest({
      model: 'm',
      messages: [{ role: 'tool', content: '', toolResults }],
    })
    expect(sent['messages']).toMatchObject([
      { content: 'Here.\n[image follows in the next message of the user]' },
      { content: 'Nothing.' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: image.url } }] },
    ])
  })

  test('turn parts into text for services that take nothing else', () => {
    const content = [
      { type: 'text', text: 'Look' },
      { type: 'image', url: 'https://example.com/a.png' },
    ] as const
    const told: string[] = []
    const sent = openaiChat.encodeRequest(
      { model: 'm', messages: [{ role: 'user', content }] },
      { quirks: { textContent: true }, report: ({ code }) => told.push(code) },
    )
    expect(sent['messages']).toEqual([{ role: 'user', content: 'Look\n[image left out]' }])
    expect(told).toEqual(['not-expressible'])
  })
})

test('fields of a reply that others lack survive', () => {
  const body = {
    id: 'r',
    object: 'chat.completion',
    created: 5,
    model: 'm',
    system_fingerprint: 'fp',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'Hi', annotations: [{ type: 'url_citation' }] },
        logprobs: { content: [{ token: 'Hi', logprob: -0.1 }] },
        finish_reason: 'stop',
        native_finish_reason: 'STOP',
      },
    ],
    usage: {
      prompt_tokens: 5,
      completion_tokens: 1,
      total_tokens: 6,
      prompt_tokens_details: { cached_tokens: 2, audio_tokens: 3 },
      cost: { total_cost: 0.2 },
    },
  }
  expect(openaiChat.encodeResponse(openaiChat.decodeResponse(body))).toEqual(body)
})

describe('fields of a stream that others lack', () => {
  const token = (text: string): JsonObject => ({ content: [{ token: text, logprob: -0.1 }] })
  const chunks = [
    { ...piece({ content: 'H', audio: { id: 'a1', transcript: 'H' } }), citations: ['u'] },
    { id: 'r', choices: [{ index: 0, delta: {}, logprobs: token('H') }] },
    { id: 'r', choices: [{ index: 0, delta: { content: 'i' }, logprobs: token('i') }] },
    piece({ audio: { transcript: 'i' }, annotations: [{ type: 'url_citation' }] }),
    piece({ executed_tools: [{ index: 0, type: 'python', arguments: '{}' }] }),
    piece({ executed_tools: [{ index: 0, type: 'python', output: '1' }] }, 'stop'),
  ]
  const extra = {
    citations: ['u'],
    message: {
      audio: { id: 'a1', transcript: 'Hi' },
      annotations: [{ type: 'url_citation' }],
      executed_tools: [{ index: 0, type: 'python', arguments: '{}', output: '1' }],
    },
    choice: {
      logprobs: { content: [...['H', 'i']].map((text) => ({ token: text, logprob: -0.1 })) },
    },
  }

  test('are put together', () => {
    expect(reply(play(chunks)).extra).toEqual({ 'openai-chat': extra })
  })

  test('are told again', () => {
    const encoder = openaiChat.createStreamEncoder()
    const frames = play(chunks).flatMap((event) => encoder.push(event))
    expect(reply(play(frames.map(({ data }) => data))).extra).toEqual({ 'openai-chat': extra })
  })
})

test('arguments that say nothing go back as an object', () => {
  const message = { tool_calls: [{ id: 'a', function: { name: 'f', arguments: 'null' } }] }
  const response = openaiChat.decodeResponse({ choices: [{ message }] })
  const sent = openaiChat.encodeRequest({ model: 'm', messages: [response.message] })
  expect(sent['messages']).toMatchObject([{ tool_calls: [{ function: { arguments: '{}' } }] }])
})

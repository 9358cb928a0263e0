/** What is special about Cohere: plans, documents, and events in which a list is no list. */
import { describe, expect, test } from 'vitest'
import type { ChatEvent, ChatRequest } from '../../src/core/chat.ts'
import type { IssueCode } from '../../src/core/issue.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import { cohere } from '../../src/dialects/cohere.ts'
import { call, clock, weather } from './samples.ts'

const user = { role: 'user', content: 'Hi' } as const
const wireCall = {
  id: 'f_1',
  type: 'function',
  function: { name: 'f', arguments: '{"x":1}' },
}

function encoded(request: Partial<ChatRequest>): { body: JsonObject; told: IssueCode[] } {
  const told: IssueCode[] = []
  const report = ({ code }: { readonly code: IssueCode }) => told.push(code)
  const body = cohere.encodeRequest({ model: 'm', messages: [user], ...request }, { report })
  return { body, told }
}

function play(events: readonly JsonObject[]): ChatEvent[] {
  const decoder = cohere.createStreamDecoder()
  const frames = events.map((event) => ({ data: JSON.stringify(event) }))
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
}

function event(type: string, message?: JsonObject, index = 0): JsonObject {
  return { type, index, ...(message && { delta: { message } }) }
}

describe('requests', () => {
  test('settings have other names', () => {
    const settings = { maxTokens: 5, temperature: 0.5, topP: 0.9, stop: ['END'], seed: 7 }
    const { body, told } = encoded(settings)
    expect(body).toMatchObject({
      ...{ max_tokens: 5, temperature: 0.5, p: 0.9, stop_sequences: ['END'], seed: 7 },
    })
    expect(told).toEqual([])
    expect(cohere.decodeRequest(body)).toMatchObject(settings)
  })

  test.for<[choice: NonNullable<ChatRequest['toolChoice']>, wire: unknown, tools: number]>([
    ['auto', undefined, 2],
    ['none', 'NONE', 2],
    ['required', 'REQUIRED', 2],
    [{ name: 'get_time' }, 'REQUIRED', 1],
    [{ names: ['get_time'] }, undefined, 1],
    [{ names: ['get_time'], required: true }, 'REQUIRED', 1],
  ])('the choice %j', ([toolChoice, wire, count]) => {
    const { body, told } = encoded({ tools: [weather, clock], toolChoice })
    expect(body['tool_choice']).toBe(wire)
    expect(body['tools']).toHaveLength(count)
    expect(told).toHaveLength(count === 1 ? 1 : 0)
  })

  test('all tools are strict or none is', () => {
    const strict = [weather, clock].map((tool) => ({ ...tool, strict: true }))
    const all = encoded({ tools: strict })
    expect(all.body['strict_tools']).toBe(true)
    expect(JSON.stringify(all.body['tools'])).not.toContain('strict')
    expect(cohere.decodeRequest(all.body).tools).toMatchObject([{ strict: true }, { strict: true }])
    const some = encoded({ tools: [...strict.slice(0, 1), clock] })
    expect(some.body).not.toHaveProperty('strict_tools')
    expect(some.told).toEqual(['not-expressible'])
  })

  test.for<[format: NonNullable<ChatRequest['responseFormat']>, wire: JsonObject]>([
    [{ type: 'text' }, { type: 'text' }],
    [{ type: 'json' }, { type: 'json_object' }],
    [
      { type: 'json-schema', schema: { type: 'object' } },
      { type: 'json_object', json_schema: { type: 'object' } },
    ],
  ])('%j', ([responseFormat, wire]) => {
    const { body } = encoded({ responseFormat })
    expect(body['response_format']).toEqual(wire)
    expect(cohere.decodeRequest(body).responseFormat).toEqual(responseFormat)
  })

  test('text beside calls is the plan', () => {
    const { body } = encoded({
      messages: [
        user,
        { role: 'assistant', content: 'I look.', toolCalls: [call('f_1', 'f', { x: 1 })] },
        { role: 'tool', content: '', toolResults: [{ callId: 'f_1', name: 'f', content: 'ok' }] },
      ],
    })
    expect(body['messages']).toEqual([
      user,
      { role: 'assistant', tool_plan: 'I look.', tool_calls: [wireCall] },
      { role: 'tool', tool_call_id: 'f_1', content: 'ok' },
    ])
    expect(cohere.decodeRequest(body).messages[1]).toMatchObject({
      content: 'I look.',
      toolCalls: [{ id: 'f_1', arguments: { x: 1 } }],
    })
  })

  test('documents, thoughts and citations come back as they were', () => {
    const documents = [
      { type: 'document', document: { id: '1', data: { degrees: 4 } } },
      { type: 'text', text: 'cold' },
    ]
    const body = {
      model: 'm',
      messages: [
        user,
        {
          role: 'assistant',
          content: [{ type: 'thinking', thinking: 'Hm.' }],
          tool_plan: 'I look.',
          tool_calls: [wireCall, { ...wireCall, id: 'f_2' }],
        },
        { role: 'tool', tool_call_id: 'f_1', content: documents },
        { role: 'tool', tool_call_id: 'f_2', content: 'ok' },
        { role: 'assistant', content: 'Cold.', citations: [{ start: 0, end: 4 }] },
      ],
      safety_mode: 'OFF',
    }
    const request = cohere.decodeRequest(body)
    expect(request.messages).toMatchObject([
      {},
      { content: 'I look.', reasoning: 'Hm.' },
      { toolResults: [{ callId: 'f_1', content: '{"degrees":4}\ncold' }, { content: 'ok' }] },
      { content: 'Cold.' },
    ])
    expect(cohere.encodeRequest(request)).toEqual(body)
  })

  test('other words take neither thoughts nor citations with them', () => {
    const kept = { content: [{ type: 'thinking', thinking: 'Hm.' }], tool_plan: 'I look.' }
    const { body } = encoded({
      messages: [
        {
          role: 'assistant',
          content: 'I go.',
          toolCalls: [call('f_1', 'f', { x: 1 })],
          extra: { cohere: kept },
        },
        {
          role: 'assistant',
          content: 'Warm.',
          extra: { cohere: { content: 'Cold.', citations: [{ start: 0, end: 4 }] } },
        },
      ],
    })
    expect(body['messages']).toEqual([
      { role: 'assistant', tool_plan: 'I go.', tool_calls: [wireCall] },
      { role: 'assistant', content: 'Warm.' },
    ])
  })

  test('images of results follow in a message of the user', () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const
    const { body } = encoded({
      messages: [
        { role: 'assistant', content: '', toolCalls: [call('f_1', 'f', { x: 1 })] },
        { role: 'tool', content: '', toolResults: [{ callId: 'f_1', content: [image] }] },
      ],
    })
    expect(body['messages']).toMatchObject([
      { role: 'assistant', tool_calls: [wireCall] },
      { role: 'tool', content: '[image follows in the next message of the user]' },
      { role: 'user', content: [{ type: 'image_url' }] },
    ])
  })
})

describe('replies', () => {
  test('`null` is no arguments, and what is billed is not what was read', () => {
    const body = {
      id: 'r',
      message: {
        role: 'assistant',
        tool_plan: 'I look.',
        tool_calls: [{ ...wireCall, function: { name: 'f', arguments: 'null' } }],
      },
      finish_reason: 'TOOL_CALL',
      usage: {
        billed_units: { input_tokens: 10, output_tokens: 5 },
        tokens: { input_tokens: 100, output_tokens: 9 },
        cached_tokens: 64,
      },
    }
    const response = cohere.decodeResponse(body)
    expect(response).toMatchObject({
      message: { content: 'I look.', toolCalls: [{ name: 'f', arguments: {} }] },
      finishReason: 'tool-calls',
      usage: { inputTokens: 100, outputTokens: 9, totalTokens: 109, cacheReadTokens: 64 },
    })
    const again = cohere.encodeResponse(response)
    expect(again).toMatchObject({ finish_reason: 'TOOL_CALL', usage: body.usage })
    expect(cohere.decodeResponse({ message: 'invalid token' })).toMatchObject({
      error: { code: 'invalid-response' },
    })
  })

  test.for([
    ['STOP_SEQUENCE', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['TIMEOUT', 'error'],
  ] as const)('%s is %s', ([word, reason]) => {
    const content = [{ type: 'text', text: 'So' }]
    const body = { id: 'r', message: { role: 'assistant', content }, finish_reason: word }
    const response = cohere.decodeResponse(body)
    expect(response.finishReason).toBe(reason)
    expect(cohere.encodeResponse(response)).toEqual(body)
  })

  test('a call goes back as it came', () => {
    const message = { role: 'assistant', tool_plan: 'I look.', tool_calls: [wireCall] }
    const native = cohere.formatAssistantMessage({ message }, { shape: 'native' })
    expect(native).toEqual(message)
    expect(cohere.formatAssistantMessage({ message })).toEqual({
      role: 'assistant',
      content: 'I look.',
      tool_calls: [wireCall],
    })
  })
})

describe('streams', () => {
  test('a plan and calls', () => {
    const start = { id: 'f_1', type: 'function', function: { name: 'f', arguments: '' } }
    const events = play([
      { id: 'r', type: 'message-start', delta: { message: { role: 'assistant' } } },
      event('tool-plan-delta', { tool_plan: 'I ' }),
      event('tool-plan-delta', { tool_plan: 'look.' }),
      event('tool-call-start', { tool_calls: start }),
      event('tool-call-delta', { tool_calls: { function: { arguments: '{"x"' } } }),
      event('tool-call-delta', { tool_calls: { function: { arguments: ':1}' } } }),
      event('tool-call-end'),
      event('tool-call-start', { tool_calls: { ...start, id: 'f_2' } }, 1),
      event('tool-call-end', undefined, 1),
      { type: 'message-end', delta: { finish_reason: 'TOOL_CALL', usage: {} } },
    ])
    expect(events.map(({ type }) => type)).toEqual([
      // That it is a plan is told before its words.
      ...['start', 'extra', 'text-delta', 'text-delta', 'call-start', 'call-delta', 'call-delta'],
      ...['call-end', 'call-start', 'call-end', 'finish'],
    ])
    expect(events.at(-1)).toMatchObject({
      response: {
        id: 'r',
        message: {
          content: 'I look.',
          toolCalls: [
            { id: 'f_1', arguments: { x: 1 } },
            { id: 'f_2', arguments: {} },
          ],
        },
      },
    })
  })

  test('probabilities are collected', () => {
    const likely = (text: string): JsonObject => ({ text, token_ids: [1], logprobs: [-0.1] })
    const say = (text: string): JsonObject => ({
      ...event('content-delta', { content: { text } }),
      logprobs: likely(text),
    })
    const events = play([say('H'), say('i'), { type: 'message-end', delta: {} }])
    expect(events.at(-1)).toMatchObject({
      response: { extra: { cohere: { logprobs: [likely('H'), likely('i')] } } },
    })
  })

  test('thoughts, text and citations', () => {
    const events = play([
      { id: 'r', type: 'message-start', delta: { message: { role: 'assistant' } } },
      event('content-start', { content: { type: 'thinking', thinking: '' } }),
      event('content-delta', { content: { thinking: 'Hm.' } }),
      event('content-end'),
      event('content-start', { content: { type: 'text', text: '' } }, 1),
      event('content-delta', { content: { text: 'Four.' } }, 1),
      event('citation-start', { citations: { start: 0, end: 4 } }),
      event('content-end', undefined, 1),
      { type: 'message-end', delta: { finish_reason: 'COMPLETE' } },
    ])
    expect(events.at(-1)).toMatchObject({
      response: {
        message: {
          content: 'Four.',
          reasoning: 'Hm.',
          extra: { cohere: { citations: [{ start: 0, end: 4 }] } },
        },
      },
    })
  })

  test.for<[what: string, failure: JsonObject]>([
    ['at the end', { type: 'message-end', delta: { finish_reason: 'ERROR', error: 'broken' } }],
    ['alone', { message: 'broken' }],
  ])('a failure, %s', ([, failure]) => {
    const said = event('content-delta', { content: { text: 'So' } })
    expect(play([said, failure]).at(-1)).toMatchObject({
      type: 'error',
      error: { message: 'broken', partial: { message: { content: 'So' } } },
    })
  })

  test('are written with names', () => {
    const encoder = cohere.createStreamEncoder()
    const frames = [
      ...encoder.push({ type: 'start', id: 'r' }),
      ...encoder.push({ type: 'text-delta', text: 'Hi' }),
      ...encoder.push({ type: 'call-start', index: 0, id: 'f_1', name: 'f' }),
    ]
    expect(frames.map(({ event: name }) => name)).toEqual([
      ...['message-start', 'content-start', 'content-delta', 'content-end', 'tool-call-start'],
    ])
  })
})

test.for<[body: JsonObject, shape: 'request' | 'response' | undefined]>([
  [{ messages: [user], p: 0.5 }, 'request'],
  [{ messages: [user], tool_choice: 'REQUIRED' }, 'request'],
  [{ messages: [{ role: 'assistant', tool_plan: 'I look.' }] }, 'request'],
  [{ messages: [user] }, undefined],
  [{ message: { role: 'assistant', content: [] }, finish_reason: 'COMPLETE' }, 'response'],
  [{ message: { role: 'assistant', content: '' }, done: true }, undefined],
])('%j is a %s', ([body, shape]) => {
  expect(cohere.shapeOf(body)).toBe(shape)
})

/** What is special about Ollama: objects, names instead of ids, lines instead of events. */
import { describe, expect, test } from 'vitest'
import type { ChatEvent, ChatRequest } from '../../src/core/chat.ts'
import type { IssueCode } from '../../src/core/issue.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import { ollama } from '../../src/dialects/ollama.ts'
import { call, clock, weather } from './samples.ts'

const user = { role: 'user', content: 'Hi' } as const

function encoded(request: Partial<ChatRequest>): { body: JsonObject; told: IssueCode[] } {
  const told: IssueCode[] = []
  const report = ({ code }: { readonly code: IssueCode }) => told.push(code)
  const body = ollama.encodeRequest({ model: 'm', messages: [user], ...request }, { report })
  return { body, told }
}

function play(lines: readonly JsonObject[]): ChatEvent[] {
  const decoder = ollama.createStreamDecoder({ ids: 'sequential' })
  const frames = lines.map((line) => ({ data: JSON.stringify(line) }))
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
}

function line(message: JsonObject, rest: JsonObject = { done: false }): JsonObject {
  const whole = { role: 'assistant', content: '', ...message }
  return { model: 'm', created_at: '2026-01-02T03:04:05Z', message: whole, ...rest }
}

describe('requests', () => {
  test('settings are options', () => {
    const settings = { maxTokens: 5, temperature: 0.5, topP: 0.9, stop: ['END'] }
    const { body } = encoded({
      ...settings,
      extra: { ollama: { options: { num_ctx: 4096 }, keep_alive: '5m' } },
    })
    expect(body).toMatchObject({
      keep_alive: '5m',
      options: { num_ctx: 4096, num_predict: 5, temperature: 0.5, top_p: 0.9, stop: ['END'] },
    })
    const back = ollama.decodeRequest(body)
    expect(back).toMatchObject(settings)
    expect(ollama.encodeRequest(back)).toEqual(body)
  })

  test('the server streams unless it is told not to', () => {
    expect(encoded({}).body['stream']).toBe(false)
    expect(encoded({ stream: true }).body['stream']).toBe(true)
    expect(ollama.decodeRequest({ model: 'm', messages: [] }).stream).toBe(true)
    expect(ollama.decodeRequest({ model: 'm', messages: [], stream: false }).stream).toBe(false)
  })

  test('a seed is an option', () => {
    const { body, told } = encoded({ seed: 7 })
    expect(body['options']).toEqual({ seed: 7 })
    expect(told).toEqual([])
  })

  test.for<[format: ChatRequest['responseFormat'], wanted: unknown]>([
    [{ type: 'json' }, 'json'],
    [{ type: 'json-schema', schema: { type: 'object' } }, { type: 'object' }],
    [{ type: 'text' }, undefined],
  ])('%j', ([responseFormat, wanted]) => {
    const { body } = encoded(responseFormat ? { responseFormat } : {})
    expect(body['format']).toEqual(wanted)
    if (wanted) expect(ollama.decodeRequest(body).responseFormat).toEqual(responseFormat)
  })

  test.for<[choice: ChatRequest['toolChoice'], names: string[], told: IssueCode[]]>([
    ['auto', ['get_weather', 'get_time'], []],
    ['none', [], ['not-expressible']],
    ['required', ['get_weather', 'get_time'], ['not-expressible']],
    [{ name: 'get_time' }, ['get_time'], ['not-expressible', 'not-expressible']],
    [{ names: ['get_time'] }, ['get_time'], ['not-expressible']],
  ])('the choice %j is made by what is offered', ([toolChoice, names, told]) => {
    const found = encoded({ tools: [weather, clock], ...(toolChoice && { toolChoice }) })
    const tools = found.body['tools'] ?? []
    expect(tools).toMatchObject(names.map((name) => ({ function: { name } })))
    expect(found.told).toEqual(told)
  })

  test('calls, thoughts and results', () => {
    const { body } = encoded({
      messages: [
        user,
        {
          role: 'assistant',
          content: '',
          reasoning: 'Hm.',
          toolCalls: [call('a', 'f', { x: 1 }), call('b', 'g', {})],
        },
        {
          role: 'tool',
          content: '',
          toolResults: [
            { callId: 'a', name: 'f', content: 'one' },
            {
              callId: 'b',
              name: 'g',
              content: [
                { type: 'text', text: 'two' },
                { type: 'image', mediaType: 'image/jpeg', data: '/9j/4AAQ' },
              ],
              isError: true,
            },
          ],
        },
      ],
    })
    expect(body['messages']).toEqual([
      user,
      {
        role: 'assistant',
        content: '',
        thinking: 'Hm.',
        tool_calls: [
          { id: 'a', function: { index: 0, name: 'f', arguments: { x: 1 } } },
          { id: 'b', function: { index: 1, name: 'g', arguments: {} } },
        ],
      },
      { role: 'tool', tool_name: 'f', tool_call_id: 'a', content: 'one' },
      {
        role: 'tool',
        tool_name: 'g',
        tool_call_id: 'b',
        content: '[ERROR] two',
        images: ['/9j/4AAQ'],
      },
    ])
    expect(ollama.encodeRequest(ollama.decodeRequest(body))).toEqual(body)
    expect(ollama.decodeRequest(body).messages[2]?.toolResults?.[1]).toEqual({
      callId: 'b',
      name: 'g',
      isError: true,
      content: [
        { type: 'text', text: 'two' },
        { type: 'image', mediaType: 'image/jpeg', data: '/9j/4AAQ' },
      ],
    })
  })

  test('an image that is somewhere else cannot be sent', () => {
    const image = { type: 'image', url: 'https://example.com/a.png' } as const
    const { body, told } = encoded({ messages: [{ role: 'user', content: [image] }] })
    expect(body['messages']).toEqual([{ role: 'user', content: '[image left out]' }])
    expect(told).toEqual(['not-expressible'])
  })

  test('a body without messages is none', () => {
    expect(() => ollama.decodeRequest({ prompt: 'Hi' })).toThrow(TypeError)
  })
})

describe('streams', () => {
  test('a call on the last line', () => {
    const tool_calls = [{ function: { name: 'f', arguments: { x: 1 } } }]
    const events = play([
      line({ thinking: 'Hm' }),
      line({ content: 'I look.' }),
      line({ tool_calls }, { done: true, done_reason: 'stop', eval_count: 3, total_duration: 9 }),
    ])
    expect(events.map(({ type }) => type)).toEqual([
      ...['start', 'reasoning-delta', 'text-delta', 'call-start', 'call-delta', 'call-end'],
      'finish',
    ])
    expect(events.at(-1)).toMatchObject({
      response: {
        model: 'm',
        finishReason: 'tool-calls',
        usage: { inputTokens: 0, outputTokens: 3 },
        message: {
          content: 'I look.',
          reasoning: 'Hm',
          toolCalls: [{ id: 'f_0', name: 'f', arguments: { x: 1 } }],
        },
        extra: { ollama: { total_duration: 9 } },
      },
    })
  })

  test('pictures and tokens are collected', () => {
    const events = play([
      line({ content: 'Look:' }, { logprobs: [{ token: 'Look', logprob: -1 }] }),
      line({ images: ['iVBORw0='] }, { logprobs: [{ token: ':', logprob: -2 }] }),
      line({ content: '' }, { done: true, done_reason: 'stop' }),
    ])
    const encoder = ollama.createStreamEncoder()
    const frames = events.flatMap((event) => encoder.push(event))
    for (const told of [events, play(frames.map(({ data }) => JSON.parse(data)))]) {
      expect(told.at(-1)).toMatchObject({
        response: {
          message: { content: [{ text: 'Look:' }, { type: 'image', data: 'iVBORw0=' }] },
          extra: { ollama: { logprobs: [{ token: 'Look' }, { token: ':' }] } },
        },
      })
    }
  })

  test('an error in the middle', () => {
    const last = play([line({ content: 'So' }), { error: 'out of memory', status: 500 }]).at(-1)
    expect(last).toMatchObject({
      type: 'error',
      error: { message: 'out of memory', status: 500, partial: { message: { content: 'So' } } },
    })
  })

  test('are written line by line', () => {
    const encoder = ollama.createStreamEncoder({ created: 1 })
    const [frame] = [
      ...encoder.push({ type: 'start', id: 'r', model: 'm' }),
      ...encoder.push({ type: 'text-delta', text: 'Hi' }),
    ]
    expect(JSON.parse(frame?.data ?? '')).toEqual({
      model: 'm',
      created_at: '1970-01-01T00:00:01.000Z',
      message: { role: 'assistant', content: 'Hi' },
      done: false,
    })
    const [failed] = encoder.push({ type: 'error', error: { message: 'no' } })
    expect(JSON.parse(failed?.data ?? '')).toEqual({ error: 'no' })
  })
})

test.for<[body: JsonObject, shape: 'request' | 'response' | undefined]>([
  [{ messages: [user], options: {} }, 'request'],
  [{ messages: [{ role: 'tool', tool_name: 'f', content: 'x' }] }, 'request'],
  [{ messages: [{ role: 'user', content: '', images: ['aGk='] }] }, 'request'],
  [{ messages: [user] }, undefined],
  [{ message: { role: 'assistant', content: '' }, done: true }, 'response'],
  [{ message: { role: 'assistant', content: [] }, finish_reason: 'COMPLETE' }, undefined],
])('%j is a %s', ([body, shape]) => {
  expect(ollama.shapeOf(body)).toBe(shape)
})

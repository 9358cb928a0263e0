/** What is special about Mistral: strict about fields and ids, thoughts among the content. */
import { describe, expect, test } from 'vitest'
import type { ChatEvent, ChatRequest } from '../../src/core/chat.ts'
import type { IssueCode } from '../../src/core/issue.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import type { Message } from '../../src/core/model.ts'
import { mistral } from '../../src/dialects/mistral.ts'
import { heal, transcode } from '../../src/dialects/transcode.ts'
import { call, clock, weather } from './samples.ts'

const user = { role: 'user', content: 'Hi' } as const
const thought = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }], closed: true }

function encoded(request: Partial<ChatRequest>): { body: JsonObject; told: IssueCode[] } {
  const told: IssueCode[] = []
  const report = ({ code }: { readonly code: IssueCode }) => told.push(code)
  const body = mistral.encodeRequest({ model: 'm', messages: [user], ...request }, { report })
  return { body, told }
}

function reply(message: JsonObject, rest: JsonObject = {}): JsonObject {
  return { id: 'r', model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }], ...rest }
}

function play(chunks: readonly JsonObject[]): ChatEvent[] {
  const decoder = mistral.createStreamDecoder()
  const frames = chunks.map((chunk) => ({ data: JSON.stringify(chunk) }))
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
}

describe('requests', () => {
  test('have only fields that Mistral knows', () => {
    const { body, told } = encoded({
      stream: true,
      maxTokens: 5,
      parallelToolCalls: false,
      seed: 7,
      extra: { 'openai-chat': { logit_bias: {} } },
    })
    expect(body).toEqual({
      model: 'm',
      messages: [user],
      stream: true,
      max_tokens: 5,
      parallel_tool_calls: false,
      random_seed: 7,
    })
    expect(told).toEqual(['lost-field'])
  })

  test.for<[choice: NonNullable<ChatRequest['toolChoice']>, wire: unknown, tools: number]>([
    ['auto', 'auto', 2],
    ['none', 'none', 2],
    ['required', 'any', 2],
    [{ name: 'get_time' }, { type: 'function', function: { name: 'get_time' } }, 2],
    [{ names: ['get_time'] }, 'auto', 1],
    [{ names: ['get_time'], required: true }, 'any', 1],
  ])('the choice %j', ([toolChoice, wire, count]) => {
    const { body } = encoded({ tools: [weather, clock], toolChoice })
    expect(body['tool_choice']).toEqual(wire)
    expect(body['tools']).toHaveLength(count)
  })

  test('an answer that was begun says so, and only at the end', () => {
    const begun: Message = { role: 'assistant', content: 'Well' }
    const { body } = encoded({ messages: [user, begun] })
    expect(body['messages']).toMatchObject([user, { content: 'Well', prefix: true }])
    const back = mistral.decodeRequest(body)
    const later = mistral.encodeRequest({ ...back, messages: [...back.messages, user] })
    expect(later['messages']).toEqual([user, { role: 'assistant', content: 'Well' }, user])
  })

  test('results have a name, and parts where there is more than text', () => {
    const image = { type: 'image', mediaType: 'image/png', data: 'aGk=' } as const
    const { body } = encoded({
      messages: [
        user,
        { role: 'assistant', content: '', toolCalls: [call('abcdefgh1', 'f', {})] },
        {
          role: 'tool',
          content: '',
          toolResults: [
            { callId: 'abcdefgh1', name: 'f', content: [image], isError: true, errorCode: 'E' },
          ],
        },
      ],
    })
    expect((body['messages'] as JsonObject[])[2]).toEqual({
      role: 'tool',
      tool_call_id: 'abcdefgh1',
      name: 'f',
      content: [
        { type: 'text', text: '[ERROR:E] ' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
      ],
    })
    expect(mistral.decodeRequest(body).messages[2]?.toolResults).toEqual([
      { callId: 'abcdefgh1', name: 'f', content: [image], isError: true, errorCode: 'E' },
    ])
  })

  test('files are documents', () => {
    const file = { type: 'file', url: 'https://example.com/a.pdf', name: 'a.pdf' } as const
    const { body } = encoded({ messages: [{ role: 'user', content: [file] }] })
    expect(body['messages']).toEqual([
      {
        role: 'user',
        content: [{ type: 'document_url', document_url: file.url, document_name: 'a.pdf' }],
      },
    ])
    expect(mistral.decodeRequest(body).messages).toEqual([{ role: 'user', content: [file] }])
  })

  test('reasoning of others is left out and told', () => {
    const { body, told } = encoded({
      messages: [user, { role: 'assistant', content: 'Hi', reasoning: 'Hm.' }, user],
    })
    expect(body['messages']).toEqual([user, { role: 'assistant', content: 'Hi' }, user])
    expect(told).toEqual(['lost-field'])
  })
})

describe('thoughts', () => {
  const content = [thought, { type: 'text', text: 'Four.' }]
  const { message } = mistral.decodeResponse(reply({ role: 'assistant', content }))

  test('go back in the chunks they came in', () => {
    expect(message).toMatchObject({ content: 'Four.', reasoning: 'Hm.' })
    const { body, told } = encoded({ messages: [user, message, user] })
    expect((body['messages'] as JsonObject[])[1]).toEqual({ role: 'assistant', content })
    expect(told).toEqual([])
    expect(mistral.encodeRequest(mistral.decodeRequest(body))).toEqual(body)
  })

  test('do not go back with other words', () => {
    const { body } = encoded({ messages: [user, { ...message, content: 'Five.' }, user] })
    expect((body['messages'] as JsonObject[])[1]).toEqual({ role: 'assistant', content: 'Five.' })
  })

  test('stream as chunks', () => {
    const piece = (delta: JsonObject, finish: string | null = null): JsonObject => ({
      id: 'r',
      choices: [{ index: 0, delta, finish_reason: finish }],
    })
    const { closed: _, ...open } = thought
    const events = play([
      piece({ role: 'assistant', content: [open] }),
      piece({ content: [{ type: 'text', text: 'Four' }] }),
      piece({ content: '.' }, 'stop'),
    ])
    expect(events.at(-1)).toMatchObject({
      response: {
        message: {
          content: 'Four.',
          reasoning: 'Hm.',
          extra: { mistral: { content: [open, { type: 'text', text: 'Four.' }] } },
        },
      },
    })
    const cited = play([
      piece({ role: 'assistant', content: '' }),
      piece({ content: [{ type: 'text', text: 'In ' }] }),
      piece({ content: [{ type: 'text', text: 'Nice' }] }),
      piece({ content: [{ type: 'reference', reference_ids: [1] }] }),
      piece({ content: '.' }, 'stop'),
    ])
    expect(cited.at(-1)).toMatchObject({
      response: {
        message: {
          content: 'In Nice.',
          extra: {
            mistral: {
              content: [
                { type: 'text', text: 'In Nice' },
                { type: 'reference', reference_ids: [1] },
                { type: 'text', text: '.' },
              ],
            },
          },
        },
      },
    })
    const encoder = mistral.createStreamEncoder()
    const [frame] = encoder.push({ type: 'reasoning-delta', text: 'Hm.' })
    expect(JSON.parse(frame?.data ?? '')).toMatchObject({
      choices: [{ delta: { content: [open] } }],
    })
  })
})

test('an error object is a failure', () => {
  const error = { object: 'error', message: 'Bad id', type: 'invalid_function_call', code: '3280' }
  expect(play([error]).at(-1)).toMatchObject({ error: { message: 'Bad id', code: '3280' } })
})

describe('histories', () => {
  const foreign = [
    user,
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'toolu_01AAAA', type: 'function', function: { name: 'f', arguments: '{}' } },
        { id: 'toolu_01AAAB', type: 'function', function: { name: 'f', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'toolu_01AAAA', content: 'one' },
    { role: 'tool', tool_call_id: 'toolu_01AAAB', content: 'two' },
    { role: 'user', content: 'And?' },
  ]

  test('get ids of nine letters, and somebody speaks after the results', () => {
    const body = transcode(
      { model: 'm', messages: foreign },
      { from: 'openai-chat', to: 'mistral' },
    )
    const { messages } = body as unknown as { messages: JsonObject[] }
    expect(messages.map(({ role }) => role)).toEqual([
      ...['user', 'assistant', 'tool', 'tool', 'assistant', 'user'],
    ])
    const ids = messages.flatMap(({ tool_call_id: id }) => (typeof id === 'string' ? [id] : []))
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/)
    expect(messages[1]).toMatchObject({ tool_calls: ids.map((id) => ({ id })) })
    expect(heal(messages, 'mistral')).toEqual(messages)
  })
})

test.for<[body: JsonObject, shape: 'request' | 'response' | undefined]>([
  [{ messages: [user], random_seed: 1 }, 'request'],
  [{ messages: [user], tool_choice: 'any' }, 'request'],
  [{ messages: [{ role: 'assistant', content: [thought] }] }, 'request'],
  [{ messages: [user] }, undefined],
  [reply({ role: 'assistant', content: [thought] }), 'response'],
  [reply({ tool_calls: [{ id: 'gSIMJiOkT', function: { name: 'f' } }] }), 'response'],
  [reply({ role: 'assistant', content: 'Hi' }), undefined],
])('%j is a %s', ([body, shape]) => {
  expect(mistral.shapeOf(body)).toBe(shape)
})

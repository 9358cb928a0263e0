import { describe, expect, test } from 'vitest'
import type { ChatEvent, ChatResponse } from '../../core/chat.ts'
import type { DecodeResponseOptions } from '../../core/dialect.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { anthropic } from '../anthropic.ts'

function played(events: readonly JsonObject[], options?: DecodeResponseOptions): ChatEvent[] {
  const decoder = anthropic.createStreamDecoder({ ids: 'sequential', ...options })
  const told = events.flatMap((event) =>
    decoder.push({ event: String(event['type']), data: JSON.stringify(event) }),
  )
  return [...told, ...decoder.end()]
}

function responseOf(events: readonly ChatEvent[]): ChatResponse | undefined {
  const last = events.at(-1)
  return last?.type === 'finish' ? last.response : undefined
}

const begin = (id = 'msg_1', content: JsonObject[] = []): JsonObject => ({
  type: 'message_start',
  message: {
    ...{ id, type: 'message', role: 'assistant', model: 'claude', content },
    ...{
      stop_reason: null,
      usage: { input_tokens: 5, cache_read_input_tokens: 3, output_tokens: 1 },
    },
  },
})
const open = (index: number, block: JsonObject): JsonObject => ({
  ...{ type: 'content_block_start', index, content_block: block },
})
const delta = (index: number, fields: JsonObject): JsonObject => ({
  ...{ type: 'content_block_delta', index, delta: fields },
})
const text = (index: number, piece: string): JsonObject =>
  delta(index, { type: 'text_delta', text: piece })
const json = (index: number, piece: string): JsonObject =>
  delta(index, { type: 'input_json_delta', partial_json: piece })
const close = (index: number): JsonObject => ({ type: 'content_block_stop', index })
const end = (reason: string | null = 'end_turn', usage: JsonObject = { output_tokens: 9 }) => ({
  ...{ type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage },
})
const stop: JsonObject = { type: 'message_stop' }
const use = (id: string, input: JsonObject = {}): JsonObject => ({
  ...{ type: 'tool_use', id, name: 'tide', input },
})
const empty: JsonObject = { type: 'text', text: '' }

describe('a reply in pieces', () => {
  const signed = [
    begin(),
    { type: 'ping' },
    open(0, { type: 'thinking', thinking: '', signature: '' }),
    delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
    delta(0, { type: 'thinking_delta', thinking: '.' }),
    delta(0, { type: 'signature_delta', signature: 'c2ln' }),
    close(0),
    open(1, empty),
    text(1, 'I look.'),
    close(1),
    open(2, use('toolu_1')),
    json(2, ''),
    json(2, '{"at": '),
    json(2, '"Brest"}'),
    close(2),
    end('tool_use', { output_tokens: 20, input_tokens: 5 }),
    stop,
  ]

  test('is the reply that it would have been whole', () => {
    const content = [
      { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
      { type: 'text', text: 'I look.' },
      use('toolu_1', { at: 'Brest' }),
    ]
    const usage = { input_tokens: 5, cache_read_input_tokens: 3, output_tokens: 20 }
    const body = { id: 'msg_1', type: 'message', model: 'claude', content, usage }
    const whole = anthropic.decodeResponse({ ...body, stop_reason: 'tool_use' })
    const response = responseOf(played(signed))
    const [call] = response?.message.toolCalls ?? []
    expect(call?.rawArguments).toBe('{"at": "Brest"}')
    expect(response).toEqual({
      ...whole,
      message: { ...whole.message, toolCalls: [{ ...whole.message.toolCalls?.[0], ...call }] },
    })
    expect(response?.usage).toEqual({
      ...{ inputTokens: 8, cacheReadTokens: 3, outputTokens: 20, totalTokens: 28 },
    })
  })

  test('keeps its signature for the next request', () => {
    const message = responseOf(played(signed))?.message
    const messages = message ? [{ role: 'user', content: 'Go' } as const, message] : []
    expect(anthropic.encodeRequest({ model: 'claude', messages })['messages']).toMatchObject([
      {},
      { content: [{ signature: 'c2ln' }, { text: 'I look.' }, { input: { at: 'Brest' } }] },
    ])
  })

  test('tells deltas that add up to it', () => {
    const events = played([
      ...[begin(), open(0, empty), text(0, 'One'), close(0), open(1, empty), close(1)],
      ...[open(2, use('toolu_1')), close(2), open(3, empty), text(3, 'Two'), close(3), end(), stop],
    ])
    const said = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
    expect(said).toBe('One\nTwo')
    expect(responseOf(events)?.message).toMatchObject({
      content: said,
      toolCalls: [{ id: 'toolu_1', arguments: {} }],
    })
  })

  test('collects citations and what is not known', () => {
    const events = played([
      begin(),
      open(0, { ...empty, citations: [] }),
      delta(0, { type: 'citations_delta', citation: { cited_text: 'a' } }),
      delta(0, { type: 'citations_delta', citation: { cited_text: 'b' } }),
      text(0, 'Said.'),
      open(1, { type: 'compaction', content: '' }),
      delta(1, { type: 'compaction_delta', content: 'Sum' }),
      ...[end('pause_turn'), stop],
    ])
    const response = responseOf(events)
    expect(response).toMatchObject({ finishReason: 'stop', stopReason: 'pause_turn' })
    expect(response?.message.extra?.['anthropic']?.['content']).toEqual([
      { ...empty, text: 'Said.', citations: [{ cited_text: 'a' }, { cited_text: 'b' }] },
      { type: 'compaction', content: 'Sum' },
    ])
    expect(response && anthropic.encodeResponse(response)['stop_reason']).toBe('pause_turn')
  })
})

describe('calls', () => {
  test('whose input came with their beginning', () => {
    const events = played([
      ...[begin(), open(0, use('toolu_1', { at: 'Brest' })), close(0), end('tool_use'), stop],
    ])
    expect(events.filter(({ type }) => type === 'call-delta')).toMatchObject([
      { argumentsDelta: '{"at":"Brest"}' },
    ])
    expect(responseOf(events)?.message.toolCalls).toMatchObject([{ arguments: { at: 'Brest' } }])
  })

  test('tell what goes back with them', () => {
    const call = { ...use('toolu_1', { at: 'Brest' }), toolset_name: 'sea' }
    const events = played([begin(), open(0, call), close(0), end('tool_use'), stop])
    const [ended] = events.filter(({ type }) => type === 'call-end')
    expect(ended).toMatchObject({ call: { provider: { toolset_name: 'sea' } } })
  })

  test('that were complete before the message began, told only once', () => {
    const call = { ...use('toolu_1', { at: 'Brest' }), caller: { type: 'direct' } }
    const events = played([begin('msg_1', [call]), open(0, call), close(0), end('tool_use'), stop])
    const ends = events.filter(({ type }) => type === 'call-end')
    expect(ends).toMatchObject([{ call: { id: 'toolu_1', provider: { caller: call.caller } } }])
    expect(responseOf(events)?.message.toolCalls).toHaveLength(1)
  })

  test('that were cut off are reported, not made', () => {
    const events = played([
      begin(),
      open(0, use('toolu_1')),
      json(0, '{"at": "Br'),
      end('max_tokens'),
      stop,
    ])
    expect(events.map(({ type }) => type)).toContain('call-abort')
    const response = responseOf(events)
    expect(response).toMatchObject({ finishReason: 'length', issues: [{ name: 'tide' }] })
    expect(response?.message.toolCalls).toBeUndefined()
  })

  test('with an id that was used before get another', () => {
    const events = played([begin(), open(0, use('toolu_1')), end('tool_use'), stop], {
      usedIds: ['toolu_1'],
    })
    const [call] = responseOf(events)?.message.toolCalls ?? []
    expect(call?.id).toBe('tide_0')
    expect(events).toContainEqual(expect.objectContaining({ type: 'call-start', id: 'tide_0' }))
  })
})

describe('faults', () => {
  test('a beginning that comes twice counts once', () => {
    const events = played([begin(), begin(), open(0, empty), text(0, 'Hi'), end(), stop])
    expect(events.filter(({ type }) => type === 'start')).toHaveLength(1)
    expect(responseOf(events)?.message.content).toBe('Hi')
  })

  test('another reply in the middle is an error with what came before', () => {
    const events = played([begin(), open(0, empty), text(0, 'Hi'), begin('msg_2'), text(0, 'No')])
    expect(events.at(-1)).toMatchObject({
      type: 'error',
      error: { code: 'spliced-stream', partial: { message: { content: 'Hi' } } },
    })
  })

  test('an error of the provider has its type and status', () => {
    const error = { type: 'overloaded_error', message: 'Overloaded' }
    const events = played([begin(), { type: 'error', error }])
    expect(events.at(-1)).toMatchObject({
      type: 'error',
      error: { message: 'Overloaded', code: 'overloaded_error', status: 529 },
    })
  })

  test('missing beginnings and unknown events do no harm', () => {
    const events = played([
      { type: 'novelty' },
      text(0, 'Hi'),
      end(),
      { type: 'content_block_stop' },
    ])
    expect(responseOf(events)?.message.content).toBe('Hi')
  })
})

describe('what is written', () => {
  function written(events: readonly ChatEvent[]): JsonObject[] {
    const encoder = anthropic.createStreamEncoder()
    const frames = events.flatMap((event) => encoder.push(event))
    return frames.map(({ data }) => JSON.parse(data) as JsonObject)
  }

  test('has one block after the other, each with its end', () => {
    const frames = written([
      { type: 'start', id: 'msg_1', model: 'claude' },
      { type: 'reasoning-delta', text: 'Hm' },
      { type: 'text-delta', text: 'Hi' },
      { type: 'call-start', index: 0, id: 'a', name: 'tide' },
      { type: 'call-delta', index: 0, argumentsDelta: '{}' },
    ])
    const shape = frames.map(({ type, index }) => `${String(type)} ${String(index ?? '')}`.trim())
    expect(shape).toEqual([
      'message_start',
      ...['content_block_start 0', 'content_block_delta 0', 'content_block_stop 0'],
      ...['content_block_start 1', 'content_block_delta 1', 'content_block_stop 1'],
      ...['content_block_start 2', 'content_block_delta 2'],
    ])
  })

  test('ends with what only Anthropic says about a reply', () => {
    const body = {
      ...{ content: [], stop_reason: 'refusal', container: { id: 'c' } },
      ...{ stop_details: { type: 'refusal' }, context_management: { applied_edits: [] } },
    }
    const response = anthropic.decodeResponse(body)
    const end = written([{ type: 'finish', response }]).find(({ type }) => type === 'message_delta')
    expect(end).toMatchObject({
      delta: {
        ...{ stop_reason: 'refusal', stop_sequence: null },
        ...{ container: { id: 'c' }, stop_details: { type: 'refusal' } },
      },
      context_management: { applied_edits: [] },
    })
  })

  test('an error has a type of Anthropic', () => {
    const errors = [
      { message: 'a', code: 'rate_limit_error' },
      { message: 'b', code: 'throttlingException', status: 429 },
      { message: 'c', code: 'truncated-stream' },
    ]
    const types = errors.flatMap((error) => written([{ type: 'error', error }]))
    expect(types).toMatchObject([
      { error: { type: 'rate_limit_error' } },
      { error: { type: 'rate_limit_error' } },
      { error: { type: 'api_error', message: 'c' } },
    ])
  })
})

describe('whole replies', () => {
  test('bodies that are none come back as failures', () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'x' } }
    for (const body of [error, null, 'no JSON', [], {}]) {
      expect(anthropic.decodeResponse(body).finishReason).toBe('error')
    }
  })

  test('fields and counts that only Anthropic has survive', () => {
    const body = {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude' },
      content: [{ type: 'text', text: 'Hi' }],
      ...{ stop_reason: 'stop_sequence', stop_sequence: 'END', container: { id: 'c' } },
      usage: { input_tokens: 1, output_tokens: 2, service_tier: 'standard' },
    }
    expect(anthropic.encodeResponse(anthropic.decodeResponse(body))).toEqual(body)
  })

  test.for(['compaction', 'pause_turn', 'stop_sequence'])('%s stays the word', (word) => {
    const response = anthropic.decodeResponse({ content: [], stop_reason: word })
    expect(anthropic.encodeResponse(response)['stop_reason']).toBe(word)
  })

  test('calls that were found in the text change the word', () => {
    const response = anthropic.decodeResponse({ content: [], stop_reason: 'end_turn' })
    const call = { id: 'a', name: 'tide', arguments: {}, origin: 'text' } as const
    const message = { ...response.message, toolCalls: [call] }
    const rescued = { ...response, message, finishReason: 'tool-calls' } as const
    expect(anthropic.encodeResponse(rescued)['stop_reason']).toBe('tool_use')
  })

  test('reasoning that nobody signed is shown to the reader', () => {
    const response = anthropic.decodeResponse({ content: [], stop_reason: 'end_turn' })
    const message = { ...response.message, content: 'Hi', reasoning: 'Hm' }
    const body = anthropic.encodeResponse({ ...response, message })
    expect(body['content']).toMatchObject([{ type: 'thinking', thinking: 'Hm' }, { text: 'Hi' }])
    expect(anthropic.decodeResponse(body).message).toEqual(message)
  })
})

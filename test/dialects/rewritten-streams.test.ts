/** Streams that are written again in the dialect they came in: a proxy must not lose what it does not need. */
import { expect, test } from 'vitest'
import type { ChatEvent, ChatResponse } from '../../src/core/chat.ts'
import type { Dialect, Frame } from '../../src/core/dialect.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import * as dialects from '../../src/dialects/index.ts'

function read(dialect: Dialect, frames: readonly Frame[]): ChatEvent[] {
  const decoder = dialect.createStreamDecoder({ ids: 'sequential' })
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
}

function replyOf(events: readonly ChatEvent[]): ChatResponse {
  const last = events.at(-1)
  if (last?.type !== 'finish') throw new Error(`no reply: ${JSON.stringify(last)}`)
  return last.response
}

function chunks(...deltas: JsonObject[]): Frame[] {
  const choices = [...deltas, {}].map((delta, at) => ({
    index: 0,
    delta,
    finish_reason: at < deltas.length ? null : 'stop',
  }))
  return choices.map((choice) => ({ data: JSON.stringify({ id: 'r', choices: [choice] }) }))
}

function blocks(...listed: (readonly [start: JsonObject, ...deltas: JsonObject[]])[]): Frame[] {
  const events = listed.flatMap(([block, ...deltas], index) => [
    { type: 'content_block_start', index, content_block: block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ])
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'c', content: [] }
  const end = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: {} }
  return [{ type: 'message_start', message }, ...events, end].map((data) => ({
    data: JSON.stringify(data),
  }))
}

function items(...listed: JsonObject[]): Frame[] {
  const done = listed.map((item, at) => ({
    ...{ type: 'response.output_item.done', output_index: at },
    item,
  }))
  const response = { id: 'r', status: 'completed', output: listed }
  return [...done, { type: 'response.completed', response }].map((data) => ({
    data: JSON.stringify(data),
  }))
}

function steps(...listed: (readonly [start: JsonObject, ...deltas: JsonObject[]])[]): Frame[] {
  const events = listed.flatMap(([step, ...deltas], index) => [
    { event_type: 'step.start', index, step },
    ...deltas.map((delta) => ({ event_type: 'step.delta', index, delta })),
    { event_type: 'step.stop', index },
  ])
  const interaction = { id: 'i', model: 'g', status: 'completed' }
  return [...events, { event_type: 'interaction.completed', interaction }].map((data) => ({
    data: JSON.stringify(data),
  }))
}

const caller = { type: 'code_execution_20250825', tool_id: 'srv_1' }
const f = { name: 'f', arguments: '{"x":1}' }
const signature = { google: { thought_signature: 'AAAA' } }

const calls: readonly (readonly [what: string, Dialect, Frame[]])[] = [
  [
    'who called',
    dialects.anthropic,
    blocks([
      { type: 'tool_use', id: 'a', name: 'f', input: {}, caller, toolset_name: 'set' },
      { type: 'input_json_delta', partial_json: '{"x":1}' },
    ]),
  ],
  [
    'a signature on a call',
    dialects.openaiChat,
    chunks({ tool_calls: [{ index: 0, id: 'a', function: f, extra_content: signature }] }),
  ],
  [
    'a signature behind a call',
    dialects.openaiChat,
    chunks(
      { tool_calls: [{ index: 0, id: 'a', function: f }] },
      { tool_calls: [{ index: 0, extra_content: signature }] },
    ),
  ],
  [
    'text for a tool',
    dialects.openaiChat,
    chunks(
      { tool_calls: [{ index: 0, id: 'a', type: 'custom', custom: { name: 'sql', input: '' } }] },
      { tool_calls: [{ index: 0, custom: { input: 'SELECT "x"\n' } }] },
    ),
  ],
  [
    'calls that are no functions',
    dialects.openaiResponses,
    items(
      { type: 'custom_tool_call', call_id: 'a', name: 'sql', input: 'SELECT "x"\n' },
      { type: 'function_call', call_id: 'b', ...f, namespace: 'n', caller: { type: 'program' } },
      { type: 'apply_patch_call', call_id: 'c', operation: { type: 'delete_file', path: 'p' } },
    ),
  ],
  [
    'a signature of a call',
    dialects.googleInteractions,
    steps([{ type: 'function_call', id: 'a', name: 'f', arguments: { x: 1 }, signature: 'AAAA' }]),
  ],
]

test.for(calls)('keep %s', ([, dialect, frames]) => {
  const events = read(dialect, frames)
  const encoder = dialect.createStreamEncoder()
  const again = read(
    dialect,
    events.flatMap((event) => encoder.push(event)),
  )
  const { toolCalls = [] } = replyOf(events).message
  expect(toolCalls.length).toBeGreaterThan(0)
  expect(replyOf(again).message.toolCalls).toEqual(toolCalls)
  // Who listens to the events learns the same as who waits for the reply.
  const told = again.flatMap((event) => (event.type === 'call-end' ? [event.call] : []))
  expect(told.map(({ provider }) => provider)).toEqual(toolCalls.map(({ provider }) => provider))
})

function frames(...events: JsonObject[]): Frame[] {
  return events.map((data) => ({ data: JSON.stringify(data) }))
}

function said(text: string, citation?: JsonObject): readonly [JsonObject, ...JsonObject[]] {
  const cited = citation ? [{ type: 'citations_delta', citation }] : []
  return [{ type: 'text', text: '' }, ...cited, { type: 'text_delta', text }]
}

const cited = { type: 'char_location', cited_text: 'rain', document_index: 0 }
const note = { type: 'url_citation', url: 'https://example.org', start_index: 0, end_index: 4 }

const notes: readonly (readonly [what: string, Dialect, Frame[]])[] = [
  [
    'citations, each on its text',
    dialects.anthropic,
    blocks(said('They say '), said('rain', cited), said(', and '), said('wind', cited), said('.')),
  ],
  [
    'annotations, each on its text',
    dialects.googleInteractions,
    steps(
      [{ type: 'model_output' }, { type: 'text', text: 'Rain.' }],
      [
        { type: 'model_output' },
        { type: 'text', text: 'Wind.' },
        { type: 'text_annotation_delta', annotations: [note] },
      ],
    ),
  ],
  [
    'citations of a model at Bedrock',
    dialects.bedrock,
    frames(
      { messageStart: { role: 'assistant' } },
      { contentBlockDelta: { contentBlockIndex: 0, delta: { text: 'They say' } } },
      { contentBlockStop: { contentBlockIndex: 0 } },
      { contentBlockDelta: { contentBlockIndex: 1, delta: { text: 'rain' } } },
      { contentBlockDelta: { contentBlockIndex: 1, delta: { citation: { title: 'News' } } } },
      { contentBlockStop: { contentBlockIndex: 1 } },
      { messageStop: { stopReason: 'end_turn' } },
    ),
  ],
  [
    'citations at the end',
    dialects.cohere,
    frames(
      { type: 'message-start', id: 'c', delta: { message: { role: 'assistant' } } },
      { type: 'content-start', index: 0, delta: { message: { content: { type: 'text' } } } },
      { type: 'content-delta', index: 0, delta: { message: { content: { text: 'Rain.' } } } },
      { type: 'citation-start', index: 0, delta: { message: { citations: { start: 0, end: 4 } } } },
      { type: 'citation-end', index: 0 },
      { type: 'message-end', delta: { finish_reason: 'COMPLETE' } },
    ),
  ],
  [
    'references',
    dialects.mistral,
    chunks({ content: 'Rain' }, { content: [{ type: 'reference', reference_ids: [1] }] }),
  ],
]

const thought = (text: string, more: JsonObject = {}) => ({
  content: [{ type: 'thinking', thinking: [{ type: 'text', text }], ...more }],
})
const parts = (...listed: JsonObject[]): JsonObject => ({
  candidates: [{ index: 0, content: { role: 'model', parts: listed } }],
})

const words: readonly (readonly [what: string, Dialect, Frame[]])[] = [
  [
    'a plan',
    dialects.cohere,
    frames(
      { type: 'message-start', id: 'c', delta: { message: { role: 'assistant' } } },
      { type: 'tool-plan-delta', delta: { message: { tool_plan: 'I will ' } } },
      { type: 'tool-plan-delta', delta: { message: { tool_plan: 'look.' } } },
      {
        ...{ type: 'tool-call-start', index: 0 },
        delta: { message: { tool_calls: { id: 'a', type: 'function', function: f } } },
      },
      { type: 'tool-call-end', index: 0 },
      { type: 'message-end', delta: { finish_reason: 'TOOL_CALL' } },
    ),
  ],
  [
    'a plan before content',
    dialects.cohere,
    frames(
      { type: 'message-start', id: 'c', delta: { message: { role: 'assistant' } } },
      { type: 'tool-plan-delta', delta: { message: { tool_plan: 'I will look.' } } },
      { type: 'content-start', index: 0, delta: { message: { content: { type: 'text' } } } },
      { type: 'content-delta', index: 0, delta: { message: { content: { text: 'Rain.' } } } },
      { type: 'message-end', delta: { finish_reason: 'COMPLETE' } },
    ),
  ],
  [
    'where thoughts are closed',
    dialects.mistral,
    chunks(thought('Hm'), thought('.', { closed: true }), thought('So'), { content: 'Rain.' }),
  ],
  [
    'signatures on thoughts',
    dialects.gemini,
    frames(
      parts({ text: 'Hm', thought: true }),
      parts({ text: '.', thought: true, thoughtSignature: 'AAAA' }),
      parts({ text: '', thought: true, thoughtSignature: 'BBBB' }),
      parts({ text: 'So', thought: true }, { text: 'Rain.' }),
      { candidates: [{ index: 0, finishReason: 'STOP' }] },
    ),
  ],
]

test.for(words)('keep %s', ([, dialect, given]) => {
  const events = read(dialect, given)
  const encoder = dialect.createStreamEncoder()
  const again = read(
    dialect,
    events.flatMap((event) => encoder.push(event)),
  )
  expect(replyOf(again).message).toEqual(replyOf(events).message)
})

test('keep the word for a reply that was called off', () => {
  const given = { id: 'r', choices: [{ index: 0, delta: {}, finish_reason: 'cancelled' }] }
  const events = read(dialects.openaiChat, frames(given))
  const encoder = dialects.openaiChat.createStreamEncoder()
  const written = events.flatMap((event) => encoder.push(event))
  expect(replyOf(read(dialects.openaiChat, written))).toMatchObject({
    finishReason: 'error',
    stopReason: 'cancelled',
  })
})

test.for(notes)('keep %s', ([, dialect, given]) => {
  const events = read(dialect, given)
  const encoder = dialect.createStreamEncoder()
  const again = read(
    dialect,
    events.flatMap((event) => encoder.push(event)),
  )
  const { message } = replyOf(events)
  expect(message).toHaveProperty('extra')
  expect(replyOf(again).message).toEqual(message)
})

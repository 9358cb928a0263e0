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

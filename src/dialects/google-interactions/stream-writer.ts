/** Streams of the Interactions API, written. */
import type { ChatResponse } from '../../core/chat.ts'
import type { Frame, StreamEncoder } from '../../core/dialect.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { ToolCall } from '../../core/model.ts'
import { type Block, createBlockEncoder, type DeltaKind } from '../block-stream.ts'
import { encodeEnd } from './response.ts'

const DIALECT = 'google-interactions'

export function createStreamEncoder(): StreamEncoder {
  return createBlockEncoder({
    dialect: DIALECT,
    start: (id, model) => begin(id, model),
    open: (index, block) => [frame('step.start', { index, step: emptyStep(block) })],
    delta: (index, kind, piece) => [frame('step.delta', { index, delta: DELTAS[kind](piece) })],
    ownDelta: (index, delta) => [frame('step.delta', { index, delta })],
    close: (index, call) => [...signed(index, call), frame('step.stop', { index })],
    finish: (response) => [
      frame('interaction.completed', { interaction: endOf(response) }),
      { event: 'done', data: '[DONE]' },
    ],
    fail: ({ message, code = 'internal_error' }) => [frame('error', { error: { message, code } })],
  })
}

function frame(type: string, fields: JsonObject): Frame {
  return { event: type, data: JSON.stringify({ ...fields, event_type: type }) }
}

function begin(id: string, model: string): Frame[] {
  const status = 'in_progress'
  const interaction = { id, status, object: 'interaction', model }
  return [
    frame('interaction.created', { interaction }),
    frame('interaction.status_update', { interaction_id: id, status }),
  ]
}

function emptyStep(block: Block): JsonObject {
  if (block.kind === 'text') return { type: 'model_output' }
  if (block.kind === 'reasoning') return { type: 'thought' }
  if (block.kind === 'own') return block.block
  return { type: 'function_call', id: block.id, name: block.name, arguments: {} }
}

const DELTAS: Readonly<Record<DeltaKind, (piece: string) => JsonObject>> = {
  text: (text) => ({ type: 'text', text }),
  reasoning: (text) => ({ type: 'thought_summary', content: { type: 'text', text } }),
  signature: (signature) => ({ type: 'thought_signature', signature }),
  call: (json) => ({ type: 'arguments_delta', arguments: json }),
}

/** The signature of a call comes with its arguments, and last. */
function signed(index: number, call: ToolCall | undefined): Frame[] {
  const { signature } = call?.provider ?? {}
  if (typeof signature !== 'string') return []
  const delta = { type: 'arguments_delta', arguments: '', signature }
  return [frame('step.delta', { index, delta })]
}

function endOf(response: ChatResponse): JsonObject {
  const { id = '', model = '', extra } = response
  const { usage: _, ...own } = extra?.[DIALECT] ?? {}
  return { id, ...encodeEnd(response), object: 'interaction', model, ...own }
}

/** Streams in Anthropic's form, written. */
import type { ChatResponse } from '../../core/chat.ts'
import type { Frame, StreamEncoder } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject } from '../../core/json/value.ts'
import { type Block, createBlockEncoder, type DeltaKind } from '../block-stream.ts'
import { stopWord } from '../stop-word.ts'
import { callFields } from './assistant.ts'
import { encodeUsage, STOP_WORDS } from './response.ts'
import { encodeFailure } from './stream-failure.ts'

export function createStreamEncoder(): StreamEncoder {
  return createBlockEncoder({
    dialect: 'anthropic',
    start: (id, model) => [frame({ type: 'message_start', message: emptyMessage(id, model) })],
    open: (index, block) => [
      frame({ type: 'content_block_start', index, content_block: emptyBlock(block) }),
      ...inputOf(block).map((json) =>
        frame({ type: 'content_block_delta', index, delta: DELTAS.call(json) }),
      ),
    ],
    delta: (index, kind, piece) => [
      frame({ type: 'content_block_delta', index, delta: DELTAS[kind](piece) }),
    ],
    ownDelta: (index, delta) => [frame({ type: 'content_block_delta', index, delta })],
    close: (index) => [frame({ type: 'content_block_stop', index })],
    finish: (response) => [frame(endOf(response)), frame({ type: 'message_stop' })],
    fail: (failure) => [frame(encodeFailure(failure))],
  })
}

function frame(data: JsonObject): Frame {
  return { event: String(data['type']), data: JSON.stringify(data) }
}

function emptyMessage(id: string, model: string): JsonObject {
  return {
    ...{ id, type: 'message', role: 'assistant', model, content: [] },
    ...{ stop_reason: null, stop_sequence: null, usage: encodeUsage({}) },
  }
}

function emptyBlock(block: Block): JsonObject {
  if (block.kind === 'text') return { type: 'text', text: '' }
  if (block.kind === 'reasoning') return { type: 'thinking', thinking: '', signature: '' }
  if (block.kind === 'own')
    return hasInput(block.block) ? { ...block.block, input: {} } : block.block
  const { id, name, provider } = block
  return { type: 'tool_use', id, name, input: {}, ...callFields(provider) }
}

/** Calls of tools that run elsewhere come whole, and are written as clients expect calls: bit by bit. */
function inputOf(block: Block): string[] {
  return block.kind === 'own' && hasInput(block.block) ? [JSON.stringify(block.block['input'])] : []
}

function hasInput({ input }: Partial<JsonObject>): boolean {
  return isJsonObject(input) && Object.keys(input).length > 0
}

const DELTAS: Readonly<Record<DeltaKind, (piece: string) => JsonObject>> = {
  text: (text) => ({ type: 'text_delta', text }),
  reasoning: (thinking) => ({ type: 'thinking_delta', thinking }),
  signature: (signature) => ({ type: 'signature_delta', signature }),
  call: (json) => ({ type: 'input_json_delta', partial_json: json }),
}

/** Fields that stand beside the delta; all others are in it. */
const BESIDE = ['context_management', 'input_transformations'] as const

function endOf(response: ChatResponse): JsonObject {
  const { usage: counts, ...own } = (response.extra?.['anthropic'] ?? {}) as Partial<JsonObject>
  const usage = { ...encodeUsage(response.usage), ...(isJsonObject(counts) && counts) }
  const beside: JsonObject = {}
  for (const key of BESIDE) {
    const value = own[key]
    if (value !== undefined) beside[key] = value
    delete own[key]
  }
  const word = stopWord(response, STOP_WORDS)
  const delta = { stop_reason: word, stop_sequence: null, ...(own as JsonObject) }
  return { type: 'message_delta', delta, usage, ...beside }
}

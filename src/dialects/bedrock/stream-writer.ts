/** Streams in the form of Converse, written. */
import type { ChatResponse } from '../../core/chat.ts'
import type { Frame, StreamEncoder } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject } from '../../core/json/value.ts'
import { createBlockEncoder, type DeltaKind } from '../block-stream.ts'
import { stopWord } from '../stop-word.ts'
import { encodeUsage, STOP_WORDS } from './response.ts'
import { encodeFailure } from './stream-failure.ts'

export function createStreamEncoder(): StreamEncoder {
  return createBlockEncoder({
    dialect: 'bedrock',
    start: () => [frame('messageStart', { role: 'assistant' })],
    open: (contentBlockIndex, block) => {
      if (block.kind === 'own') {
        return [frame('contentBlockDelta', { contentBlockIndex, delta: block.block })]
      }
      // Only calls have a beginning.
      if (block.kind !== 'call') return []
      const start = { toolUse: { toolUseId: block.id, name: block.name } }
      return [frame('contentBlockStart', { contentBlockIndex, start })]
    },
    delta: (contentBlockIndex, kind, piece) => [
      frame('contentBlockDelta', { contentBlockIndex, delta: DELTAS[kind](piece) }),
    ],
    close: (contentBlockIndex) => [frame('contentBlockStop', { contentBlockIndex })],
    finish: endOf,
    fail: (failure) => [encodeFailure(failure)],
  })
}

function frame(event: string, data: JsonObject): Frame {
  return { event, data: JSON.stringify(data) }
}

const DELTAS: Readonly<Record<DeltaKind, (piece: string) => JsonObject>> = {
  text: (text) => ({ text }),
  reasoning: (text) => ({ reasoningContent: { text } }),
  signature: (signature) => ({ reasoningContent: { signature } }),
  call: (input) => ({ toolUse: { input } }),
}

function endOf(response: ChatResponse): Frame[] {
  const own = response.extra?.['bedrock'] ?? {}
  const { usage: counts, additionalModelResponseFields: fields, ...rest } = own
  const usage = { ...encodeUsage(response.usage), ...(isJsonObject(counts) && counts) }
  const metadata = { ...(Object.keys(usage).length > 0 && { usage }), ...rest }
  const stop = {
    stopReason: stopWord(response, STOP_WORDS),
    ...(fields !== undefined && { additionalModelResponseFields: fields }),
  }
  return [
    frame('messageStop', stop),
    ...(Object.keys(metadata).length > 0 ? [frame('metadata', metadata)] : []),
  ]
}

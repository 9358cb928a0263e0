/** Streams in the form of Converse, written. */
import type { ChatResponse } from '../../core/chat.ts'
import type { Frame, StreamEncoder } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { createBlockEncoder, type DeltaKind } from '../block-stream.ts'
import { stopWord } from '../stop-word.ts'
import { encodeUsage, STOP_WORDS } from './response.ts'
import { encodeFailure } from './stream-failure.ts'

export function createStreamEncoder(): StreamEncoder {
  return createBlockEncoder({
    dialect: 'bedrock',
    start: () => [frame('messageStart', { role: 'assistant' })],
    open: (contentBlockIndex, block) => {
      if (block.kind === 'own') return ownFrames(contentBlockIndex, block.block)
      // Only calls have a beginning.
      if (block.kind !== 'call') return []
      const start = { toolUse: { toolUseId: block.id, name: block.name } }
      return [frame('contentBlockStart', { contentBlockIndex, start })]
    },
    delta: (contentBlockIndex, kind, piece) => [
      frame('contentBlockDelta', { contentBlockIndex, delta: DELTAS[kind](piece) }),
    ],
    ownDelta: (contentBlockIndex, delta) => [
      frame('contentBlockDelta', { contentBlockIndex, delta }),
    ],
    close: (contentBlockIndex) => [frame('contentBlockStop', { contentBlockIndex })],
    finish: endOf,
    fail: (failure) => [encodeFailure(failure)],
  })
}

function frame(event: string, data: JsonObject): Frame {
  return { event, data: JSON.stringify(data) }
}

/** A block that came whole, in the two pieces that the service would send it in. */
function ownFrames(contentBlockIndex: number, block: JsonObject): Frame[] {
  const { toolUse, toolResult, image } = block as Record<string, JsonValue | undefined>
  const told = (start: JsonObject, delta: JsonObject) => [
    frame('contentBlockStart', { contentBlockIndex, start }),
    frame('contentBlockDelta', { contentBlockIndex, delta }),
  ]
  if (isJsonObject(toolUse)) {
    const { input = {}, ...rest } = toolUse as Record<string, JsonValue>
    return told({ toolUse: rest }, { toolUse: { input: JSON.stringify(input) } })
  }
  if (isJsonObject(toolResult)) {
    const { content = [], ...rest } = toolResult as Record<string, JsonValue>
    return told({ toolResult: rest }, { toolResult: content })
  }
  if (isJsonObject(image)) {
    const { format = 'png', ...rest } = image as Record<string, JsonValue>
    return told({ image: { format } }, { image: rest })
  }
  return [frame('contentBlockDelta', { contentBlockIndex, delta: block })]
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

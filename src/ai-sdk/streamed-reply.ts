/** A reply that arrives in parts, with the calls that stand in its text. */
import type { FinishReason } from '../core/model.ts'
import type { CallPlan } from './call-plan.ts'
import type { Metadata, StreamPart, StreamPartOf } from './language-model.ts'
import { createReading, neutralReason } from './reading.ts'
import type { TextBlock } from './text-block.ts'

export function streamReader(plan: CallPlan): TransformStream<StreamPart, StreamPart> {
  const reader = createStreamReader(plan)
  return new TransformStream({
    transform(part, controller) {
      for (const read of reader.push(part)) controller.enqueue(read)
    },
    flush(controller) {
      for (const read of reader.end()) controller.enqueue(read)
    },
  })
}

interface StreamReader {
  push(part: StreamPart): StreamPart[]
  /** The stream is over, with or without a word about it. */
  end(): StreamPart[]
}

type NativePart = StreamPartOf<
  'tool-input-start' | 'tool-input-delta' | 'tool-input-end' | 'tool-call'
>

function createStreamReader(plan: CallPlan): StreamReader {
  const reading = createReading(plan)
  const { emit, ledger } = reading
  const blocks = new Map<string, TextBlock>()
  /**
   * Texts that are over, until it is known whether they were cut off: by whatever comes next, for then
   * they were not, or by the end of the reply.
   */
  const ended = new Map<TextBlock, Metadata | undefined>()
  /** Parts of the model's own calls while these may be calls that were found in the text. */
  const held = new Map<string, StreamPart[]>()

  function settle(reason: FinishReason): void {
    for (const [block, metadata] of ended) block.end(reason, metadata)
    ended.clear()
  }

  function openBlock(id: string, metadata?: Metadata): TextBlock {
    const block = reading.openText(id, metadata)
    blocks.set(id, block)
    return block
  }

  function endText({ id, providerMetadata }: StreamPartOf<'text-end'>): void {
    ended.set(blocks.get(id) ?? openBlock(id), providerMetadata)
    blocks.delete(id)
  }

  function endAll(reason: FinishReason): void {
    for (const block of blocks.values()) ended.set(block, undefined)
    blocks.clear()
    settle(reason)
    for (const parts of held.values()) parts.forEach(emit)
    held.clear()
  }

  function passNative(part: NativePart): void {
    if (part.type === 'tool-call') return passCall(part)
    if (part.type === 'tool-input-start' && ledger.awaitsNative()) held.set(part.id, [])
    const waiting = held.get(part.id)
    if (waiting) waiting.push(part)
    else emit(part)
  }

  function passCall(part: StreamPartOf<'tool-call'>): void {
    const { toolCallId: id, toolName: name } = part
    const waiting = held.get(id) ?? []
    held.delete(id)
    if (ledger.takeFound(part)) {
      const message = `${name} stood in the text, and was called by the model itself as well`
      return reading.report({ code: 'duplicate-dropped', message, name, callId: id })
    }
    ledger.noteNative(part)
    for (const one of [...waiting, part]) emit(one)
  }

  function finish({ finishReason, providerMetadata, ...rest }: StreamPartOf<'finish'>): void {
    endAll(neutralReason(finishReason))
    emit({ ...rest, ...reading.finish(finishReason, providerMetadata) })
  }

  function read(part: StreamPart): void {
    switch (part.type) {
      case 'finish':
        return finish(part)
      case 'stream-start':
        return emit({ ...part, warnings: [...plan.warnings, ...part.warnings] })
      case 'response-metadata':
      case 'raw':
      case 'error':
        return emit(part)
    }
    settle('stop')
    switch (part.type) {
      case 'text-start':
        return void openBlock(part.id, part.providerMetadata)
      case 'text-delta':
        return (blocks.get(part.id) ?? openBlock(part.id)).push(part.delta, part.providerMetadata)
      case 'text-end':
        return endText(part)
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-end':
      case 'tool-call':
        return passNative(part)
      default:
        return emit(part)
    }
  }

  return {
    push(part) {
      read(part)
      return reading.take()
    },
    end() {
      // A reply that was never finished is one that was cut off.
      endAll('length')
      return reading.take()
    },
  }
}

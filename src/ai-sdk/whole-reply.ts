/** A reply that came whole, with the calls that stand in its text. */
import type { CallPlan } from './call-plan.ts'
import type { Content, GenerateResult, StreamPart } from './language-model.ts'
import { createReading, neutralReason } from './reading.ts'

export function readWhole(result: GenerateResult, plan: CallPlan): GenerateResult {
  const { content, finishReason, providerMetadata } = result
  const reading = createReading(plan)
  for (const part of content) if (part.type === 'tool-call') reading.ledger.noteNative(part)
  const read = content.flatMap((part, at) => {
    if (part.type !== 'text') return [part]
    // Only what stands last can have been cut off.
    const reason = at === content.length - 1 ? neutralReason(finishReason) : 'stop'
    const block = reading.openText(`text-${at}`, part.providerMetadata)
    block.readWhole(part.text, reason)
    return folded(reading.take())
  })
  const ending = reading.finish(finishReason, providerMetadata)
  const warnings = [...plan.warnings, ...result.warnings]
  return { ...result, content: read, warnings, ...ending }
}

/** The parts of a stream as the content that they add up to. */
function folded(parts: readonly StreamPart[]): Content[] {
  const content: Content[] = []
  for (const part of parts) {
    const last = content.at(-1)
    if (part.type === 'text-start') {
      const { providerMetadata } = part
      content.push({ type: 'text', text: '', ...(providerMetadata && { providerMetadata }) })
    } else if (part.type === 'reasoning-start') content.push({ type: 'reasoning', text: '' })
    else if (part.type === 'tool-call') content.push(part)
    else if (part.type === 'text-delta' || part.type === 'reasoning-delta') {
      if (last?.type === 'text' || last?.type === 'reasoning') last.text += part.delta
    }
  }
  return content
}

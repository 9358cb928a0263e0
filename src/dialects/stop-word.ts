/** The word that a dialect has for why a reply ended. */
import type { ChatResponse } from '../core/chat.ts'
import { finishReasonOf } from '../core/finish-reason.ts'
import type { FinishReason } from '../core/model.ts'

export interface StopWords {
  readonly byReason: Readonly<Record<FinishReason, string>>
  /** Words that say more than the finish reason. */
  readonly others: readonly string[]
}

/** The provider's own word, as long as it does not contradict the finish reason; else the usual one. */
export function stopWord(response: ChatResponse, { byReason, others }: StopWords): string {
  const { finishReason, stopReason = '', message } = response
  const usual = byReason[finishReason]
  const hasCalls = (message.toolCalls?.length ?? 0) > 0
  // Calls that were found in the text came with a word that knows nothing of them.
  if (hasCalls && finishReason === 'tool-calls') return usual
  const isOwn = others.includes(stopReason) || Object.values(byReason).includes(stopReason)
  // A word that says nothing about the end, such as `compaction`, is that of a reply that is over.
  const meaning = finishReasonOf(stopReason, hasCalls) ?? 'stop'
  return isOwn && meaning === finishReason ? stopReason : usual
}

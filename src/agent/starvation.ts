/** Replies that say nothing because all tokens went into thinking. */
import type { ChatResponse } from '../core/chat.ts'
import { isBlank } from './unreadable-calls.ts'
import { totalTokens } from './usage.ts'

export interface Starvation {
  readonly maxTokens: number | undefined
  readonly outputTokens: number | undefined
  readonly reasoningTokens: number | undefined
}

/** Undefined when the model said something, or stopped for another reason. */
export function detectStarvation(
  response: ChatResponse,
  maxTokens: number | undefined,
): Starvation | undefined {
  const { usage, finishReason } = response
  const { outputTokens, reasoningTokens } = usage
  const isSpent = maxTokens !== undefined && (outputTokens ?? 0) >= maxTokens
  if (!isBlank(response) || !(finishReason === 'length' || isSpent)) return undefined
  return { maxTokens, outputTokens, reasoningTokens }
}

const FACTOR = 4

/** The next limit to try; undefined when there is no room for a higher one. */
export function escalate(
  { maxTokens, outputTokens }: Starvation,
  response: ChatResponse,
  contextWindow: number | undefined,
): number | undefined {
  const before = maxTokens ?? outputTokens
  if (before === undefined || before === 0) return undefined
  const prompt = response.usage.inputTokens ?? totalTokens(response.usage) - (outputTokens ?? 0)
  const room = contextWindow === undefined ? Number.POSITIVE_INFINITY : contextWindow - prompt
  const next = Math.min(before * FACTOR, room)
  return next > before ? next : undefined
}

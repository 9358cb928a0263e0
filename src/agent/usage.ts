/** What a run has used so far. */
import type { Usage } from '../core/chat.ts'

const FIELDS = [
  'inputTokens',
  'outputTokens',
  'totalTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'reasoningTokens',
] as const satisfies readonly (keyof Usage)[]

/** The sum of both. What neither counted stays absent. */
export function addUsage(a: Usage, b: Usage): Usage {
  const counted = FIELDS.filter((field) => a[field] !== undefined || b[field] !== undefined)
  return Object.fromEntries(counted.map((field) => [field, (a[field] ?? 0) + (b[field] ?? 0)]))
}

/** All tokens, also where the provider gave no total. */
export function totalTokens({
  totalTokens: total,
  inputTokens = 0,
  outputTokens = 0,
}: Usage): number {
  return total ?? inputTokens + outputTokens
}

/**
 * Reasoning as an effort and as a budget. Some APIs take the one, some the other; this file owns the
 * conversion between them.
 */
import type { Reasoning, ReasoningEffort } from '../core/chat.ts'
import type { CodecOptions } from '../core/dialect.ts'
import type { JsonValue } from '../core/json/value.ts'
import { reportLeftOut } from './request-fields.ts'

/** From the least to the most. */
const EFFORTS: readonly ReasoningEffort[] = [
  ...(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const),
]

export type ActiveEffort = Exclude<ReasoningEffort, 'none'>

/** The budget that stands for each effort, in tokens. */
export const EFFORT_BUDGETS: Readonly<Record<ActiveEffort, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 24_576,
  xhigh: 32_768,
  max: 65_536,
}

/** The efforts that every model with an effort knows, with the smallest budget that means each. */
const COMMON: readonly (readonly [effort: ActiveEffort, from: number])[] = [
  ['high', EFFORT_BUDGETS.high],
  ['medium', EFFORT_BUDGETS.medium],
]

/** The effort for a budget: one of those that every model knows. */
export function effortOfBudget(tokens: number): ActiveEffort {
  return COMMON.find(([, from]) => tokens >= from)?.[0] ?? 'low'
}

/** True when the request wants no reasoning. */
export function isOff({ effort, enabled, budgetTokens }: Reasoning): boolean {
  return enabled === false || effort === 'none' || budgetTokens === 0
}

/** True when the request says whether or how much to think, and not only what to show of it. */
export function saysHowMuch({ effort, enabled, budgetTokens }: Reasoning): boolean {
  return (effort ?? enabled ?? budgetTokens) !== undefined
}

/** The effort that is asked for, in whatever way; `usual` where it is left to the model. */
export function effortOf(reasoning: Reasoning, usual?: ActiveEffort): ActiveEffort | undefined {
  const { effort, budgetTokens } = reasoning
  if (effort !== undefined && effort !== 'none') return effort
  return budgetTokens === undefined ? usual : effortOfBudget(budgetTokens)
}

/** The budget that is asked for, in whatever way; undefined where it is left to the model. */
export function budgetOf({ effort, budgetTokens }: Reasoning): number | undefined {
  if (budgetTokens !== undefined || effort === undefined || effort === 'none') return budgetTokens
  return EFFORT_BUDGETS[effort]
}

/** The effort itself if it is allowed, else the next lower one, else the lowest that is allowed. */
export function nearestEffort<Allowed extends ReasoningEffort>(
  effort: ReasoningEffort,
  allowed: readonly Allowed[],
): Allowed | undefined {
  const rank = (one: ReasoningEffort): number => EFFORTS.indexOf(one)
  const sorted = [...allowed].sort((a, b) => rank(a) - rank(b))
  return sorted.findLast((one) => rank(one) <= rank(effort)) ?? sorted[0]
}

/** An effort on the wire, in any case; undefined for words that are none. */
export function readEffort(value: JsonValue | undefined): ReasoningEffort | undefined {
  const word = typeof value === 'string' ? value.toLowerCase() : undefined
  return EFFORTS.find((effort) => effort === word)
}

/** An effort as reasoning: `none` is to have none. */
export function reasoningOfEffort(effort: ReasoningEffort): Reasoning {
  return effort === 'none' ? { enabled: false } : { effort }
}

/** For dialects that show thoughts as they please; `auto` asks for nothing else. */
export function reportNoSummary(
  { summary = 'auto' }: Reasoning,
  dialect: string,
  options: CodecOptions,
): void {
  if (summary !== 'auto') reportLeftOut('reasoning.summary', dialect, options)
}

/** The limits of a run, looked at between steps. */
import type { Finish } from './finish.ts'
import type { RunState } from './journal.ts'
import type { StopCondition } from './stop-conditions.ts'
import { totalTokens } from './usage.ts'

export interface Limits {
  /** Turns with tool calls. Default 25. */
  readonly maxSteps?: number
  /** Turns in a row in which every call failed. Default 3. */
  readonly maxMistakes?: number
  /** Turns in a row that repeat calls and results. Default 3; 0 turns it off. */
  readonly maxUnproductive?: number
  readonly budget?: Budget
  /** Ends the run after a turn; one is enough. */
  readonly stopWhen?: StopCondition | readonly StopCondition[]
}

/** What agents that run as tools use counts as well. A reply of unknown size or price ends the run. */
export interface Budget {
  readonly tokens?: number
  /** Needs `priceOf`. */
  readonly costUsd?: number
}

const MAX_STEPS = 25
const MAX_MISTAKES = 3
const MAX_UNPRODUCTIVE = 3

/** Why the run must not go on, if it must not. */
export async function limitReached(state: RunState, limits: Limits): Promise<Finish | undefined> {
  const { maxSteps = MAX_STEPS, maxMistakes = MAX_MISTAKES } = limits
  const { maxUnproductive = MAX_UNPRODUCTIVE, budget = {} } = limits
  const steps = state.steps - state.stepsBefore
  if (steps > 0 && (await stops(state, limits))) return { reason: 'stop-condition' }
  if (steps >= maxSteps) return because('max-steps', `${steps} steps are done`)
  if (state.mistakes >= maxMistakes) {
    return because('max-mistakes', `every call of ${state.mistakes} turns in a row failed`)
  }
  if (exceeds(state, budget)) return because('max-budget', 'the budget is used up')
  if (maxUnproductive > 0 && state.unproductive >= maxUnproductive) {
    return because('no-progress', `${state.unproductive} turns in a row repeated the one before`)
  }
  return undefined
}

/** True when more than the budget was used, or all of it. */
export function exceeds(
  { usage, costUsd }: Pick<RunState, 'usage' | 'costUsd'>,
  { tokens, costUsd: most }: Budget,
): boolean {
  if (tokens !== undefined && totalTokens(usage) >= tokens) return true
  return most !== undefined && costUsd !== undefined && costUsd >= most
}

async function stops(state: RunState, { stopWhen = [] }: Limits): Promise<boolean> {
  const conditions = typeof stopWhen === 'function' ? [stopWhen] : stopWhen
  for (const condition of conditions) if (await condition(state)) return true
  return false
}

function because(reason: Finish['reason'], message: string): Finish {
  return { reason, message }
}

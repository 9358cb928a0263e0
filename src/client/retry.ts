/** When to try again, and after which wait. */
import { ProviderError } from './errors.ts'

export interface RetryPolicy {
  /** Attempts after the first one. Default 2. */
  readonly max: number
  /** The first wait, doubled each time, each shortened by chance by up to half. Default 500 ms. */
  readonly baseMs: number
  /** The longest wait of our own. Default 8 s. */
  readonly maxMs: number
  /** The longest wait that a provider may ask for; for more, the error is passed on. Default 60 s. */
  readonly maxWaitMs: number
}

const DEFAULT_RETRIES: RetryPolicy = {
  max: 2,
  baseMs: 500,
  maxMs: 8000,
  maxWaitMs: 60_000,
}

export function retryPolicy(given: number | Partial<RetryPolicy> | undefined): RetryPolicy {
  const own = typeof given === 'number' ? { max: given } : given
  return { ...DEFAULT_RETRIES, ...own }
}

export interface Failure {
  readonly error: unknown
  /** How many attempts have failed, this one included. */
  readonly attempts: number
  /** Time left for everything. */
  readonly leftMs: number
  readonly random: () => number
}

/** How long to wait before the next attempt; undefined when there shall be none. */
export function waitBeforeRetry(failure: Failure, policy: RetryPolicy): number | undefined {
  const { error, attempts, leftMs, random } = failure
  if (!(error instanceof ProviderError) || !error.retryable) return undefined
  // Whoever lets us wait in vain once may do so twice, but not more often.
  const max = error.code === 'timeout' ? Math.min(1, policy.max) : policy.max
  if (attempts > max) return undefined
  const asked = error.retryAfterMs
  if (asked !== undefined && asked > policy.maxWaitMs) return undefined
  const backoff = Math.min(policy.maxMs, policy.baseMs * 2 ** (attempts - 1))
  const jittered = backoff * (1 - random() / 2)
  // All who were sent away come back at the same moment unless chance spreads them.
  const wait = asked === undefined ? jittered : asked + random() * Math.min(asked, 250)
  return wait < leftMs ? wait : undefined
}

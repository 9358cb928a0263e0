/** How long a service may take, by default according to who runs it. */
import type { Whereabouts } from './whereabouts.ts'

export interface Timeouts {
  /**
   * Until the provider begins to answer a request for a stream. Default 60 s; without limit for servers of one's
   * own, which may compute a long prompt for minutes. Whole replies have only `totalMs`.
   */
  readonly connectMs?: number | undefined
  /**
   * Between two chunks of a reply. Default 120 s; without limit for servers of one's own, many of which hold a tool
   * call back until it is complete.
   */
  readonly idleMs?: number | undefined
  /** From the request to the end of the reply, retries included. Default 600 s; 1800 s for servers of one's own. */
  readonly totalMs?: number | undefined
}

export interface TimeLimits {
  /** Undefined: only `totalMs` counts. */
  readonly connectMs: number | undefined
  readonly idleMs: number | undefined
  readonly totalMs: number
}

export const HOSTED_TIMEOUTS = { connectMs: 60_000, idleMs: 120_000, totalMs: 600_000 } as const

/** Enough for a prompt of 40,000 tokens at 40 tokens a second, which is slow for a CPU, and a long reply. */
export const SELF_HOSTED_TIMEOUTS = {
  connectMs: undefined,
  idleMs: undefined,
  totalMs: 1_800_000,
} as const

export function timeLimits(
  { isSelfHosted }: Pick<Whereabouts, 'isSelfHosted'>,
  { connectMs, idleMs, totalMs }: Timeouts = {},
): TimeLimits {
  const usual: TimeLimits = isSelfHosted ? SELF_HOSTED_TIMEOUTS : HOSTED_TIMEOUTS
  return {
    connectMs: connectMs ?? usual.connectMs,
    idleMs: idleMs ?? usual.idleMs,
    totalMs: totalMs ?? usual.totalMs,
  }
}

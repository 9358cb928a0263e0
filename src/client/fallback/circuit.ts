/**
 * A circuit breaker: after a failure a client is left alone, longer each time; then one request tries it
 * while the others go elsewhere, and when that one is answered all may come again.
 */
import type { ProviderError } from '../errors.ts'
import type { Cooldown } from './failure-policy.ts'

export interface CircuitOptions {
  /** How long the first failure keeps requests away; doubled with each further one. */
  readonly cooldownMs: number
  /** The longest time, whatever the provider asks for. */
  readonly maxCooldownMs: number
  /** Milliseconds on any clock. */
  readonly now: () => number
  /** Told of each failure and of the end of failures, but not of what was adopted. */
  readonly onChange?: ((health: CircuitHealth) => void) | undefined
}

/** `trial`: the time is over, and one request is finding out whether it works again. */
export type CircuitState = 'ready' | 'cooling' | 'trial'

export interface CircuitHealth {
  readonly state: CircuitState
  /** Failures in a row. */
  readonly failures: number
  /** How long it is still left alone. */
  readonly cooldownMs: number
  readonly lastError?: ProviderError
}

export interface Circuit {
  health(): CircuitHealth
  /** A request sets out. */
  enter(): Visit
  reset(): void
  /** What another process has found out about the same client; no failures means that it is well. */
  adopt(known: KnownHealth): void
}

export type KnownHealth = Omit<CircuitHealth, 'state'>

/** One request and what comes of it: it succeeds, or fails, or is given up. */
export interface Visit {
  succeed(): void
  fail(error: ProviderError, cooldown: Cooldown): void
  /** Others need not wait for it, because it is given up or because it looks well so far. */
  leave(): void
}

/** As long as nobody says otherwise. */
export const USUAL_COOLDOWNS = { cooldownMs: 30_000, maxCooldownMs: 300_000 } as const

/** The options are looked up when they are needed, so that they may change. */
export function createCircuit(options: CircuitOptions): Circuit {
  let failures = 0
  let until = Number.NEGATIVE_INFINITY
  let lastError: ProviderError | undefined
  let trial: Visit | undefined
  /**
   * Counts the failures that made it cool. Requests that set out before the last say little: ten that fail
   * together are one failure, and one that is answered late does not mean that all is well.
   */
  let round = 0

  function state(): CircuitState {
    if (options.now() < until) return 'cooling'
    return trial ? 'trial' : 'ready'
  }

  function lengthOf(error: ProviderError, cooldown: Cooldown): number {
    const { cooldownMs, maxCooldownMs } = options
    if (cooldown === 'long') return maxCooldownMs
    const asked = error.retryAfterMs
    const grown = cooldownMs * 2 ** (failures - 1)
    // The provider knows best when it is ready, until it turns out that it does not.
    const wanted = asked === undefined ? grown : Math.max(asked, failures > 1 ? grown : 0)
    return Math.min(maxCooldownMs, wanted)
  }

  function enter(): Visit {
    const entered = round
    const visit: Visit = {
      succeed() {
        visit.leave()
        if (entered === round) recover()
      },
      fail(error, cooldown) {
        visit.leave()
        if (cooldown === 'none') return
        lastError = error
        if (entered === round || state() !== 'cooling') failures += 1
        round += 1
        until = Math.max(until, options.now() + lengthOf(error, cooldown))
        options.onChange?.(health())
      },
      leave() {
        if (trial === visit) trial = undefined
      },
    }
    if (failures > 0 && state() === 'ready') trial = visit
    return visit
  }

  function recover(): void {
    if (failures === 0) return
    clear()
    options.onChange?.(health())
  }

  function clear(): void {
    failures = 0
    until = Number.NEGATIVE_INFINITY
    lastError = undefined
  }

  function health(): CircuitHealth {
    return {
      state: state(),
      failures,
      cooldownMs: Math.max(0, Math.ceil(until - options.now())),
      ...(lastError && { lastError }),
    }
  }

  return {
    health,
    enter,
    reset() {
      trial = undefined
      recover()
    },
    adopt(known) {
      if (known.failures === 0) return clear()
      // Two that fail at the same time tell each other: neither takes back what it knows itself.
      failures = Math.max(failures, known.failures)
      const cooldownMs = Math.min(options.maxCooldownMs, known.cooldownMs)
      until = Math.max(until, options.now() + cooldownMs)
      lastError = known.lastError ?? lastError
      round += 1
    },
  }
}

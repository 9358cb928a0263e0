/** Everything that may end an attempt before its time: the caller, and our patience. */
import { monotonicNow } from './clock.ts'
import { lateError } from './connection-error.ts'
import type { ProviderErrorFields } from './errors.ts'
import type { Whereabouts } from './whereabouts.ts'

export interface Watch {
  /** Aborts what hangs on it. */
  readonly signal: AbortSignal
  /** A promise, or the end of patience or of the caller's; nothing takes longer than this allows. */
  during<T>(phase: Phase, ms: number | undefined, promise: Promise<T>): Promise<T>
  /** Throws when it is over. */
  check(): void
  /** Removes every timer and listener. */
  dispose(): void
}

export type Phase = 'connect' | 'idle'

const WORDS: Readonly<Record<Phase | 'total', string>> = {
  connect: 'no answer',
  idle: 'nothing more of the answer',
  total: 'no complete answer',
}

/** `deadline` is the time, by `monotonicNow`, at which all is over. */
export function createWatch(
  caller: AbortSignal | undefined,
  deadline: number,
  fields: ProviderErrorFields,
  where?: Whereabouts,
): Watch {
  const controller = new AbortController()
  const { signal } = controller
  const passOn = (): void => controller.abort(caller?.reason)
  if (caller?.aborted) passOn()
  else caller?.addEventListener('abort', passOn, { once: true })
  const totalMs = deadline - monotonicNow()
  // Timers of more than 24 days fire at once.
  const total = totalMs < 2 ** 31 ? setTimeout(() => expire('total', totalMs), totalMs) : undefined
  let phaseTimer: ReturnType<typeof setTimeout> | undefined
  let giveUp: ((reason: unknown) => void) | undefined
  signal.addEventListener('abort', () => giveUp?.(signal.reason), { once: true })

  function expire(phase: Phase | 'total', ms: number): void {
    controller.abort(lateError(WORDS[phase], ms, `${phase}Ms`, fields, where))
  }

  function check(): void {
    if (signal.aborted) throw signal.reason
  }

  return {
    signal,
    check,
    async during(phase, ms, promise) {
      if (ms !== undefined) phaseTimer = setTimeout(() => expire(phase, ms), ms)
      try {
        return await new Promise((resolve, reject) => {
          promise.then(resolve, reject)
          if (signal.aborted) reject(signal.reason)
          else giveUp = reject
        })
      } finally {
        giveUp = undefined
        clearTimeout(phaseTimer)
      }
    },
    dispose() {
      clearTimeout(total)
      clearTimeout(phaseTimer)
      caller?.removeEventListener('abort', passOn)
    },
  }
}

/** Waits; ends at once with the caller's reason when the caller gives up. */
export function pause(ms: number, caller: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (caller?.aborted) {
      reject(caller.reason)
      return
    }
    const giveUp = (): void => {
      clearTimeout(timer)
      reject(caller?.reason)
    }
    const timer = setTimeout(() => {
      caller?.removeEventListener('abort', giveUp)
      resolve()
    }, ms)
    caller?.addEventListener('abort', giveUp, { once: true })
  })
}

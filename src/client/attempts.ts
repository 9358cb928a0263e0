/** Attempt after attempt, until one works or it makes no sense any more. */
import { append } from '../core/append.ts'
import type { ChatEvent, ChatResponse } from '../core/chat.ts'
import type { RequestOptions } from './chat-client.ts'
import type { Ending, EventBatch } from './chat-stream.ts'
import { monotonicNow } from './clock.ts'
import { ProviderError } from './errors.ts'
import { type Exchange, StreamBreak } from './exchange.ts'
import type { KeyPool, KeyRound, KeyVerdict } from './key-pool.ts'
import type { RequestPlan } from './request-plan.ts'
import { type RetryPolicy, waitBeforeRetry } from './retry.ts'
import { streamFailure } from './stream-failure.ts'
import { createWatch, pause, type Watch } from './watch.ts'
import type { Whereabouts } from './whereabouts.ts'

export interface AttemptOptions {
  readonly exchange: Exchange
  readonly keys: KeyPool
  readonly policy: RetryPolicy
  readonly totalMs: number
  readonly where: Whereabouts
  readonly random: () => number
  readonly onRetry?: ((retry: Retry) => void) | undefined
  /** Told of a failure; true when the next plan will be another one, which deserves all its attempts. */
  learns(error: unknown, plan: RequestPlan): boolean
}

/** An attempt that failed and is followed by another. */
export interface Retry {
  readonly error: unknown
  readonly waitMs: number
}

export interface Attempts {
  complete(plan: () => Promise<RequestPlan>, request: RequestOptions): Promise<ChatResponse>
  stream(
    plan: () => Promise<RequestPlan>,
    request: RequestOptions,
    ending: Ending,
  ): AsyncGenerator<EventBatch, void>
}

/** What all attempts of one request share. */
interface Trial {
  readonly signal: AbortSignal | undefined
  readonly policy: RetryPolicy
  /** By `monotonicNow`. */
  readonly deadline: number
  keys: KeyRound
  failed: number
}

export function createAttempts(options: AttemptOptions): Attempts {
  const { exchange, keys, policy, totalMs, where, random, onRetry, learns } = options

  function begin({ signal, retries = policy.max }: RequestOptions): Trial {
    const own = { ...policy, max: retries }
    const deadline = monotonicNow() + totalMs
    return { signal, policy: own, deadline, keys: keys.begin(), failed: 0 }
  }

  function watchOf({ signal, deadline }: Trial, { model }: RequestPlan): Watch {
    return createWatch(signal, deadline, { provider: exchange.provider, model }, where)
  }

  /** Returns when it is time for the next attempt; throws the error when there shall be none. */
  async function waitOrThrow(failure: KeyVerdict, plan: RequestPlan, trial: Trial): Promise<void> {
    const { signal, deadline } = trial
    if (failure.again) return
    const { error } = failure
    trial.failed++
    if (learns(error, plan)) {
      trial.failed = 0
      return
    }
    const leftMs = deadline - monotonicNow()
    const waitMs = waitBeforeRetry({ error, attempts: trial.failed, leftMs, random }, trial.policy)
    if (waitMs === undefined || signal?.aborted) throw error
    onRetry?.({ error, waitMs })
    await pause(waitMs, signal)
    trial.keys = keys.begin()
  }

  async function complete(
    plan: () => Promise<RequestPlan>,
    request: RequestOptions,
  ): Promise<ChatResponse> {
    const trial = begin(request)
    while (true) {
      const current = await plan()
      const watch = watchOf(trial, current)
      const key = trial.keys.take()
      try {
        const response = await exchange.whole(current, watch, key.slot)
        key.succeed()
        return response
      } catch (thrown) {
        watch.dispose()
        await waitOrThrow(key.fail(exchange.errorOf(thrown, watch)), current, trial)
      } finally {
        watch.dispose()
      }
    }
  }

  async function* stream(
    plan: () => Promise<RequestPlan>,
    request: RequestOptions,
    ending: Ending,
  ): AsyncGenerator<EventBatch, void> {
    const trial = begin(request)
    try {
      const response = yield* streamUntilDone(plan, trial)
      ending.resolve(response)
      yield { type: 'finish', response }
    } catch (thrown) {
      // Also a mistake in the request itself: whoever reads is told, and nothing is thrown at him.
      const { error, partial } = thrown instanceof StreamBreak ? thrown : new StreamBreak(thrown)
      ending.reject(error)
      yield { type: 'error', error: streamFailure(error, { signal: trial.signal, partial }) }
    }
  }

  /** Throws what went wrong in the end, with what had come. */
  async function* streamUntilDone(
    plan: () => Promise<RequestPlan>,
    trial: Trial,
  ): AsyncGenerator<EventBatch, ChatResponse> {
    while (true) {
      const current = await plan()
      const outcome = yield* streamOnce(current, trial)
      if ('response' in outcome) return outcome.response
      const { error, failure, partial, isSeen } = outcome
      if (isSeen) throw new StreamBreak(error, partial)
      await waitOrThrow(failure, current, trial).catch((final: unknown) => {
        throw new StreamBreak(final, partial)
      })
    }
  }

  /** One attempt, without its `finish`. Once something was seen there is no way back. */
  async function* streamOnce(plan: RequestPlan, trial: Trial): AsyncGenerator<EventBatch, Outcome> {
    const watch = watchOf(trial, plan)
    const key = trial.keys.take()
    let waiting: ChatEvent[] = []
    let isSeen = false
    try {
      for await (const events of exchange.stream(plan, watch, key.slot)) {
        const last = events.at(-1)
        const finish = last?.type === 'finish' ? last : undefined
        append(waiting, finish ? events.slice(0, -1) : events)
        if (!finish && waiting.every(({ type }) => type === 'start')) continue
        isSeen = true
        // The key works: others need not wait for the end of the reply to use it.
        key.leave()
        yield waiting
        waiting = []
        if (!finish) continue
        key.succeed()
        return { response: finish.response }
      }
      throw new ProviderError('transport', 'the stream ended without a reply')
    } catch (thrown) {
      const partial = thrown instanceof StreamBreak ? thrown.partial : undefined
      const error = exchange.errorOf(thrown, watch)
      return { error, failure: key.fail(error), partial, isSeen }
    } finally {
      key.leave()
      watch.dispose()
    }
  }

  return { complete, stream }
}

type Outcome =
  | { readonly response: ChatResponse }
  | {
      readonly error: unknown
      /** What it means for the next attempt. */
      readonly failure: KeyVerdict
      readonly partial: ChatResponse | undefined
      /** Something of this attempt was passed on. */
      readonly isSeen: boolean
    }

/** Trying again with the same client while that may help. */
import { ToolglotError } from '../../core/errors.ts'
import type { ChatClient, RequestOptions } from '../chat-client.ts'
import { classify, type FailedReply } from '../error-class.ts'
import { ProviderError } from '../errors.ts'
import { retryPolicy, waitBeforeRetry } from '../retry.ts'
import { pause } from '../watch.ts'
import { policyFor } from './failure-policy.ts'
import type { FallbackOptions } from './options.ts'

export type Persist = <T>(
  client: ChatClient,
  signal: AbortSignal | undefined,
  send: (options: RequestOptions) => Promise<T>,
) => Promise<T>

/** With another client at hand, waiting a minute is worse than asking that one. */
const MAX_WAIT_MS = 10_000

export function createPersistence({
  retries,
  random = Math.random,
  sleep = pause,
}: FallbackOptions): Persist {
  const given = typeof retries === 'number' ? { max: retries } : retries
  const policy = retryPolicy({ maxWaitMs: MAX_WAIT_MS, ...given })

  function waitAfter(error: ProviderError, attempts: number): number | undefined {
    const max = Math.min(policy.max, policyFor(error).retries)
    return waitBeforeRetry({ error, attempts, leftMs: Infinity, random }, { ...policy, max })
  }

  return async (client, signal, send) => {
    for (let attempts = 1; ; attempts++) {
      try {
        // The chain counts the attempts; those of the client would multiply with them.
        return await send({ signal, retries: 0 })
      } catch (thrown) {
        signal?.throwIfAborted()
        const error = asProviderError(thrown, client)
        const wait = waitAfter(error, attempts)
        if (wait === undefined) throw error
        await sleep(wait, signal)
      }
    }
  }
}

/**
 * Clients of other makes may throw what they like. What a program throws that is wrong is not the
 * provider's but the caller's mistake, or ours, and not to be hidden behind the answer of another client.
 */
function asProviderError(thrown: unknown, { provider, model }: ChatClient): ProviderError {
  if (thrown instanceof ProviderError) return thrown
  if (isMistake(thrown)) throw thrown
  const fields = { provider, model, cause: thrown }
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  if (thrown instanceof TypeError) return new ProviderError('transport', message, fields)
  return classify(replyIn(thrown, message), fields)
}

/**
 * What we throw ourselves is no failure of a provider. A TypeError with a cause is what `fetch` throws when
 * there is no connection.
 */
function isMistake(thrown: unknown): boolean {
  if (thrown instanceof ToolglotError) return true
  if (thrown instanceof TypeError) return thrown.cause === undefined
  return thrown instanceof ReferenceError || thrown instanceof RangeError
}

/** Errors of the official libraries carry the status, the headers, and the body as `error`. */
function replyIn(thrown: unknown, message: string): FailedReply {
  const { status, headers, error } = { ...(thrown as Partial<Record<string, unknown>>) }
  return {
    body: error ?? message,
    ...(typeof status === 'number' && { status }),
    ...(headers instanceof Headers && { headers }),
  }
}

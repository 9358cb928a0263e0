/** A request beside the conversation, such as one for a token: answered soon, and with few words. */
import { readText } from './body.ts'
import { monotonicNow } from './clock.ts'
import { connectionError } from './connection-error.ts'
import type { ProviderErrorFields } from './errors.ts'
import type { Secrets } from './secrets.ts'
import { createWatch } from './watch.ts'

export interface SmallRequestOptions {
  readonly fetch: typeof fetch
  /** Until the answer begins, and between its pieces; twice as long for all of it. */
  readonly timeoutMs: number
  readonly maxBytes: number
  readonly secrets: Secrets
  /** For errors. */
  readonly fields: ProviderErrorFields
}

export interface SmallAnswer {
  readonly status: number
  readonly isOk: boolean
  readonly text: string
}

/** Keys do not follow where an answer points. Throws a ProviderError when nothing comes in time. */
export async function sendSmall(
  url: string | URL,
  init: RequestInit,
  { fetch: sender, timeoutMs, maxBytes, secrets, fields }: SmallRequestOptions,
): Promise<SmallAnswer> {
  const watch = createWatch(undefined, monotonicNow() + 2 * timeoutMs, fields)
  try {
    const sent = sender(url, { ...init, signal: watch.signal, redirect: 'manual' })
    const response = await watch.during('connect', timeoutMs, sent).catch((error: unknown) => {
      sent.then((late) => late.body?.cancel()).catch(() => {})
      watch.check()
      throw connectionError(error, secrets, fields)
    })
    const text = await readText(response, watch, { maxBytes, idleMs: timeoutMs, secrets, fields })
    return { status: response.status, isOk: response.ok, text }
  } finally {
    watch.dispose()
  }
}

/** What fetch and the bodies of answers throw, as one of our errors. */
import { ProviderError, type ProviderErrorFields } from './errors.ts'
import type { Secrets } from './secrets.ts'

/** Codes of failures that are really time-outs, set by the fetch of Node. */
const TIMEOUTS: ReadonlySet<unknown> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
])

export function connectionError(
  error: unknown,
  secrets: Secrets,
  fields: ProviderErrorFields,
): ProviderError {
  const code = causeCode(error)
  const detail = code ?? secrets.hide(innermostMessage(error))
  const message = `the connection failed or broke off (${detail.slice(0, 200)})`
  const kind = TIMEOUTS.has(code) ? 'timeout' : 'transport'
  return new ProviderError(kind, message, { ...fields, cause: secrets.hideIn(error) })
}

/** What is outside says no more than that `fetch failed`. */
function innermostMessage(error: unknown): string {
  let current: unknown = error
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    if (!(current.cause instanceof Error) || current.cause.message === '') return current.message
    current = current.cause
  }
  return current instanceof Error ? current.message : String(current)
}

function causeCode(error: unknown): string | undefined {
  let current: unknown = error
  for (let depth = 0; depth < 5 && current instanceof Error; depth++) {
    const { code } = current as { code?: unknown }
    if (typeof code === 'string') return code
    current = current.cause
  }
  return undefined
}

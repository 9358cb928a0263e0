/** What fetch and the bodies of answers throw, as one of our errors. */
import { ProviderError, type ProviderErrorFields } from './errors.ts'
import type { Secrets } from './secrets.ts'
import { nameAndAddress, type Whereabouts } from './whereabouts.ts'

/** Codes of the waits that undici ends, with the option that sets the time. */
const WAITS: ReadonlyMap<unknown, 'connectMs' | 'idleMs'> = new Map([
  ['UND_ERR_HEADERS_TIMEOUT', 'connectMs'],
  ['UND_ERR_BODY_TIMEOUT', 'idleMs'],
])

/** Codes of connections that never came about because nobody took them. */
const NOBODY: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
])
const UNKNOWN_NAME: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'EAI_AGAIN'])
/** The service was not reached, or did not confirm the connection. */
const NOT_CONNECTED: ReadonlySet<unknown> = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'])

export function connectionError(
  error: unknown,
  secrets: Secrets,
  fields: ProviderErrorFields,
  where?: Whereabouts,
): ProviderError {
  const code = causeCode(error)
  const detail = (code ?? secrets.hide(innermostMessage(error))).slice(0, 200)
  const cause = secrets.hideIn(error)
  const wait = WAITS.get(code)
  if (wait !== undefined) {
    const message = `no answer in time${where ? ` from ${lateService(where, wait)}` : ''} (${detail})`
    return new ProviderError('timeout', message, { ...fields, cause, ...mayRetryWait(where) })
  }
  const kind = NOT_CONNECTED.has(code) ? 'timeout' : 'transport'
  const message = where && unreachable(code, where)
  return new ProviderError(kind, message ?? brokenOff(detail, where), { ...fields, cause })
}

/** The error for a wait of our own that was too long. */
export function lateError(
  what: string,
  ms: number,
  option: `${string}Ms`,
  fields: ProviderErrorFields,
  where?: Whereabouts,
): ProviderError {
  const late = `${what} within ${Math.round(ms)} ms`
  const message = where ? `${late} from ${lateService(where, option)}` : late
  // Nothing is left of the total time for another attempt.
  const isLast = option === 'totalMs'
  const retryable = isLast ? { retryable: false } : mayRetryWait(where)
  return new ProviderError('timeout', message, { ...fields, ...retryable })
}

function lateService(where: Whereabouts, option: string): string {
  return `${nameAndAddress(where)}; ${where.option(`timeouts.${option}`)} sets how long to wait`
}

/** A server of one's own is still computing, and would compute the same prompt a second time. */
function mayRetryWait(where: Whereabouts | undefined): Pick<ProviderErrorFields, 'retryable'> {
  return where?.isSelfHosted ? { retryable: false } : {}
}

function unreachable(code: string | undefined, where: Whereabouts): string | undefined {
  const { provider, isSelfHosted, addressOptions } = where
  const address = where.address()
  const how = `${addressOptions} sets the address`
  if (NOBODY.has(code)) {
    const hint = isSelfHosted ? `is the server running? ${how}` : how
    return `nothing answers at ${address} (${provider}): ${hint} (${code})`
  }
  if (UNKNOWN_NAME.has(code))
    return `there is no host for ${address} (${provider}): ${how} (${code})`
  if (NOT_CONNECTED.has(code)) return `no connection to ${address} (${provider}): ${how} (${code})`
  return undefined
}

function brokenOff(detail: string, where: Whereabouts | undefined): string {
  const whose = where ? ` to ${nameAndAddress(where)}` : ''
  // Agents try again when they read "connection error", and give up on most other words.
  return `connection error: the connection${whose} failed or broke off (${detail})`
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

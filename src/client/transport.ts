/** One request over HTTP: sent once, and its answer or what went wrong. */
import { InvalidInputError } from '../core/errors.ts'
import { isTooDeep, TOO_DEEP } from '../core/json/depth.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import { withBaseUrlHint } from './base-url-hint.ts'
import { readText } from './body.ts'
import { connectionError } from './connection-error.ts'
import type { Credentials } from './credentials.ts'
import { classify } from './error-class.ts'
import { ProviderError, type ProviderErrorFields } from './errors.ts'
import type { KeySlot } from './key-pool.ts'
import { LONG_BODY, letOthersRun } from './let-others-run.ts'
import { parsed } from './parsed.ts'
import type { Secrets } from './secrets.ts'
import type { TimeLimits } from './time-limits.ts'
import type { Watch } from './watch.ts'
import type { Whereabouts } from './whereabouts.ts'

export interface TransportOptions {
  readonly fetch: typeof fetch
  readonly credentials: Credentials
  readonly secrets: Secrets
  readonly headers: Readonly<Record<string, string>>
  readonly limits: TimeLimits
  /** False: `limits.connectMs` is only the default, which is for streams. */
  readonly limitsWholeReplies: boolean
  readonly maxBodyBytes: number
  readonly where: Whereabouts
  /** The base URL that the provider has by default; empty if none. */
  readonly usualBase: string
}

export interface WireRequest {
  readonly url: URL
  readonly body: JsonObject
  readonly stream: boolean
  /** The key of a pool to ask with. */
  readonly slot?: KeySlot | undefined
  /** For errors. */
  readonly fields: ProviderErrorFields
}

/** A refusal, with the body for those who can make use of it. */
export class Refusal {
  readonly error: ProviderError
  readonly body: unknown
  constructor(error: ProviderError, body: unknown) {
    this.error = error
    this.body = body
  }
}

/** How much of a refusal is read. */
const MAX_ERROR_BYTES = 256 * 1024

/** An answer with a good status; throws a {@link Refusal} for any other. */
export async function send(
  request: WireRequest,
  watch: Watch,
  options: TransportOptions,
): Promise<Response> {
  const { url, stream, slot, fields } = request
  const body = JSON.stringify(request.body)
  if (body.length > LONG_BODY) await letOthersRun()
  const plain = {
    'content-type': 'application/json',
    accept: stream
      ? 'text/event-stream, application/x-ndjson, application/json'
      : 'application/json',
    ...options.headers,
  }
  const { limits, limitsWholeReplies, where } = options
  const connectMs = stream || limitsWholeReplies ? limits.connectMs : undefined
  const signed = await watch.during(
    'connect',
    connectMs,
    options.credentials.sign({ method: 'POST', url, headers: plain, body }, slot),
  )
  const headers = readHeaders(signed)
  const { signal } = watch
  // Keys in headers of their own would go along to wherever an answer points.
  const init = { method: 'POST', headers, body, signal, redirect: 'manual' } as const
  const sent = started(() => options.fetch(url, init))
  const response = await watch.during('connect', connectMs, sent).catch((error: unknown) => {
    // An answer that comes too late still holds a connection.
    sent.then((late) => late.body?.cancel()).catch(() => {})
    watch.check()
    throw connectionError(error, options.secrets, fields, where)
  })
  if (response.ok) return response
  if (isRedirect(response)) {
    response.body?.cancel().catch(() => {})
    throw new Refusal(new ProviderError('not_found', MOVED, fields), undefined)
  }
  if (response.status === 401) options.credentials.forget(slot)
  throw await refusalOf(response, watch, options, fields)
}

/** A fetch of the caller's may also throw at once. */
async function started<T>(begin: () => Promise<T>): Promise<T> {
  return begin()
}

const MOVED = 'the provider is at another address, to which no keys are sent; correct the base URL'

function isRedirect({ status, type }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400)
}

function readHeaders(headers: Readonly<Record<string, string>>): Headers {
  try {
    return new Headers(headers)
  } catch {
    // The message of the error has the value in it, and the value may be a key.
    throw new InvalidInputError('a header or the key has characters that no header may have')
  }
}

async function refusalOf(
  response: Response,
  watch: Watch,
  { secrets, limits: { idleMs }, where, usualBase }: TransportOptions,
  fields: ProviderErrorFields,
): Promise<Refusal> {
  const { status, headers } = response
  // Too long, too slow or cut off: the status says enough.
  const limits = { maxBytes: MAX_ERROR_BYTES, idleMs, secrets, fields, where }
  const text = await readText(response, watch, limits).catch(() => '')
  watch.check()
  const body = parsed(text)
  const error = withBaseUrlHint(classify({ status, headers, body }, fields), where, usualBase)
  return new Refusal(error, body)
}

/** The error for an answer with a good status that is not what was asked for. */
export function unexpected(
  response: Response,
  body: unknown,
  fields: ProviderErrorFields,
): ProviderError {
  const type = response.headers.get('content-type') ?? 'an unknown type'
  const isPage = typeof body === 'string' && /^\s*</.test(body)
  const shape = isJsonObject(body) ? 'JSON of another shape' : type
  const what = isPage
    ? `a page (${type}) instead of a reply; is the base URL right?`
    : `no reply (${typeof body === 'string' && isTooDeep(body) ? TOO_DEEP : shape})`
  return new ProviderError('server_error', `the provider answered with ${what}`, {
    ...fields,
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    // A page comes again; a broken reply may not.
    ...(isPage && { retryable: false }),
  })
}

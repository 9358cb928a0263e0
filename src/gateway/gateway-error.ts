/** Why the gateway itself refuses or gives up a request. */
import type { ContextOverflow } from '../client/context-overflow.ts'
import { ProviderError, type ProviderErrorCode } from '../client/errors.ts'
import { InvalidInputError, ToolglotError } from '../core/errors.ts'
import { shownMessage } from './shown-text.ts'

/** Each with the status it is answered with. */
export const GATEWAY_ERROR_CODES = {
  invalid_json: 400,
  invalid_request: 400,
  limit_exceeded: 400,
  threads_not_kept: 400,
  previous_response_not_found: 400,
  call_loop: 400,
  invalid_key: 401,
  model_not_allowed: 403,
  unknown_price: 403,
  origin_not_allowed: 403,
  admin_only: 403,
  management_not_allowed: 403,
  unknown_path: 404,
  unknown_response: 404,
  unknown_model: 404,
  method_not_allowed: 405,
  client_timeout: 408,
  body_too_large: 413,
  packed_body: 415,
  too_many_requests: 429,
  budget_exhausted: 429,
  headers_too_large: 431,
  client_closed: 499,
  internal: 500,
  not_supported: 501,
  reply_too_large: 502,
  busy: 503,
  shutting_down: 503,
  state_unreachable: 503,
} as const

export type GatewayErrorCode = keyof typeof GATEWAY_ERROR_CODES

export class GatewayError extends ToolglotError {
  override readonly name = 'GatewayError'
  declare readonly code: GatewayErrorCode
  readonly status: number
  readonly retryAfterMs: number | undefined
  readonly param: string | undefined

  constructor(code: GatewayErrorCode, message: string, retryAfterMs?: number, param?: string) {
    super(code, message)
    this.status = GATEWAY_ERROR_CODES[code]
    this.retryAfterMs = retryAfterMs
    this.param = param
  }
}

/** A path that is there, for another method. */
export class MethodError extends GatewayError {
  /** The methods that it is for, as HTTP wants them to be told. */
  readonly allow: string

  constructor(method: string, wanted: 'GET' | 'HEAD' | 'POST' | 'DELETE') {
    super('method_not_allowed', `${method} is not for this path; use ${wanted}`)
    this.allow = wanted === 'GET' ? 'GET, HEAD' : wanted
  }
}

/** A provider's error as the status of our answer; the client did nothing wrong when our key is refused. */
const PROVIDER_STATUS: Readonly<Record<ProviderErrorCode, number>> = {
  unauthorized: 502,
  rate_limited: 429,
  overloaded: 503,
  quota_exhausted: 429,
  context_length_exceeded: 400,
  bad_request: 400,
  not_found: 404,
  timeout: 504,
  transport: 502,
  server_error: 502,
  unsupported: 400,
}

/** An error as every dialect can tell it. */
export interface Failure {
  readonly status: number
  readonly code: GatewayErrorCode | ProviderErrorCode
  readonly message: string
  readonly retryAfterMs?: number | undefined
  readonly allow?: string | undefined
  /** The field of the request that is wrong. */
  readonly param?: string | undefined
  /** The provider's id of the request. */
  readonly requestId?: string | undefined
  /** By how much the request is longer than the model can read. */
  readonly overflow?: ContextOverflow | undefined
}

export function failureOf(error: unknown): Failure {
  const failure = uncutFailure(error)
  const { status, code, message, retryAfterMs } = failure
  const { allow, param, requestId, overflow }: Failure = failure
  const shown = shownMessage(message)
  return { status, code, message: shown, retryAfterMs, allow, param, requestId, overflow }
}

function uncutFailure(error: unknown): Failure {
  if (error instanceof ProviderError) {
    const { code, message, retryAfterMs, requestId, overflow } = error
    return {
      status: PROVIDER_STATUS[code],
      code,
      message: told(error, message),
      retryAfterMs,
      requestId,
      overflow,
    }
  }
  if (error instanceof GatewayError) return error
  if (error instanceof InvalidInputError) {
    return { status: 400, code: 'invalid_request', message: error.message }
  }
  if (isAbort(error)) return new GatewayError('client_closed', 'the client hung up')
  // What the message of a mistake of ours says is for the log and not for strangers.
  return { status: 500, code: 'internal', message: 'the gateway failed; its log says why' }
}

/** A provider that refuses our key must not look like one that refuses the client's. */
function told({ code, provider = 'the provider' }: ProviderError, message: string): string {
  return code === 'unauthorized'
    ? `${provider} did not accept the gateway's own key: ${message}`
    : message
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

export function replyTooLarge(maxBytes: number): GatewayError {
  return new GatewayError('reply_too_large', `the reply is longer than ${maxBytes} bytes`)
}

/** What goes wrong between us and a provider, as one family of errors. */

import { ToolglotError } from '../core/errors.ts'
import type { ContextOverflow } from './context-overflow.ts'

/** Each says what to do: see `retryable`, and the table in the docs. */
export const PROVIDER_ERROR_CODES = {
  unauthorized: 'the key is missing, wrong, or may not do this',
  rate_limited: 'too many requests; try again later',
  overloaded: 'the provider is too busy; try again later',
  quota_exhausted: 'the money or the quota is used up',
  context_length_exceeded: 'the request is longer than the model can read',
  bad_request: 'the provider refuses the request as it is',
  not_found: 'there is no such model or address',
  timeout: 'no answer came in time',
  transport: 'the connection failed or broke off',
  server_error: 'the provider failed',
  unsupported: 'the model or the provider cannot do this',
} as const

export type ProviderErrorCode = keyof typeof PROVIDER_ERROR_CODES

/** Trying the same again may help. */
const RETRYABLE: ReadonlySet<ProviderErrorCode> = new Set([
  'rate_limited',
  'overloaded',
  'timeout',
  'transport',
  'server_error',
])

export interface ProviderErrorFields {
  readonly provider?: string | undefined
  readonly model?: string | undefined
  readonly status?: number | undefined
  /** The provider's own code or type. */
  readonly providerCode?: string | undefined
  readonly requestId?: string | undefined
  /** How long the provider asks to wait. */
  readonly retryAfterMs?: number | undefined
  /** Set when the provider itself says whether to try again. */
  readonly retryable?: boolean | undefined
  /** For `context_length_exceeded`: the numbers that the provider says. */
  readonly overflow?: ContextOverflow | undefined
  readonly cause?: unknown
}

export class ProviderError extends ToolglotError {
  override readonly name = 'ProviderError'
  declare readonly code: ProviderErrorCode
  readonly retryable: boolean
  readonly provider: string | undefined
  readonly model: string | undefined
  readonly status: number | undefined
  readonly providerCode: string | undefined
  readonly requestId: string | undefined
  readonly retryAfterMs: number | undefined
  readonly overflow: ContextOverflow | undefined

  constructor(code: ProviderErrorCode, message: string, fields: ProviderErrorFields = {}) {
    super(code, message, { cause: fields.cause })
    this.retryable = fields.retryable ?? RETRYABLE.has(code)
    this.provider = fields.provider
    this.model = fields.model
    this.status = fields.status
    this.providerCode = fields.providerCode
    this.requestId = fields.requestId
    this.retryAfterMs = fields.retryAfterMs
    this.overflow = fields.overflow
  }
}

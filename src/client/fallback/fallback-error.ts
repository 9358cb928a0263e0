/** None of the clients of a chain could answer. */
import { ProviderError } from '../errors.ts'

/** A client that was asked in vain, and its last error. */
export interface FailedClient {
  readonly provider: string
  readonly model: string
  readonly error: ProviderError
}

/** Speaks for the client that was asked last, whose error is also its `cause`. */
export class FallbackError extends ProviderError {
  /** All that were asked, in order. */
  readonly failed: readonly FailedClient[]

  constructor(failed: readonly FailedClient[], last: FailedClient) {
    const { provider, model, error } = last
    super(
      error.code,
      `${failed.length} clients failed, ${provider} ${model} last: ${error.message}`,
      {
        provider,
        model,
        status: error.status,
        providerCode: error.providerCode,
        requestId: error.requestId,
        retryAfterMs: error.retryAfterMs,
        retryable: failed.some((one) => one.error.retryable),
        cause: error,
      },
    )
    this.failed = failed
  }
}

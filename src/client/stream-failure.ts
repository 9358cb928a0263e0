/** An error as the last event of a stream tells it. */
import type { ChatResponse, StreamFailure } from '../core/chat.ts'
import { ProviderError } from './errors.ts'

export interface Circumstances {
  /** The caller's, which may be the reason. */
  readonly signal?: AbortSignal | undefined
  /** What came before it. */
  readonly partial?: ChatResponse | undefined
}

/** What is neither the provider's failure nor the caller's wish is a mistake, and has no code. */
export function streamFailure(
  error: unknown,
  { signal, partial }: Circumstances = {},
): StreamFailure {
  const rest = partial && { partial }
  if (!(error instanceof ProviderError)) {
    const message = error instanceof Error ? error.message : String(error)
    return { message, ...(isAbort(error, signal) && { code: 'aborted' }), ...rest }
  }
  const { message, code, providerCode = code, status } = error
  return { message, code: providerCode, ...(status !== undefined && { status }), ...rest }
}

function isAbort(error: unknown, signal: AbortSignal | undefined): boolean {
  if (signal?.aborted && signal.reason === error) return true
  return error instanceof Error && error.name === 'AbortError'
}

/** An error as the last event of a stream tells it. */
import type { ChatResponse, StreamFailure } from '../core/chat.ts'
import { ProviderError } from './errors.ts'

/** `partial`: what came before it. */
export function streamFailure(error: unknown, partial?: ChatResponse | undefined): StreamFailure {
  const rest = partial && { partial }
  if (!(error instanceof ProviderError)) {
    const message = error instanceof Error ? error.message : String(error)
    return { message, code: 'aborted', ...rest }
  }
  const { message, code, providerCode = code, status } = error
  return { message, code: providerCode, ...(status !== undefined && { status }), ...rest }
}

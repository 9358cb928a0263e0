/** What went wrong, for all who look on. */
import { ProviderError } from '../../client/errors.ts'
import { errorCodeOf } from '../../core/error-code.ts'
import type { Outcome } from '../observer.ts'

/** A code for what an attempt failed with. */
export function errorLabel(error: unknown): string {
  return error instanceof ProviderError ? error.code : errorCodeOf(error) || 'unknown'
}

/** Not the client's own mistake. A stream may break off after it has begun with a good status. */
export function isFailure({ status, error }: Outcome): boolean {
  if (error === 'not_supported') return false
  return status >= 500 || (status < 400 && error !== undefined && error !== 'client_closed')
}

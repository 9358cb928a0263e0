/** A base URL that has a version in its path where the service wants none, or lacks the one that it wants. */
import { ProviderError } from './errors.ts'
import type { Whereabouts } from './whereabouts.ts'

const VERSION = /\/v\d+[a-z]*$/

/** Bodies with other statuses that say the same as `404`; LM Studio answers with 200. */
const UNKNOWN_PATH = /unexpected endpoint|page not found|no route/i

/**
 * The same error, with the right form of the base URL when the path was not found. `usualBase` is the base URL
 * that the provider has by default; servers without one are asked with a version in the base URL.
 */
export function withBaseUrlHint(
  error: ProviderError,
  where: Whereabouts,
  usualBase: string,
): ProviderError {
  const { code, message, status, cause } = error
  const isPath = (status === 404 && !/model/i.test(message)) || UNKNOWN_PATH.test(message)
  const right = isPath ? rightBase(where.address(), usualBase) : undefined
  if (right === undefined) return error
  const kind = code === 'server_error' ? 'not_found' : code
  const hint = `${message}; ${where.address()} is probably meant to be ${right} (${where.addressOptions})`
  return new ProviderError(kind, hint, { ...error, retryable: false, cause })
}

function rightBase(address: string, usualBase: string): string | undefined {
  const wantsVersion = usualBase === '' || VERSION.test(usualBase)
  const hasVersion = VERSION.test(address)
  if (wantsVersion === hasVersion) return undefined
  const [usual = '/v1'] = VERSION.exec(usualBase) ?? []
  return wantsVersion ? address + usual : address.replace(VERSION, '')
}

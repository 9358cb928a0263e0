/** Keys must not be seen: not in messages, not in causes. */
import { ProviderError } from './errors.ts'

/** Shorter ones would be found in ordinary words. */
const MIN_LENGTH = 6
/** Keys that are made anew for each request would be too many to remember. */
const MAX_PASSING = 100

export interface Secrets {
  add(secret: string | undefined): void
  /** The value of a header that says who is asking, also without the word before it: `Bearer`, `Basic`. */
  addHeader(value: string): void
  /** The values in the query of an address, but for versions. */
  addQuery(url: URL): void
  /** One that is used for a while only; the last hundred are known. */
  addPassing(secret: string | undefined): void
  /** The text without any of them. */
  hide(text: string): string
  /** The error as a cause, and the ones that caused it, without any of them. */
  hideIn(error: unknown): unknown
}

export function createSecrets(): Secrets {
  /** With all that they may be spelled as. */
  const lasting = new Map<string, readonly string[]>()
  const passing = new Map<string, readonly string[]>()
  /** The one used last; mostly it is used again. */
  let newest: string | undefined

  function hide(text: string): string {
    let clean = text
    for (const spelling of [...lasting.values(), ...passing.values()].flat()) {
      clean = clean.replaceAll(spelling, '***')
    }
    return clean
  }

  function hideIn(error: unknown): unknown {
    if (!(error instanceof Error)) return typeof error === 'string' ? hide(error) : error
    const text = `${error.message}\n${error.stack ?? ''}`
    const cause = error.cause === undefined ? undefined : hideIn(error.cause)
    if (hide(text) === text && cause === error.cause) return error
    const clean = new Error(hide(error.message), { cause })
    clean.name = error.name
    clean.stack = hide(error.stack ?? '')
    return clean
  }

  function add(secret: string | undefined): void {
    if (isSecret(secret)) lasting.set(secret, spellingsOf(secret))
  }

  return {
    add,
    addHeader(value) {
      add(value)
      const [, scheme = '', credentials] = /^\s*(\S+)\s+(\S.*?)\s*$/.exec(value) ?? []
      add(credentials)
      // Servers repeat the password as they read it.
      if (/^basic$/i.test(scheme)) add(passwordIn(credentials ?? ''))
    },
    addQuery({ search, searchParams }) {
      for (const [name, value] of searchParams) if (!PUBLIC_PARAMETERS.has(name)) add(value)
      // The same as they are written in the address.
      for (const [, name = '', value] of search.matchAll(/[?&]([^=&]*)=([^&]*)/g)) {
        if (!PUBLIC_PARAMETERS.has(name)) add(value)
      }
    },
    addPassing(secret) {
      if (!isSecret(secret) || secret === newest) return
      newest = secret
      passing.delete(secret)
      passing.set(secret, spellingsOf(secret))
      const [oldest] = passing.keys()
      if (oldest !== undefined && passing.size > MAX_PASSING) passing.delete(oldest)
    },
    hide,
    hideIn,
  }
}

/** Parameters of addresses that are no secrets, and worth reading in an error. */
const PUBLIC_PARAMETERS: ReadonlySet<string> = new Set(['alt', 'api-version', 'version'])

/** As it is, as JSON has it, with or without escaped slashes, and as an address has it. */
function spellingsOf(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  const inAddress = new URLSearchParams({ _: secret }).toString().slice('_='.length)
  return [...new Set([secret, json, json.replaceAll('/', '\\/'), inAddress])]
}

function passwordIn(base64: string): string | undefined {
  try {
    return /:(.*)$/s.exec(atob(base64))?.[1]
  } catch {
    // No base64: the value itself is all there is.
    return undefined
  }
}

function isSecret(text: string | undefined): text is string {
  return text !== undefined && text.length >= MIN_LENGTH
}

/** Some providers repeat the key that they refuse. */
export function withoutSecrets(error: ProviderError, secrets: Secrets): ProviderError {
  const message = secrets.hide(error.message)
  return message === error.message ? error : new ProviderError(error.code, message, error)
}

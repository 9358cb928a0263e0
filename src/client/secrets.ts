/** Keys must not be seen: not in messages, not in causes. */

/** Shorter ones would be found in ordinary words. */
const MIN_LENGTH = 6
/** Keys that are made anew for each request would be too many to remember. */
const MAX_PASSING = 100

export interface Secrets {
  add(secret: string | undefined): void
  /** One that is used for a while only; the last hundred are known. */
  addPassing(secret: string | undefined): void
  /** The text without any of them. */
  hide(text: string): string
  /** The error as a cause, and the ones that caused it, without any of them. */
  hideIn(error: unknown): unknown
}

export function createSecrets(): Secrets {
  const lasting = new Set<string>()
  const passing = new Set<string>()
  /** The one used last; mostly it is used again. */
  let newest: string | undefined

  function hide(text: string): string {
    let clean = text
    for (const secret of [...lasting, ...passing]) clean = clean.replaceAll(secret, '***')
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

  return {
    add(secret) {
      if (isSecret(secret)) lasting.add(secret)
    },
    addPassing(secret) {
      if (!isSecret(secret) || secret === newest) return
      newest = secret
      passing.delete(secret)
      passing.add(secret)
      const [oldest] = passing
      if (oldest !== undefined && passing.size > MAX_PASSING) passing.delete(oldest)
    },
    hide,
    hideIn,
  }
}

function isSecret(text: string | undefined): text is string {
  return text !== undefined && text.length >= MIN_LENGTH
}

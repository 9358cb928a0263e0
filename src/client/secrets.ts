/** Keys must not be seen: not in messages, not in causes. */

/** Shorter ones would be found in ordinary words. */
const MIN_LENGTH = 6

export interface Secrets {
  add(secret: string | undefined): void
  /** The text without any of them. */
  hide(text: string): string
  /** The error as a cause, and the ones that caused it, without any of them. */
  hideIn(error: unknown): unknown
}

export function createSecrets(): Secrets {
  const known = new Set<string>()

  function hide(text: string): string {
    let clean = text
    for (const secret of known) clean = clean.replaceAll(secret, '***')
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
      if (secret !== undefined && secret.length >= MIN_LENGTH) known.add(secret)
    },
    hide,
    hideIn,
  }
}

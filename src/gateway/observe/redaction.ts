/** Texts without keys, for logs and for the page that shows traffic. */
import { HIDDEN } from '../../client/secret-mask.ts'
import type { Secrets } from '../../client/secrets.ts'

export type Redact = (text: string) => string

/**
 * Anything that looks like a key, wherever it stands; what says that one follows is kept. None of them looks
 * at a character more than a few times, whatever the text.
 */
const PATTERNS: readonly RegExp[] = [
  // x-api-key: …, "api_key": "…", and the same in JSON within JSON.
  /((?:api[-_]?key|authorization|access[-_]?token|client[-_]?secret)[\\"']{0,3}\s{0,3}[:=]\s{0,3}[\\"']{0,3}(?:(?:bearer|basic)\s{1,3})?)[^\s"'\\,;&}]{6,}/gi,
  // Bearer …
  /(\bbearer\s{1,3})[\w.~+/=-]{16,}/gi,
  // …?key=…
  /([?&](?:key|api[-_]?key|access_token|token|sig|signature|x-amz-signature|x-amz-security-token)=)[^\s"'&#\\]+/gi,
  // The beginnings that providers give to keys of theirs.
  /()\b(?:sk|gsk|hf|xai|pplx|csk|nvapi|ghp|glpat)[-_][\w-]{16,}/g,
  /()\bAIza[\w-]{20,}/g,
  /()\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g,
]

/** With `secrets`, those that are known are hidden as well, whatever they look like. */
export function createRedaction(secrets?: Pick<Secrets, 'hide'>): Redact {
  return (text) => {
    const known = secrets ? secrets.hide(text) : text
    return PATTERNS.reduce((clean, pattern) => clean.replace(pattern, `$1${HIDDEN}`), known)
  }
}

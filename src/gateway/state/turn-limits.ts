/** How much is remembered of conversations, and for how long, unless a configuration says otherwise. */

type TurnLimit = 'ttlMs' | 'entryBytes' | 'entriesPerKey' | 'bytesPerKey'

export const TURN_DEFAULTS: Readonly<Record<TurnLimit, number>> = {
  /** A day. */
  ttlMs: 86_400_000,
  /** A long conversation without pictures. Responses repeat all of it, so each further turn costs as much. */
  entryBytes: 1024 * 1024,
  /** A fifth and a fourth of what one gateway keeps in memory, so that no key displaces all others. */
  entriesPerKey: 10_000,
  bytesPerKey: 16 * 1024 * 1024,
}

/** UTF-8 takes one to three bytes for each unit of a string. */
const MOST_BYTES_EACH = 3

/** True when the text takes more bytes than that in UTF-8, which is how Redis has it. */
export function isLongerThan(text: string, bytes: number): boolean {
  if (text.length > bytes) return true
  if (text.length * MOST_BYTES_EACH <= bytes) return false
  return new TextEncoder().encode(text).length > bytes
}

/**
 * So many requests a minute, evenly: each adds the time that it stands for to an account that empties as
 * time goes by (GCRA). A whole minute's requests may come at once; after that, one at a time.
 */
import type { Taken } from '../state.ts'

const MINUTE = 60_000
/** So much of a request may be missing: times are rounded, and nobody is to be refused for that. */
const TOLERANCE = 0.01

/** A request at `now`. `fullUntil` is when the account is empty again, as it was left the last time. */
export function takeAt(
  now: number,
  fullUntil: number | undefined,
  perMinute: number,
): { readonly taken: Taken; readonly fullUntil: number } {
  const before = Math.max(fullUntil ?? now, now)
  if (perMinute <= 0) return { taken: refused(perMinute, MINUTE), fullUntil: before }
  const each = MINUTE / perMinute
  const after = before + each
  const over = after - now - MINUTE
  if (over > each * TOLERANCE) {
    return { taken: refused(perMinute, Math.ceil(over)), fullUntil: before }
  }
  const remaining = Math.max(0, Math.floor(-over / each + TOLERANCE))
  return {
    taken: { allowed: true, limit: perMinute, remaining, retryAfterMs: 0 },
    fullUntil: after,
  }
}

export function refused(limit: number, retryAfterMs: number): Taken {
  return { allowed: false, limit, remaining: 0, retryAfterMs }
}

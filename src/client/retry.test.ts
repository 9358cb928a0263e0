import { describe, expect, it } from 'vitest'
import { ProviderError, type ProviderErrorCode } from './errors.ts'
import { retryPolicy, waitBeforeRetry } from './retry.ts'

const policy = retryPolicy({ max: 3 })

function wait(
  code: ProviderErrorCode,
  attempts: number,
  more: { retryAfterMs?: number; leftMs?: number; random?: number } = {},
): number | undefined {
  const { retryAfterMs, leftMs = 1e6, random = 0 } = more
  const error = new ProviderError(code, 'no', { retryAfterMs })
  return waitBeforeRetry({ error, attempts, leftMs, random: () => random }, policy)
}

describe('the wait before the next attempt', () => {
  it('doubles, up to a limit, and chance shortens it by up to half', () => {
    expect([1, 2, 3].map((attempts) => wait('server_error', attempts))).toEqual([500, 1000, 2000])
    expect(wait('server_error', 1, { random: 0.999 })).toBeGreaterThan(250)
    const many = retryPolicy({ max: 99 })
    const error = new ProviderError('overloaded', 'no')
    expect(waitBeforeRetry({ error, attempts: 50, leftMs: 1e6, random: () => 0 }, many)).toBe(8000)
  })

  it('is the one that the provider asks for', () => {
    expect(wait('rate_limited', 1, { retryAfterMs: 3000 })).toBe(3000)
    expect(wait('rate_limited', 1, { retryAfterMs: 0 })).toBe(0)
    expect(wait('rate_limited', 1, { retryAfterMs: 61_000 })).toBeUndefined()
  })

  it('is none when another attempt makes no sense', () => {
    expect(wait('server_error', 4)).toBeUndefined()
    expect(wait('timeout', 1)).toBe(500)
    expect(wait('timeout', 2)).toBeUndefined()
    expect(wait('bad_request', 1)).toBeUndefined()
    expect(wait('server_error', 1, { leftMs: 100 })).toBeUndefined()
    const error = new Error('a mistake of ours')
    expect(waitBeforeRetry({ error, attempts: 1, leftMs: 1e6, random: () => 0 }, policy)).toBe(
      undefined,
    )
  })
})

import { describe, expect, it } from 'vitest'
import { retryAfterMs, type WaitHints } from './retry-after.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const wait = (hints: Partial<WaitHints>): number | undefined =>
  retryAfterMs({ message: '', now: NOW, limited: true, ...hints })
const ROWS: readonly (readonly [
  what: string,
  headers: Record<string, string>,
  ms: number | undefined,
])[] = [
  ['milliseconds', { 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
  ['milliseconds at Azure', { 'x-ms-retry-after-ms': '20' }, 20],
  ['seconds', { 'retry-after': '7' }, 7000],
  ['parts of seconds', { 'retry-after': '0.5' }, 500],
  ['a date', { 'retry-after': 'Sun, 01 Mar 2026 12:00:30 GMT' }, 30_000],
  ['a date that is over', { 'retry-after': 'Sun, 01 Mar 2026 11:00:00 GMT' }, 0],
  ['a duration', { 'x-ratelimit-reset-requests': '1m2.5s' }, 62_500],
  ['a short duration', { 'x-ratelimit-reset-tokens': '80ms' }, 80],
  ['a time', { 'anthropic-ratelimit-tokens-reset': '2026-03-01T12:00:10Z' }, 10_000],
  ['milliseconds since 1970', { 'x-ratelimit-reset': String(NOW + 4000) }, 4000],
  ['seconds since 1970', { 'x-ratelimit-reset': String(NOW / 1000 + 4) }, 4000],
  ['more seconds than there are', { 'retry-after': '9'.repeat(400) }, 86_400_000],
  ['milliseconds without end', { 'retry-after-ms': '99999999999999' }, 86_400_000],
  ['a date far away', { 'retry-after': 'Fri, 31 Dec 2100 00:00:00 GMT' }, 86_400_000],
  ['a window without end', { 'x-ratelimit-reset': '9'.repeat(30) }, 86_400_000],
  ['nonsense', { 'retry-after': 'soon' }, undefined],
  ['nothing', {}, undefined],
]

describe('how long to wait', () => {
  it.for(ROWS)('in %s', ([, headers, ms]) => {
    expect(wait({ headers: new Headers(headers) })).toBe(ms)
  })

  it('in the details of Google, before any window', () => {
    const body = { error: { details: [{ reason: 'X' }, { retryDelay: '34.4s' }] } }
    const headers = new Headers({ 'x-ratelimit-reset-requests': '1s' })
    expect(wait({ headers, body })).toBe(34_400)
    expect(wait({ body: [body] })).toBe(34_400)
  })

  it('in words', () => {
    expect(wait({ message: 'quota will reset after 1h2m3s.' })).toBe(3_723_000)
    expect(wait({ message: 'Please try again in 6.5s.' })).toBe(6500)
  })

  it('in the window that is used up, and in none when no limit was passed', () => {
    const headers = new Headers({
      'x-ratelimit-reset-requests': '1s',
      'x-ratelimit-remaining-requests': '7',
      'x-ratelimit-reset-tokens': '9s',
      'x-ratelimit-remaining-tokens': '0',
    })
    expect(wait({ headers })).toBe(9000)
    expect(wait({ headers, limited: false })).toBeUndefined()
  })
})

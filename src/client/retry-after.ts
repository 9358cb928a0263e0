/** How long a provider asks to wait, from all the places where they say it. */
import { isJsonObject } from '../core/json/value.ts'
import { objectsIn } from '../dialects/history-call.ts'

export interface ReadHeaders {
  get(name: string): string | null
}

/** Places where the wait itself stands, in the order in which they count. */
const EXACT = ['retry-after-ms', 'x-ms-retry-after-ms'] as const

/** Places where the end of a window stands, each in several spellings. */
const RESETS = [
  'x-ratelimit-reset-requests',
  'x-ratelimit-reset-tokens',
  'anthropic-ratelimit-requests-reset',
  'anthropic-ratelimit-tokens-reset',
  'anthropic-ratelimit-input-tokens-reset',
  'anthropic-ratelimit-output-tokens-reset',
  'x-ratelimit-reset',
] as const

export interface WaitHints {
  readonly headers?: ReadHeaders | undefined
  readonly body?: unknown
  readonly message: string
  /** Milliseconds since 1970. */
  readonly now: number
  /** True when a limit was passed: then the time at which its window ends counts as well. */
  readonly limited: boolean
}

/** What providers ask for is believed up to a day: some send nonsense. */
const LONGEST_MS = 86_400_000

/** Milliseconds until the provider wants to hear from us again; undefined when it does not say. */
export function retryAfterMs(hints: WaitHints): number | undefined {
  const { headers, body, message, now, limited } = hints
  const told =
    firstOf(EXACT, (name) => readNumber(headers?.get(name))) ??
    readRetryAfter(headers?.get('retry-after'), now) ??
    readRetryInfo(body) ??
    (limited && headers ? readWindows(headers, now) : undefined) ??
    readSentence(message)
  return told === undefined ? undefined : Math.min(LONGEST_MS, Math.max(0, Math.ceil(told)))
}

/** The end of a window that is used up; when none says so, of the first that there is. */
function readWindows(headers: ReadHeaders, now: number): number | undefined {
  const read = (name: string): number | undefined => readReset(headers.get(name), now)
  const usedUp = RESETS.filter((name) => headers.get(name.replace('reset', 'remaining')) === '0')
  return firstOf(usedUp, read) ?? firstOf(RESETS, read)
}

/** Whether the provider itself says that trying again helps. */
export function shouldRetry(headers: ReadHeaders | undefined): boolean | undefined {
  const word = headers?.get('x-should-retry')
  return word === 'true' ? true : word === 'false' ? false : undefined
}

function firstOf(
  names: readonly string[],
  read: (name: string) => number | undefined,
): number | undefined {
  for (const name of names) {
    const value = read(name)
    if (value !== undefined) return value
  }
  return undefined
}

function readNumber(text: string | null | undefined): number | undefined {
  return text && /^\d+(?:\.\d+)?$/.test(text.trim()) ? Number(text) : undefined
}

/** Seconds, or a date. */
function readRetryAfter(text: string | null | undefined, now: number): number | undefined {
  const seconds = readNumber(text)
  return seconds === undefined ? readDate(text, now) : seconds * 1000
}

function readDate(text: string | null | undefined, now: number): number | undefined {
  const time = text ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? undefined : time - now
}

/** Google: `{"error": {"details": [{"retryDelay": "34.4s"}]}}`, perhaps in a list. */
function readRetryInfo(body: unknown): number | undefined {
  const [whole] = Array.isArray(body) ? body : [body]
  const error = isJsonObject(whole) ? whole['error'] : undefined
  const details = isJsonObject(error) ? objectsIn(error['details']) : []
  const delay = details.map((detail) => detail['retryDelay']).find((one) => one !== undefined)
  return typeof delay === 'string' ? readDuration(delay) : undefined
}

/** A duration such as `1m2.5s`, a date, or the time since 1970 in seconds or milliseconds. */
function readReset(text: string | null | undefined, now: number): number | undefined {
  if (!text) return undefined
  const number = readNumber(text)
  if (number === undefined) return readDuration(text) ?? readDate(text, now)
  if (number > 1e12) return number - now
  return number > 1e9 ? number * 1000 - now : number * 1000
}

const UNITS: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
}
const DURATION = /^(?:\d+(?:\.\d+)?(?:ms|[dhms]))+$/
const DURATION_PART = /(\d+(?:\.\d+)?)(ms|[dhms])/g

function readDuration(text: string): number | undefined {
  const trimmed = text.trim().toLowerCase()
  if (trimmed.length > 40 || !DURATION.test(trimmed)) return undefined
  const parts = [...trimmed.matchAll(DURATION_PART)]
  return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (UNITS[unit] ?? 0), 0)
}

const SENTENCE =
  /\b(?:reset after|try again in|retry in|retry after) ((?:\d+(?:\.\d+)?(?:ms|[dhms]))+)/i

function readSentence(message: string): number | undefined {
  const [, duration] = SENTENCE.exec(message) ?? []
  return duration === undefined ? undefined : readDuration(duration)
}

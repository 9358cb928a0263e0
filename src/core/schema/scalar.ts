/**
 * Lenient readings of one scalar, for callers who know which type they want. `undefined` means the
 * value has no such reading; `null` never has one.
 */

const TRUE_WORDS: ReadonlySet<string> = new Set(['true', 'yes', '1', 'on', 'enabled'])
const FALSE_WORDS: ReadonlySet<string> = new Set(['false', 'no', '0', 'off', 'disabled'])
const LEADING_INTEGER = /^[+-]?\d+/
const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Text as it is; numbers and booleans as JSON spells them, so `42.0` is `42`. */
export function toText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  return isFiniteNumber(value) ? String(value) : undefined
}

/** Numbers cut at the point; text by the digits it starts with. */
export function toInteger(value: unknown): number | undefined {
  if (isFiniteNumber(value)) return Math.trunc(value)
  if (typeof value !== 'string') return undefined
  const digits = LEADING_INTEGER.exec(value.trim())?.[0]
  const integer = Number(digits)
  return digits !== undefined && Number.isSafeInteger(integer) ? integer : undefined
}

/** Numbers as they are; text only when all of it is a number. */
export function toNumber(value: unknown): number | undefined {
  if (isFiniteNumber(value)) return value
  return typeof value === 'string' ? readNumber(value.trim()) : undefined
}

/** Numbers by being non-zero; text by the words people use for on and off, in any case. */
export function toBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (isFiniteNumber(value)) return value !== 0
  if (typeof value !== 'string') return undefined
  const word = value.trim().toLowerCase()
  if (TRUE_WORDS.has(word)) return true
  return FALSE_WORDS.has(word) ? false : undefined
}

/**
 * The number a text spells in JSON's own notation. Leading zeros, `NaN`, `1_000` and integers that
 * would lose digits have no such number: they are more likely codes and ids than quantities.
 */
export function readNumber(text: string): number | undefined {
  if (!JSON_NUMBER.test(text)) return undefined
  const number = Number(text)
  if (!Number.isFinite(number)) return undefined
  return isUnsafeInteger(text, number) ? undefined : number
}

// Only plain digits: whoever writes an exponent or a fraction does not count on the last digit.
function isUnsafeInteger(text: string, number: number): boolean {
  return !Number.isSafeInteger(number) && /^-?\d+$/.test(text)
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

/** The JSON number grammar as a machine, for numbers longer than any look-ahead. */
import { DOT, isDigit, MINUS, PLUS, ZERO } from './codes.ts'

export const NUMBER_START = 0
export const NOT_A_NUMBER = -1
const SIGN = 1
const LEADING_ZERO = 2
const WHOLE = 3
const POINT = 4
const FRACTION = 5
const EXPONENT = 6
const EXPONENT_SIGN = 7
const EXPONENT_DIGITS = 8

/** The phase after one more character, or NOT_A_NUMBER when it cannot continue the number. */
export function nextNumberPhase(phase: number, code: number): number {
  if (isDigit(code)) return afterDigit(phase, code)
  if (code === DOT) return phase === LEADING_ZERO || phase === WHOLE ? POINT : NOT_A_NUMBER
  if ((code | 32) === 101) return canHaveExponent(phase) ? EXPONENT : NOT_A_NUMBER
  if (code === MINUS && phase === NUMBER_START) return SIGN
  if ((code === MINUS || code === PLUS) && phase === EXPONENT) return EXPONENT_SIGN
  return NOT_A_NUMBER
}

function canHaveExponent(phase: number): boolean {
  return phase === LEADING_ZERO || phase === WHOLE || phase === FRACTION
}

function afterDigit(phase: number, code: number): number {
  if (phase <= SIGN) return code === ZERO ? LEADING_ZERO : WHOLE
  if (phase === LEADING_ZERO) return NOT_A_NUMBER
  if (phase === POINT) return FRACTION
  return phase === EXPONENT || phase === EXPONENT_SIGN ? EXPONENT_DIGITS : phase
}

/** Whether a number may end in this phase. */
export function isNumberEnd(phase: number): boolean {
  return canHaveExponent(phase) || phase === EXPONENT_DIGITS
}

/** Values without quotes: numbers and constants, in the spelling of Python or of JSON. */
import { readScalar } from '../json/bare-word.ts'

export interface PythonWord {
  /** The value as JSON. */
  readonly json: string
  /** What was done to a word that is no Python; undefined when nothing was. */
  readonly repair?: 'normalized-literal' | 'normalized-number' | 'quoted-string' | undefined
}

/** Zeros before the digits of a number, which Python does not allow. */
const LEADING_ZEROS = /^([+-]?)0+(?=[\d_])/

export function hasLeadingZeros(word: string): boolean {
  return /^[+-]?0[\d_]*[1-9]/.test(word)
}

export function readWord(word: string): PythonWord {
  const scalar = readScalar(word.replace(LEADING_ZEROS, '$1'))
  if (!scalar) return { json: JSON.stringify(word), repair: 'quoted-string' }
  if (hasLeadingZeros(word)) return { json: scalar.text, repair: 'normalized-number' }
  // `True`, `None`, `1_000` and `0x1f` are what the format writes.
  if (scalar.risk === 'safe') return { json: scalar.text }
  const isNull = scalar.text === 'null'
  return { json: scalar.text, repair: isNull ? 'normalized-literal' : 'quoted-string' }
}

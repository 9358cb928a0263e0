/** Words that stand without quotes where JSON wants a value: numbers and literals of all kinds. */
import type { Repair, RepairCode } from '../issue.ts'

/** The JSON text a word stands for. Without a code, it was JSON already. */
export interface Scalar {
  readonly text: string
  readonly code?: RepairCode
  readonly risk: Repair['risk']
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const RADIX_NUMBER = /^([+-]?)(0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+)n?$/
const LOOSE_NUMBER = /^([+-]?)(\d[\d_]*)?(?:\.(\d[\d_]*)?)?(?:[eE]([+-]?\d+))?n?$/
const LEADING_ZERO = /^[+-]?0[\d_]/
const NOT_A_NUMBER = /^[+-]?(?:nan|infinity|inf)$/i

const LITERALS = new Map<string, Scalar>([
  ['true', { text: 'true', risk: 'safe' }],
  ['false', { text: 'false', risk: 'safe' }],
  ['null', { text: 'null', risk: 'safe' }],
  ['True', { text: 'true', code: 'normalized-literal', risk: 'safe' }],
  ['TRUE', { text: 'true', code: 'normalized-literal', risk: 'safe' }],
  ['False', { text: 'false', code: 'normalized-literal', risk: 'safe' }],
  ['FALSE', { text: 'false', code: 'normalized-literal', risk: 'safe' }],
  ['None', { text: 'null', code: 'normalized-literal', risk: 'safe' }],
  ['Null', { text: 'null', code: 'normalized-literal', risk: 'safe' }],
  ['NULL', { text: 'null', code: 'normalized-literal', risk: 'safe' }],
  ['none', { text: 'null', code: 'normalized-literal', risk: 'guess' }],
  ['nil', { text: 'null', code: 'normalized-literal', risk: 'guess' }],
  ['undefined', { text: 'null', code: 'normalized-literal', risk: 'guess' }],
])

/** Literals whose beginnings are completed when the input stops inside them. */
const COMPLETED = ['true', 'false', 'null', 'True', 'False', 'None']

/** The number or literal `word` spells; undefined when it is neither. */
export function readScalar(word: string): Scalar | undefined {
  const literal = LITERALS.get(word)
  if (literal !== undefined) return literal
  if (JSON_NUMBER.test(word)) return { text: word, risk: 'safe' }
  // JSON has no such numbers, and null would lose which one it was.
  if (NOT_A_NUMBER.test(word)) return { text: `"${word}"`, code: 'quoted-string', risk: 'guess' }
  return readRadixNumber(word) ?? readLooseNumber(word)
}

function readRadixNumber(word: string): Scalar | undefined {
  const match = RADIX_NUMBER.exec(word)
  if (match === null) return undefined
  const digits = (match[2] ?? '').replaceAll('_', '')
  if (digits.length < 3) return undefined
  const sign = match[1] === '-' ? '-' : ''
  return { text: sign + BigInt(digits).toString(), code: 'normalized-number', risk: 'safe' }
}

function readLooseNumber(word: string): Scalar | undefined {
  const match = LOOSE_NUMBER.exec(word)
  if (match === null || (match[2] === undefined && match[3] === undefined)) return undefined
  // 007 and 02134 are names written in digits: as numbers they would lose their zeros.
  if (LEADING_ZERO.test(word)) return { text: `"${word}"`, code: 'quoted-string', risk: 'guess' }
  const [, sign, whole = '0', fraction, exponent] = match
  const text =
    (sign === '-' ? '-' : '') +
    whole.replaceAll('_', '') +
    (fraction === undefined ? '' : `.${fraction.replaceAll('_', '')}`) +
    (exponent === undefined ? '' : `e${exponent}`)
  return { text, code: 'normalized-number', risk: 'safe' }
}

/** What a word that the end of the input cut off was going to be. */
export function completeScalar(word: string): Scalar | undefined {
  const literal = COMPLETED.find((candidate) => candidate.startsWith(word))
  if (literal !== undefined) {
    const text = LITERALS.get(literal)?.text ?? 'null'
    return { text, code: 'normalized-literal', risk: 'guess' }
  }
  const number = word.replace(/(?:\.|\.?[eE][+-]?)$/, '')
  if (!JSON_NUMBER.test(number)) return undefined
  return { text: number, code: 'normalized-number', risk: 'guess' }
}

/** Words that stand without quotes where JSON wants a value: numbers and literals of all kinds. */
import type { Repair, RepairCode } from '../issue.ts'

/** The JSON text a word stands for. Without a code, it was JSON already. */
export interface Scalar {
  readonly text: string
  readonly code?: RepairCode | undefined
  readonly risk: Repair['risk']
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const RADIX_NUMBER = /^([+-]?)(0(?:x_*[\da-f][\da-f_]*|o_*[0-7][0-7_]*|b_*[01][01_]*))n?$/i
const LOOSE_NUMBER = /^([+-]?)(?=\.?\d)(\d[\d_]*)?(?:\.(\d[\d_]*)?)?(?:[eE]([+-]?\d+))?n?$/
/** 007 and 02134 are names written in digits: as numbers they would lose their zeros. */
const LEADING_ZERO = /^[+-]?0[\d_]/
const NOT_A_NUMBER = /^[+-]?(?:nan|infinity|inf)$/i

/** Of the last three nobody can say that they are no words. */
const LITERAL = /^(?:([Tt]rue|TRUE)|([Ff]alse|FALSE)|([Nn]ull|NULL|None)|none|nil|undefined)$/
/** Literals whose beginnings are completed when the input stops inside them. */
const COMPLETED = ['true', 'false', 'null', 'True', 'False', 'None']

/** The number or literal `word` spells; undefined when it is neither. */
export function readScalar(word: string): Scalar | undefined {
  return JSON_NUMBER.test(word)
    ? { text: word, risk: 'safe' }
    : (readLiteral(word) ?? readNumber(word))
}

function readLiteral(word: string): Scalar | undefined {
  const match = LITERAL.exec(word)
  if (match === null) return undefined
  const text = match[1] ? 'true' : match[2] ? 'false' : 'null'
  const risk = text === 'null' && !match[3] ? 'guess' : 'safe'
  return { text, code: text === word ? undefined : 'normalized-literal', risk }
}

function readNumber(word: string): Scalar | undefined {
  const radix = RADIX_NUMBER.exec(word)
  const match = radix ?? LOOSE_NUMBER.exec(word)
  // JSON has no such numbers, and null would lose which one it was.
  if (NOT_A_NUMBER.test(word) || (match && !radix && LEADING_ZERO.test(word))) {
    return { text: `"${word}"`, code: 'quoted-string', risk: 'guess' }
  }
  if (match === null) return undefined
  const [, sign, whole = '0', fraction, exponent] = match
  const text =
    (sign === '-' ? '-' : '') +
    (radix ? BigInt(withoutGaps(whole)) : withoutGaps(whole)) +
    (fraction === undefined ? '' : `.${withoutGaps(fraction)}`) +
    (exponent === undefined ? '' : `e${exponent}`)
  return { text, code: 'normalized-number', risk: 'safe' }
}

/** Without the underscores that other languages allow between digits. */
function withoutGaps(digits: string): string {
  return digits.replaceAll('_', '')
}

/** What a word that the end of the input cut off was going to be. */
export function completeScalar(word: string): Scalar | undefined {
  const literal = COMPLETED.find((candidate) => candidate.startsWith(word))
  const text = readLiteral(literal ?? '')?.text
  if (text !== undefined) return { text, code: 'normalized-literal', risk: 'guess' }
  const number = word.replace(/(?:\.|\.?[eE][+-]?)$/, '')
  if (!JSON_NUMBER.test(number)) return undefined
  return { text: number, code: 'normalized-number', risk: 'guess' }
}

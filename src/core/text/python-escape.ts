/** Backslashes in a Python string. One that escapes nothing stays, as in Python: `"\d+"`. */

/** Longest escape, `\U0001f600`: what must be seen to read any. */
export const LONGEST_ESCAPE = 10

const HEX = '[\\da-fA-F]'
/** A line break, a code in octal or in hexadecimal digits, or another character. */
const ESCAPE = new RegExp(
  `\\\\(?:(\\r?\\n)|([0-7]{1,3})|(?:x(${HEX}{2})|u(${HEX}{4})|U(00(?:0${HEX}|10)${HEX}{4}))|([^]?))`,
  'y',
)

const LETTERS: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '\\': '\\',
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/** The escape at `at`: how long it is, and the text it stands for. */
export function readEscape(text: string, at: number): { length: number; value: string } {
  ESCAPE.lastIndex = at
  const [whole = '', line, octal, short, usual, long, letter = ''] = ESCAPE.exec(text) ?? []
  const hex = short ?? usual ?? long
  const code = octal ? Number.parseInt(octal, 8) : hex && Number.parseInt(hex, 16)
  if (code !== undefined) return { length: whole.length, value: String.fromCodePoint(Number(code)) }
  return { length: whole.length, value: line ? '' : (LETTERS[letter] ?? whole) }
}

/** Backslashes in a Python string. One that escapes nothing stays, as in Python: `"\d+"`. */

/** Longest escape, `\U0001f600`: what must be seen to read any. */
export const LONGEST_ESCAPE = 10

const ESCAPE =
  /\\(?:\r?\n|[0-7]{1,3}|x[\da-fA-F]{2}|u[\da-fA-F]{4}|U00(?:0[\da-fA-F]|10)[\da-fA-F]{4}|[\s\S])?/y

const LETTERS: Readonly<Record<string, string>> = {
  '\n': '',
  '\r\n': '',
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
  const whole = ESCAPE.exec(text)?.[0] ?? '\\'
  return { length: whole.length, value: decode(whole) }
}

function decode(whole: string): string {
  const body = whole.slice(1)
  if (Object.hasOwn(LETTERS, body)) return LETTERS[body] ?? ''
  if (/^[0-7]/.test(body)) return String.fromCodePoint(Number.parseInt(body, 8))
  const isCode = body.length > 2
  return isCode ? String.fromCodePoint(Number.parseInt(body.slice(1), 16)) : whole
}

/** Quoted text as models write it: JSON's escapes and Python's, in either kind of quotes. */
import { findClosingQuote } from './split.ts'

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|([^ux]))/gs

const ESCAPED: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '/': '/',
  '\\': '\\',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
}

/** The text between the quotes, when they enclose all of it. */
export function unquote(text: string): string | undefined {
  const quote = text[0]
  if (quote !== '"' && quote !== "'") return undefined
  if (text.length < 2 || findClosingQuote(text, 0) !== text.length - 1) return undefined
  return text.slice(1, -1).replace(ESCAPE, readEscape)
}

// A backslash that escapes nothing is one: `\d` in a pattern, `\U` in a Windows path.
function readEscape(whole: string, wide?: string, narrow?: string, single?: string): string {
  const hex = wide ?? narrow
  if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16))
  return single !== undefined && Object.hasOwn(ESCAPED, single) ? (ESCAPED[single] ?? whole) : whole
}

/** Character classes the readers share. Codes, not strings: these sit in the scanning loops. */

import { BACKTICK, isSpace, NEWLINE } from '../json/codes.ts'

export { BACKTICK, isSpace, NEWLINE }

export const TILDE = 126

/** Letter, digit or underscore; outside ASCII all count but punctuation, such as quotation marks and dashes. */
export function isWord(code: number): boolean {
  return (
    (code >= 97 && code <= 122) ||
    (code >= 65 && code <= 90) ||
    (code >= 48 && code <= 57) ||
    code === 95 ||
    (code >= 0xaa && !isPunctuation(code))
  )
}

function isPunctuation(code: number): boolean {
  return (code >= 0x2010 && code <= 0x2027) || (code >= 0x3001 && code <= 0x3011) || code === 0xab
}

/** What may stand before a block on its line: indentation, quote marks, list bullets. */
export function isLinePrefix(code: number): boolean {
  return code === 32 || code === 9 || code === 62 || code === 45 || code === 42
}

/** The first index at or after `at` that holds no white space; at most `end`. */
export function skipSpace(text: string, at: number, end: number = text.length): number {
  const stop = Math.min(end, text.length)
  let i = at
  while (i < stop && isSpace(text.charCodeAt(i))) i++
  return i
}

/** How many times `code` stands at `at`, looking no further than `end`. */
export function runLength(text: string, at: number, end: number): number {
  const code = text.charCodeAt(at)
  let i = at + 1
  while (i < end && text.charCodeAt(i) === code) i++
  return i - at
}

/** What joins the next letter to a word or a path: `.`, `-` and `$` beside letters and digits. */
export function joinsWord(code: number): boolean {
  return isWord(code) || code === 46 || code === 45 || code === 36
}

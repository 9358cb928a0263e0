/**
 * Bounded look-ahead from a place in the text. All decisions of the reader that need the text
 * behind a character are taken from the same window whatever the chunks, so that they cannot
 * depend on where the input was cut.
 */
import {
  ASTERISK,
  BACKSLASH,
  closesQuote,
  HASH,
  isExoticSpace,
  isSpace,
  isWord,
  NEWLINE,
  PLUS,
  SLASH,
  SPACE,
} from './codes.ts'
import { codeAt, END, INNER, type Reading, type Verdict, WAIT } from './reading.ts'

/** Characters looked at before a decision falls without them. */
export const WINDOW = 256

/** Looks at the text from `at` on. */
export function aim(r: Reading, at: number): void {
  const end = at + WINDOW
  r.short = !r.last && r.text.length < end
  r.end = Math.min(r.text.length, end)
}

/** The verdict at the end of the window. */
export function atEnd(r: Reading): Verdict {
  return r.short ? WAIT : END
}

export function skipSpace(r: Reading, at: number): number {
  let i = at
  while (i < r.end && (isSpace(codeAt(r, i)) || isExoticSpace(codeAt(r, i)))) i++
  return i
}

/** The next place that is neither space nor comment. */
export function skip(r: Reading, at: number): number {
  let i = skipSpace(r, at)
  while (i < r.end) {
    const next = skipComment(r, i)
    if (next === i) break
    i = skipSpace(r, next)
  }
  return i
}

function skipComment(r: Reading, at: number): number {
  const code = codeAt(r, at)
  if (code !== HASH && code !== SLASH) return at
  const second = at + 1 < r.end ? codeAt(r, at + 1) : -1
  if (code === HASH) return second >= 0 && second !== SPACE ? at : skipTo(r, at, '\n')
  if (second < 0) return r.end
  if (second === SLASH) return skipTo(r, at, '\n')
  return second === ASTERISK ? Math.min(skipTo(r, at + 2, '*/') + 2, r.end) : at
}

/** Where `mark` stands, or the end of the window. */
function skipTo(r: Reading, at: number, mark: string): number {
  const i = r.text.slice(at, r.end).indexOf(mark)
  return i === -1 ? r.end : at + i
}

/** The character behind space and comments from `at` on, or the verdict at the end of the window. */
export function codeBehind(r: Reading, at: number): number {
  const i = skip(r, at)
  return i >= r.end ? atEnd(r) : codeAt(r, i)
}

/** What stands behind the string at `at`, as by `codeBehind`; INNER when its line has no end of it. */
export function codeBehindString(r: Reading, at: number): number {
  const close = findQuote(r, at + 1, codeAt(r, at))
  return close === INNER ? INNER : codeBehind(r, close + 1)
}

/** The next quote that can close what `quote` opens; INNER when this line has none. */
export function findQuote(r: Reading, at: number, quote: number): number {
  // Other than smart quotes close only themselves; the plain comparison is the hot one.
  const isSmart = quote > 127
  let i = at
  while (i < r.end) {
    const code = codeAt(r, i)
    if (code === quote || (isSmart && closesQuote(quote, code))) return i
    if (code === NEWLINE) return INNER
    i += code === BACKSLASH ? 2 : 1
  }
  return r.end
}

/** Behind a word or a number, signs included. */
export function skipWord(r: Reading, at: number): number {
  let i = at
  while (i < r.end && (isWord(codeAt(r, i)) || codeAt(r, i) === PLUS)) i++
  return i
}

/** Keys, with their quotes or without. */
import type { Repair } from '../issue.ts'
import {
  COLON,
  COMMA,
  DOUBLE_QUOTE,
  isAssignment,
  isCloseBracket,
  isOpenBracket,
  isQuote,
  NEWLINE,
} from './codes.ts'
import { aim, codeBehind, findQuote, skipSpace, skipWord, WINDOW } from './look-ahead.ts'
import { readPlainMembers } from './plain.ts'
import { AFTER_KEY, codeAt, type Reading, report, WAIT, wait } from './reading.ts'
import { openString, readWhole } from './string-start.ts'
import { replace } from './tape.ts'
import { beginKey, nameKey } from './values.ts'

/** A key in double quotes. */
export function readPlainKey(r: Reading, at: number): number {
  const run = readPlainMembers(r, at)
  if (run !== at) return run
  const end = readWhole(r, at)
  if (end !== at) return end
  const colon = r.mode === 'off' ? 0 : findUnquotedColon(r, at)
  if (colon === WAIT) return wait(r, at)
  if (colon > 0) return writeBareKey(r, at, at + 1, colon, colon, 'guess')
  return openString(r, at, 1, DOUBLE_QUOTE, 0)
}

/**
 * A key whose closing quote is missing, as in `{"name: 1, "b": 2}`: the next quote is not
 * followed by a colon, but a word and a colon stand before it. 0 when the key is in order.
 */
function findUnquotedColon(r: Reading, at: number): number {
  aim(r, at + 1)
  const tooShort = r.short ? WAIT : 0
  const quote = findQuote(r, at + 1, DOUBLE_QUOTE)
  // Only the end of the input shows that a quote is missing; a long key has one further on.
  const ended = r.last && r.text.length < at + 1 + WINDOW
  if (quote >= r.end && !ended) return tooShort
  if (quote >= 0 && quote < r.end) {
    const next = codeBehind(r, quote + 1)
    if (next < 0) return tooShort
    if (next === COLON) return 0
  }
  const word = skipWord(r, at + 1)
  const colon = skipSpace(r, word)
  if (colon >= r.end) return tooShort
  return word > at + 1 && codeAt(r, colon) === COLON ? colon : 0
}

/** A key without quotes, or with only its closing one. */
export function readBareKey(r: Reading, at: number): number {
  aim(r, at)
  let i = skipWord(r, at)
  while (i < r.end && !endsBareKey(codeAt(r, i))) i++
  if (i >= r.end && r.short) return wait(r, at)
  if (i < r.end && i > at && isQuote(codeAt(r, i))) {
    const next = codeBehind(r, i + 1)
    if (next === WAIT) return wait(r, at)
    if (next === COLON) return writeBareKey(r, at, at, i, i + 1, 'guess')
  }
  r.bareKeys = true
  return writeBareKey(r, at, at, i, i, 'safe')
}

function endsBareKey(code: number): boolean {
  if (isAssignment(code) || code === COMMA || code === NEWLINE) return true
  return isQuote(code) || isCloseBracket(code) || isOpenBracket(code)
}

/** Writes the key from `from` to `to`; it takes the text from `at` to `next`. */
function writeBareKey(
  r: Reading,
  at: number,
  from: number,
  to: number,
  next: number,
  risk: Repair['risk'],
): number {
  const name = r.text.slice(from, to).trimEnd()
  const key = JSON.stringify(name)
  r.isKey = true
  if (!report(r, 'quoted-key', risk, r.text.slice(at, next), key)) return at
  beginKey(r, at)
  replace(r, at, next, key)
  nameKey(r, name)
  r.state = AFTER_KEY
  return next
}

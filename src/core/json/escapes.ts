/**
 * Backslashes of a string literal: are they JSON escapes, or does the model mean a path or a
 * pattern? All backslashes of a literal are read the same way as far as the window reaches, so
 * that `"C:\new\Users"` has no newline in it only because `\U` is no escape.
 */
import { BACKSLASH, closesQuote, DOUBLE_QUOTE, SINGLE_QUOTE } from './codes.ts'
import { WAIT } from './reading.ts'

const NO_ESCAPE = 0
export const ESCAPE = 1
/** `\"` and `\\`, which mean the same in both readings. */
export const NEUTRAL = 2
/** `\'`: no JSON, but nothing else it could mean. */
export const APOSTROPHE = 3
/** The text ends inside. */
export const UNFINISHED = 4

const PATH_WINDOW = 256
const PLAIN_WINDOW = 48

/** Behind a backslash: an escape, and the beginning of one with which the text ends. */
const WHOLE = /[bfnrt/]|u[\da-fA-F]{4}/y
const HALF = /u[\da-fA-F]{0,3}$/y

/** What the backslash at `at` begins. */
export function escapeKind(text: string, at: number): number {
  if (at + 1 >= text.length) return UNFINISHED
  const code = text.charCodeAt(at + 1)
  if (code === DOUBLE_QUOTE || code === BACKSLASH) return NEUTRAL
  if (code === SINGLE_QUOTE) return APOSTROPHE
  if (standsAt(WHOLE, text, at + 1)) return ESCAPE
  return standsAt(HALF, text, at + 1) ? UNFINISHED : NO_ESCAPE
}

function standsAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at
  return pattern.test(text)
}

/** Bits of a survey: some backslash escapes nothing; some is an escape, as JSON has it. */
export const SOME_INVALID = 1
export const SOME_VALID = 2

/** Looks through a literal from its first backslash at `at`; WAIT when more text is needed. */
export function surveyEscapes(
  text: string,
  at: number,
  last: boolean,
  quote: number,
  isPath: boolean,
): number {
  const limit = at + (isPath ? PATH_WINDOW : PLAIN_WINDOW)
  let survey = 0
  let i = at
  while (i < limit) {
    const code = text.charCodeAt(i)
    if (i < text.length && code !== BACKSLASH) {
      if (code === quote || (quote > 127 && closesQuote(quote, code))) break
      i++
      continue
    }
    const kind = escapeKind(text, i)
    if (kind === UNFINISHED) return last ? survey : WAIT
    if (kind === NO_ESCAPE) survey |= SOME_INVALID
    if (kind === ESCAPE) survey |= SOME_VALID
    i += 2
  }
  return survey
}

/** A piece of a JSON string, without the quotes around it. */
export function escapeText(piece: string): string {
  return JSON.stringify(piece).slice(1, -1)
}

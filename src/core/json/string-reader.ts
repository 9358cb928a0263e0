/** Reads one string, key or value, in any of the notations models write, as a JSON string. */
import type { Repair, RepairCode } from '../issue.ts'
import {
  BACKSLASH,
  BACKTICK,
  closesQuote,
  DOUBLE_QUOTE,
  isCloseBracket,
  isSpace,
  NEWLINE,
  SINGLE_QUOTE,
  SPACE,
} from './codes.ts'
import {
  APOSTROPHE,
  ESCAPE,
  escapeKind,
  escapeText,
  NEUTRAL,
  SOME_INVALID,
  SOME_VALID,
  surveyEscapes,
  UNFINISHED,
} from './escapes.ts'
import { aim, skipSpace } from './look-ahead.ts'
import {
  closerAt,
  codeAt,
  END,
  fail,
  IN_STRING,
  INNER,
  type Reading,
  report,
  type Verdict,
  WAIT,
} from './reading.ts'
import { judge } from './string-end.ts'
import { replace } from './tape.ts'
import { endKey, endValue } from './values.ts'

// Forms of a literal, as bits.
export const TRIPLE = 1
/** Behind backslashes, as in JSON that was escaped once too often. */
export const ESCAPED = 2
/** Every backslash is one. */
export const RAW = 4

/** How backslashes are read. */
export const UNDECIDED = 0
const AS_JSON = 1
export const LITERALLY = 2

/** More quotes than any text has: nobody can say where such a literal ends. */
const MAX_INNER_QUOTES = 10_000
/** What is remembered of a literal that came in earlier chunks. */
const TAIL = 160
/** More than a closer itself has. */
const LAST_BRACKETS = 4

export function readString(r: Reading, at: number): number {
  let i = at
  while (r.status === 'open') {
    i = nextSpecial(r, i)
    if (i >= r.text.length) break
    const next = readSpecial(r, i, at)
    // With the last chunk everything is consumed; what is missing then is the closing quote.
    if (next === WAIT) {
      r.waiting = true
      break
    }
    if (r.state !== IN_STRING) return next
    i = next
  }
  // Otherwise nothing more is asked for.
  if (r.backslashes === UNDECIDED || r.embedded || !r.hasInner) {
    r.tail = textBefore(r, i, at)
  }
  return i
}

export function nextSpecial(r: Reading, at: number): number {
  const { text, quote } = r
  const length = text.length
  const isSmart = quote > 127
  for (let i = at; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code < SPACE || code === DOUBLE_QUOTE || code === BACKSLASH || code === quote) return i
    if (isSmart && closesQuote(quote, code)) return i
  }
  return length
}

/** The end of what the literal holds before `at`, where this chunk of it began at `start`. */
function textBefore(r: Reading, at: number, start: number): string {
  if (at - start >= TAIL) return r.text.slice(at - TAIL, at)
  return (r.tail + r.text.slice(start, at)).slice(-TAIL)
}

/** Once per literal and kind: a long text would repeat itself thousands of times. */
function note(
  r: Reading,
  code: RepairCode,
  risk: Repair['risk'],
  before: string,
  after: string,
): void {
  if (r.reported[risk].includes(code)) return
  r.reported[risk] += code
  report(r, code, risk, before, after)
}

/** Behind the character at `at`, or WAIT. The string may have ended: the state tells. */
function readSpecial(r: Reading, at: number, start: number): number {
  const code = codeAt(r, at)
  if (code === BACKSLASH) return readBackslash(r, at, start)
  if (code >= SPACE) return readQuote(r, at, start)
  const end = code === NEWLINE ? closerBehind(r, at, start) : INNER
  if (end === WAIT) return WAIT
  if (end === END) {
    fail(r)
    return at
  }
  const char = r.text.charAt(at)
  const escaped = escapeText(char)
  note(r, 'escaped-control', 'safe', char, escaped)
  replace(r, at, at + 1, escaped)
  return at + 1
}

/**
 * END where a line closes all that is open, and behind it stands what ends the block: the closing quote is
 * missing, and whatever follows would become part of the text.
 */
function closerBehind(r: Reading, at: number, start: number): Verdict {
  if (r.hasInner || r.backslashes !== UNDECIDED || !closesAll(r, textBefore(r, at, start))) {
    return INNER
  }
  aim(r, at)
  const i = skipSpace(r, at)
  if (i < r.end) return closerAt(r, i)
  return r.short ? WAIT : INNER
}

function closesAll({ depth }: Reading, text: string): boolean {
  let left = depth
  for (let i = text.length - 1; i >= 0 && left > 0; i--) {
    const code = text.charCodeAt(i)
    if (isCloseBracket(code)) left--
    else if (!isSpace(code)) return false
  }
  return left < depth && left === 0
}

/** Whether the closer of the block stands behind one of the last brackets of this text. */
function hasEnded(r: Reading, text: string): boolean {
  const ends = Array.from(text.matchAll(/[}\]]\s*/g), ({ 0: end, index }) => index + end.length)
  return ends.slice(-LAST_BRACKETS).some((at) => r.isCloser?.(text, at, true))
}

// --- quotes ------------------------------------------------------------------------------------

/** Ends the string; the closing quote takes `length` characters. */
function close(r: Reading, at: number, length: number): number {
  const end = at + length
  if (r.status !== 'open') return at
  if (length !== 1 || codeAt(r, at) !== DOUBLE_QUOTE) replace(r, at, end, '"')
  return r.isKey ? endKey(r, end) : endValue(r, end)
}

function readQuote(r: Reading, at: number, start: number): number {
  const code = codeAt(r, at)
  if (!closesQuote(r.quote, code) || (r.form & ESCAPED) !== 0) return escapeQuote(r, at)
  if ((r.form & TRIPLE) !== 0) {
    if (at + 2 >= r.text.length && !r.last) return WAIT
    const isEnd = r.text.startsWith(r.text.charAt(at).repeat(3), at)
    return isEnd ? close(r, at, 3) : escapeQuote(r, at)
  }
  if (r.embedded && !/[}\]]\s*$/.test(textBefore(r, at, start))) return inner(r, at, start)
  if (r.mode === 'off') return close(r, at, 1)
  const verdict = judge(r, at + 1)
  if (verdict === WAIT) return WAIT
  if (verdict === END) return close(r, at, 1)
  return verdict === INNER ? inner(r, at, start) : join(r, at, verdict)
}

/** A quote of the text itself. */
function escapeQuote(r: Reading, at: number): number {
  if (codeAt(r, at) === DOUBLE_QUOTE) replace(r, at, at, '\\')
  return at + 1
}

function inner(r: Reading, at: number, start: number): number {
  if (!r.hasInner) {
    const before = textBefore(r, at, start)
    r.embedded = before.length < TAIL && /^\s*[[{][\s[{]*$/.test(before)
    // This quote begins something else then.
    if (hasEnded(r, before)) fail(r)
  }
  r.hasInner = true
  if (++r.innerQuotes > MAX_INNER_QUOTES) {
    fail(r)
    return at
  }
  const char = r.text.charAt(at)
  note(r, 'escaped-quote', 'guess', char, `\\${char}`)
  return escapeQuote(r, at)
}

/** The string goes on behind the quote at `next`. */
function join(r: Reading, at: number, next: number): number {
  report(r, 'joined-strings', 'guess')
  replace(r, at, next + 1, '')
  r.quote = codeAt(r, next)
  return next + 1
}

// --- backslashes -------------------------------------------------------------------------------

function readBackslash(r: Reading, at: number, start: number): number {
  if ((r.form & ESCAPED) !== 0) return readEscapedBackslash(r, at)
  const kind = escapeKind(r.text, at)
  if (kind === UNFINISHED && !r.last) return WAIT
  if (r.backslashes === UNDECIDED && !decideBackslashes(r, at, start)) return WAIT
  if (kind === UNFINISHED) return dropRest(r, at)
  return r.backslashes === LITERALLY ? readLiteralBackslash(r, at, kind) : readEscape(r, at, kind)
}

function decideBackslashes(r: Reading, at: number, start: number): boolean {
  const before = textBefore(r, at, start)
  // `X:\` and `\\server`
  r.isPath = before === '' ? codeAt(r, at + 1) === BACKSLASH : /[A-Za-z]:$/.test(before)
  const survey = surveyEscapes(r.text, at, r.last, r.quote, r.isPath)
  if (survey === WAIT) return false
  r.backslashes = (survey & SOME_INVALID) !== 0 ? LITERALLY : AS_JSON
  r.sawEscape = (survey & SOME_VALID) !== 0
  return true
}

/** Half an escape at the end of the input says nothing. */
function dropRest(r: Reading, at: number): number {
  replace(r, at, r.text.length, '')
  return r.text.length
}

function dropBackslash(r: Reading, at: number): number {
  replace(r, at, at + 1, '')
  return at + 2
}

function readEscape(r: Reading, at: number, kind: number): number {
  if (kind === ESCAPE || kind === NEUTRAL) {
    if (kind === ESCAPE) r.sawEscape = true
    return at + 2
  }
  const char = r.text.charAt(at + 1)
  if (kind !== APOSTROPHE && (char !== '`' || r.quote !== BACKTICK)) return keepBackslash(r, at)
  note(r, 'replaced-quotes', 'safe', `\\${char}`, char)
  return dropBackslash(r, at)
}

function readLiteralBackslash(r: Reading, at: number, kind: number): number {
  const isRaw = (r.form & RAW) !== 0
  const next = codeAt(r, at + 1)
  if (kind === NEUTRAL && isRaw) {
    // In `r"…"` a backslash keeps the quote behind it from closing, and stays.
    replace(r, at, at + 2, next === DOUBLE_QUOTE ? '\\\\\\"' : '\\\\\\\\')
    return at + 2
  }
  if (kind === NEUTRAL) return r.isPath && next === r.quote ? readPathEnd(r, at) : at + 2
  if (kind === APOSTROPHE && r.quote === SINGLE_QUOTE) return dropBackslash(r, at)
  if (kind === ESCAPE) r.sawEscape = true
  return keepBackslash(r, at)
}

function keepBackslash(r: Reading, at: number): number {
  if ((r.form & RAW) === 0) {
    const before = r.text.slice(at, at + 2)
    note(r, 'invalid-escape', r.sawEscape ? 'guess' : 'safe', before, `\\${before}`)
  }
  replace(r, at, at, '\\')
  return at + 1
}

/** `"C:\dir\"`: the backslash belongs to the path when the quote can end the string. */
function readPathEnd(r: Reading, at: number): number {
  const verdict = judge(r, at + 2)
  if (verdict === WAIT) return WAIT
  return verdict === END ? close(r, keepBackslash(r, at), 1) : at + 2
}

/** `\"` ends such a string, and each other backslash is written twice. */
function readEscapedBackslash(r: Reading, at: number): number {
  const { text, last } = r
  if (at + 3 >= text.length && !last) return WAIT
  const second = text.charCodeAt(at + 1)
  if (second === DOUBLE_QUOTE) return close(r, at, 2)
  const isDouble = second === BACKSLASH
  if (isDouble && text.charCodeAt(at + 2) === BACKSLASH) {
    const fourth = text.charCodeAt(at + 3)
    if (fourth !== DOUBLE_QUOTE && fourth !== BACKSLASH) return at + 2
    replace(r, at, at + 2, '')
    return at + 4
  }
  const kind = escapeKind(text, isDouble ? at + 1 : at)
  if (kind === UNFINISHED) return last ? dropRest(r, at) : WAIT
  if (!isDouble) return kind === ESCAPE ? at + 2 : keepBackslash(r, at)
  return kind === ESCAPE ? dropBackslash(r, at) + 1 : at + 2
}

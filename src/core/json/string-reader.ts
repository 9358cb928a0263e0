/** Reads one string, key or value, in any of the notations models write, as a JSON string. */
import type { Repair, RepairCode } from '../issue.ts'
import {
  BACKSLASH,
  BACKTICK,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  closesQuote,
  DOUBLE_QUOTE,
  isSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  SINGLE_QUOTE,
  SPACE,
} from './codes.ts'
import {
  APOSTROPHE,
  ESCAPE,
  escapeControl,
  escapeKind,
  NEUTRAL,
  SOME_INVALID,
  SOME_VALID,
  SURVEY_WAITS,
  surveyEscapes,
  UNFINISHED,
} from './escapes.ts'
import type { LookAhead } from './look-ahead.ts'
import { END, INNER, type StringEnd, WAIT } from './string-end.ts'
import type { Tape } from './tape.ts'

/** Takes note of a repair; false when it is not allowed and reading must stop. */
export type Report = (
  code: RepairCode,
  risk: Repair['risk'],
  before?: string,
  after?: string,
) => boolean

/** How a string was opened. */
export interface StringOpening {
  readonly isKey: boolean
  /** The character that opened it. */
  readonly quote: number
  /** Three of them. */
  readonly triple: boolean
  /** Behind backslashes, as in JSON that was escaped once too often. */
  readonly escaped: boolean
  /** Every backslash is one. */
  readonly raw: boolean
}

export interface StringReader {
  /** Begins a string; the tape already has its opening quote. */
  open(opening: StringOpening): void
  /** Consumes text and returns how far; `ended` tells whether the string is over. */
  read(text: string, at: number, last: boolean): number
  ended: boolean
  /** What is known about the string; `bareKeys` about the document. */
  readonly facts: { isKey: boolean; quote: number; hasInner: boolean; bareKeys: boolean }
}

/** How backslashes are read. */
const UNDECIDED = 0
const AS_JSON = 1
const LITERALLY = 2

// What is reported once per literal.
const INNER_QUOTE = 1
const ESCAPED_QUOTE = 2
const SAFE_ESCAPE = 4
const GUESSED_ESCAPE = 8
const CONTROL = 16

/** More quotes than any text has: nobody can say where such a literal ends. */
const MAX_INNER_QUOTES = 10_000

export function createStringReader(
  tape: Tape,
  sight: LookAhead,
  stringEnd: StringEnd,
  report: Report,
  isStrict: () => boolean,
  giveUp: () => void,
): StringReader {
  let opening: StringOpening
  let halted = false
  let backslashes = UNDECIDED
  let sawEscape = false
  let isPath = false
  /** Kinds of repair reported for this literal, as bits. */
  let reported = 0
  let innerQuotes = 0

  // What earlier chunks held of this literal, as far as later decisions ask for it.
  let lastInk = 0
  let tail = ''
  /** So far nothing but brackets and space: JSON may be quoted in here without escapes. */
  let bracketsOnly = true
  /** It is: only a quote behind a closing bracket can end the literal. */
  let embedded = false

  let text = ''
  let start = 0
  let last = false

  const facts = { isKey: false, quote: DOUBLE_QUOTE, hasInner: false, bareKeys: false }

  /** Once per literal and kind: a long text would repeat itself thousands of times. */
  function isNews(kind: number): boolean {
    if ((reported & kind) !== 0) return false
    reported |= kind
    return true
  }

  function note(code: RepairCode, risk: Repair['risk'], before: string, after: string): void {
    if (!report(code, risk, before, after)) halted = true
  }

  function remember(end: number): void {
    if (end === start) return
    for (let i = end - 1; i >= start; i--) {
      if (isSpace(text.charCodeAt(i))) continue
      lastInk = text.charCodeAt(i)
      break
    }
    if (bracketsOnly) bracketsOnly = isBracketsOnly(end)
    tail = (tail + text.slice(Math.max(start, end - 2), end)).slice(-2)
  }

  function isBracketsOnly(end: number): boolean {
    for (let i = start; i < end; i++) {
      const code = text.charCodeAt(i)
      if (code !== OPEN_BRACE && code !== OPEN_BRACKET && !isSpace(code)) return false
    }
    return true
  }

  function inkBefore(at: number): number {
    for (let i = at - 1; i >= start; i--) {
      if (!isSpace(text.charCodeAt(i))) return text.charCodeAt(i)
    }
    return lastInk
  }

  /** `X:\` and `\\server` at the first backslash. */
  function looksLikePath(at: number): boolean {
    const before = at - start < 2 ? tail + text.slice(start, at) : text.slice(at - 2, at)
    if (before === '') return text.charCodeAt(at + 1) === BACKSLASH
    return before.endsWith(':') && /[A-Za-z]:$/.test(before)
  }

  function nextSpecial(at: number): number {
    const length = text.length
    const isSmart = facts.quote > 127
    let i = at
    for (; i < length; i++) {
      const code = text.charCodeAt(i)
      if (code < SPACE || code === DOUBLE_QUOTE || code === BACKSLASH || code === facts.quote)
        return i
      if (isSmart && closesQuote(facts.quote, code)) return i
    }
    return i
  }

  /** Ends the string; the closing quote takes `length` characters. */
  function close(at: number, length: number): number {
    if (length !== 1 || text.charCodeAt(at) !== DOUBLE_QUOTE) tape.replace(at, at + length, '"')
    self.ended = true
    return at + length
  }

  function inner(at: number): number {
    if (!facts.hasInner) embedded = bracketsOnly && isBracketsOnly(at) && inkBefore(at) !== 0
    facts.hasInner = true
    if (++innerQuotes > MAX_INNER_QUOTES) {
      halted = true
      giveUp()
      return at
    }
    const char = text.charAt(at)
    if (isNews(INNER_QUOTE)) note('escaped-quote', 'guess', char, `\\${char}`)
    if (char === '"') tape.replace(at, at + 1, '\\"')
    return at + 1
  }

  function readQuote(at: number): number {
    const code = text.charCodeAt(at)
    if (!closesQuote(facts.quote, code) || opening.escaped) {
      tape.replace(at, at + 1, '\\"')
      return at + 1
    }
    if (opening.triple) return readTripleQuote(at)
    if (embedded && inkBefore(at) !== CLOSE_BRACE && inkBefore(at) !== CLOSE_BRACKET) {
      return inner(at)
    }
    if (isStrict()) return close(at, 1)
    sight.aim(text, at + 1, last)
    const verdict = stringEnd.judge(at + 1, facts)
    if (verdict === WAIT) return WAIT
    if (verdict === END) return close(at, 1)
    return verdict === INNER ? inner(at) : join(at, verdict)
  }

  function readTripleQuote(at: number): number {
    const code = text.charCodeAt(at)
    if (at + 2 >= text.length && !last) return WAIT
    if (text.charCodeAt(at + 1) === code && text.charCodeAt(at + 2) === code) return close(at, 3)
    if (code === DOUBLE_QUOTE) tape.replace(at, at + 1, '\\"')
    return at + 1
  }

  /** The string goes on behind the quote at `next`. */
  function join(at: number, next: number): number {
    if (!report('joined-strings', 'guess')) halted = true
    tape.replace(at, next + 1, '')
    facts.quote = text.charCodeAt(next)
    return next + 1
  }

  function decideBackslashes(at: number): boolean {
    isPath = looksLikePath(at)
    const survey = surveyEscapes(text, at, last, facts.quote, isPath)
    if (survey === SURVEY_WAITS) return false
    backslashes = (survey & SOME_INVALID) !== 0 ? LITERALLY : AS_JSON
    sawEscape = (survey & SOME_VALID) !== 0
    return true
  }

  function readBackslash(at: number): number {
    if (opening.escaped) return readEscapedBackslash(at)
    const kind = escapeKind(text, at)
    if (kind === UNFINISHED && !last) return WAIT
    if (backslashes === UNDECIDED && !decideBackslashes(at)) return WAIT
    if (kind === UNFINISHED) return dropRest(at)
    return backslashes === LITERALLY ? readLiteralBackslash(at, kind) : readEscape(at, kind)
  }

  /** Half an escape at the end of the input says nothing. */
  function dropRest(at: number): number {
    tape.replace(at, text.length, '')
    return text.length
  }

  function readEscape(at: number, kind: number): number {
    if (kind === ESCAPE || kind === NEUTRAL) {
      if (kind === ESCAPE) sawEscape = true
      return at + 2
    }
    const char = text.charAt(at + 1)
    if (kind === APOSTROPHE || (char === '`' && facts.quote === BACKTICK)) {
      if (isNews(ESCAPED_QUOTE)) note('replaced-quotes', 'safe', `\\${char}`, char)
      tape.replace(at, at + 1, '')
      return at + 2
    }
    return keepBackslash(at)
  }

  function readLiteralBackslash(at: number, kind: number): number {
    if (opening.raw && kind === NEUTRAL) return readRawPair(at)
    if (kind === NEUTRAL) {
      if (isPath && text.charCodeAt(at + 1) === facts.quote) return readPathEnd(at)
      return at + 2
    }
    if (kind === APOSTROPHE && facts.quote === SINGLE_QUOTE) {
      tape.replace(at, at + 1, '')
      return at + 2
    }
    if (kind === ESCAPE) sawEscape = true
    return keepBackslash(at)
  }

  /** In `r"…"` a backslash keeps the quote behind it from closing, and stays. */
  function readRawPair(at: number): number {
    const escaped = text.charCodeAt(at + 1) === DOUBLE_QUOTE ? '\\\\\\"' : '\\\\\\\\'
    tape.replace(at, at + 2, escaped)
    return at + 2
  }

  function keepBackslash(at: number): number {
    const isGuess = sawEscape && !opening.raw
    if (!opening.raw && isNews(isGuess ? GUESSED_ESCAPE : SAFE_ESCAPE)) {
      const before = text.slice(at, at + 2)
      note('invalid-escape', isGuess ? 'guess' : 'safe', before, `\\${before}`)
    }
    tape.replace(at, at + 1, '\\\\')
    return at + 1
  }

  /** `"C:\dir\"`: the backslash belongs to the path when the quote can end the string. */
  function readPathEnd(at: number): number {
    sight.aim(text, at + 2, last)
    const verdict = stringEnd.judge(at + 2, facts)
    if (verdict === WAIT) return WAIT
    if (verdict !== END) return at + 2
    const next = keepBackslash(at)
    return halted ? next : close(next, 1)
  }

  /** `\"` ends such a string, and each other backslash is written twice. */
  function readEscapedBackslash(at: number): number {
    if (at + 3 >= text.length && !last) return WAIT
    const second = text.charCodeAt(at + 1)
    if (second === DOUBLE_QUOTE) return close(at, 2)
    if (second !== BACKSLASH) {
      const kind = escapeKind(text, at)
      if (kind === UNFINISHED) return last ? dropRest(at) : WAIT
      return kind === ESCAPE ? at + 2 : keepBackslash(at)
    }
    if (text.charCodeAt(at + 2) === BACKSLASH) {
      const fourth = text.charCodeAt(at + 3)
      if (fourth !== DOUBLE_QUOTE && fourth !== BACKSLASH) return at + 2
      tape.replace(at, at + 2, '')
      return at + 4
    }
    const kind = escapeKind(text, at + 1)
    if (kind === UNFINISHED) return last ? dropRest(at) : WAIT
    if (kind !== ESCAPE) return at + 2
    tape.replace(at, at + 1, '')
    return at + 3
  }

  function readSpecial(at: number): number {
    const code = text.charCodeAt(at)
    if (code < SPACE) {
      const escaped = escapeControl(code)
      if (isNews(CONTROL)) note('escaped-control', 'safe', text.charAt(at), escaped)
      tape.replace(at, at + 1, escaped)
      return at + 1
    }
    return code === BACKSLASH ? readBackslash(at) : readQuote(at)
  }

  const self: StringReader = {
    ended: false,
    facts,
    open(nextOpening: StringOpening): void {
      opening = nextOpening
      facts.isKey = opening.isKey
      facts.quote = opening.quote
      self.ended = false
      facts.hasInner = false
      backslashes = opening.raw ? LITERALLY : UNDECIDED
      sawEscape = false
      isPath = false
      reported = 0
      innerQuotes = 0
      lastInk = 0
      tail = ''
      bracketsOnly = true
      embedded = false
    },
    read(nextText: string, at: number, isLast: boolean): number {
      text = nextText
      start = at
      last = isLast
      let i = at
      while (!self.ended && !halted) {
        i = nextSpecial(i)
        if (i >= text.length) break
        const next = readSpecial(i)
        if (next === WAIT) break
        i = next
      }
      if (!self.ended) remember(i)
      return i
    },
  }
  return self
}

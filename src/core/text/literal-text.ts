/**
 * A text among the arguments of a call: in quotes, as Python has them, or between the delimiters of
 * its format, where nothing is escaped.
 */
import type { Repair, RepairCode } from '../issue.ts'
import { NEED_MORE } from '../protocol.ts'
import { skipSpace } from './characters.ts'
import { literal, overlap } from './marker.ts'
import { LONGEST_ESCAPE, readEscape } from './python-escape.ts'
import { END_OF_REPLY, type EndsText, type Place, QUOTE_WINDOW } from './quote-end.ts'
import type { Step } from './steps.ts'

/** How a format writes its arguments. */
export interface LiteralSyntax {
  /** What stands around a text. Without it the arguments are Python, and texts stand in quotes. */
  readonly delimiter: string
  /** The markers around the calls; the opener only where a call can be told from it. */
  readonly open: string
  readonly close: string
  readonly endsText: EndsText
}

/** Whoever reads the arguments. */
export interface TextTarget {
  /** Its steps, which the text takes part in. */
  readonly steps: { step: Step }
  put(text: string): void
  /** Where the text is over, or cannot be read. */
  end(at: number): number
  fail(at: number): number
  /** False when the caller wants no such repair. */
  note(code: RepairCode, risk: Repair['risk']): boolean
  place(): Place
  /** The marker at `at`, or ''; undefined when only more text can tell. */
  markAt(text: string, at: number, last: boolean): string | undefined
  /** The text without the brackets at its end that close what is around it. */
  withoutBrackets(text: string): string
}

/** Up to the next quote of this kind or backslash. */
const IN_DOUBLE = /[^"\\]*/y
const IN_SINGLE = /[^'\\]*/y
/** How far behind a closer the end of a text may stand that quotes it. */
const CLOSER_WINDOW = 256
/** How many brackets and blanks at the end of a text may belong to what is around it. */
const TAIL = 64

/** Gives what begins a text, at its quote or delimiter; in a raw one backslashes escape nothing. */
export function createLiteralText(
  syntax: LiteralSyntax,
  target: TextTarget,
): (isRaw: boolean) => void {
  const { delimiter, open, close } = syntax
  const { steps, put, end, fail, note } = target
  /** One quote or three. */
  let quote = ''
  let isRaw = false
  let hasInner = false

  // ── in quotes ─────────────────────────────────────────────────────────────────────────────────

  function atQuote(text: string, at: number, last: boolean): number {
    if (delimiter !== '' && text.startsWith(delimiter, at)) {
      steps.step = inDelimiters
      return at + delimiter.length
    }
    if (at + 2 >= text.length && !last) return at
    quote = text.charAt(at)
    if (text.startsWith(quote.repeat(3), at)) quote = quote.repeat(3)
    steps.step = inQuotes
    return at + quote.length
  }

  function inQuotes(text: string, at: number, last: boolean): number {
    const piece = pieceAt(quote.startsWith('"') ? IN_DOUBLE : IN_SINGLE, text, at)
    const i = at + piece.length
    const isBroken = quote.length === 1 && piece.includes('\n')
    if (isBroken && !note('escaped-control', 'safe')) return fail(at)
    put(piece)
    if (i === text.length) return i
    return text.charAt(i) === '\\' ? inEscape(text, i, last) : atEnd(text, i, last)
  }

  function inEscape(text: string, at: number, last: boolean): number {
    if (at + LONGEST_ESCAPE > text.length && !last) return at
    const { length, value } = readEscape(text, at)
    // In a raw text a backslash only keeps the quote behind it from closing.
    const escaped = isRaw ? text.slice(at, at + 2) : value
    put(escaped)
    return at + (isRaw ? escaped.length : length)
  }

  function atEnd(text: string, at: number, last: boolean): number {
    const ends = quote.length > 1 ? isWholeQuote(text, at, last) : isLastQuote(text, at + 1, last)
    if (ends === undefined) return at
    if (ends) {
      steps.step = afterQuote
      return at + quote.length
    }
    if (quote.length === 1 && !note('escaped-quote', 'guess')) return fail(at)
    hasInner = true
    put(text.charAt(at))
    return at + 1
  }

  function isWholeQuote(text: string, at: number, last: boolean): boolean | undefined {
    const length = literal(quote)(text, at, text.length, last)
    return length === NEED_MORE ? undefined : length > 0
  }

  function isLastQuote(text: string, at: number, last: boolean): boolean | undefined {
    const ahead = text.slice(at, at + QUOTE_WINDOW)
    const isShort = ahead.length < QUOTE_WINDOW
    const seen = isShort && last ? ahead + END_OF_REPLY : ahead
    if (syntax.endsText(target.place(), seen, hasInner)) return true
    if (target.markAt(ahead, skipSpace(ahead, 0), true)) return true
    return isShort && !last ? undefined : false
  }

  /** Texts one after another are one. */
  function afterQuote(text: string, at: number, last: boolean): number {
    const i = skipSpace(text, at)
    const ahead = text.slice(i, i + 3)
    const prefix = /^[rbfu]{0,2}(?=["'])/i.exec(ahead)?.[0]
    if (prefix !== undefined) {
      begin(/r/i.test(prefix))
      return i + prefix.length
    }
    if (ahead.length < 3 && !last && /^[rbfu]*$/i.test(ahead)) return i
    return ahead.startsWith('+') ? i + 1 : end(i)
  }

  // ── between delimiters ────────────────────────────────────────────────────────────────────────

  function inDelimiters(text: string, at: number, last: boolean): number {
    const ends = text.indexOf(delimiter, at)
    const closed = text.slice(0, ends === -1 ? text.length : ends).indexOf(close, at)
    if (closed !== -1) return atCloser(text, at, closed, last)
    if (ends !== -1) return end(putUpTo(text, at, ends) + delimiter.length)
    const held = last ? 0 : Math.max(overlap(text, delimiter), overlap(text, close))
    return putUpTo(text, at, tailStart(text, at, text.length - held))
  }

  function putUpTo(text: string, at: number, end: number): number {
    put(text.slice(at, end))
    return Math.max(at, end)
  }

  /** The calls' closer: quoted in the text when that ends soon, or the text was left open. */
  function atCloser(text: string, at: number, found: number, last: boolean): number {
    const after = found + close.length
    const window = text.slice(after, after + CLOSER_WINDOW)
    const ends = window.indexOf(delimiter)
    const opens = window.indexOf(open)
    if (ends !== -1 && (opens === -1 || ends < opens)) return putUpTo(text, at, after)
    const tail = tailStart(text, at, found)
    putUpTo(text, at, tail)
    if (opens === -1 && window.length < CLOSER_WINDOW && !last) return tail
    if (!note('closed-string', 'guess')) return fail(tail)
    const rest = target.withoutBrackets(text.slice(tail, found))
    return end(putUpTo(text, tail, tail + rest.length))
  }

  function begin(asRaw: boolean): void {
    isRaw = asRaw
    hasInner = false
    steps.step = atQuote
  }

  return begin
}

/** What a sticky expression finds at `at`. */
export function pieceAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

/** Where the brackets and blanks before `end` begin. */
function tailStart(text: string, at: number, end: number): number {
  const start = Math.max(at, end - TAIL)
  return start + Math.max(0, text.slice(start, end).search(/[\s}\]]*$/))
}

/**
 * Text in the argument syntax of the Gemma family: between the format's own delimiters, where nothing
 * is escaped, or between the quotes that models fall back to.
 */
import type { Repair, RepairCode } from '../issue.ts'
import { parseStrict } from '../json/strict.ts'
import { NEED_MORE } from '../protocol.ts'
import { isSpace, skipSpace } from './characters.ts'
import { literal, overlap } from './marker.ts'
import { createSteps, type Steps } from './steps.ts'

export interface LiteralMarks {
  /** What a text begins and ends with. */
  readonly quote: string
  /** What a call begins and ends with. */
  readonly open: string
  readonly close: string
}

/** The marks of a format, and what follows from them. */
export interface LiteralSyntax extends LiteralMarks {
  /** The delimiter or the closer at `at`; undefined when only more text can tell. */
  markAt(text: string, at: number, last: boolean): 'quote' | 'close' | '' | undefined
  readonly patterns: ReadonlyMap<string, TextPatterns>
}

interface TextPatterns {
  /** The next thing in a text that is not just text. */
  readonly stop: RegExp
  /** Its end, with what follows that where the mark alone says too little. */
  readonly end: RegExp
}

export interface LiteralTextOptions {
  readonly isKey: boolean
  /** The closing brackets that are to come, the outermost first. */
  brackets(): readonly string[]
  text(piece: string): void
  note(code: RepairCode, risk: Repair['risk']): void
}

/** How far behind a quote its meaning may lie. */
const WINDOW = 96
/** How far behind a closer the end of a text may stand that quotes it. */
const CLOSER_WINDOW = 256
/** How many brackets and blanks at the end of a text may belong to what is around it. */
const TAIL = 64

export function literalSyntax(marks: LiteralMarks): LiteralSyntax {
  const { quote, close } = marks
  const matchQuote = literal(quote)
  const matchClose = literal(close)
  const patterns = [quote, '"', "'"].map((mark): [string, TextPatterns] => {
    const stops = mark === quote ? [mark, close] : [mark, close, '\\']
    const stop = new RegExp(stops.map(escaped).join('|'), 'g')
    const end = new RegExp(mark === quote ? escaped(mark) : `${mark}\\s*[,:}\\]]`)
    return [mark, { stop, end }]
  })
  return {
    ...marks,
    patterns: new Map(patterns),
    markAt(text, at, last) {
      const quoted = matchQuote(text, at, text.length, last)
      const closed = matchClose(text, at, text.length, last)
      if (quoted > 0) return 'quote'
      if (closed > 0) return 'close'
      return quoted === NEED_MORE || closed === NEED_MORE ? undefined : ''
    },
  }
}

/** The marker as part of a regular expression. */
function escaped(mark: string): string {
  return mark.replace(/[|\\]/g, '\\$&')
}

/** Reads from behind the opening `mark` to behind the closing one. */
export function createLiteralText(
  syntax: LiteralSyntax,
  mark: string,
  { isKey, brackets, text: send, note }: LiteralTextOptions,
): Steps<'done' | 'failed'> {
  const { quote, open, close, markAt } = syntax
  const patterns = syntax.patterns.get(mark)
  const reader = createSteps<'done' | 'failed'>(readText)

  function readText(text: string, at: number, last: boolean): number {
    if (!patterns) return at
    patterns.stop.lastIndex = at
    const hit = patterns.stop.exec(text)
    if (!hit) {
      const held = last ? 0 : Math.max(overlap(text, mark), overlap(text, close))
      return sendUpTo(text, at, tailStart(text, at, text.length - held))
    }
    if (hit[0] === close) return readCloser(patterns.end, text, at, hit.index, last)
    sendUpTo(text, at, hit.index)
    if (hit[0] === '\\') return readEscape(text, hit.index, last)
    return mark === quote ? end(hit.index + mark.length) : readQuote(text, hit.index, last)
  }

  function sendUpTo(text: string, at: number, end: number): number {
    if (end > at) send(text.slice(at, end))
    return Math.max(at, end)
  }

  function end(at: number): number {
    reader.state = 'done'
    return at
  }

  /** A quote ends its text when what may follow a value follows. */
  function readQuote(text: string, at: number, last: boolean): number {
    const limit = Math.min(text.length, at + WINDOW)
    const next = skipSpace(text, at + 1, limit)
    if (next === text.length && limit < at + WINDOW && !last) return at
    const ends = next === limit || follows(text, next, last)
    if (ends === undefined) return at
    if (ends) return end(at + 1)
    note('escaped-quote', 'guess')
    send(mark)
    return at + 1
  }

  function follows(text: string, at: number, last: boolean): boolean | undefined {
    if (isKey) return text.charAt(at) === ':'
    if (',}]'.includes(text.charAt(at))) return true
    const found = markAt(text, at, last)
    return found === undefined ? undefined : found !== ''
  }

  /** In double quotes JSON's escapes count; in single ones a backslash is mostly one of a pattern. */
  function readEscape(text: string, at: number, last: boolean): number {
    const length = mark === '"' && text.charAt(at + 1) === 'u' ? 6 : 2
    if (at + length > text.length && !last) return at
    const sequence = text.slice(at, at + length)
    const decoded = sequence === "\\'" ? "'" : mark === '"' && parseStrict(`"${sequence}"`)
    if (typeof decoded === 'string' && decoded !== '') {
      send(decoded)
      return at + length
    }
    if (mark === '"') note('invalid-escape', 'safe')
    send('\\')
    return at + 1
  }

  /** The call's closer at `found`: quoted in the text when that ends soon, or the text was left open. */
  function readCloser(
    ending: RegExp,
    text: string,
    at: number,
    found: number,
    last: boolean,
  ): number {
    const after = found + close.length
    const window = text.slice(after, after + CLOSER_WINDOW)
    const ends = window.search(ending)
    const opens = window.indexOf(open)
    if (ends !== -1 && (opens === -1 || ends < opens)) return sendUpTo(text, at, after)
    if (opens === -1 && window.length < CLOSER_WINDOW && !last) {
      return sendUpTo(text, at, tailStart(text, at, found))
    }
    if (isKey) {
      reader.state = 'failed'
      return at
    }
    note('closed-string', 'guess')
    return end(sendUpTo(text, at, beforeBrackets(text, at, found, brackets())))
  }

  return reader
}

/** Where the brackets and blanks before `end` begin. */
function tailStart(text: string, at: number, end: number): number {
  const floor = Math.max(at, end - TAIL)
  let i = end
  while (i > floor && (isSpace(text.charCodeAt(i - 1)) || '}]'.includes(text.charAt(i - 1)))) i--
  return i
}

/** Where those of the `brackets`, the outermost first, begin that stand before `end`. */
export function beforeBrackets(
  text: string,
  at: number,
  end: number,
  brackets: readonly string[],
): number {
  const floor = Math.max(at, end - TAIL)
  let start = end
  let i = end
  for (const bracket of brackets) {
    while (i > floor && isSpace(text.charCodeAt(i - 1))) i--
    if (i <= floor || text.charAt(i - 1) !== bracket) break
    i--
    start = i
  }
  return start
}

/**
 * The text that is not dealt with yet, and what must be remembered of the text before it: whether a
 * place stands at the start of a line, and which characters stand before it.
 */
import { isLinePrefix, isSpace, NEWLINE } from './characters.ts'
import type { NamePlaces } from './tool-names.ts'

export interface Cursor {
  text: string
  /** Absolute position of `text[0]`. */
  base: number
  /** Everything before this index of `text` is dealt with. */
  at: number
  /** Characters of indentation since the start of the line, or -1 when there is more than that. */
  linePrefix: number
  /** The last two characters dealt with. */
  previous: number
  beforePrevious: number
  readonly seen: Sightings
  /** Where names of tools are, for a reply that is read whole. */
  readonly names: NamePlaces | undefined
}

/** What was found in a text so far, whichever search it was for. */
interface Sightings {
  text: string
  /** All was found here or behind. */
  from: number
  /** By the number of what was looked for. */
  places: number[]
  /** True where one stop was close behind another. */
  isDense: boolean
}

/** Longest indentation, with quote marks and bullets, that still counts as the start of a line. */
const MAX_LINE_PREFIX = 64

export function createCursor(base: number, names?: NamePlaces): Cursor {
  return {
    text: '',
    base,
    at: 0,
    linePrefix: 0,
    previous: NEWLINE,
    beforePrevious: NEWLINE,
    seen: { text: '', from: 0, places: [], isDense: false },
    names,
  }
}

/** Appends a piece and forgets what is dealt with. */
export function append(cursor: Cursor, piece: string): void {
  const { text, at } = cursor
  cursor.text = at < text.length ? text.slice(at) + piece : piece
  cursor.base += at
  cursor.at = 0
}

/** Moves on to `end`, remembering what later characters need to know about the ones passed. */
export function pass(cursor: Cursor, end: number): void {
  const last = cursor.text.charCodeAt(end - 1)
  // Mostly a word: it needs no look at what stands before it.
  cursor.linePrefix = last === NEWLINE ? 0 : isLinePrefix(last) ? prefixAt(cursor, end) : -1
  cursor.beforePrevious = codeBefore(cursor, end - 1)
  cursor.previous = last
  cursor.at = end
}

/** What follows a block may begin another one: it counts as the start of a line. */
export function passBlock(cursor: Cursor, end: number): void {
  cursor.at = end
  cursor.linePrefix = 0
  cursor.previous = NEWLINE
  cursor.beforePrevious = NEWLINE
}

/** Remembers the end of a text that was held outside the cursor. */
export function passHeld(cursor: Cursor, held: string): void {
  const lineStart = held.lastIndexOf('\n') + 1
  const before = lineStart === 0 ? cursor.linePrefix : 0
  cursor.linePrefix = before < 0 ? -1 : prefixOf(held, lineStart, before)
  cursor.beforePrevious = held.length > 1 ? held.charCodeAt(held.length - 2) : cursor.previous
  cursor.previous = held.charCodeAt(held.length - 1)
}

/** The character before `i`, which may be the first one not dealt with. */
export function codeBefore(cursor: Cursor, i: number): number {
  return i > cursor.at ? cursor.text.charCodeAt(i - 1) : cursor.previous
}

/** True where nothing but indentation stands before a place on its line. */
export function startsLine(cursor: Cursor, i: number): boolean {
  return prefixAt(cursor, i) >= 0
}

/** Indentation before `i` on its line, or -1. Looks back over the indentation only. */
function prefixAt(cursor: Cursor, i: number): number {
  const { text, at, linePrefix } = cursor
  let j = i
  while (j > at && isLinePrefix(text.charCodeAt(j - 1)) && i - j <= MAX_LINE_PREFIX) j--
  if (j > at) return text.charCodeAt(j - 1) === NEWLINE ? capped(i - j) : -1
  return linePrefix < 0 ? -1 : capped(linePrefix + i - j)
}

function prefixOf(text: string, start: number, before: number): number {
  for (let i = start; i < text.length; i++) {
    if (!isLinePrefix(text.charCodeAt(i))) return -1
  }
  return capped(before + text.length - start)
}

function capped(length: number): number {
  return length <= MAX_LINE_PREFIX ? length : -1
}

/** Quotation marks that open, and plain ones, which open or close. */
const OPENING_QUOTES = new Set(Array.from('“‘«„「『', (quote) => quote.charCodeAt(0)))
const DOUBLE_QUOTE = 34
const SINGLE_QUOTE = 39

/** True right behind an opening quotation mark, or `other`. A plain one opens unless it ends a word. */
export function followsQuote(cursor: Cursor, i: number, other?: number): boolean {
  const quote = codeBefore(cursor, i)
  if (quote === other) return true
  if (quote === DOUBLE_QUOTE || quote === SINGLE_QUOTE) {
    return opensQuote(i > cursor.at ? codeBefore(cursor, i - 1) : cursor.beforePrevious)
  }
  return quote >= 128 && OPENING_QUOTES.has(quote)
}

/** What stands before a plain quotation mark that opens: space, `(`, `:` or `[`. */
function opensQuote(code: number): boolean {
  return isSpace(code) || code === 40 || code === 58 || code === 91
}

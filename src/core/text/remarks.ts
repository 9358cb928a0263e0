/** Issues about what looks like a call and stays text: each place is reported once. */
import { type Marker, NEED_MORE, NO_MATCH, type ToolTable } from '../protocol.ts'
import type { Budget } from './budget.ts'
import { ENDS_INSIDE } from './call.ts'
import { joinsWord } from './characters.ts'
import { type Cursor, codeBefore, pass, startsLine } from './cursor.ts'
import type { Candidates } from './grammar.ts'
import { SHORTEST_NAME } from './tool-names.ts'

/** How far a match may look: longer than any marker with what must follow it. */
export const WINDOW = 512

const AMONG_TEXT = 'a call among text, left as text'
const IN_CODE = 'a call in code that other text follows, left as text'

/** What looks like a call so soon after a quoted marker belongs to the same quotation. Chosen: a call of two lines. */
const COVERED = 256

/** A tag that a sentence mentions, and goes on. */
const IN_WORDS = /> \p{L}/u

export class Remarks {
  readonly #tools: ToolTable
  readonly #candidates: Candidates
  readonly #budget: Budget
  /** Absolute: up to here an issue accounts for what looks like a call. */
  #coveredTo = 0
  /** Absolute: up to here an issue accounts for what is a call by its marker. */
  #refusedTo = 0

  constructor(tools: ToolTable, candidates: Candidates, budget: Budget) {
    this.#tools = tools
    this.#candidates = candidates
    this.#budget = budget
  }

  isCovered(at: number): boolean {
    return at < this.#coveredTo
  }

  /** A call of a format without markers where none is made. */
  shown(at: number, raw: string): void {
    // The calls of a quoted list follow each other.
    if (this.isCovered(at)) {
      this.#coveredTo = Math.max(this.#coveredTo, at + raw.length + COVERED)
    } else this.#budget.remark('quoted-call', AMONG_TEXT, at, raw)
  }

  /** A marker inside code, quotation marks or words. */
  quoted(message: string, at: number, raw: string): void {
    if (at < this.#refusedTo) return
    this.#budget.remark('quoted-call', message, at, raw)
    this.cover(at + raw.length)
  }

  /** Calls in code that other text follows. */
  inCode(at: number, raw: string): void {
    this.#budget.remark('quoted-call', IN_CODE, at, raw)
    this.#refusedTo = this.#coveredTo = at + raw.length
  }

  drafted(at: number, raw: string): void {
    this.#budget.remark('reasoning-call', 'a draft of a call in reasoning', at, raw)
  }

  /** What follows `end` closely belongs to what was reported. */
  cover(end: number): void {
    this.#coveredTo = end + COVERED
  }

  /** Calls that were read, and are part of other text after all. */
  amongText(at: number, raw: string): void {
    this.#budget.remark('quoted-call', AMONG_TEXT, at, raw)
    this.#coveredTo = at + raw.length
  }

  /** True when the last text of a reply, which a reader gave back, is the beginning of a call; then it is reported. */
  endsInside(at: number, raw: string): boolean {
    if (!this.#namesTool(raw) || IN_WORDS.test(raw)) return false
    this.#budget.remark('truncated-call', ENDS_INSIDE, at, raw)
    return true
  }

  /** The reply ends with what may have become the marker of one of these calls. */
  cutOff(at: number, raw: string, openers: readonly Marker[]): void {
    if (this.isCovered(at) || !this.#namesTool(raw)) return
    if (!openers.some(({ match }) => match(raw, 0, raw.length, false) === NEED_MORE)) return
    this.#budget.remark('truncated-call', ENDS_INSIDE, at, raw)
    this.#coveredTo = at + raw.length
  }

  /**
   * Reports what looks like a call up to `end` of the cursor's text and passes the text. False where more text
   * is needed to tell: then the cursor is at the place in question.
   */
  readTo(end: number, cursor: Cursor, last: boolean): boolean {
    const { text, base } = cursor
    for (let i = cursor.at; i < end; i++) {
      i = this.#candidates.stops.find(cursor, i)
      if (i >= end) break
      const length = this.#shownAt(cursor, i, last)
      if (length === NEED_MORE) {
        if (i > cursor.at) pass(cursor, i)
        return false
      }
      if (length === NO_MATCH) continue
      this.shown(base + i, text.slice(i, i + length))
      i += length - 1
    }
    return true
  }

  #shownAt(cursor: Cursor, i: number, last: boolean): number {
    const { text } = cursor
    for (const { kind, marker } of this.#candidates.at(text, i)) {
      if (kind !== 'shown' || !isBoundary(marker.boundary, i, cursor)) continue
      const length = marker.match(text, i, Math.min(text.length, i + WINDOW), last)
      if (length !== NO_MATCH) return length
    }
    return NO_MATCH
  }

  /** True when a tool is named, and more than that is written. */
  #namesTool(text: string): boolean {
    return this.#tools.names.some((name) => {
      const at = name.length < SHORTEST_NAME ? -1 : text.indexOf(name)
      if (at === -1 || text === name || joinsWord(text.charCodeAt(at + name.length))) return false
      return at === 0 || !joinsWord(text.charCodeAt(at - 1))
    })
  }
}

/** So close to its end a text may end inside a marker. */
export const MARK = 8

/** True where a marker with this boundary may begin; whether the message begins there is for the engine to say. */
export function isBoundary(wanted: Marker['boundary'], i: number, cursor: Cursor): boolean {
  if (wanted === 'word') return !joinsWord(codeBefore(cursor, i))
  // Where the text ends, a line may begin: the place waits like all that may become a marker.
  if (wanted === 'line') return startsLine(cursor, i) || i + MARK > cursor.text.length
  return true
}

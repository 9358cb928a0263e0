/**
 * Reads JSON as models write it, in chunks of any size, and hands on valid JSON text as it goes.
 * Valid parts pass through as slices of the input; each departure is a {@link Repair}. The value
 * is `JSON.parse` of the text handed on.
 *
 * A machine of one state and an explicit stack. Each state looks for plain JSON first. Every other
 * decision is taken from a bounded window behind the place it is about: when the window is not
 * there yet, the reader consumes nothing and waits, so the outcome cannot depend on how the input
 * was cut into chunks.
 */
import { endRoot, isWholeNumber, readBare, readNumber, readWord } from './bare-value.ts'
import { dropCharacters, readComment, readOdd, readSpace } from './between.ts'
import { dropBracket, readCloseBracket } from './close-bracket.ts'
import {
  COLON,
  COMMA,
  DOUBLE_QUOTE,
  EQUALS,
  GREATER,
  isAssignment,
  isCloseBracket,
  isQuote,
  isSeparator,
  isSpace,
  isWord,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PAREN,
  SEMICOLON,
} from './codes.ts'
import { readBareKey, readPlainKey } from './keys.ts'
import { aim, codeBehind, WINDOW } from './look-ahead.ts'
import { readPlainScalar } from './plain.ts'
import {
  AFTER_KEY,
  AFTER_VALUE,
  ARRAY,
  codeAt,
  END,
  IN_BARE,
  IN_LINE_COMMENT,
  IN_NUMBER,
  IN_STRING,
  ITEM,
  type JsonReaderOptions,
  type JsonSink,
  KEY,
  MEMBER_VALUE,
  OBJECT,
  Reading,
  ROOT_VALUE,
  report,
  reportAround,
  TUPLE,
  WAIT,
  wait,
} from './reading.ts'
import { closerText, kindAt, pop } from './stack.ts'
import { readString } from './string-reader.ts'
import { isKeyNext, openOddString, readQuoted } from './string-start.ts'
import { flush, replace, revoke } from './tape.ts'
import { addClosers, addNull, beginNext, openContainer } from './values.ts'

export type { JsonKind, JsonReaderOptions, JsonSink } from './reading.ts'

export interface JsonReader {
  /**
   * Reads from `at` and returns the index up to which characters were consumed. That is less than
   * `text.length` when the value ended or when look-ahead is needed: present the text from that
   * index again with more behind it, or with `last` set.
   */
  read(text: string, at: number, last: boolean): number
  readonly status: 'open' | 'done' | 'failed'
  readonly failure?: 'syntax' | 'depth' | undefined
  readonly depth: number
  /**
   * End of input inside a value: closes strings and containers so that the output is valid JSON.
   * A member whose value never began is left out. After a failure the output is closed as well. Asked
   * for once.
   */
  finish(): void
  /** From here on nothing is repaired: the first departure fails. */
  strict(): void
}

export function createJsonReader(sink: JsonSink, options: JsonReaderOptions = {}): JsonReader {
  return new Machine(sink, options)
}

class Machine extends Reading implements JsonReader {
  /** How far the last chunk was consumed. */
  #consumed = 0

  strict(): void {
    this.mode = 'off'
  }

  read(text: string, at: number, last: boolean): number {
    if (this.status !== 'open') return at
    this.text = text
    this.last = last
    this.waiting = false
    this.from = at
    let i = at
    while (i < text.length && this.status === 'open' && !this.waiting) i = step(this, i)
    if (last && i === text.length && this.status === 'open') endRoot(this, i)
    flush(this, i)
    this.#consumed = i
    return i
  }

  finish(): void {
    if (this.status === 'done') return
    this.text = ''
    this.from = 0
    finishToken(this)
    while (this.depth > 0) {
      finishMember(this)
      const closer = closerText(this)
      reportAround(this, 'added-bracket', 'guess', '', closer)
      replace(this, 0, 0, closer)
      flush(this, 0)
      pop(this)
      if (this.depth <= this.watchDepth) this.sink.valueEnd?.(this.depth, this.#consumed)
    }
    flush(this, 0)
    if (this.status === 'open') this.status = 'done'
  }
}

function step(r: Reading, at: number): number {
  if (r.state === IN_STRING) return readString(r, at)
  if (r.state === IN_BARE) return readBare(r, at)
  if (r.state === IN_NUMBER) return readNumber(r, at)
  if (r.state >= IN_LINE_COMMENT) return readComment(r, at)
  let i = at
  if (isSpace(codeAt(r, i))) {
    i = readSpace(r, i)
    if (i >= r.text.length) return i
  }
  r.spaceRun = 0
  return readToken(r, i, codeAt(r, i))
}

/** What JSON has in this state is read at once; for all else the closer has to be asked first. */
function readToken(r: Reading, at: number, code: number): number {
  const { state } = r
  if (state === AFTER_VALUE) {
    if (code === COMMA) {
      beginNext(r, at)
      return at + 1
    }
  } else if (state === AFTER_KEY) {
    if (code === COLON) {
      r.state = MEMBER_VALUE
      return at + 1
    }
  } else if (isKeyNext(r)) {
    if (code === DOUBLE_QUOTE) return readPlainKey(r, at)
  } else {
    if (code === DOUBLE_QUOTE) return readQuoted(r, at)
    if (code === OPEN_BRACE) return openContainer(r, OBJECT, at)
    if (code === OPEN_BRACKET) return openContainer(r, ARRAY, at)
    const next = isWord(code) ? readPlainScalar(r, at) : at
    if (next !== at) return next
  }
  const lacksValue = state === AFTER_KEY || state === MEMBER_VALUE
  if (isCloseBracket(code) && !lacksValue) return readCloseBracket(r, at)
  const next = isCloseBracket(code) ? at : readOdd(r, at)
  if (isSettled(r, at, next)) return next
  if (state === AFTER_VALUE) return readAfterValue(r, at, code)
  if (lacksValue && (isSeparator(code) || isCloseBracket(code))) {
    addNull(r, at)
    return at
  }
  if (isSeparator(code)) return dropCharacters(r, at, 1, 'dropped-comma', 'safe')
  if (state === AFTER_KEY) return readAfterKey(r, at, code)
  if (isKeyNext(r)) return readOddKey(r, at, code)
  return readOddValue(r, at, code)
}

/** Whether what stands at `at` was dealt with by going on to `next`, by waiting or by failing. */
function isSettled(r: Reading, at: number, next: number): boolean {
  return next !== at || r.waiting || r.status !== 'open'
}

function readOddKey(r: Reading, at: number, code: number): number {
  if (code === OPEN_BRACE) {
    // A doubled brace, or the next object of an array.
    if (r.state === KEY && kindAt(r, r.depth - 1) > OBJECT) {
      addClosers(r, r.depth - 1, at)
      return at
    }
    r.doubled[r.depth] = (r.doubled[r.depth] ?? 0) + 1
  }
  if (code === OPEN_BRACE || code === OPEN_BRACKET || code === OPEN_PAREN) {
    return dropBracket(r, at)
  }
  const next = openOddString(r, at)
  return isSettled(r, at, next) ? next : readBareKey(r, at)
}

function readAfterKey(r: Reading, at: number, code: number): number {
  if (code === EQUALS && at + 1 >= r.text.length && !r.last) return wait(r, at)
  const length = code !== EQUALS ? 0 : codeAt(r, at + 1) === GREATER ? 2 : 1
  const isAllowed =
    length === 0
      ? report(r, 'added-colon', 'guess', '', ':')
      : report(r, 'replaced-separator', 'safe', r.text.slice(at, at + length), ':')
  if (!isAllowed) return at
  replace(r, at, at + length, ':')
  r.state = MEMBER_VALUE
  return at + length
}

function readOddValue(r: Reading, at: number, code: number): number {
  if (code === OPEN_PAREN) return openContainer(r, TUPLE, at)
  if (r.state === MEMBER_VALUE && (isAssignment(code) || code === GREATER)) {
    return dropCharacters(r, at, 1, 'replaced-separator', 'guess')
  }
  const next = openOddString(r, at)
  return isSettled(r, at, next) ? next : readWord(r, at)
}

function readAfterValue(r: Reading, at: number, code: number): number {
  if (code === SEMICOLON || isAssignment(code)) {
    const risk = code === SEMICOLON ? 'safe' : 'guess'
    if (!reportAround(r, 'replaced-separator', risk, r.text.charAt(at), ',')) return at
    beginNext(r, at)
    replace(r, at, at + 1, ',')
    return at + 1
  }
  if (isQuote(code)) {
    // A quote that only a closing bracket or the end follows opens nothing.
    aim(r, at + 1)
    const next = codeBehind(r, at + 1)
    if (next === WAIT) return wait(r, at)
    const isStray = next === END ? r.text.length < at + 1 + WINDOW : isCloseBracket(next)
    if (isStray) return dropCharacters(r, at, 1, 'dropped-text', 'guess')
  }
  const risk = r.kind === OBJECT ? 'safe' : 'guess'
  if (!reportAround(r, 'added-comma', risk, '', ',')) return at
  beginNext(r, at)
  replace(r, at, at, ',')
  return at
}

// --- the end of the input ------------------------------------------------------------------------

/** Ends the token the input stopped in. */
function finishToken(r: Reading): void {
  if (r.state >= IN_LINE_COMMENT) r.state = r.resume
  const { state } = r
  if (state === ROOT_VALUE) {
    report(r, 'added-null', 'guess', '', 'null')
    replace(r, 0, 0, 'null')
  }
  if (state < IN_STRING) return
  r.state = r.isKey ? AFTER_KEY : AFTER_VALUE
  if (r.isKey) r.isKey = false
  else if (state === IN_NUMBER) replace(r, 0, 0, isWholeNumber(r) ? '' : '0')
  else {
    if (state === IN_STRING) report(r, 'closed-string', 'guess', '', '"')
    replace(r, 0, 0, '"')
  }
}

/** Takes back a comma or key that nothing followed. */
function finishMember(r: Reading): void {
  const isNamed = r.state === AFTER_KEY || r.state === MEMBER_VALUE
  if (isNamed || r.state === ITEM || r.state === KEY) revoke(r, 0)
  if (isNamed) reportAround(r, 'dropped-text', 'guess')
  r.state = AFTER_VALUE
}

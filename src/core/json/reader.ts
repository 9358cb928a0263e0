/**
 * Reads JSON as models write it, in chunks of any size, and hands on valid JSON text as it goes.
 * Valid parts pass through as slices of the input; each departure is a {@link Repair}. The value
 * is `JSON.parse` of the text handed on.
 *
 * A machine of one state and an explicit stack. Every decision is taken from a bounded window
 * behind the place it is about: when the window is not there yet, the reader consumes nothing and
 * waits, so the outcome cannot depend on how the input was cut into chunks.
 */
import type { JsonPath, Repair, RepairCode } from '../issue.ts'
import { completeScalar, readScalar, type Scalar } from './bare-word.ts'
import { ADD, DROP, planBracket } from './brackets.ts'
import {
  ASTERISK,
  BACKSLASH,
  COLON,
  COMMA,
  DOT,
  DOUBLE_QUOTE,
  ELLIPSIS,
  EQUALS,
  GREATER,
  HASH,
  isCloseBracket,
  isDigit,
  isExoticSpace,
  isQuote,
  isSpace,
  isWord,
  MINUS,
  NEWLINE,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PAREN,
  RETURN,
  SEMICOLON,
  SINGLE_QUOTE,
  SLASH,
  SMART_QUOTE,
  SPACE,
  TAB,
} from './codes.ts'
import { escapeControl } from './escapes.ts'
import { createLookAhead, WINDOW } from './look-ahead.ts'
import { ellipsisLength, isTripleQuote } from './marks.ts'
import { isNumberEnd, NOT_A_NUMBER, NUMBER_START, nextNumberPhase } from './number.ts'
import type { RunStyle, Runs } from './runs.ts'
import type { Shortcuts } from './shortcuts.ts'
import { ARRAY, closerText, closes, createStack, OBJECT, ROOT, TUPLE } from './stack.ts'
import { createStringEnd, END, INNER, type Verdict, WAIT } from './string-end.ts'
import { createStringReader, type Report, type StringOpening } from './string-reader.ts'
import { createTape } from './tape.ts'
import { endsWord, wordEnd } from './word-end.ts'

export interface JsonReaderOptions {
  /** `off`: strict JSON. `safe`: a departure that needs a guess fails. `guess`: repair all. */
  readonly repair?: 'off' | 'safe' | 'guess'
  /** Containers inside containers; passing it fails with `depth`. */
  readonly maxDepth?: number
  /** Structural callbacks fire only for values at this depth or less. */
  readonly watchDepth?: number
  /**
   * Asked between tokens, never inside strings, when a character cannot continue JSON: does the
   * closer of the enclosing block stand here? `undefined` asks for more characters.
   */
  readonly isCloser?: ((text: string, at: number, last: boolean) => boolean | undefined) | undefined
  /**
   * Quicker ways over what is clean. They change nothing but the time, and are brought along by
   * whoever reads whole documents, since they are a good part of the reader's size.
   */
  readonly shortcuts?: Shortcuts | undefined
}

export type JsonKind = 'object' | 'array' | 'string' | 'scalar'

export interface JsonSink {
  /** Valid JSON text: the pieces joined are exactly one JSON value. */
  text(piece: string): void
  /** A decoded key, once certain. `depth` is that of the object holding it; the root object is 1. */
  key?(depth: number, key: string): void
  /** After all earlier text and before any text of this value; the root has depth 0. */
  valueStart?(depth: number, kind: JsonKind): void
  /** After all text of that value; `end` is the index behind it in the text being read. */
  valueEnd?(depth: number, end: number): void
  repair?(repair: Repair): void
}

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
   * A member whose value never began is left out. After a failure the output is closed as well.
   */
  finish(): void
  readonly truncated: boolean
  /** From here on nothing is repaired: the first departure fails. */
  strict(): void
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

const DEFAULT_MAX_DEPTH = 512
/** Reports of one kind: a document of a million stray commas needs no million of them. */
const MAX_REPORTS = 100
/** Longer runs of whitespace between tokens are cut: they must not be kept back without limit. */
const MAX_SPACE = WINDOW
/** Places at which a shortcut is not tried again after it failed over and over. */
const MAX_PAUSE = 31

// Where the machine stands.
const ROOT_VALUE = 0
const FIRST_ITEM = 1
const ITEM = 2
const MEMBER_VALUE = 3
const FIRST_KEY = 4
const KEY = 5
const AFTER_KEY = 6
const AFTER_VALUE = 7
const IN_STRING = 8
const IN_BARE = 9
const IN_NUMBER = 10
const IN_LINE_COMMENT = 11
const IN_BLOCK_COMMENT = 12

function opening(isKey: boolean, quote: number, triple: boolean): StringOpening {
  return { isKey, quote, triple, escaped: false, raw: false }
}

const PLAIN = opening(false, DOUBLE_QUOTE, false)
const PLAIN_KEY = opening(true, DOUBLE_QUOTE, false)
const SINGLE = opening(false, SINGLE_QUOTE, false)
const SINGLE_KEY = opening(true, SINGLE_QUOTE, false)

const STRING_PREFIX_START = 'rubfRUBF'
const STRING_PREFIX = /^(?:[rub]|f|rb|br|rf|fr)$/i

export function createJsonReader(sink: JsonSink, options: JsonReaderOptions = {}): JsonReader {
  const { maxDepth = DEFAULT_MAX_DEPTH, watchDepth = 0 } = options
  let mode = options.repair ?? 'guess'
  // Plain fields: accessors would give every reader a shape of its own, and slow down each use.
  const self: Mutable<JsonReader> = {
    status: 'open',
    failure: undefined,
    depth: 0,
    truncated: false,
    read,
    finish,
    strict: () => {
      mode = 'off'
    },
  }
  const tape = createTape((piece) => sink.text(piece))
  const stack = createStack()
  const sight = createLookAhead(options.isCloser)
  const stringEnd = createStringEnd(sight, stack)
  const strings = createStringReader(
    tape,
    sight,
    stringEnd,
    reportString,
    () => mode === 'off',
    () => fail('syntax'),
  )

  let closed = false
  let state = ROOT_VALUE
  /** The state a comment interrupted. */
  let resume = ROOT_VALUE
  let stringIsKey = false
  /** Where the latest key stands whose name nobody has asked for yet; -1 when there is none. */
  let keyFrom = -1
  let keyTo = 0
  let numberPhase = NUMBER_START
  /** Brackets open inside a value without quotes. */
  let nesting = 0
  let spaceRun = 0
  const reportCounts = { safe: new Map<RepairCode, number>(), guess: new Map<RepairCode, number>() }
  /** Repairs of a key wait for its name, which is part of their path. */
  let keyRepairs: Parameters<Report>[] = []

  // Whether a shortcut pays is a matter of luck: after a failure the next ones are left out.
  const { shortcuts } = options
  const runs = shortcuts?.runs
  let style: RunStyle | undefined = runs?.plain
  let firstRuns = false
  let membersWait = 0
  let membersPause = 0
  let objectWait = 0
  let objectPause = 0

  let text = ''
  let last = false
  let waiting = false
  /** How far the last chunk was consumed. */
  let consumed = 0

  const bareFacts = { isKey: false, quote: DOUBLE_QUOTE, hasInner: false, bareKeys: false }

  // --- reporting -------------------------------------------------------------------------------

  function fail(reason: 'syntax' | 'depth'): void {
    if (self.status === 'failed') return
    self.status = 'failed'
    self.failure = reason
  }

  function allowed(risk: Repair['risk']): boolean {
    if (mode === 'guess' || (mode === 'safe' && risk === 'safe')) return self.status !== 'failed'
    fail('syntax')
    return false
  }

  function isCapped(code: RepairCode, risk: Repair['risk']): boolean {
    return (reportCounts[risk].get(code) ?? 0) >= MAX_REPORTS
  }

  function send(
    level: number,
    code: RepairCode,
    risk: Repair['risk'],
    before: string | undefined,
    after: string | undefined,
  ): true {
    const counts = reportCounts[risk]
    const count = counts.get(code) ?? 0
    if (count >= MAX_REPORTS) return true
    counts.set(code, count + 1)
    // From here on such members may be read in runs.
    if (count + 1 === MAX_REPORTS) membersWait = membersPause = objectWait = objectPause = 0
    settleKey()
    const path: JsonPath = stack.path(level)
    // Spelled out: spreading optional fields costs more than all else a repair costs.
    if (before === undefined) sink.repair?.({ code, path, risk })
    else if (after === undefined) sink.repair?.({ code, path, risk, before })
    else sink.repair?.({ code, path, risk, before, after })
    return true
  }

  /** A repair of the value being read. */
  function report(
    code: RepairCode,
    risk: Repair['risk'],
    before?: string,
    after?: string,
  ): boolean {
    return allowed(risk) && send(stack.depth, code, risk, before, after)
  }

  /** A repair of the container around it. */
  function reportAround(
    code: RepairCode,
    risk: Repair['risk'],
    before?: string,
    after?: string,
  ): boolean {
    return allowed(risk) && send(stack.depth - 1, code, risk, before, after)
  }

  function reportKey(
    code: RepairCode,
    risk: Repair['risk'],
    before?: string,
    after?: string,
  ): boolean {
    if (!allowed(risk)) return false
    if (!isCapped(code, risk)) keyRepairs.push([code, risk, before, after])
    return true
  }

  function reportString(
    code: RepairCode,
    risk: Repair['risk'],
    before?: string,
    after?: string,
  ): boolean {
    return stringIsKey ? reportKey(code, risk, before, after) : report(code, risk, before, after)
  }

  // --- values and containers -------------------------------------------------------------------

  function wait(at: number): number {
    waiting = true
    return at
  }

  function beginValue(kind: JsonKind, at: number): void {
    if (stack.depth > watchDepth) {
      tape.settle()
      return
    }
    tape.handOver(at)
    sink.valueStart?.(stack.depth, kind)
  }

  function endValue(at: number): number {
    if (stack.depth <= watchDepth) {
      tape.handOver(at)
      sink.valueEnd?.(stack.depth, at)
    }
    if (stack.depth > 0) state = AFTER_VALUE
    else if (self.status === 'open') self.status = 'done'
    return at
  }

  function openContainer(kind: number, at: number): number {
    if (stack.depth >= maxDepth) {
      fail('depth')
      return at
    }
    if (kind === TUPLE && !report('replaced-bracket', 'safe', '(', '[')) return at
    beginValue(kind === OBJECT ? 'object' : 'array', at)
    if (kind === TUPLE) tape.replace(at, at + 1, '[')
    settleKey()
    stack.push(kind)
    self.depth = stack.depth
    state = kind === OBJECT ? FIRST_KEY : FIRST_ITEM
    return at + 1
  }

  /** Supplies what is missing before the container can be closed at `at`. */
  function completeMember(at: number): boolean {
    if (state === AFTER_KEY || state === MEMBER_VALUE) return addNull(at)
    if (state !== ITEM && state !== KEY) return true
    if (!reportAround('dropped-comma', 'safe', ',', '')) return false
    tape.revoke(at)
    state = AFTER_VALUE
    return true
  }

  function addNull(at: number): boolean {
    if (!report('added-null', 'guess', '', 'null')) return false
    if (state === AFTER_KEY) tape.replace(at, at, ':')
    beginValue('scalar', at)
    tape.replace(at, at, 'null')
    endValue(at)
    return true
  }

  function popContainer(at: number): number {
    keyFrom = -1
    stack.pop()
    self.depth = stack.depth
    return endValue(at)
  }

  function closeContainer(at: number): number {
    if (!completeMember(at)) return at
    if (stack.kind === OBJECT && stack.doubled > 0) {
      stack.doubled--
      return dropBracket(at)
    }
    if (stack.kind === TUPLE) tape.replace(at, at + 1, ']')
    return popContainer(at + 1)
  }

  function dropBracket(at: number): number {
    return dropCharacters(at, 1, 'dropped-bracket', 'guess')
  }

  function addClosers(level: number, at: number): void {
    while (stack.depth > level) {
      const closer = closerText(stack.kind)
      if (!completeMember(at) || !reportAround('added-bracket', 'guess', '', closer)) return
      tape.replace(at, at, closer)
      popContainer(at)
    }
  }

  function readCloseBracket(at: number): number {
    if (closes(stack.kind, text.charCodeAt(at))) return closeContainer(at)
    const isCloser = askCloser(at)
    if (isCloser !== false) return isCloser ? stopAt(at) : wait(at)
    sight.aim(text, at, last)
    const plan = planBracket(at, sight, stack, stringEnd)
    if (plan === WAIT) return wait(at)
    if (plan === DROP) return dropBracket(at)
    if (plan === ADD) {
      addClosers(stack.levelOf(text.charCodeAt(at)), at)
      return at
    }
    const closer = closerText(stack.kind)
    if (!completeMember(at)) return at
    if (!reportAround('replaced-bracket', 'guess', text.charAt(at), closer)) return at
    tape.replace(at, at + 1, closer)
    return popContainer(at + 1)
  }

  // --- closers, comments and what else stands between tokens -----------------------------------

  function askCloser(at: number): boolean | undefined {
    const answer = options.isCloser?.(text, at, last)
    return answer ?? (options.isCloser === undefined || last ? false : undefined)
  }

  /** The enclosing block ends here, whatever is still open. */
  function stopAt(at: number): number {
    if (state === ROOT_VALUE) addNull(at)
    addClosers(0, at)
    return at
  }

  function isCommentStart(at: number): boolean | undefined {
    const code = text.charCodeAt(at)
    if (code !== SLASH && code !== HASH) return false
    if (at + 1 >= text.length) return last ? code === HASH : undefined
    const next = text.charCodeAt(at + 1)
    if (code === SLASH) return next === SLASH || next === ASTERISK
    // `#fff` as a value is a colour.
    return isKeyState() || state === AFTER_VALUE || !isWord(next)
  }

  function isKeyState(): boolean {
    return state === FIRST_KEY || state === KEY || state === AFTER_KEY
  }

  function openComment(at: number): number {
    const isBlock = text.charCodeAt(at + 1) === ASTERISK
    const length = text.charCodeAt(at) === HASH ? 1 : 2
    if (!reportAround('dropped-comment', 'safe', text.slice(at, at + length), '')) return at
    tape.replace(at, at + length, '')
    resume = state
    state = isBlock && length === 2 ? IN_BLOCK_COMMENT : IN_LINE_COMMENT
    return at + length
  }

  function readLineComment(at: number): number {
    const end = text.indexOf('\n', at)
    const next = end === -1 ? text.length : end
    tape.replace(at, next, '')
    if (end !== -1) state = resume
    return next
  }

  function readBlockComment(at: number): number {
    const end = text.indexOf('*/', at)
    if (end !== -1) {
      tape.replace(at, end + 2, '')
      state = resume
      return end + 2
    }
    // The star of a closer may stand at the end of this chunk.
    const next = last || !text.endsWith('*') ? text.length : text.length - 1
    tape.replace(at, next, '')
    return next > at ? next : wait(at)
  }

  function readSpace(at: number): number {
    let i = at + 1
    while (i < text.length && isSpace(text.charCodeAt(i))) i++
    const length = i - at
    if (state === ROOT_VALUE) tape.replace(at, i, '')
    else if (spaceRun + length > MAX_SPACE) {
      tape.replace(at + Math.max(0, MAX_SPACE - spaceRun), i, '')
    }
    spaceRun += length
    return i
  }

  function dropCharacters(
    at: number,
    length: number,
    code: RepairCode,
    risk: Repair['risk'],
  ): number {
    if (!reportAround(code, risk, text.slice(at, at + length), '')) return at
    tape.replace(at, at + length, '')
    return at + length
  }

  /**
   * A character that cannot continue JSON. Handles what is the same in every state and returns
   * the next index, or `at` itself, not waiting, when the state has to deal with it.
   */
  function readOdd(at: number): number {
    const closer = askCloser(at)
    if (closer !== false) return closer === undefined ? wait(at) : stopAt(at)
    const code = text.charCodeAt(at)
    if (isExoticSpace(code)) return dropCharacters(at, 1, 'dropped-text', 'safe')
    if (code === SLASH || code === HASH) {
      const isComment = isCommentStart(at)
      if (isComment === undefined) return wait(at)
      return isComment ? openComment(at) : at
    }
    if (code === DOT || code === ELLIPSIS) {
      const length = ellipsisLength(text, at, last)
      if (length === WAIT) return wait(at)
      return length > 0 ? dropCharacters(at, length, 'dropped-ellipsis', 'guess') : at
    }
    return code === BACKSLASH ? readEscapedSpace(at) : at
  }

  /** `\n` between tokens, in JSON that was escaped once too often. */
  function readEscapedSpace(at: number): number {
    if (at + 1 >= text.length) {
      return last ? dropCharacters(at, 1, 'dropped-text', 'guess') : wait(at)
    }
    const isBlank = /[nrt]/.test(text.charAt(at + 1))
    return isBlank ? dropCharacters(at, 2, 'dropped-text', 'guess') : at
  }

  /** Gives JSON's quotes to the string between those at `at` and `end`. */
  function requote(at: number, end: number): void {
    tape.replace(at, at + 1, '"')
    tape.replace(end, end + 1, '"')
  }

  // --- strings ---------------------------------------------------------------------------------

  /** A string that ends beyond doubt; `at` when it does not. */
  function readCleanString(at: number, quote: number): number {
    if (!shortcuts) return at
    const { bareKeys } = strings.facts
    const end = shortcuts.stringEnd(text, at, stack, bareKeys, options.isCloser === undefined)
    if (end === -1) return at
    if (quote !== DOUBLE_QUOTE && !report('replaced-quotes', 'safe', text.charAt(at), '"'))
      return at
    beginValue('string', at)
    if (quote !== DOUBLE_QUOTE) requote(at, end)
    return endValue(end + 1)
  }

  function openPlainString(at: number): number {
    const clean = readCleanString(at, DOUBLE_QUOTE)
    if (clean !== at) return clean
    if (mode !== 'off') {
      const triple = isTripleQuote(text, at, last)
      if (triple === undefined) return wait(at)
      if (triple) return openString(at, 3, opening(false, DOUBLE_QUOTE, true))
    }
    beginValue('string', at)
    stringIsKey = false
    strings.open(PLAIN)
    state = IN_STRING
    return at + 1
  }

  /** Opens a string in another notation than JSON's; its opening takes `length` characters. */
  function openString(at: number, length: number, opening: StringOpening): number {
    stringIsKey = opening.isKey
    if (!reportString('replaced-quotes', 'safe', text.slice(at, at + length), '"')) return at
    if (opening.isKey) beginKey(at)
    else beginValue('string', at)
    tape.replace(at, at + length, '"')
    strings.open(opening)
    state = IN_STRING
    return at + length
  }

  /** A string that does not begin with a plain quote; `at` when none begins here. */
  function openOddString(at: number, isKey: boolean): number {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) return openEscapedString(at, isKey)
    if (isQuote(code)) return openQuotedString(at, code, isKey)
    return openPrefixedString(at, isKey)
  }

  function openQuotedString(at: number, code: number, isKey: boolean): number {
    const isSingle = code === SINGLE_QUOTE
    if (isSingle) {
      const clean = isKey ? readCleanKey(at, code) : readCleanString(at, code)
      if (clean !== at || self.status !== 'open') return clean
    }
    const triple = isTripleQuote(text, at, last)
    if (triple === undefined) return wait(at)
    if (isSingle && !triple) return openString(at, 1, isKey ? SINGLE_KEY : SINGLE)
    return openString(at, triple ? 3 : 1, opening(isKey, code, triple))
  }

  function openEscapedString(at: number, isKey: boolean): number {
    if (text.charCodeAt(at + 1) !== DOUBLE_QUOTE) return at
    return openString(at, 2, {
      isKey,
      quote: DOUBLE_QUOTE,
      triple: false,
      escaped: true,
      raw: false,
    })
  }

  /** `r"…"`, `u'…'` and the like. */
  function openPrefixedString(at: number, isKey: boolean): number {
    if (!STRING_PREFIX_START.includes(text.charAt(at))) return at
    let i = at
    while (i < text.length && i < at + 3 && isWord(text.charCodeAt(i))) i++
    const prefix = text.slice(at, i)
    if (prefix.length > 2 || !STRING_PREFIX.test(prefix)) return at
    if (i >= text.length) return last ? at : wait(at)
    if (!isQuote(text.charCodeAt(i))) return at
    const triple = isTripleQuote(text, i, last)
    if (triple === undefined) return wait(at)
    const raw = /r/i.test(prefix)
    const quote = text.charCodeAt(i)
    const length = prefix.length + (triple ? 3 : 1)
    return openString(at, length, { isKey, quote, triple, escaped: false, raw })
  }

  function readString(at: number): number {
    const next = strings.read(text, at, last)
    if (!strings.ended) {
      // With the last chunk everything is consumed; what is missing then is the closing quote.
      if (next < text.length) waiting = true
      return next
    }
    return stringIsKey ? endKey(next) : endValue(next)
  }

  // --- runs ------------------------------------------------------------------------------------

  /** How the document writes its members, when nothing of that is reported any more. */
  function styleOf(code: number, styles: Runs): RunStyle | undefined {
    const isRewritten = mode !== 'off' && options.isCloser === undefined
    if (code === DOUBLE_QUOTE) {
      return isRewritten && isCapped('dropped-comment', 'safe') ? styles.commented : styles.plain
    }
    if (!isRewritten) return undefined
    if (code === SINGLE_QUOTE || code === SMART_QUOTE) {
      if (!isCapped('replaced-quotes', 'safe')) return undefined
      return code === SINGLE_QUOTE ? styles.single : styles.smart
    }
    return isWord(code) && isCapped('quoted-key', 'safe') ? styles.bareKey : undefined
  }

  function readMembers(at: number, code: number): number {
    if (!runs || stack.depth <= watchDepth || stack.depth + 1 >= maxDepth) return at
    // Objects resemble each other: where the last one began with a run, so may this one.
    const isFirst = state === FIRST_KEY
    if (membersWait-- > 0 && !(isFirst && firstRuns)) return at
    if (isFirst) firstRuns = false
    const found = styleOf(code, runs)
    if (found !== undefined) {
      style = found
      found.members.lastIndex = at
      if (found.members.test(text)) {
        if (isFirst) firstRuns = true
        membersPause = 0
        // The run ended because its next member is another one.
        membersWait = 1
        return acceptRun(at, found.members.lastIndex, KEY, found)
      }
    }
    membersPause = Math.min(2 * membersPause + 1, MAX_PAUSE)
    membersWait = membersPause
    return at
  }

  function readObject(at: number): number {
    if (stack.depth <= watchDepth || stack.depth + 1 >= maxDepth || objectWait-- > 0) return at
    if (!style) return at
    const { object, rewrite } = style
    object.lastIndex = at
    if ((rewrite === undefined || mode !== 'off') && object.test(text)) {
      objectPause = 0
      objectWait = 0
      stack.nextIndex()
      return acceptRun(at, object.lastIndex, ITEM, style)
    }
    objectPause = Math.min(2 * objectPause + 1, MAX_PAUSE)
    objectWait = objectPause
    return at
  }

  /** Takes what stands before `end`, the place behind a comma. */
  function acceptRun(at: number, end: number, next: number, { rewrite }: RunStyle): number {
    const comma = end - 1
    tape.settle()
    if (rewrite !== undefined) tape.replace(at, comma, rewrite(text.slice(at, comma)))
    tape.owe(comma)
    state = next
    return end
  }

  // --- keys ------------------------------------------------------------------------------------

  function beginKey(at: number): void {
    if (state === FIRST_KEY) tape.owe(at)
    tape.startRecord(at)
  }

  function endKey(at: number): number {
    const raw = tape.record(at)
    nameKey(raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1))
    state = AFTER_KEY
    return at
  }

  /** Most keys are never part of a path, and need not be cut out. */
  function nameKeyAt(from: number, to: number): void {
    if (keyRepairs.length > 0 || stack.depth <= watchDepth) {
      nameKey(text.slice(from, to))
      return
    }
    keyFrom = from
    keyTo = to
  }

  function settleKey(): void {
    if (keyFrom >= 0) stack.setKey(text.slice(keyFrom, keyTo))
    keyFrom = -1
  }

  function nameKey(key: string): void {
    keyFrom = -1
    stack.setKey(key)
    if (keyRepairs.length > 0) {
      for (const repair of keyRepairs) send(stack.depth, ...repair)
      keyRepairs = []
    }
    if (stack.depth <= watchDepth) sink.key?.(stack.depth, key)
  }

  /** A key without escapes whose colon follows: all but a few are. */
  function readCleanKey(at: number, quote: number): number {
    const end = shortcuts ? shortcuts.keyEnd(text, at + 1, quote) : -1
    if (end === -1 || end + 1 >= text.length || text.charCodeAt(end + 1) !== COLON) return at
    if (quote !== DOUBLE_QUOTE && !reportKey('replaced-quotes', 'safe', text.charAt(at), '"'))
      return at
    if (state === FIRST_KEY) tape.owe(at)
    if (quote !== DOUBLE_QUOTE) requote(at, end)
    nameKeyAt(at + 1, end)
    state = MEMBER_VALUE
    return end + 2
  }

  function readPlainKey(at: number): number {
    const clean = readCleanKey(at, DOUBLE_QUOTE)
    if (clean !== at) return clean
    const colon = mode === 'off' ? 0 : findUnquotedColon(at)
    if (colon === WAIT) return wait(at)
    if (colon > 0) return writeBareKey(at, at + 1, colon, colon, 'guess')
    beginKey(at)
    stringIsKey = true
    strings.open(PLAIN_KEY)
    state = IN_STRING
    return at + 1
  }

  /**
   * A key whose closing quote is missing, as in `{"name: 1, "b": 2}`: the next quote is not
   * followed by a colon, but a word and a colon stand before it. 0 when the key is in order.
   */
  function findUnquotedColon(at: number): number {
    sight.aim(text, at + 1, last)
    const quote = sight.findQuote(at + 1, DOUBLE_QUOTE)
    // Only the end of the input shows that a quote is missing; a long key has one further on.
    const ended = last && text.length < at + 1 + WINDOW
    if (quote >= sight.end && !ended) return sight.short ? WAIT : 0
    if (quote >= 0 && quote < sight.end) {
      const next = sight.skip(quote + 1)
      if (next >= sight.end) return sight.short ? WAIT : 0
      if (sight.code(next) === COLON) return 0
    }
    const word = sight.skipWord(at + 1)
    const colon = sight.skipSpace(word)
    if (colon >= sight.end) return sight.short ? WAIT : 0
    return word > at + 1 && sight.code(colon) === COLON ? colon : 0
  }

  /** A key without quotes, or with only its closing one. */
  function readBareKey(at: number): number {
    sight.aim(text, at, last)
    let i = at
    while (i < sight.end && !endsBareKey(sight.code(i))) i++
    if (i >= sight.end && sight.short) return wait(at)
    if (i < sight.end && isQuote(sight.code(i)) && i > at) {
      const next = sight.skip(i + 1)
      if (next >= sight.end && sight.short) return wait(at)
      if (next < sight.end && sight.code(next) === COLON) {
        return writeBareKey(at, at, i, i + 1, 'guess')
      }
    }
    strings.facts.bareKeys = bareFacts.bareKeys = true
    return writeBareKey(at, at, i, i, 'safe')
  }

  /** A word and its colon. */
  function readCleanBareKey(at: number, code: number): number {
    let end = at
    if (code === DOT || code === ELLIPSIS) return at
    while (end < text.length && end < at + WINDOW && isWord(text.charCodeAt(end))) end++
    if (end === at || end >= text.length || text.charCodeAt(end) !== COLON) return at
    if (!reportBareKey(at, end)) return at
    strings.facts.bareKeys = bareFacts.bareKeys = true
    if (state === FIRST_KEY) tape.owe(at)
    tape.replace(at, at, '"')
    tape.replace(end, end, '"')
    nameKeyAt(at, end)
    state = MEMBER_VALUE
    return end + 1
  }

  function reportBareKey(at: number, end: number): boolean {
    if (isCapped('quoted-key', 'safe')) return allowed('safe')
    const name = text.slice(at, end)
    return reportKey('quoted-key', 'safe', name, `"${name}"`)
  }

  function endsBareKey(code: number): boolean {
    if (code === COLON || code === EQUALS || code === COMMA || code === NEWLINE) return true
    return isQuote(code) || isCloseBracket(code) || code === OPEN_BRACE || code === OPEN_BRACKET
  }

  function writeBareKey(
    at: number,
    from: number,
    to: number,
    next: number,
    risk: Repair['risk'],
  ): number {
    const key = JSON.stringify(text.slice(from, to).trimEnd())
    if (!reportKey('quoted-key', risk, text.slice(at, next), key)) return at
    beginKey(at)
    tape.replace(at, next, key)
    return endKey(next)
  }

  function readKey(at: number, code: number): number {
    const run = readMembers(at, code)
    if (run !== at) return run
    if (code === DOUBLE_QUOTE) return readPlainKey(at)
    if (isCloseBracket(code)) return readCloseBracket(at)
    if (options.isCloser === undefined) {
      const isQuoted = code === SINGLE_QUOTE || code === SMART_QUOTE
      const clean = isQuoted ? readCleanKey(at, code) : readCleanBareKey(at, code)
      if (clean !== at || self.status !== 'open') return clean
    }
    const next = readOdd(at)
    if (next !== at || waiting || self.status !== 'open') return next
    if (code === COMMA || code === SEMICOLON) {
      return dropCharacters(at, 1, 'dropped-comma', 'safe')
    }
    if (code === OPEN_BRACE) return readBraceForKey(at)
    if (code === OPEN_BRACKET || code === OPEN_PAREN) return dropBracket(at)
    const string = openOddString(at, true)
    return string !== at || waiting ? string : readBareKey(at)
  }

  /** A brace where a key belongs: a doubled one, or the next object of an array. */
  function readBraceForKey(at: number): number {
    if (state === KEY && stack.kindAt(stack.depth - 1) > OBJECT) {
      addClosers(stack.depth - 1, at)
      return at
    }
    stack.doubled++
    return dropBracket(at)
  }

  function readAfterKey(at: number, code: number): number {
    if (code === COLON) {
      state = MEMBER_VALUE
      return at + 1
    }
    if (code === COMMA || isCloseBracket(code)) {
      addNull(at)
      return at
    }
    const next = readOdd(at)
    if (next !== at || waiting || self.status !== 'open') return next
    if (code === EQUALS) return readEquals(at)
    if (code === SEMICOLON) {
      addNull(at)
      return at
    }
    if (!report('added-colon', 'guess', '', ':')) return at
    tape.replace(at, at, ':')
    state = MEMBER_VALUE
    return at
  }

  function readEquals(at: number): number {
    if (at + 1 >= text.length && !last) return wait(at)
    const length = text.charCodeAt(at + 1) === GREATER ? 2 : 1
    if (!report('replaced-separator', 'safe', text.slice(at, at + length), ':')) return at
    tape.replace(at, at + length, ':')
    state = MEMBER_VALUE
    return at + length
  }

  // --- values without quotes -------------------------------------------------------------------

  function writeScalar(at: number, end: number, scalar: Scalar): number {
    const { code, risk, text: written } = scalar
    if (code !== undefined && !report(code, risk, text.slice(at, end), written)) return at
    beginValue(written.startsWith('"') ? 'string' : 'scalar', at)
    if (code !== undefined) tape.replace(at, end, written)
    return endValue(end)
  }

  function readCleanScalar(at: number, end: number): number {
    beginValue('scalar', at)
    return endValue(end)
  }

  function readInteger(at: number): number {
    const end = stack.depth > 0 && shortcuts ? shortcuts.numberEnd(text, at) : -1
    return end === -1 ? readWord(at) : readCleanScalar(at, end)
  }

  function readWord(at: number): number {
    sight.aim(text, at, last)
    let end = at
    while (end < sight.end && !endsWord(sight, end)) end++
    if (end >= sight.end && sight.short) return wait(at)
    if (end === at + WINDOW) return readLongWord(at, end)
    const word = text.slice(at, end)
    const isCut = end === text.length && stack.depth > 0
    const scalar = readScalar(word) ?? (isCut ? completeScalar(word) : undefined)
    const verdict = scalar === undefined ? INNER : wordEnd(text, end, sight, stack)
    if (verdict === WAIT) return wait(at)
    return scalar !== undefined && verdict === END ? writeScalar(at, end, scalar) : openBare(at)
  }

  /** A word longer than the window: a number as long as it keeps the grammar, else text. */
  function readLongWord(at: number, end: number): number {
    let phase = NUMBER_START
    for (let i = at; i < end && phase !== NOT_A_NUMBER; i++) {
      phase = nextNumberPhase(phase, text.charCodeAt(i))
    }
    if (phase === NOT_A_NUMBER) return openBare(at)
    beginValue('scalar', at)
    numberPhase = phase
    state = IN_NUMBER
    return end
  }

  function readNumber(at: number): number {
    let i = at
    while (i < text.length) {
      const phase = nextNumberPhase(numberPhase, text.charCodeAt(i))
      if (phase === NOT_A_NUMBER) return endNumber(i)
      numberPhase = phase
      i++
    }
    return i
  }

  function endNumber(at: number): number {
    if (!isNumberEnd(numberPhase)) {
      if (!report('normalized-number', 'guess')) return at
      tape.replace(at, at, '0')
    }
    return endValue(at)
  }

  function openBare(at: number): number {
    if (!report('quoted-string', 'guess')) return at
    beginValue('string', at)
    tape.replace(at, at, '"')
    nesting = 0
    state = IN_BARE
    return readBareCharacter(at)
  }

  function closeBare(at: number, length: number): number {
    tape.replace(at, at + length, '"')
    return endValue(at + length)
  }

  function readBare(at: number): number {
    let i = at
    while (i < text.length) {
      const code = text.charCodeAt(i)
      if (isWord(code)) {
        i++
        continue
      }
      const end = code === SPACE || code === TAB ? skipBlanks(i) : i
      if (end === WAIT) return wait(i)
      const verdict = end === text.length ? END : bareEnd(end, end > i)
      if (verdict === WAIT) return wait(i)
      if (verdict === END) return closeBare(i, 0)
      // A closing quote without its opening one.
      if (verdict >= 0) return closeBare(i, verdict)
      while (i <= end) i = readBareCharacter(i)
    }
    return i
  }

  /** Behind the blanks at `at`; the end of the text when there are too many of them. */
  function skipBlanks(at: number): number {
    let i = at
    while (i < text.length && i < at + WINDOW) {
      const code = text.charCodeAt(i)
      if (code !== SPACE && code !== TAB) return i
      i++
    }
    return last || i === at + WINDOW ? text.length : WAIT
  }

  /** END, INNER, WAIT, or the length of a closing quote. */
  function bareEnd(at: number, isSpaced: boolean): Verdict {
    const code = text.charCodeAt(at)
    if (code === NEWLINE || code === RETURN) return END
    const closer = askCloser(at)
    if (closer !== false) return closer ? END : WAIT
    sight.aim(text, at + 1, last)
    if (isQuote(code)) return bareQuote(at, code, isSpaced)
    if (isSpaced && (code === SLASH || code === HASH)) return bareComment(at)
    if (nesting > 0) return INNER
    if (isCloseBracket(code)) return stack.levelOf(code) > 0 ? END : INNER
    if (code !== COMMA && code !== SEMICOLON) return INNER
    if (stack.kind === OBJECT) return stringEnd.memberFollows(at + 1, bareFacts)
    return stack.kind !== ROOT && code === COMMA ? END : INNER
  }

  function bareComment(at: number): Verdict {
    if (at + 1 >= text.length) return last ? INNER : WAIT
    const next = text.charCodeAt(at + 1)
    if (text.charCodeAt(at) === HASH) return next === SPACE ? END : INNER
    return next === SLASH || next === ASTERISK ? END : INNER
  }

  function bareQuote(at: number, code: number, isSpaced: boolean): Verdict {
    if (isSpaced && stack.kind !== OBJECT) return stack.kind === ROOT ? INNER : END
    if (isSpaced) {
      sight.aim(text, at, last)
      return stringEnd.keyFollows(at)
    }
    bareFacts.quote = code
    const verdict = stringEnd.judge(at + 1, bareFacts)
    return verdict === END ? 1 : verdict === WAIT ? WAIT : INNER
  }

  function readBareCharacter(at: number): number {
    const code = text.charCodeAt(at)
    if (code === OPEN_BRACE || code === OPEN_BRACKET || code === OPEN_PAREN) nesting++
    else if (isCloseBracket(code) && nesting > 0) nesting--
    else if (code === DOUBLE_QUOTE) tape.replace(at, at + 1, '\\"')
    else if (code === BACKSLASH) tape.replace(at, at + 1, '\\\\')
    else if (code < SPACE) tape.replace(at, at + 1, escapeControl(code))
    return at + 1
  }

  // --- structure -------------------------------------------------------------------------------

  function readValue(at: number, code: number): number {
    if (code === DOUBLE_QUOTE) return openPlainString(at)
    if (code === OPEN_BRACE) {
      const run = stack.kind === ARRAY ? readObject(at) : at
      return run === at ? openContainer(OBJECT, at) : run
    }
    if (code === OPEN_BRACKET) return openContainer(ARRAY, at)
    if (isDigit(code) || code === MINUS) return readInteger(at)
    if (code === 116 || code === 102 || code === 110) return readLetter(at)
    if (isCloseBracket(code)) return readBracketForValue(at)
    if ((code === SINGLE_QUOTE || code === SMART_QUOTE) && options.isCloser === undefined) {
      const clean = readCleanString(at, code)
      if (clean !== at || self.status !== 'open') return clean
    }
    const next = readOdd(at)
    if (next !== at || waiting || self.status !== 'open') return next
    return readOddValue(at, code)
  }

  /** `t`, `f` and `n` begin literals, but also words and the prefix of an f-string. */
  function readLetter(at: number): number {
    const end = at + (text.startsWith('false', at) ? 5 : 4)
    const isLiteral = end === at + 5 || text.startsWith('true', at) || text.startsWith('null', at)
    if (isLiteral && stack.depth > 0 && shortcuts?.isDelimiter(text, end)) {
      return readCleanScalar(at, end)
    }
    const string = openPrefixedString(at, false)
    return string !== at || waiting ? string : readWord(at)
  }

  function readBracketForValue(at: number): number {
    if (state === MEMBER_VALUE) {
      addNull(at)
      return at
    }
    return readCloseBracket(at)
  }

  function readOddValue(at: number, code: number): number {
    if (code === OPEN_PAREN) return openContainer(TUPLE, at)
    if (code === COMMA || code === SEMICOLON) {
      if (state !== MEMBER_VALUE) return dropCharacters(at, 1, 'dropped-comma', 'safe')
      addNull(at)
      return at
    }
    if (state === MEMBER_VALUE && (code === COLON || code === EQUALS || code === GREATER)) {
      return dropCharacters(at, 1, 'replaced-separator', 'guess')
    }
    const string = openOddString(at, false)
    return string !== at || waiting ? string : readWord(at)
  }

  function readAfterValue(at: number, code: number): number {
    if (code === COMMA) return beginNext(at, at + 1)
    if (isCloseBracket(code)) return readCloseBracket(at)
    const next = readOdd(at)
    if (next !== at || waiting || self.status !== 'open') return next
    if (code === SEMICOLON || code === COLON || code === EQUALS) {
      const risk = code === SEMICOLON ? 'safe' : 'guess'
      if (!reportAround('replaced-separator', risk, text.charAt(at), ',')) return at
      beginNext(at, at)
      tape.replace(at, at + 1, ',')
      return at + 1
    }
    if (isQuote(code)) {
      const stray = isStrayQuote(at)
      if (stray === undefined) return wait(at)
      if (stray) return dropCharacters(at, 1, 'dropped-text', 'guess')
    }
    if (!reportAround('added-comma', stack.kind === OBJECT ? 'safe' : 'guess', '', ',')) return at
    beginNext(at, at)
    tape.replace(at, at, ',')
    return at
  }

  function beginNext(at: number, next: number): number {
    tape.owe(at)
    if (stack.kind === OBJECT) {
      state = KEY
    } else {
      stack.nextIndex()
      state = ITEM
    }
    return next
  }

  /** A quote that only a closing bracket or the end follows opens nothing. */
  function isStrayQuote(at: number): boolean | undefined {
    sight.aim(text, at + 1, last)
    const i = sight.skip(at + 1)
    if (i >= sight.end) return sight.short ? undefined : i >= text.length
    return isCloseBracket(sight.code(i))
  }

  function step(at: number): number {
    if (state === IN_STRING) return readString(at)
    if (state > IN_STRING) return stepInside(at)
    let i = at
    let code = text.charCodeAt(i)
    if (isSpace(code)) {
      i = readSpace(i)
      if (i >= text.length) return i
      code = text.charCodeAt(i)
    }
    spaceRun = 0
    if (state === AFTER_VALUE) return readAfterValue(i, code)
    if (state === AFTER_KEY) return readAfterKey(i, code)
    if (state === KEY || state === FIRST_KEY) return readKey(i, code)
    return readValue(i, code)
  }

  function stepInside(at: number): number {
    if (state === IN_BARE) return readBare(at)
    if (state === IN_NUMBER) return readNumber(at)
    return state === IN_LINE_COMMENT ? readLineComment(at) : readBlockComment(at)
  }

  /** Only the end of the input ends a number or text without quotes that is the whole document. */
  function endRoot(at: number): void {
    if (stack.depth > 0) return
    if (state === IN_BARE) closeBare(at, 0)
    if (state === IN_NUMBER) endNumber(at)
  }

  function read(nextText: string, at: number, isLast: boolean): number {
    if (self.status !== 'open') return at
    text = nextText
    last = isLast
    waiting = false
    tape.load(text, at)
    let i = at
    while (i < text.length && self.status === 'open' && !waiting) i = step(i)
    if (last && i === text.length && self.status === 'open') endRoot(i)
    settleKey()
    tape.unload(i)
    consumed = i
    return i
  }

  // --- the end of the input --------------------------------------------------------------------

  /** Ends the token the input stopped in. */
  function finishToken(): void {
    if (state === IN_LINE_COMMENT || state === IN_BLOCK_COMMENT) state = resume
    if (state === IN_STRING && stringIsKey) {
      finishKey()
    } else if (state === IN_STRING || state === IN_BARE) {
      if (self.status === 'open' && state === IN_STRING) report('closed-string', 'guess', '', '"')
      tape.write('"')
      state = AFTER_VALUE
    } else if (state === IN_NUMBER) {
      if (!isNumberEnd(numberPhase)) tape.write('0')
      state = AFTER_VALUE
    } else if (state === ROOT_VALUE) {
      if (self.status === 'open') report('added-null', 'guess', '', 'null')
      tape.write('null')
    }
  }

  function finishKey(): void {
    if (!tape.isOwing()) tape.write('"')
    state = AFTER_KEY
  }

  /** Takes back a comma or key that nothing followed. */
  function finishMember(): void {
    if (state === AFTER_KEY || state === MEMBER_VALUE) {
      if (tape.isOwing()) tape.revoke(0)
      else tape.write(state === AFTER_KEY ? ':null' : 'null')
      if (self.status === 'open') reportAround('dropped-text', 'guess')
    } else if (state === ITEM && !tape.isOwing()) {
      tape.write('null')
    } else if (state === ITEM || state === KEY) {
      tape.revoke(0)
    }
    state = AFTER_VALUE
  }

  function finish(): void {
    if (self.status === 'done' || closed) return
    closed = true
    self.truncated = self.status === 'open'
    text = ''
    tape.load('', 0)
    finishToken()
    while (stack.depth > 0) {
      finishMember()
      const closer = closerText(stack.kind)
      if (self.status === 'open') reportAround('added-bracket', 'guess', '', closer)
      tape.write(closer)
      tape.flush()
      stack.pop()
      self.depth = stack.depth
      if (stack.depth <= watchDepth) sink.valueEnd?.(stack.depth, consumed)
    }
    tape.flush()
    if (self.status === 'open') self.status = 'done'
  }

  return self
}

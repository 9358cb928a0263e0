/**
 * The text engine: one pass over a reply that arrives in pieces.
 *
 *     text ──stop character──▶ does anything begin here?
 *       ▲                        │ opener of a protocol ─▶ its reader takes over until it is
 *       │                        │                         done, or declines and all is text
 *       │                        │ reasoning tag ────────▶ reasoning until its end
 *       │                        │ code fence ───────────▶ a trial: calls and nothing else in the
 *       │                        │                         block are calls
 *       └────────────────────────┘ nothing ──────────────▶ goes out as text
 *
 * The cursor holds only what is not decided yet. Whatever looks ahead is given a window of fixed size,
 * counted in characters and not in pieces, so the pieces never change the answer.
 *
 * One function holds the modes: in modules around a shared object, V8 takes the objects of each reply for ones that
 * last, and 1 KB takes twice as long.
 */
import type { FreeScope } from '../options.ts'
import {
  type Marker,
  NEED_MORE,
  NO_MATCH,
  type Protocol,
  type ReasoningTag,
  type ResultBlock,
} from '../protocol.ts'
import { Budget } from './budget.ts'
import { CallRegion, type RegionHost } from './call-region.ts'
import { BACKTICK, NEWLINE, runLength, skipSpace, TILDE } from './characters.ts'
import {
  append,
  type Cursor,
  createCursor,
  followsQuote,
  pass,
  passBlock,
  passHeld,
  startsLine,
} from './cursor.ts'
import {
  endsFence,
  type Fence,
  type FenceEnd,
  findFenceEnd,
  isLanguage,
  lineContents,
  matchFence,
} from './fence.ts'
import { type Candidate, type Candidates, type Grammar, SEQUENCE_END } from './grammar.ts'
import { createFinder, findAny } from './marker.ts'
import { createRecording, type Output } from './output.ts'
import { patternReader, sequence } from './pattern.ts'
import { announcesQuotation, isIndentedCode, isSetApart, LOOK_BACK } from './quotation.ts'
import { isBoundary, MARK, Remarks, WINDOW } from './remarks.ts'
import { SHORT } from './stops.ts'
import type { NamePlaces } from './tool-names.ts'
import { atLineStart, type Trial } from './trial.ts'

export interface Engine {
  push(chunk: string): void
  end(): void
  /** Calls begun or failed so far, for the limit. */
  attempts(): number
  /** True once a call of a protocol with markers was seen. */
  marked(): boolean
}

/** Where an engine begins that reads a part of a reply. */
interface Start {
  readonly at: number
  readonly marked: boolean
}

/** Reads on in its own way. True: another mode goes on. False: more text is needed. */
type Mode = (last: boolean) => boolean

type Match<Answer> = (text: string, at: number, end: number, last: boolean) => Answer

/** How much of a code block is tried at once. */
const TRIAL_STEP = 1024
/** How much of a call is read at once; pieces of a stream are often shorter than a word. */
const STRIDE = 64
/** Longest run of backticks that counts as code. */
const MAX_TICKS = 64
/** How often a reply may go on behind what it could have ended with: more of it is data. */
const MAX_ENDINGS = 32

/** A marker with a token right behind it that a server forgot to leave out: `<tool_call><eos>`. */
const WITH_TOKEN = patternReader(
  sequence('[^\\s>\\]]{3,27}', '[>\\]]', '<', '[bep]', '[oa]', '[sd]', '>'),
)
const MAX_WITH_TOKEN = 33
/** That of `<eos>`. */
const TOKEN_LENGTH = 5

/** Answers of `look`: nothing begins here; undecided; another mode has taken over. */
const NOTHING = 0
const WAIT = -1
const TAKEN = -2

export function createEngine(
  grammar: Grammar,
  output: Output,
  start?: Start,
  names?: NamePlaces,
): Engine {
  const { candidates: sets, limits } = grammar
  const cursor = createCursor(start?.at ?? 0, names)
  let mode: Mode = readText
  /** Where a call returns to: text, or reasoning when calls are allowed there. */
  let surroundings: Mode = readText

  let fence: Fence | undefined
  /** True on the line that opened a block and says more than a language: the block may end on it. */
  let onFenceLine = false
  let inlineTicks = 0
  /** True until the first visible character: where a message that is all JSON begins. */
  let atStart = true
  let reasoningSeen = false
  let marked = start?.marked ?? false
  const budget = new Budget(limits.maxCalls, output)
  const remarks = new Remarks(grammar.tools, sets.marked, budget)
  /** The call being read. */
  let region: CallRegion | undefined
  /** Closing markers of formats that were seen; all of them behind a call that lost its opener. */
  const strays = new Set<string>()
  // Behind a code block, the closing marker of a call that lost its opener is no text.
  let anyStray = start !== undefined && grammar.markdown
  /** How many places may still be tried as the end of the reply, and from where on. Absolute. */
  let endingsLeft = start ? 0 : MAX_ENDINGS
  let endingsFrom = 0
  /** Absolute: where the first token ends that stands right behind a marker. */
  let tokenEnd = 0
  /** Only the engine of the whole reply sees what is around a call. */
  const seesAround = start === undefined && grammar.markdown
  /** Absolute: what is set apart as code before it is quoted, for other text follows. */
  let quotedTo = 0
  /** Absolute: the same for code that nothing but its indentation sets apart. */
  let indentedTo = 0
  /** What may begin in the next piece, where it is nothing but text so far. */
  let plain: Candidates | undefined

  const host: RegionHost = {
    grammar,
    cursor,
    view,
    output,
    find: createFinder(),
    noteAttempt,
    noteUnknown,
    releaseText,
  }

  function noteUnknown(): void {
    budget.attempts++
    marked = true
  }

  function noteAttempt(protocol: Protocol): void {
    budget.attempts++
    if (protocol.free) anyStray = true
    else marked = true
    strays.add(SEQUENCE_END)
    for (const stray of protocol.strays ?? []) strays.add(stray)
  }

  function findStop(i: number): number {
    if (beginsMessage(i)) {
      const { text } = cursor
      // What must stand first is not looked for behind the first character that can be seen.
      const end = Math.min(text.length, skipSpace(text, i) + 1)
      const stop = sets.start.stops.findShort(cursor, i, end)
      if (stop < end || end === text.length) return stop
      atStart = false
    }
    const { stops, inlineStops } = candidates()
    return (inlineTicks > 0 || onFenceLine ? inlineStops : stops).find(cursor, i)
  }

  function candidates(): Candidates {
    if (marked) return sets.marked
    return atStart ? sets.start : sets.later
  }

  // ── text ────────────────────────────────────────────────────────────────────────────────────

  function readText(last: boolean): boolean {
    const { text } = cursor
    let i = cursor.at
    for (;;) {
      // Behind more than a reply may hold, all is text.
      i = budget.isSpent ? text.length : findStop(i)
      if (i >= text.length) {
        putText(text.length)
        return false
      }
      const step = look(i, last)
      if (step === TAKEN) return true
      if (step === WAIT) {
        putText(i)
        return false
      }
      i += step === NOTHING ? 1 : step
    }
  }

  /** How many characters from `i` are settled as text, or NOTHING, WAIT, TAKEN. */
  function look(i: number, last: boolean): number {
    const code = cursor.text.charCodeAt(i)
    const inCode = fence !== undefined || inlineTicks > 0
    if (inCode) {
      const closed = closeCode(i, code, last)
      if (closed !== NOTHING) return closed
    }
    const begun = beginAt(i, inCode, last)
    if (begun !== NOTHING || inCode || !grammar.markdown) return begun
    return openCode(i, code, last)
  }

  function beginAt(i: number, inCode: boolean, last: boolean): number {
    const { text } = cursor
    const set = candidates()
    if (!last && waitsAt(set, text, i)) return WAIT
    const list = set.at(text, i)
    if (list.length === 0) return NOTHING
    const quoted = inCode || followsQuote(cursor, i)
    if (quoted && budget.isRemarked) return NOTHING
    const token = mayHaveToken(text, i) ? matchAt(WITH_TOKEN.match, i, last) : NO_MATCH
    if (token === NEED_MORE) return WAIT
    let seen = text
    if (token > 0) {
      // Once in a reply: to look at a text without its tokens costs as much as the text is long.
      tokenEnd ||= cursor.base + i + token
      seen = view()
    }
    let missed = false
    let misplaced: (() => number) | undefined
    for (const candidate of list) {
      if (!mayBegin(candidate, i, quoted)) continue
      const length = matchAt(candidate.marker.match, i, last, seen)
      if (length === NO_MATCH) {
        missed ||= candidate.kind === 'call' && candidate.isMarkup
        continue
      }
      if (length === NEED_MORE) return WAIT
      if (candidate.marker.boundary === 'line' && !mayBegin(candidate, i, quoted, true)) continue
      if (candidate.kind !== 'call') {
        if (missed) budget.noteMiss(quoted)
      } else if (budget.refuses()) return NOTHING
      if (candidate.kind === 'shown') {
        remarks.shown(cursor.base + i, text.slice(i, i + length))
        return length
      }
      if (quoted) return reportQuoted(candidate, i, length)
      if (seesAround && (candidate.kind === 'call' || candidate.kind === 'ending')) {
        const before = textBefore(i)
        if (cursor.base + i < indentedTo || isSetApart(before)) {
          if (candidate.kind === 'call') return reportQuoted(candidate, i, length)
          continue
        }
        if (candidate.kind === 'call' && isIndentedCode(before)) {
          openIndented(candidate, i, length)
          return TAKEN
        }
      }
      if (isMisplaced(candidate, i)) {
        misplaced ??= () => reportQuoted(candidate, i, length)
        continue
      }
      const again = repetition(candidate, i, length, last)
      const shown = mayPass(candidate) ? shownAt(list, i, last) : NO_MATCH
      if (again === WAIT || shown === NEED_MORE) return WAIT
      putText(i)
      if (again > 0) {
        budget.noteMiss(false)
        skipMarkup(again)
      } else take(candidate, length, shown)
      return TAKEN
    }
    if (missed) budget.noteMiss(quoted)
    if (misplaced) return misplaced()
    if (last) reportCutOff(list, i)
    return NOTHING
  }

  /** The reply ends inside what may have become the beginning of a call. */
  function reportCutOff(list: readonly Candidate[], i: number): void {
    const raw = cursor.text.slice(i, i + WINDOW)
    if (i + raw.length < cursor.text.length) return
    const openers = list.flatMap(({ kind, marker }) => (kind === 'call' ? [marker] : []))
    remarks.cutOff(cursor.base + i, raw, openers)
  }

  /** How long a marker is with what stands before the same marker; 0 when it was written once. */
  function repetition(candidate: Candidate, i: number, length: number, last: boolean): number {
    if (candidate.kind !== 'call' || candidate.opener.keep || !candidate.isMarkup) return 0
    const { text } = cursor
    const next = skipSpace(text, i + length, i + length + MARK)
    // Mostly the next character shows that it was.
    if (next < text.length && text.charCodeAt(next) !== text.charCodeAt(i)) return 0
    const written = text.slice(i, i + length)
    if (text.startsWith(written, next)) return next - i
    return !last && next < i + length + MARK && written.startsWith(text.slice(next)) ? WAIT : 0
  }

  /** What stands at `i`, as far as can be said without looking further than that. */
  function matchAt<Answer>(
    match: Match<Answer>,
    i: number,
    last: boolean,
    text = cursor.text,
  ): Answer {
    const end = Math.min(text.length, i + WINDOW)
    return match(text, i, end, last || end === i + WINDOW)
  }

  /** The text, with white space for what is left in it of the token behind a marker. */
  function view(): string {
    const { text, at, base } = cursor
    const end = tokenEnd - base
    if (end <= at) return text
    return text.slice(0, Math.max(0, end - TOKEN_LENGTH)).padEnd(end) + text.slice(end)
  }

  /** `isSure`: what follows has arrived, so that a line begins here or does not. */
  function mayBegin(candidate: Candidate, i: number, quoted: boolean, isSure = false): boolean {
    const { boundary } = candidate.marker
    const isRight = isSure && boundary === 'line' ? startsLine(cursor, i) : isPlace(boundary, i)
    if (!isRight && (quoted || !isMisplaced(candidate, i))) return false
    if (candidate.kind === 'shown') return true
    if (candidate.kind === 'call') return mayCall(candidate.scope, i, quoted)
    // Of what is quoted only calls are worth a remark.
    if (quoted) return false
    if (candidate.kind === 'stray') return anyStray || strays.has(candidate.text)
    if (candidate.kind === 'ending') return mayEnd(i)
    if (candidate.kind === 'reasoning') return grammar.reasoning !== 'off'
    return candidate.kind !== 'reasoning-end' || isOrphan(candidate)
  }

  /** A marker that is a code fence and belongs on a line of its own, among words. */
  function isMisplaced({ kind, marker: { boundary } }: Candidate, i: number): boolean {
    if (kind !== 'call' || boundary !== 'line') return false
    const code = cursor.text.charCodeAt(i)
    return (code === TILDE || code === BACKTICK) && !startsLine(cursor, i)
  }

  /** The length of what looks like a call wherever it is. */
  function shownAt(list: readonly Candidate[], i: number, last: boolean): number {
    for (const { kind, marker } of list) {
      if (kind !== 'shown' || !isPlace(marker.boundary, i)) continue
      const length = matchAt(marker.match, i, last)
      if (length !== NO_MATCH) return length
    }
    return NO_MATCH
  }

  function mayEnd(i: number): boolean {
    return endingsLeft > 0 && budget.callsLeft > 0 && cursor.base + i >= endingsFrom
  }

  function isPlace(wanted: Marker['boundary'], i: number): boolean {
    return wanted === 'start' ? beginsMessage(i) : isBoundary(wanted, i, cursor)
  }

  function isOrphan({ tag, stays }: Candidate & { kind: 'reasoning-end' }): boolean {
    return grammar.reasoning === 'split' && tag.prompted === true && !stays
  }

  function mayCall(scope: FreeScope | undefined, i: number, quoted: boolean): boolean {
    if (!scope) return true
    if (quoted || marked) return false
    return scope === 'anywhere' || beginsMessage(i)
  }

  function beginsMessage(i: number): boolean {
    if (atStart && i > cursor.at) atStart = cursor.text.slice(cursor.at, i).trim() === ''
    return atStart
  }

  function reportQuoted(candidate: Candidate, i: number, length: number): number {
    if (candidate.kind === 'call') {
      const where = isMisplaced(candidate, i) ? 'among words' : 'inside code or quotation marks'
      const message = `${candidate.protocol.id} call ${where}, left as text`
      remarks.quoted(message, cursor.base + i, cursor.text.slice(i, i + length))
      // What a quotation holds behind its marker is quoted as well.
      marked ||= !(fence || inlineTicks)
    }
    return length
  }

  function take(candidate: Candidate, length: number, shown: number): void {
    switch (candidate.kind) {
      case 'call':
        return openCall(candidate, length, shown)
      case 'stray':
      case 'token':
        return skipMarkup(length)
      case 'result':
        return openResult(candidate.block, length)
      case 'reasoning':
        return openReasoning(candidate.tag, length)
      case 'reasoning-end':
        return strayReasoningEnd(length)
      case 'ending':
        return openEnding()
      case 'shown':
        return
      default:
        candidate satisfies never
    }
  }

  function putText(end: number): void {
    const { text, at, base } = cursor
    if (end <= at) return
    pass(cursor, end)
    sendText(at === 0 && end === text.length ? text : text.slice(at, end), base + at)
  }

  /** Text that was held outside the cursor and turned out to be no call. */
  function releaseText(piece: string, at: number, isQuoted = false): void {
    passHeld(cursor, piece)
    sendText(piece, at, isQuoted)
  }

  function sendText(piece: string, at: number, isQuoted = false): void {
    if (atStart && piece.trim() !== '') atStart = false
    output.text(piece, at, isQuoted)
  }

  function skipMarkup(length: number): void {
    const { base, at } = cursor
    output.markup(base + at, base + at + length)
    passBlock(cursor, at + length)
  }

  // ── code ────────────────────────────────────────────────────────────────────────────────────

  function openCode(i: number, code: number, last: boolean): number {
    const isOwnLine = startsLine(cursor, i)
    if (code !== BACKTICK && (code !== TILDE || !isOwnLine)) return NOTHING
    const opened = matchAt(matchFence, i, last)
    if (opened === undefined) return WAIT
    const tried = isOwnLine ? openLine(i, opened, last) : NOTHING
    if (tried !== NOTHING) return tried
    // Behind words it is one if nothing but the name of a language follows.
    const isFence = opened && (isOwnLine || isLanguage(opened))
    if (isFence) return openFence(i, opened, last)
    const ticks = code === BACKTICK ? tickRun(i, last) : NOTHING
    if (ticks > 0) inlineTicks = ticks
    return ticks
  }

  /** Backticks from `i`, or WAIT when more may follow. */
  function tickRun(i: number, last: boolean): number {
    const { length } = cursor.text
    const ticks = runLength(cursor.text, i, Math.min(length, i + MAX_TICKS))
    return i + ticks === length && ticks < MAX_TICKS && !last ? WAIT : ticks
  }

  function closeCode(i: number, code: number, last: boolean): number {
    if (inlineTicks > 0) return closeInline(i, code, last)
    if (code === NEWLINE) onFenceLine = false
    if (!fence || code !== fence.code) return NOTHING
    const mayClose = code === BACKTICK || onFenceLine || startsLine(cursor, i)
    const closing = mayClose && matchAt(matchFence, i, last)
    if (closing === undefined) return WAIT
    if (!closing || closing.length < fence.length || !endsFence(closing.info)) {
      // Nothing begins inside a run of the marks of the block, so it is passed at once.
      return startsLine(cursor, i) ? NOTHING : runLength(cursor.text, i, i + WINDOW)
    }
    fence = undefined
    onFenceLine = false
    return closing.length
  }

  function closeInline(i: number, code: number, last: boolean): number {
    if (code === NEWLINE) {
      // A stray backtick must not hide the rest of the reply, so inline code ends with its line.
      inlineTicks = 0
      return 1
    }
    if (code !== BACKTICK) return NOTHING
    const ticks = tickRun(i, last)
    if (ticks === inlineTicks) inlineTicks = 0
    return ticks
  }

  // ── trials ──────────────────────────────────────────────────────────────────────────────────

  function textBefore(i: number): string {
    const { text, at } = cursor
    const missing = LOOK_BACK - (i - at)
    return missing > 0 ? output.tail(missing) + text.slice(at, i) : text.slice(i - LOOK_BACK, i)
  }

  function beginTrial(opening: string, markdown = false): Trial {
    const start = cursor.base + cursor.at
    const recording = createRecording()
    const limited = { ...limits, maxCalls: budget.callsLeft }
    const inner: Grammar = { ...grammar, limits: limited, markdown, reasoning: 'off' }
    const engine = createEngine(inner, recording, { at: start + opening.length, marked })
    return { engine, recording, start, opening, raw: [] }
  }

  function feed(trial: Trial, end: number): void {
    if (end <= cursor.at) return
    const piece = cursor.text.slice(cursor.at, end)
    trial.raw.push(piece)
    trial.engine.push(piece)
    cursor.at = end
  }

  function isTooLong({ start }: Trial): boolean {
    return cursor.base + cursor.at - start > limits.maxBuffer
  }

  /** What was tried is calls: it is told to the real output now. */
  function commit(trial: Trial): void {
    budget.attempts += trial.engine.attempts()
    strays.add(SEQUENCE_END)
    marked ||= trial.engine.marked()
    output.markup(trial.start, trial.start + trial.opening.length)
    // The white space around the calls of a code block goes with the block.
    trial.recording.replay(output, trial.opening !== '')
  }

  /** A block that holds a call on the line of its opening marks, and mostly ends there. */
  function openLine(i: number, opened: Fence | false, last: boolean): number {
    const { text } = cursor
    const contents = matchAt(lineContents, i, last)
    if (contents === undefined) return WAIT
    const begun = contents.map((content) => callAt(content, last))
    if (begun.includes(NEED_MORE)) return WAIT
    const content = contents.find((_, at) => begun[at] !== NO_MATCH)
    if (content === undefined || budget.refuses()) return NOTHING
    const length = runLength(text, i, i + MAX_TICKS)
    const block = opened || { code: text.charCodeAt(i), length, info: '', size: length, cut: true }
    tryBlock(i, content, block, () => {
      if (opened) openBlock(opened)
      else if (block.code === BACKTICK) inlineTicks = length
    })
    return TAKEN
  }

  /** `opened` holds no calls, or other things as well. */
  function openBlock(opened: Fence): void {
    fence = opened
    onFenceLine = opened.cut
  }

  /** A code block may hold nothing but calls; its first character mostly shows that it does not. */
  function openFence(i: number, opened: Fence, last: boolean): number {
    const { text } = cursor
    const content = i + opened.size
    const end = Math.min(text.length, content + WINDOW)
    const first = skipSpace(text, content, end)
    if (first === text.length && first < content + WINDOW && !last) return WAIT
    if (opened.cut || first === end || !beginsCall(first) || budget.refuses()) {
      openBlock(opened)
      return opened.size
    }
    tryBlock(i, content, opened, () => openBlock(opened))
    return TAKEN
  }

  function tryBlock(i: number, content: number, opened: Fence, goOn: () => void): void {
    putText(i)
    // The text before `i` is dealt with; the cursor is at `i` now.
    if (seesAround && !grammar.fenced) {
      const size = content - i
      tryRest(() => {
        putText(cursor.at + size)
        goOn()
      })
      return
    }
    const trial = beginTrial(cursor.text.slice(i, content))
    cursor.at = content
    tryCalls(
      trial,
      (more) => findFenceEnd(cursor.text, cursor.at, opened, atLineStart(trial), more),
      () => {
        releaseText(trial.opening, trial.start)
        goOn()
      },
    )
  }

  /** The length of the marker of a call at `i`, NO_MATCH or NEED_MORE. */
  function callAt(i: number, last: boolean): number {
    const lengths = sets.start
      .at(cursor.text, i)
      .map(({ kind, marker }) => (kind === 'call' ? matchAt(marker.match, i, last) : NO_MATCH))
    return lengths.find((length) => length > 0) ?? lengths.find((length) => length < 0) ?? NO_MATCH
  }

  function beginsCall(i: number): boolean {
    return sets.start.at(cursor.text, i).some(({ kind }) => kind === 'call' || kind === 'token')
  }

  /** A call in an indented code block. */
  function openIndented(candidate: Candidate & { kind: 'call' }, i: number, length: number): void {
    putText(i)
    tryRest(() => {
      indentedTo = quotedTo
      reportQuoted(candidate, cursor.at, length)
      putText(cursor.at + length)
    })
  }

  /**
   * Calls that are set apart as code, from the cursor on, are made if nothing but calls follows them and nothing before
   * them says that they are quoted. Otherwise `goOn` passes the beginning of the code.
   */
  function tryRest(goOn: () => void): void {
    const at = cursor.base + cursor.at
    const before = textBefore(cursor.at)
    if (at < quotedTo || isSetApart(before) || announcesQuotation(before)) return goOn()
    tryCalls(beginTrial('', true), toTheEnd, ({ raw, recording: { textStart, calls } }) => {
      quotedTo = Math.max(at + 1, textStart)
      if (calls > 0)
        remarks.inCode(
          at,
          raw
            .join('')
            .slice(0, quotedTo - at)
            .trimEnd(),
        )
      goOn()
    })
  }

  function toTheEnd(): FenceEnd {
    const { length } = cursor.text
    return { inside: length, end: length, closed: false }
  }

  /** Calls without a marker that stand behind other text count if nothing follows them. */
  function openEnding(): void {
    const trial = beginTrial('')
    tryCalls(trial, toTheEnd, ({ start: at, raw, recording: { textStart, calls } }) => {
      endingsLeft--
      // What was read as calls is not tried again line by line.
      endingsFrom = Math.max(at + 1, textStart)
      const read = raw.join('').slice(0, endingsFrom - at)
      if (calls > 0) remarks.amongText(at, read)
    })
  }

  /** A region of which nothing but calls makes calls; otherwise reading goes on at its beginning. */
  function tryCalls(
    trial: Trial,
    find: (last: boolean) => FenceEnd,
    goOn: (trial: Trial) => void,
  ): void {
    mode = (last) => {
      const found = find(last)
      // A long one that begins with other words is given up before all of it is read.
      feed(trial, Math.min(found.inside, cursor.at + TRIAL_STEP))
      const hasMore = cursor.at < found.inside
      const isOver = !hasMore && (found.closed || last)
      if (isOver) trial.engine.end()
      const { textStart, calls, quotes } = trial.recording
      // Calls that are quoted are left to whoever tries the calls beside them.
      const isEmpty = calls === 0 && (seesAround || !quotes)
      if (textStart >= 0 || isTooLong(trial) || (isOver && isEmpty)) {
        budget.declined++
        goBack(trial)
        goOn(trial)
        return true
      }
      if (!isOver) return hasMore
      commit(trial)
      skipMarkup(found.end - cursor.at)
      mode = readText
      return true
    }
  }

  /** To the beginning of what was tried, which happens once for each trial. */
  function goBack(trial: Trial): void {
    const content = trial.start + trial.opening.length
    if (content < cursor.base) {
      cursor.text = trial.raw.join('') + cursor.text.slice(cursor.at)
      cursor.base = content
    }
    cursor.at = content - cursor.base
    mode = readText
  }

  // ── reasoning ───────────────────────────────────────────────────────────────────────────────

  function openReasoning(tag: ReasoningTag, length: number): void {
    reasoningSeen = true
    passReasoningTag(length)
    mode = (last) => readReasoning(tag, last)
    surroundings = mode
  }

  function readReasoning(tag: ReasoningTag, last: boolean): boolean {
    const { text } = cursor
    for (let i = cursor.at; ; i++) {
      i = sets.reasoning.stops.find(cursor, i)
      if (i >= text.length) break
      const step = lookInReasoning(tag, i, last)
      if (step === TAKEN) return true
      if (step === WAIT) {
        putReasoning(i)
        return false
      }
    }
    putReasoning(text.length)
    return false
  }

  function lookInReasoning(tag: ReasoningTag, i: number, last: boolean): number {
    for (const candidate of sets.reasoning.at(cursor.text, i)) {
      if (!countsInReasoning(candidate, tag, i)) continue
      if (!isPlace(candidate.marker.boundary, i) && !isMisplaced(candidate, i)) continue
      const length = matchAt(candidate.marker.match, i, last)
      if (length === NO_MATCH) continue
      if (length === NEED_MORE) return WAIT
      const isMidLine = candidate.marker.boundary === 'line' && !startsLine(cursor, i)
      if (isMidLine && !isMisplaced(candidate, i)) continue
      putReasoning(i)
      if (isMidLine) keepDraft(length)
      else takeInReasoning(candidate, tag, length)
      return TAKEN
    }
    return NOTHING
  }

  function countsInReasoning(candidate: Candidate, tag: ReasoningTag, i: number): boolean {
    if (candidate.kind === 'reasoning-end') return candidate.tag === tag
    if (candidate.kind === 'token') return !followsQuote(cursor, i, BACKTICK)
    if (candidate.kind === 'shown') return !remarks.isCovered(cursor.base + i)
    return candidate.kind === 'call' && !candidate.protocol.free && budget.callsLeft > 0
  }

  function takeInReasoning(candidate: Candidate, tag: ReasoningTag, length: number): void {
    if (candidate.kind === 'reasoning-end') {
      if (!candidate.stays) passReasoningTag(length)
      surroundings = readText
      mode = readText
    } else if (candidate.kind === 'token') {
      skipMarkup(length)
    } else if (candidate.kind === 'shown') {
      keepDraft(length)
    } else if (candidate.kind === 'call') {
      if (grammar.inReasoning === 'allow') openCall(candidate, length)
      else if (grammar.inReasoning === 'protocol' && candidate.protocol.endsReasoning)
        tryOpenEnd(tag)
      else keepDraft(length)
    }
  }

  function keepDraft(length: number): void {
    const { text, at, base } = cursor
    remarks.drafted(base + at, text.slice(at, at + length))
    remarks.cover(base + at + length)
    putReasoning(at + length)
  }

  /**
   * A marker that ends reasoning left open. Whether it was left open is known when its end tag comes
   * or the reply ends, so what follows is on trial until then.
   */
  function tryOpenEnd(tag: ReasoningTag): void {
    const trial = beginTrial('')
    mode = (last) => tryReasoning(trial, tag, last)
  }

  function tryReasoning(trial: Trial, tag: ReasoningTag, last: boolean): boolean {
    const ends = [...tag.close, ...(tag.until ?? [])]
    const { start, end } = findAny(ends, cursor.text, cursor.at, last)
    feed(trial, start)
    if (start === end && !isTooLong(trial)) {
      if (last) {
        trial.engine.end()
        commit(trial)
        mode = readText
      }
      return last
    }
    const raw = trial.raw.join('')
    remarks.drafted(trial.start, raw.slice(0, WINDOW))
    passHeld(cursor, raw)
    sendReasoning(raw, trial.start)
    mode = (more) => readReasoning(tag, more)
    return true
  }

  /** An end tag without a beginning: the prompt opened the reasoning, so what came was reasoning. */
  function strayReasoningEnd(length: number): void {
    if (!reasoningSeen && budget.attempts === 0) {
      output.reasoningWasOpen(cursor.base + cursor.at, cursor.base + cursor.at + length)
      atStart = true
    }
    reasoningSeen = true
    skipMarkup(length)
  }

  function putReasoning(end: number): void {
    const { text, at, base } = cursor
    if (end <= at) return
    pass(cursor, end)
    sendReasoning(text.slice(at, end), base + at)
  }

  function passReasoningTag(length: number): void {
    if (grammar.reasoning !== 'text') return skipMarkup(length)
    const { text, at, base } = cursor
    output.text(text.slice(at, at + length), base + at)
    passBlock(cursor, at + length)
  }

  /** Reasoning that stays text is still not what a message begins with. */
  function sendReasoning(piece: string, at: number): void {
    if (grammar.reasoning === 'text') output.text(piece, at)
    else output.reasoning(piece, at)
  }

  // ── made-up results ─────────────────────────────────────────────────────────────────────────

  function openResult(block: ResultBlock, length: number): void {
    const at = cursor.base + cursor.at
    const raw = [cursor.text.slice(cursor.at, cursor.at + length)]
    cursor.at += length
    mode = (last) => {
      const found = block.findEnd(cursor.text, cursor.at, last)
      raw.push(cursor.text.slice(cursor.at, found.end))
      passBlock(cursor, found.end)
      if (!found.closed && !last) return false
      const message = 'the model made up a tool result'
      const span = [at, cursor.base + found.end] as const
      output.issue({ code: 'role-played-result', message, span, raw: raw.join('') }, true)
      mode = readText
      return true
    }
  }

  // ── calls ───────────────────────────────────────────────────────────────────────────────────

  /** `shown`: so many characters look like a call of a format that may pass what it reads as data. */
  function openCall(candidate: Candidate & { kind: 'call' }, length: number, shown = 0): void {
    const before = budget.attempts
    const at = cursor.base + cursor.at
    const raw = cursor.text.slice(cursor.at, cursor.at + shown)
    const opened = new CallRegion(host, candidate, length)
    region = opened
    mode = (last) => {
      if (!opened.read(last)) return false
      region = undefined
      mode = surroundings
      if (budget.attempts === before) {
        budget.declined++
        // A reader that reads its own marker may give up on it at once, and would do so again.
        if (cursor.base + cursor.at === at) passMarker(cursor.at + length)
        if (raw !== '') remarks.shown(at, raw)
        else if (!mayPass(candidate)) reportDeclined(candidate, opened.declined, at, last)
      }
      return true
    }
  }

  function passMarker(end: number): void {
    if (surroundings === readText) putText(end)
    else putReasoning(end)
  }

  /** A reader gave its text back without a word: what looks like a call in it is reported all the same. */
  function reportDeclined(
    { isMarkup, protocol }: Candidate & { kind: 'call' },
    text: string,
    start: number,
    last: boolean,
  ): void {
    const isEnd = last && start + text.length === cursor.base + cursor.text.length
    const mayBeCut = isEnd && isMarkup && !protocol.free
    if (!mayBeCut || !remarks.endsInside(start, text)) remarkIn(text, start)
  }

  /**
   * Reports what looks like a call in text that was given back, as far as the cursor. Where the reader gave up
   * depends on the chunks, so the text after it is looked at as well, and waited for.
   */
  function remarkIn(text: string, start: number): void {
    const end = start + text.length
    const inner = createCursor(start)
    append(inner, text)
    let ahead = 0
    mode = (last) => {
      const more = cursor.text.slice(cursor.at + ahead, cursor.at + WINDOW)
      append(inner, more)
      ahead += more.length
      if (!remarks.readTo(end - inner.base, inner, last)) return false
      mode = surroundings
      return true
    }
  }

  /** Inside a call nothing is gained by reading on before there is enough, or an end in sight. */
  function canWait(chunk: string): boolean {
    if (cursor.text.length - cursor.at >= STRIDE) return false
    for (let i = 0; i < chunk.length; i++) if (mayEndCall(chunk.charCodeAt(i))) return false
    return true
  }

  return {
    push(chunk) {
      if (chunk === '') return
      append(cursor, chunk)
      if (plain ? passPlain(cursor, plain, output) : region?.inCall && canWait(chunk)) return
      while (mode(false));
      const isPlain = mode === readText && !atStart && inlineTicks === 0 && !onFenceLine
      plain = isPlain ? candidates() : undefined
    },
    end() {
      while (mode(true));
    },
    attempts: () => budget.attempts,
    marked: () => marked,
  }
}

/**
 * Most pieces of a stream are text in which nothing begins, or with the last character only. Not one of the
 * closures above: from one to the next costs V8 more than all that is done here.
 */
function passPlain(cursor: Cursor, set: Candidates, output: Output): boolean {
  const { text, base } = cursor
  const { length } = text
  if (length > SHORT) return false
  const stop = set.stops.findShort(cursor, 0)
  if (stop < length && !waitsAt(set, text, stop)) return false
  if (stop > 0) {
    pass(cursor, stop)
    output.text(stop < length ? text.slice(0, stop) : text, base)
  }
  return true
}

function mayPass(candidate: Candidate): boolean {
  return candidate.kind === 'call' && candidate.opener.passes === true
}

/** What a piece ends with is mostly nothing: the next one shows it at less cost than all candidates. */
function waitsAt(set: Candidates, text: string, i: number): boolean {
  return i + 1 === text.length && set.isBeginning(text.charCodeAt(i))
}

/** The last character of whatever ends a call: `)`, `>`, `]` or `}`. */
function mayEndCall(code: number): boolean {
  return code === 41 || code === 62 || code === 93 || code === 125
}

/** Mostly the first letter behind the marker shows that there is none. */
function mayHaveToken(text: string, at: number): boolean {
  let i = at + 3
  while (i < at + MAX_WITH_TOKEN && !mayEndCall(text.charCodeAt(i))) i++
  return i + 2 >= text.length || 'bep'.includes(text.charAt(i + 2))
}

/**
 * Turns what the engine finds into the result and, when somebody listens, into events. Ids, coercion,
 * duplicates and the treatment of malformed calls are decided here, once for all protocols.
 */
import { isDuplicate } from '../duplicate.ts'
import { type ClaimedId, createIdMint, type IdMint, type IdMintOptions } from '../ids.ts'
import type { Issue, IssueCode, Span } from '../issue.ts'
import { parseObject } from '../json/strict.ts'
import type { JsonObject } from '../json/value.ts'
import type { ExtractEvent, Extraction, ToolCall } from '../model.ts'
import type { CoreOptions, Fit, Segment } from '../options.ts'
import type { CallEnding } from '../protocol.ts'
import { ENDS_INSIDE } from './call.ts'
import { GrowingText } from './growing-text.ts'
import type { CallHead, CallSigns, Output, OutputCall } from './output.ts'
import type { Remains, VisibleText } from './remains.ts'
import { HALF, type NamePlaces } from './tool-names.ts'

type CollectorOptions = IdMintOptions & Pick<CoreOptions, 'onMalformed' | 'dedupe' | 'trace'>

/** What the options do not say. */
interface Circumstances {
  readonly fit: Fit | undefined
  readonly listening: boolean
  /** Where a reply names tools; known only of one that is read whole. */
  readonly names: NamePlaces | undefined
  /** True when the reply ended because it became too long. */
  cutByLength(): boolean
}

/** A result with the segments of the input when `trace` was asked for. */
export interface TracedExtraction extends Extraction {
  readonly segments?: readonly Segment[]
}

/** Longest stretch of a malformed call shown in a sentinel. */
const SENTINEL_LENGTH = 400

/** Codes of issues that mean "this was to be a call". */
const MALFORMED: ReadonlySet<IssueCode> = new Set([
  'invalid-arguments',
  'invalid-json',
  'missing-name',
  'truncated-call',
  'limit-exceeded',
])

/** A class, because the way of each piece of text through it is short: closures would cost more than it does. */
export class Collector implements Output {
  readonly #options: CollectorOptions
  readonly #circumstances: Circumstances
  readonly #mint: IdMint
  // Mostly there is one: a list of one takes a fifth of the memory of an empty one that is added to.
  #events: ExtractEvent[] | undefined
  readonly #calls: ToolCall[] = []
  readonly #issues: Issue[] = []
  #text = new GrowingText()
  readonly #reasoning = new GrowingText()
  readonly #segments: Segment[] = []
  /** How many of them were taken. */
  #segmentsTaken = 0
  /** Up to where what was taken for text turned out to be reasoning. */
  #reasonedUntil = 0
  /** Where visible text goes on after something else: the index in it, the position in the reply, and where it ended. */
  readonly #starts: [index: number, position: number, before: number][] = []
  #textLength = 0
  #textEnd = -1
  /** Text before the next piece, where the name of a tool may begin, and whether there is one in the text. */
  #before = ''
  #isNaming = false
  #nextIndex = 0
  #error: Issue | undefined

  constructor(options: CollectorOptions, circumstances: Circumstances) {
    this.#options = options
    this.#circumstances = circumstances
    this.#mint = createIdMint(options)
  }

  #emit(event: ExtractEvent): void {
    if (!this.#circumstances.listening) return
    if (this.#events) this.#events.push(event)
    else this.#events = [event]
  }

  #mark(kind: Segment['kind'], start: number, end: number): void {
    if (this.#options.trace && end > start) this.#segments.push({ kind, start, end })
  }

  #addIssue(issue: Issue): void {
    const how = MALFORMED.has(issue.code) && this.#options.onMalformed
    if (how === 'skip') return
    this.#issues.push(issue)
    if (how === 'error') this.#error ??= issue
  }

  begin(head: CallHead): OutputCall {
    return new Collector.#Call(this, head)
  }

  /** A class as well, inside the other one for the sake of its private members: there is one for each call. */
  static readonly #Call = class implements OutputCall {
    readonly #collector: Collector
    readonly #head: CallHead
    readonly #index: number
    readonly #claimed: ClaimedId
    #streaming = false

    constructor(collector: Collector, head: CallHead) {
      const { name, protocol } = head
      const index = collector.#nextIndex++
      this.#collector = collector
      this.#head = head
      this.#index = index
      this.#claimed = collector.#mint.claim(head.id, name, collector.#calls.length)
      collector.#emit({ type: 'call-start', index, id: this.#claimed.id, name, protocol })
    }

    delta(argumentsDelta: string): void {
      this.#streaming = true
      this.#collector.#emit({ type: 'call-delta', index: this.#index, argumentsDelta })
    }

    end(ending: CallEnding, start: number, end: number, { evidence, repeats }: CallSigns): void {
      const collector = this.#collector
      const { name, protocol } = this.#head
      const { fit, listening, cutByLength } = collector.#circumstances
      const { id, originalId } = this.#claimed
      const raw = ending.raw ?? ending.json
      const { value, repairs, issues, lacks } = fitted(ending, this.#head, fit)
      const { cut } = ending
      const lost = lacks?.(cut)
      if (cut && (lost || cutByLength())) {
        return this.fail('truncated-call', ENDS_INSIDE, start, end, raw)
      }
      if (lost) return this.fail('invalid-arguments', lost, start, end, raw)
      collector.#mark('call', start, end)
      const span: Span = [start, end]
      // Fields one by one: spreading optional ones costs more than all the rest of this function.
      const call: { -readonly [K in keyof ToolCall]: ToolCall[K] } = {
        id,
        name,
        arguments: value,
        rawArguments: raw,
        origin: 'text',
        protocol,
        span,
        evidence,
      }
      if (repeats !== undefined) call.repeats = repeats
      if (repairs.length > 0) call.repairs = repairs
      if (originalId !== undefined) call.originalId = originalId
      if (isDuplicate(name, value, collector.#calls, collector.#options.dedupe)) {
        const message = `${name} was called so before`
        return this.#abort({ code: 'duplicate-dropped', message, name, span })
      }
      const untold = listening ? untoldOf(value, ending, this.#streaming) : undefined
      if (untold !== undefined) this.delta(untold)
      collector.#calls.push(call)
      collector.#emit({ type: 'call-end', index: this.#index, call })
      if (originalId !== undefined) {
        const message = `the id ${originalId} was taken: now ${id}`
        collector.#tell({ code: 'duplicate-id', message, name, callId: id })
      }
      for (const issue of issues) collector.#tell({ ...issue, name, callId: id, span })
    }

    fail(code: IssueCode, message: string, start: number, end: number, raw: string): void {
      const { name, protocol } = this.#head
      this.#collector.#mark('issue', start, end)
      const span: Span = [start, end]
      const issue: Issue = { code, message, span, raw, name, callId: this.#claimed.id, protocol }
      this.#abort(issue)
      this.#collector.#standIn(issue, protocol)
    }

    retract(message: string, start: number, end: number, raw?: string): void {
      const { name, protocol } = this.#head
      const callId = this.#claimed.id
      const span: Span = [start, end]
      const issue: Issue = { code: 'quoted-call', message, name, callId, span, protocol }
      this.#abort(raw === undefined ? issue : { ...issue, raw })
    }

    #abort(issue: Issue): void {
      this.#collector.#addIssue(issue)
      this.#collector.#emit({ type: 'call-abort', index: this.#index, issue })
    }
  }

  /** The presets that want a malformed call as a call get one that says what was wrong. */
  #standIn({ code, raw = '', name = 'unknown', span }: Issue, protocol = 'text'): void {
    const { onMalformed } = this.#options
    const isRaw = onMalformed === 'raw'
    if (!(isRaw || onMalformed === 'sentinel') || !MALFORMED.has(code)) return
    const args: JsonObject = isRaw ? { raw } : { __invalid_json__: raw.slice(0, SENTINEL_LENGTH) }
    const index = this.#nextIndex++
    const { id } = this.#mint.claim(undefined, name, this.#calls.length)
    const call: ToolCall = {
      id,
      name,
      arguments: args,
      origin: 'text',
      protocol,
      ...(span && { span }),
    }
    this.#calls.push(call)
    this.#emit({ type: 'call-start', index, id, name, protocol })
    this.#emit({ type: 'call-delta', index, argumentsDelta: JSON.stringify(args) })
    this.#emit({ type: 'call-end', index, call })
  }

  #tell(issue: Issue): void {
    this.#addIssue(issue)
    this.#emit({ type: 'issue', issue })
  }

  text(piece: string, start: number): void {
    this.#mark('text', start, start + piece.length)
    const { names } = this.#circumstances
    if (names && !this.#isNaming) this.#isNaming = this.#namesTool(names, piece, start)
    if (start !== this.#textEnd) this.#starts.push([this.#textLength, start, this.#textEnd])
    this.#textLength += piece.length
    this.#textEnd = start + piece.length
    this.#text.add(piece)
    this.#emit({ type: 'text-delta', text: piece })
  }

  #namesTool(names: NamePlaces, piece: string, start: number): boolean {
    if (names.next(start) < start + piece.length) return true
    const before = this.#before
    this.#before = piece.length < HALF ? before + piece : piece
    // A name may begin before what was taken out of the text.
    if (before === '' || start === this.#textEnd) return false
    return names.isIn(before.slice(-HALF) + piece.slice(0, HALF))
  }

  tail(length: number): string {
    return this.#text.tail(length)
  }

  reasoning(piece: string, start: number): void {
    this.#mark('reasoning', start, start + piece.length)
    this.#reasoning.add(piece)
    this.#emit({ type: 'reasoning-delta', text: piece })
  }

  markup(start: number, end: number): void {
    this.#mark('markup', start, end)
  }

  reasoningWasOpen(start: number, end: number): void {
    this.#reasoning.add(this.#text.read())
    this.#text = new GrowingText()
    this.#reasonedUntil = start
    this.#starts.length = this.#textLength = 0
    this.#textEnd = -1
    const message = 'the text before it was reasoning'
    this.#tell({ code: 'orphan-reasoning-end', message, span: [start, end] })
  }

  issue(issue: Issue, takesText: boolean): void {
    if (takesText && issue.span) this.#mark('issue', issue.span[0], issue.span[1])
    this.#tell(issue)
    if (takesText) this.#standIn(issue, issue.protocol)
  }

  /** Reports what is left of calls in the text; once the reply is over. */
  reportRemains(find: (visible: VisibleText) => readonly Remains[]): void {
    if (this.#circumstances.names && !this.#isNaming) return
    // After a limit was passed, nothing was read.
    if (this.#issues.some(({ code }) => code === 'limit-exceeded')) return
    const text = this.#text.read()
    const visible = {
      text,
      gaps: (from: number, to: number) => this.#gaps(from, to),
      bounds: (at: number) => this.#boundsAt(at),
    }
    for (const { name, start, end } of find(visible)) {
      const span: Span = [this.#positionOf(start), this.#positionOf(end - 1) + 1]
      if (this.#issues.some((issue) => explains(issue, name, span))) continue
      const message = `what looks like a call of ${name} could not be read and stayed text`
      this.#tell({ code: 'unread-call', message, span, raw: text.slice(start, end), name })
    }
  }

  /** Places in the visible text where markup was taken out of it, and no call. */
  #gaps(from: number, to: number): readonly number[] {
    return this.#starts
      .filter(([index, position]) => position > 0 && from <= index && index <= to)
      .filter(([, position, before]) => !this.#hasCall(before, position))
      .map(([index]) => index)
  }

  #hasCall(from: number, to: number): boolean {
    return this.#calls.some(({ span: [start, end] = [0, 0] }) => from < end && start < to)
  }

  /** The calls before and after a place in the visible text, as places in it. */
  #boundsAt(at: number): readonly [number, number] {
    const position = this.#positionOf(at)
    let [start, end] = [0, this.#textLength]
    for (const { span: [from, to] = [0, 0] } of this.#calls) {
      if (to <= position) start = Math.max(start, this.#indexOf(to))
      else if (from > position) end = Math.min(end, this.#indexOf(from))
    }
    return [start, end]
  }

  #positionOf(index: number): number {
    const [start, position] = this.#starts.findLast(([start]) => start <= index) ?? [0, 0]
    return position + index - start
  }

  /** How much text is visible before a position. */
  #indexOf(position: number): number {
    const [start, from] = this.#starts.findLast(([, from]) => from <= position) ?? [0, 0]
    const next = this.#starts.find(([, from]) => from > position)?.[0] ?? this.#textLength
    return Math.min(start + Math.max(0, position - from), next)
  }

  get isVoid(): boolean {
    return this.#error !== undefined
  }

  /** The events since the last time; empty when nobody listens. */
  takeEvents(): ExtractEvent[] {
    const taken = this.#events
    this.#events = undefined
    return taken ?? []
  }

  /** The segments since the last time, as they were emitted; empty unless `trace` was asked for. */
  takeSegments(): Segment[] {
    const taken = this.#segments.slice(this.#segmentsTaken)
    this.#segmentsTaken = this.#segments.length
    return taken
  }

  #finalSegments(): Segment[] {
    return this.#segments.map((segment) => {
      const isReasoning = segment.kind === 'text' && segment.end <= this.#reasonedUntil
      return isReasoning ? { ...segment, kind: 'reasoning' } : segment
    })
  }

  /** Everything so far. What comes later does not change a result that was handed out. */
  result(): TracedExtraction {
    const error = this.#error
    const calls = error ? [] : [...this.#calls]
    return {
      calls,
      text: this.#text.read(),
      reasoning: this.#reasoning.read(),
      issues: [...this.#issues],
      protocol: calls[0]?.protocol ?? null,
      ...(error && { error }),
      ...(this.#options.trace && { segments: this.#finalSegments() }),
    }
  }
}

/** True for an issue that says why this was not read as a call. */
function explains({ span, code, name }: Issue, called: string, [from, to]: Span): boolean {
  if (!span) return code === 'quoted-call' && name === called
  return from <= span[0] && span[1] <= to
}

/** The arguments as an object, fitted to the tool's schema. */
function fitted(ending: CallEnding, head: CallHead, fit: Fit | undefined): ReturnType<Fit['fit']> {
  const value = ending.value ?? parseObject(ending.json) ?? {}
  const repairs = head.repairs.length > 0 ? [...head.repairs, ...ending.repairs] : ending.repairs
  if (!fit || head.schema === undefined) return { value, repairs, issues: [] }
  return fit.fit(value, head.schema, repairs)
}

/** What the deltas have not said yet. */
function untoldOf(
  value: JsonObject,
  { json, value: written, streamed }: CallEnding,
  streaming: boolean,
): string | undefined {
  if (!streaming) return value === written ? json : JSON.stringify(value)
  if (streamed === undefined) return undefined
  const rest = Object.entries(value).filter(([key]) => !streamed.has(key))
  const comma = streamed.size > 0 && rest.length > 0 ? ',' : ''
  // Without the bracket that opens it.
  return comma + JSON.stringify(Object.fromEntries(rest)).slice(1)
}

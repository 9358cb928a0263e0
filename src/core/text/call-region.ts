/**
 * The stretch of text a reader has taken over: holds its raw text until it is settled as calls and
 * issues, or released as plain text.
 *
 * Classes, because one of each is made for every marker: closures would be made anew each time.
 */
import type { Issue, IssueCode, Span } from '../issue.ts'
import { parseObject } from '../json/strict.ts'
import type { JsonSchema, Speaker } from '../model.ts'
import type { ExtractLimits, Fit, RepairLevel } from '../options.ts'
import type {
  CallDraft,
  CallEnding,
  Opener,
  Protocol,
  ReadContext,
  Reader,
  ToolTable,
} from '../protocol.ts'
import { remembering } from '../remember.ts'
import { ENDS_INSIDE } from './call.ts'
import { type Cursor, passBlock } from './cursor.ts'
import type { Candidate, Grammar } from './grammar.ts'
import type { CallSigns, Output, OutputCall } from './output.ts'
import { WINDOW } from './remarks.ts'

export interface RegionHost {
  readonly grammar: Grammar
  readonly cursor: Cursor
  /** The text of the cursor, as readers are to see it. */
  view(): string
  readonly output: Output
  readonly find: ReadContext['find']
  /** A call begins or fails here. */
  noteAttempt(protocol: Protocol): void
  /** A call of a tool that was not offered. */
  noteUnknown(): void
  /** The held text is plain text after all. */
  releaseText(piece: string, start: number, isQuoted?: boolean): void
}

type CallCandidate = Pick<Candidate & { kind: 'call' }, 'protocol' | 'opener' | 'scope'>

export class CallRegion implements ReadContext {
  declare readonly tools: ToolTable
  declare readonly repair: RepairLevel
  declare readonly fit: Fit | undefined
  declare readonly limits: ExtractLimits
  declare readonly deltas: boolean
  declare readonly alone: boolean
  declare readonly find: ReadContext['find']
  readonly #host: RegionHost
  readonly #protocol: Protocol
  readonly #opener: Opener
  #reader: Reader | undefined
  /** Absolute: everything of the region before it belongs to a call, an issue or released text. */
  #settled: number
  /** Raw text from there on, in pieces: joined only when an issue or the text needs it. */
  #held: string[] = []
  #size = 0
  /** Absolute: up to here all since then were calls of unknown tools. */
  #unknownEnd = 0
  #called = false
  /** True after a call that was quoted. */
  #quoted = false
  #asked: boolean | undefined
  #passed = false
  /** The text that the reader gave back in one go, because it holds no call. */
  declined = ''
  /** The call that has begun and not ended. */
  #open: CallDraft | undefined

  /** A region begins at the cursor, where a marker of `length` characters stands. */
  constructor(host: RegionHost, { protocol, opener, scope }: CallCandidate, length: number) {
    const { grammar, cursor } = host
    this.tools = grammar.tools
    this.repair = grammar.repair
    this.fit = grammar.fit
    this.limits = grammar.limits
    this.deltas = grammar.deltas
    this.alone = scope !== undefined && scope !== 'anywhere'
    this.find = host.find
    this.#host = host
    this.#protocol = protocol
    this.#opener = opener
    this.#settled = cursor.base + cursor.at
    if (!opener.keep) this.#hold(cursor.at + length)
  }

  /** True inside a call: what comes next can wait until there is enough of it. */
  get inCall(): boolean {
    return this.#open !== undefined && this.#reader?.state === 'open'
  }

  /** Reads on. False: more text is needed. True: the region is over. */
  read(last: boolean): boolean {
    const { cursor } = this.#host
    const text = this.#host.view()
    if (!this.#reader) {
      // Who listens wants to be told while a call arrives.
      const end = this.deltas ? -1 : this.#opener.readComplete?.(this, text, cursor.at)
      if (end !== undefined && end !== -1) {
        this.#close(end)
        return true
      }
      this.#reader = this.#opener.open(this)
    }
    for (;;) {
      const wasPassing = this.#reader.state === 'passing'
      const start = cursor.at
      const end = this.#reader.read(text, start, last)
      const { state } = this.#reader
      if (state === 'done') {
        this.#close(end)
        return true
      }
      this.#hold(end)
      this.#passed ||= state === 'passing'
      if (state === 'declined' && !this.#passed) this.declined = this.#held.join('')
      if (state !== 'open') this.#release()
      // At the end of the reply nobody asks again: what is to be passed is passed now.
      if (last && state === 'passing' && (end > start || !wasPassing)) continue
      const stuck = state === 'open' && (last || this.#size > this.limits.maxBuffer)
      if (stuck) this.#giveUp(last)
      return state === 'declined' || stuck || (state === 'passing' && last)
    }
  }

  base(): number {
    return this.#host.cursor.base
  }

  begin(name: string, id?: string): CallDraft | undefined {
    const { grammar, output } = this.#host
    const found = this.tools.find(name)
    const refused = this.#protocol.free || !grammar.allowUnknownTools || name === ''
    if (!found && refused) return undefined
    this.#dropUnknown()
    this.#called = true
    this.#quoted = false
    this.#host.noteAttempt(this.#protocol)
    const tool = found ?? { name, schema: undefined }
    const repairs = found?.repair ? [found.repair] : []
    const head = { name: tool.name, schema: tool.schema, id, protocol: this.#protocol.id, repairs }
    this.#open = new Draft(this, output.begin(head), tool.name, tool.schema)
    return this.#open
  }

  /** What shows that the call which ends at `end` is one, and who wrote it before. */
  signsOf(draft: CallDraft, ending: CallEnding): CallSigns {
    const repeats = this.#sourceOf(draft, ending)
    if (this.#isAsked(ending.end)) return { evidence: 'asked', repeats }
    return { evidence: this.#protocol.free ? 'free' : 'marker', repeats }
  }

  /** True in the format that was asked for, also when another one with the same marker has read it. */
  #isAsked(end: number): boolean {
    const { expect, tools } = this.#host.grammar
    if (!expect) return false
    this.#asked ??=
      this.#protocol === expect || beginsWith(this.rawUpTo(end), openersOf(expect)(tools))
    return this.#asked
  }

  /** Who wrote a call before, which ends at `end`. */
  #sourceOf(draft: CallDraft, { value, json, end }: CallEnding): Speaker | undefined {
    const { heard, fit } = this.#host.grammar
    if (!heard) return undefined
    const { name, schema } = draft
    const args = value ?? parseObject(json) ?? {}
    const fitted = fit && schema !== undefined ? fit.fit(args, schema, []).value : args
    return heard.sourceOf(this.rawUpTo(end), { name, arguments: fitted })
  }

  /** The text up to `end` is a call that is quoted: it is text, and so is the markup after it. */
  quote(end: number): void {
    this.#quoted = true
    this.#putText(end)
  }

  #putText(end: number): void {
    const { start, raw } = this.settle(end, true)
    if (raw !== '') this.#host.releaseText(raw, start, true)
  }

  issue(code: IssueCode, message: string, end: number, name?: string): void {
    const issue = {
      code,
      message,
      ...(name !== undefined && { name }),
      protocol: this.#protocol.id,
    }
    if (code === 'unknown-tool') return this.#keepUnknown(issue, end)
    this.#dropUnknown()
    this.#host.noteAttempt(this.#protocol)
    const { raw, start } = this.settle(end, true)
    this.#host.output.issue({ ...issue, span: [start, this.#settled], raw }, true)
  }

  /**
   * A call of a tool that was not offered. Where it is all there is, it may have been meant to be read,
   * and stays text; beside other calls it is left out.
   */
  #keepUnknown(issue: Issue, end: number): void {
    this.#host.noteUnknown()
    const start = Math.max(this.#unknownEnd, this.#settled)
    const raw = this.rawUpTo(end).slice(start - this.#settled)
    this.#unknownEnd = this.#host.cursor.base + end
    this.#host.output.issue({ ...issue, span: [start, this.#unknownEnd], raw }, false)
  }

  #dropUnknown(): void {
    if (this.#unknownEnd > this.#settled) this.skip(this.#unknownEnd - this.base())
  }

  skip(end: number): void {
    if (this.#quoted) return this.#putText(end)
    const { start, end: settled } = this.settle(end, false)
    this.#host.output.markup(start, settled)
  }

  /** The open call is over. */
  forget(): void {
    this.#open = undefined
  }

  /** From what is not settled yet to `end`. */
  spanTo(end: number): Span {
    return [this.#settled, Math.max(this.#settled, this.base() + end)]
  }

  /** What stands before `end` is dealt with; what is held behind it stays held. */
  settle(end: number, wantsRaw: boolean): { start: number; end: number; raw: string } {
    const { cursor } = this.#host
    const start = this.#settled
    const raw = wantsRaw ? this.rawUpTo(end) : ''
    const position = Math.max(start, cursor.base + end)
    const rest = position < start + this.#size ? this.#held.join('').slice(position - start) : ''
    this.#settled = position
    this.#held = rest === '' ? [] : [rest]
    this.#size = rest.length
    return { start, end: position, raw }
  }

  /** What is not settled yet, up to `end`. */
  rawUpTo(end: number): string {
    const { cursor } = this.#host
    const from = Math.max(cursor.at, this.#settled - cursor.base)
    const unread = cursor.text.slice(from, Math.max(0, end))
    return (this.#held.join('') + unread).slice(0, cursor.base + end - this.#settled)
  }

  #hold(end: number): void {
    const { cursor } = this.#host
    const start = Math.max(cursor.at, this.#settled - cursor.base)
    if (end > start) {
      this.#held.push(cursor.text.slice(start, end))
      this.#size += end - start
    }
    cursor.at = end
  }

  #release(): void {
    const piece = this.#held.join('')
    const start = this.#settled
    this.#held = []
    this.#size = 0
    this.#settled += piece.length
    if (piece !== '') this.#host.releaseText(piece, start, this.#quoted)
  }

  #close(end: number): void {
    const { cursor, output } = this.#host
    if (this.#unknownEnd > this.#settled && !this.#called) {
      this.#hold(end)
      return this.#release()
    }
    if (this.#quoted) {
      this.#hold(end)
      return this.#release()
    }
    if (cursor.base + end > this.#settled) output.markup(this.#settled, cursor.base + end)
    passBlock(cursor, end)
  }

  /** The reader wants more than there is or may be held. */
  #giveUp(last: boolean): void {
    const code = last ? 'truncated-call' : 'limit-exceeded'
    const limit = `a call is longer than ${this.limits.maxBuffer} characters`
    const message = last ? ENDS_INSIDE : limit
    const { at } = this.#host.cursor
    if (this.#open) this.#open.fail(code, message, at)
    else if (this.#protocol.free) this.#release()
    else this.issue(code, message, at)
  }
}

const openersOf = remembering((protocol: Protocol) =>
  remembering((tools: ToolTable) => protocol.openers(tools, true)),
)

function beginsWith(raw: string, openers: readonly Opener[]): boolean {
  const end = Math.min(raw.length, WINDOW)
  return openers.some(({ match }) => match(raw, 0, end, true) > 0)
}

/** Where a call was repeated from. */
const SPOKEN: Readonly<Record<Speaker, string>> = {
  tool: 'the result of a tool',
  user: 'a message of the user',
  system: 'the instructions',
}

class Draft implements CallDraft {
  declare readonly name: string
  declare readonly schema: JsonSchema | undefined
  readonly #region: CallRegion
  readonly #call: OutputCall

  constructor(region: CallRegion, call: OutputCall, name: string, schema: JsonSchema | undefined) {
    this.#region = region
    this.#call = call
    this.name = name
    this.schema = schema
  }

  delta(json: string): void {
    this.#call.delta(json)
  }

  end(ending: CallEnding): void {
    this.#region.forget()
    const signs = this.#region.signsOf(this, ending)
    if (signs.repeats && signs.evidence !== 'asked') return this.#quote(signs.repeats, ending.end)
    const { start, end } = this.#region.settle(ending.end, false)
    this.#call.end(ending, start, end, signs)
  }

  fail(code: IssueCode, message: string, end: number): void {
    this.#region.forget()
    const settled = this.#region.settle(end, true)
    this.#call.fail(code, message, settled.start, settled.end, settled.raw)
  }

  #quote(speaker: Speaker, end: number): void {
    const message = `a call that repeats ${SPOKEN[speaker]}, left as text`
    this.#call.retract(message, ...this.#region.spanTo(end), this.#region.rawUpTo(end))
    this.#region.quote(end)
  }

  retract(message: string, end: number): void {
    this.#region.forget()
    this.#call.retract(message, ...this.#region.spanTo(end))
  }
}

/**
 * The stretch of text a reader has taken over: holds its raw text until it is settled as calls and
 * issues, or released as plain text.
 */
import type { IssueCode } from '../issue.ts'
import type { CallDraft, CallEnding, Opener, Protocol, ReadContext, Reader } from '../protocol.ts'
import { type Cursor, passBlock } from './cursor.ts'
import type { Grammar } from './grammar.ts'
import type { Output, OutputCall } from './output.ts'

export interface CallRegion {
  /** Reads on. False: more text is needed. True: the region is over. */
  read(last: boolean): boolean
}

export interface RegionHost {
  readonly grammar: Grammar
  readonly cursor: Cursor
  readonly output: Output
  /** A call begins or fails here. */
  noteAttempt(protocol: Protocol): void
  /** The held text is plain text after all. */
  releaseText(piece: string, start: number): void
}

/** Opens a region at the cursor, where a marker of `length` characters stands. */
export function openRegion(
  host: RegionHost,
  protocol: Protocol,
  opener: Opener,
  length: number,
): CallRegion {
  const { grammar, cursor, output } = host
  const { limits } = grammar
  /** Absolute: everything of the region before it belongs to a call, an issue or released text. */
  let settled = cursor.base + cursor.at
  /** Raw text from `settled` on, in pieces: joined only when an issue or the text needs it. */
  let held: string[] = []
  let size = 0
  /** The call that has begun and not ended. */
  let open: CallDraft | undefined

  const context: ReadContext = {
    tools: grammar.tools,
    repair: grammar.repair,
    fit: grammar.fit,
    shortcuts: grammar.shortcuts,
    limits,
    deltas: grammar.deltas,
    alone: protocol.free !== undefined && grammar.freeScope[protocol.free] === 'message',
    base: () => cursor.base,
    begin,
    issue,
  }

  function begin(name: string, id?: string): CallDraft | undefined {
    const found = grammar.tools.find(name)
    const refused = protocol.free || !grammar.allowUnknownTools || name === ''
    if (!found && refused) return undefined
    host.noteAttempt(protocol)
    const tool = found ?? { name, schema: undefined }
    const repairs = found?.repair ? [found.repair] : []
    const head = { name: tool.name, schema: tool.schema, id, protocol: protocol.id, repairs }
    open = createDraft(output.begin(head), tool.name, tool.schema)
    return open
  }

  function createDraft(call: OutputCall, name: string, schema: CallDraft['schema']): CallDraft {
    return {
      name,
      schema,
      delta: call.delta,
      end(ending: CallEnding) {
        open = undefined
        const start = settled
        settleAt(ending.end)
        call.end(ending, start, settled)
      },
      fail(code, message, end) {
        open = undefined
        const raw = rawUpTo(end)
        const start = settled
        settleAt(end)
        call.fail(code, message, start, settled, raw)
      },
      retract(message) {
        open = undefined
        call.retract(message)
      },
    }
  }

  function issue(code: IssueCode, message: string, end: number, name?: string): void {
    host.noteAttempt(protocol)
    const raw = rawUpTo(end)
    const start = settled
    settleAt(end)
    const span = [start, settled] as const
    output.issue({ code, message, span, raw, ...(name === undefined ? {} : { name }) }, true)
  }

  function rawUpTo(end: number): string {
    const unread = cursor.text.slice(Math.max(cursor.at, settled - cursor.base), Math.max(0, end))
    return (held.join('') + unread).slice(0, cursor.base + end - settled)
  }

  /** What is held behind `end` stays held. */
  function settleAt(end: number): void {
    const position = Math.max(settled, cursor.base + end)
    const rest = position < settled + size ? held.join('').slice(position - settled) : ''
    settled = position
    held = rest === '' ? [] : [rest]
    size = rest.length
  }

  function hold(end: number): void {
    const start = Math.max(cursor.at, settled - cursor.base)
    if (end > start) {
      held.push(cursor.text.slice(start, end))
      size += end - start
    }
    cursor.at = end
  }

  function release(): void {
    const piece = held.join('')
    const start = settled
    held = []
    size = 0
    settled += piece.length
    if (piece !== '') host.releaseText(piece, start)
  }

  function read(last: boolean): boolean {
    const end = reader.read(cursor.text, cursor.at, last)
    const { state } = reader
    if (state === 'done') {
      close(end)
      return true
    }
    hold(end)
    if (state !== 'open') release()
    const stuck = state === 'open' && (last || size > limits.maxBuffer)
    if (stuck) giveUp(last)
    return state === 'declined' || stuck || (state === 'passing' && last)
  }

  function close(end: number): void {
    if (cursor.base + end > settled) output.markup(settled, cursor.base + end)
    passBlock(cursor, end)
  }

  /** The reader wants more than there is or may be held. */
  function giveUp(last: boolean): void {
    const code = last ? 'truncated-call' : 'limit-exceeded'
    const limit = `a call is longer than ${limits.maxBuffer} characters`
    const message = last ? 'the reply ends inside a call' : limit
    if (open) open.fail(code, message, cursor.at)
    else if (protocol.free) release()
    else issue(code, message, cursor.at)
  }

  if (!opener.keep) hold(cursor.at + length)
  const reader: Reader = opener.open(context)
  return { read }
}

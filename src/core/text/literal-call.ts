/**
 * Syntax factory: calls as a name and arguments in the syntax of the Gemma family.
 *
 *     <|tool_call>call:get_weather{city:<|"|>Oslo<|"|>,days:3}<tool_call|>
 */
import type { IssueCode, Repair } from '../issue.ts'
import {
  type CallDraft,
  type Marker,
  NEED_MORE,
  type Opener,
  type ReadContext,
  type Reader,
} from '../protocol.ts'
import { type ArgumentSink, createArgumentSink } from './argument-sink.ts'
import { skipSpace } from './characters.ts'
import { createLiteralReader, type LiteralReader } from './key-value-literal.ts'
import { type LiteralMarks, type LiteralSyntax, literalSyntax } from './literal-text.ts'
import { literal, marker, overlap } from './marker.ts'
import { createSteps } from './steps.ts'

/** Tokens around a text, which may get in anywhere. */
export const SEQUENCE_TOKENS: readonly string[] = ['<bos>', '<eos>', '<pad>']

/** The same in text: somebody may write about them, but not right before other markup or the end. */
export const sequenceTokens: readonly Marker[] = SEQUENCE_TOKENS.map((token) =>
  marker(token, (text, at, end, last) => (at < end ? text.charAt(at) === '<' : last || undefined)),
)

const PREFIX = 'call:'
const MAX_HEAD = 256
/** How far behind the arguments the closer or the next call may stand. */
const AFTER_WINDOW = 256

const NAME = '[^\\s{}<>()[\\]"\',]'
/** A name, behind which the arguments begin or, when there are none, the closer. */
const HEAD = new RegExp(`^(?:call:\\s*)?(${NAME}+)\\s*(?=[{<])`)
const HALF_HEAD = new RegExp(`^(?:call:\\s*)?${NAME}*\\s*$`)
/** Another call in the same block. */
const NEXT = new RegExp(`^[\\s,;]*(?=call:\\s*${NAME}+\\s*\\{)`)
const HALF_NEXT = new RegExp(`^[\\s,;]*(?:c|ca|cal|call|call:\\s*${NAME}*\\s*)?$`)

export function literalCalls(marks: LiteralMarks): Opener {
  const syntax = literalSyntax(marks)
  return { ...marker(marks.open), open: (context) => readCalls(syntax, context) }
}

interface OpenCall {
  readonly name: string
  /** Undefined when there is no such tool. */
  readonly draft: CallDraft | undefined
  readonly sink: ArgumentSink
  readonly reader: LiteralReader
  readonly raw: string[]
  readonly repairs: Repair[]
}

function readCalls(syntax: LiteralSyntax, context: ReadContext): Reader {
  const { open, close } = syntax
  const matchClose = literal(close)
  const ignored = [...SEQUENCE_TOKENS, open].map((token) => literal(token))
  const reader = createSteps<Reader['state']>(readHead)

  // ── the name ──────────────────────────────────────────────────────────────────────────────────

  function readHead(text: string, at: number, last: boolean): number {
    const i = skipSpace(text, at, text.length)
    if (i === text.length && !last) return i
    const closed = matchClose(text, i, text.length, last)
    const lengths = ignored.map((match) => match(text, i, text.length, last))
    const token = Math.max(...lengths)
    if (token > 0) return i + token
    if (closed > 0) return emptyBlock(i + closed)
    return closed === NEED_MORE || lengths.includes(NEED_MORE) ? i : readName(text, i, last)
  }

  function readName(text: string, at: number, last: boolean): number {
    const window = text.slice(at, at + MAX_HEAD)
    const [head = '', name] = HEAD.exec(window) ?? []
    const end = at + head.length
    if (name !== undefined) {
      if (text.charAt(end) === '{') return beginArguments(name, end)
      const closed = matchClose(text, end, text.length, last)
      if (closed === NEED_MORE) return at
      if (closed > 0) return withoutArguments(name, end + closed)
    } else if (window.length < MAX_HEAD && HALF_HEAD.test(window)) {
      if (!last) return at
      if (window.startsWith(PREFIX)) return report('truncated-call', CUT, text.length)
    }
    reader.state = 'declined'
    return at
  }

  function emptyBlock(end: number): number {
    context.issue('empty-call', 'a call block with nothing in it', end)
    reader.state = 'done'
    return end
  }

  function beginArguments(name: string, at: number): number {
    const call = openCall(name, syntax, context)
    reader.step = (text, from, last) => readArguments(call, text, from, last)
    return at
  }

  function withoutArguments(name: string, end: number): number {
    const call = openCall(name, syntax, context)
    call.sink.text('{}')
    call.repairs.push({ code: 'empty-arguments', path: [], risk: 'safe' })
    return finish(call, end)
  }

  // ── arguments ─────────────────────────────────────────────────────────────────────────────────

  function readArguments(call: OpenCall, text: string, at: number, last: boolean): number {
    const end = call.reader.read(text, at, last)
    call.raw.push(text.slice(at, end))
    const { state } = call.reader
    if (state === 'done') reader.step = (more, from, final) => readAfter(call, more, from, final)
    else if (state === 'failed') reader.step = (more, from, final) => skip(call, more, from, final)
    else if (last) return report('truncated-call', CUT, text.length, call)
    return end
  }

  /** Behind arguments that cannot be read: to the closer, or to the next call. */
  function skip(call: OpenCall, text: string, at: number, last: boolean): number {
    const closed = text.indexOf(close, at)
    const opened = (closed === -1 ? text : text.slice(0, closed)).indexOf(open, at)
    if (closed === -1 && opened === -1 && !last) {
      return Math.max(at, text.length - Math.max(overlap(text, open), overlap(text, close)))
    }
    const rest = closed === -1 ? text.length : closed + close.length
    const end = opened === -1 ? rest : opened
    if (call.reader.tooDeep) return report('limit-exceeded', TOO_DEEP, end, call)
    return report('invalid-json', 'the arguments cannot be read', end, call)
  }

  function report(code: IssueCode, message: string, end: number, call?: OpenCall): number {
    if (call?.draft) call.draft.fail(code, message, end)
    else context.issue(code, message, end, call?.name)
    reader.state = 'done'
    return end
  }

  // ── behind the arguments ──────────────────────────────────────────────────────────────────────

  function readAfter(call: OpenCall, text: string, at: number, last: boolean): number {
    const window = text.slice(at, at + AFTER_WINDOW)
    const final = last || window.length === AFTER_WINDOW
    const i = at + skipSpace(window, 0, window.length)
    const closed = matchClose(text, i, at + window.length, final)
    if (closed > 0) return finish(call, i + closed)
    if (text.charAt(i) === '}' || text.charAt(i) === ']') {
      call.repairs.push({ code: 'dropped-bracket', path: [], risk: 'guess' })
      return i + 1
    }
    const [separator] = NEXT.exec(window) ?? []
    if (separator !== undefined) {
      settle(call, at)
      reader.step = readHead
      return at + separator.length
    }
    if (!final && (closed === NEED_MORE || HALF_NEXT.test(window))) return at
    call.repairs.push({ code: 'missing-closer', path: [], risk: 'safe', after: close })
    const isCut = last && i < text.length && close.startsWith(text.slice(i))
    return finish(call, isCut ? text.length : at)
  }

  function finish(call: OpenCall, end: number): number {
    settle(call, end)
    reader.state = 'done'
    return end
  }

  function settle({ name, draft, sink, repairs, raw }: OpenCall, end: number): void {
    if (!draft) return context.issue('unknown-tool', `there is no tool named ${name}`, end, name)
    const { streamed } = sink
    const all = [...sink.repairs, ...repairs]
    draft.end({ json: sink.json(), repairs: all, end, raw: raw.join(''), streamed })
  }

  return reader
}

const CUT = 'the reply ends inside a call'
const TOO_DEEP = 'the arguments are nested too deeply'

function openCall(name: string, syntax: LiteralSyntax, context: ReadContext): OpenCall {
  const { fit, repair, limits } = context
  const draft = context.begin(name)
  const sink = createArgumentSink(context, draft)
  const reader = createLiteralReader(sink, {
    syntax,
    view: draft?.schema === undefined ? undefined : fit?.view(draft.schema),
    allows: (risk) => repair === 'guess' || (repair === 'safe' && risk === 'safe'),
    maxDepth: limits.maxDepth,
  })
  return { name, draft, sink, reader, raw: [], repairs: [] }
}

/**
 * Syntax factories: calls in Python, in brackets or one to a line.
 *
 *     <|tool_call_start|>[get_weather(city='Oslo'), get_time(zone='CET')]<|tool_call_end|>
 *
 * Between markers each call counts for itself. Without markers, and in a block of code, there must be
 * nothing but calls: else it is an example or a program, and stays text.
 */
import type { IssueCode, Repair } from '../issue.ts'
import {
  type CallDraft,
  type Marker,
  NEED_MORE,
  NO_MATCH,
  type Opener,
  type ReadContext,
  type Reader,
  type ToolTable,
} from '../protocol.ts'
import { skipSpace } from './characters.ts'
import { type Follows, literal, overlap } from './marker.ts'
import { createPythonArguments, type PythonArguments } from './python-arguments.ts'
import { createBlanks } from './python-blanks.ts'
import { type EndsString, IN_LIST } from './python-quote.ts'
import { createSteps, type Step } from './steps.ts'

export interface PythonCallOptions {
  readonly open: Marker
  /** None: the calls end where they end. */
  readonly close?: string
  /** Tells where strings end; by default as {@link IN_LIST}. */
  readonly endsString?: EndsString
  /** Set when the calls count only if nothing stands beside them, and where that is. */
  readonly alone?: 'in-list' | 'in-fence'
  /** Part of a written name that the tool's name lacks. */
  readonly suffix?: string
  /** True when models repeat the calls behind the closer, word for word. */
  readonly echoes?: boolean
}

/** Longest beginning of a call, and how far behind a call the next or the closer may stand. */
const HEAD_WINDOW = 192
const NEXT_WINDOW = 256
const FENCE_WINDOW = 32
const ECHO_WINDOW = 16

const OTHER_TEXT = 'the call is part of other text'

const FENCE = '```'
const NAME = '[\\p{L}_@$][\\p{L}\\p{N}_.:/$-]*'
/** A call, maybe assigned or printed. */
const HEAD = new RegExp(`^(?:\\w+\\s*=\\s*)?(print\\s*\\(\\s*)?(${NAME})\\s*\\(`, 'u')
const HEAD_BEGINS = new RegExp(
  `^(?:${NAME})?\\s*(?:=\\s*(?:${NAME})?\\s*)?(?:(?<=print\\s*)\\(\\s*(?:${NAME})?\\s*)?$`,
  'u',
)

interface Head {
  readonly name: string
  readonly length: number
  readonly printed: boolean
}

/** The beginning of a call at `at`; undefined when more must be seen, false when there is none. */
function matchHead(text: string, at: number, end: number, last: boolean): Head | false | undefined {
  const limit = Math.min(end, at + HEAD_WINDOW)
  const ahead = text.slice(at, limit)
  const final = limit < end || last || limit === at + HEAD_WINDOW
  if (!final && HEAD_BEGINS.test(ahead)) return undefined
  const found = HEAD.exec(ahead)
  if (!found) return false
  return { name: found[2] ?? '', length: found[0].length, printed: found[1] !== undefined }
}

/** Holds where a call follows, maybe in brackets, whose name `accepts`; or `close`, with nothing before. */
export function callFollows(accepts: (name: string) => boolean = () => true, close = ''): Follows {
  const matchClose = literal(close)
  return (text, at, end, last) => {
    const part = text.slice(at, end)
    const skipBlanks = createBlanks()
    const first = skipBlanks(part, 0)
    const i = part.charAt(first) === '[' ? skipBlanks(part, first + 1) : first
    const closed = close === '' ? NO_MATCH : matchClose(part, i, part.length, last)
    if (closed !== NO_MATCH) return closed > 0 || undefined
    const head = matchHead(part, i, part.length, last)
    return head ? accepts(head.name) : head
  }
}

/** Calls between markers. */
export function pythonCalls(options: PythonCallOptions): Opener {
  return { ...options.open, open: (context) => readCalls(options, context) }
}

/** A list of calls without markers: with tools only their names begin one. */
export function pythonList({ known, names }: ToolTable): Opener {
  if (!known) return bareList({ prefix: ['['], match: literal('[', callFollows()) })
  const letters = names.map((name) => name.charAt(0)).join('')
  return bareList({ prefix: ['[', letters], match: matchDeclared(names) })
}

/**
 * The same on a line of its own, where no tools say what a name is. `[Point(x=1)]` shows an object,
 * of a class; the names of functions begin small.
 */
export function pythonLine(): Opener {
  const match = literal(
    '[',
    callFollows((name) => LOWER.includes(name.charAt(0))),
  )
  return bareList({ prefix: ['[', LOWER], boundary: 'line', match })
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz'

function bareList(open: Marker): Opener {
  return { ...pythonCalls({ open, alone: 'in-list' }), keep: true }
}

function matchDeclared(names: readonly string[]): Marker['match'] {
  const openers = names.map((name) => literal(`[${name}(`))
  return (text, at, end, last) => {
    const found = openers.map((match) => match(text, at, end, last))
    if (found.some((length) => length > 0)) return 1
    return found.includes(NEED_MORE) ? NEED_MORE : NO_MATCH
  }
}

/** A call, as far as it was read. */
interface ReadCall {
  readonly name: string
  /** Undefined when there is no such tool. */
  readonly draft: CallDraft | undefined
  readonly ending?: ReturnType<PythonArguments['ending']>
  /** Absolute. */
  end: number
}

function readCalls(
  { close = '', alone, suffix = '', endsString = IN_LIST, echoes = false }: PythonCallOptions,
  context: ReadContext,
): Reader {
  const matchClose = literal(close)
  const inFence = alone === 'in-fence'
  const strict = alone !== undefined && (context.alone || !context.tools.known)
  const reader = createSteps<Reader['state']>(beforeCall)
  const skipBlanks = createBlanks()
  const args = createPythonArguments(context, { endsString, isCloser })
  /** Complete calls of which the end is not told yet. */
  let waiting: ReadCall[] = []
  let current: ReadCall | undefined
  /** Calls and failed calls. */
  let found = 0
  /** Set inside `print(…)`. */
  let printed = false
  let list: 'none' | 'open' | 'closed' = 'none'
  let fenced = false
  /** What was read before, as far as it may be repeated, and where the piece begins that is read. */
  let body = ''
  let readFrom = 0

  // ── before a call ─────────────────────────────────────────────────────────────────────────────

  function beforeCall(text: string, at: number, last: boolean): number {
    const i = skipBlanks(text, at)
    if (i === text.length) return last ? endOfReply(i) : i
    const closed = isCloser(text, i, last)
    if (closed === undefined) return i
    if (closed) return atCloser(text, i)
    const first = text.charAt(i)
    if (first === '[' && list === 'none' && found === 0) {
      list = 'open'
      return i + 1
    }
    if (first === ']' || (first === '`' && fenced)) {
      reader.step = afterCall
      return i
    }
    if (first === '`' && found === 0) return openFence(text, i, last)
    const head = matchHead(text, i, text.length, last)
    if (head === undefined) return i
    return head ? beginCall(head, i) : notACall(i)
  }

  function openFence(text: string, at: number, last: boolean): number {
    const line = text.slice(at, at + FENCE_WINDOW)
    const length = line.indexOf('\n') + 1
    if (length === 0 && line.length < FENCE_WINDOW && !last) return at
    fenced = length > 0 && line.startsWith(FENCE)
    return fenced ? at + length : notACall(at)
  }

  function beginCall(head: Head, at: number): number {
    // `print(weather)` shows what a call returned.
    const isPrint = inFence && head.name === 'print' && found > 0
    const name = head.name.endsWith(suffix)
      ? head.name.slice(0, head.name.length - suffix.length)
      : head.name
    const draft = isPrint ? undefined : context.begin(name)
    if (!draft && !isPrint && (inFence || (alone && found === 0))) return giveUp(at)
    args.begin(draft, strict && !isPrint)
    current = { name: isPrint ? '' : name, draft, end: 0 }
    printed ||= head.printed
    found++
    reader.step = inCall
    return at + head.length
  }

  function inCall(text: string, at: number, last: boolean): number {
    const end = args.read(text, at, last)
    if (args.state === 'done' && current) {
      waiting.push({ ...current, ending: args.ending() })
      current = undefined
      reader.step = afterCall
      return endLast(end)
    }
    if (args.state === 'failed') {
      reader.step = skipLine
      return alone ? giveUp(end) : end
    }
    if (!last) return end
    // A quote that was thought to stand inside a string may have been its end.
    if (alone && args.ending().repairs.length > 0) return giveUp(text.length)
    settle()
    return fail('truncated-call', 'the reply ends inside a call', text.length)
  }

  // ── behind a call ─────────────────────────────────────────────────────────────────────────────

  function afterCall(text: string, at: number, last: boolean): number {
    const window = Math.min(text.length, at + NEXT_WINDOW)
    const final = last || window === at + NEXT_WINDOW
    const i = skipSpace(text, at, window)
    if (i === text.length && !final) return at
    const closed = isCloser(text, i, final)
    if (closed === undefined) return at
    if (closed) return atCloser(text, i)
    const next = i < window ? text.charAt(i) : ''
    if (next === ')' && printed) {
      printed = false
      return endLast(i + 1)
    }
    if (next === ']' && list === 'open') {
      list = 'closed'
      if (alone === 'in-list') reader.step = afterList
      return endLast(i + 1)
    }
    if (next === '`' && fenced) {
      if (text.length < i + FENCE.length && !final) return at
      fenced = false
      return text.startsWith(FENCE, i) ? endLast(i + FENCE.length) : theEnd(text, at, last)
    }
    if ((',;'.includes(next) && list !== 'closed' && next !== '') || next === '#') {
      return another(next === '#' ? i : i + 1)
    }
    const head = list === 'none' && matchHead(text, i, text.length, last)
    if (head === undefined) return at
    return head ? another(i) : theEnd(text, at, last)
  }

  function endLast(end: number): number {
    const call = waiting.at(-1)
    if (call) call.end = context.base() + end
    return end
  }

  function another(at: number): number {
    if (!alone) settle()
    reader.step = beforeCall
    return at
  }

  /** The closer is missing: other text follows, or nothing. */
  function theEnd(text: string, at: number, last: boolean): number {
    const rest = text.slice(at).trimStart()
    if (last && close.startsWith(rest)) return endOfReply(rest === '' ? at : text.length)
    return alone ? giveUp(at) : finish(at, missingCloser())
  }

  /** A list without markers: `[get_weather()](docs.md)` is a link. */
  function afterList(text: string, at: number, last: boolean): number {
    const window = text.slice(at, at + NEXT_WINDOW)
    const line = /^[^\S\n]*/.exec(window)?.[0] ?? ''
    if (line.length === window.length && window.length < NEXT_WINDOW && !last) return at
    const goesOn = strict && !/^(?:$|[\n<`])/.test(window.slice(line.length))
    return goesOn || window.startsWith('(') ? giveUp(at) : finish(at, [])
  }

  function atCloser(text: string, at: number): number {
    const echo = (body + text.slice(readFrom, at)).trim()
    const end = finish(at + close.length, list === 'open' ? missingCloser() : [])
    if (echoes && found > 0) {
      reader.state = 'open'
      reader.step = skipEcho(echo)
    }
    return end
  }

  /** The calls once more, as text on a line of its own. */
  function skipEcho(echo: string): Step {
    return (text, at, last) => {
      const i = skipSpace(text, at, Math.min(text.length, at + ECHO_WINDOW))
      const end = i + echo.length
      if (end >= text.length && echo.startsWith(text.slice(i)) && !last) return at
      reader.state = 'done'
      const repeated = text.startsWith(echo, i) && '\r\n<'.includes(text.charAt(end))
      return repeated ? end : at
    }
  }

  function endOfReply(at: number): number {
    if (found > 0) return finish(at, missingCloser())
    return alone ? giveUp(at) : fail('truncated-call', 'the reply ends inside a call', at)
  }

  function finish(end: number, repairs: readonly Repair[]): number {
    if (found === 0) {
      return alone ? giveUp(end) : fail('empty-call', 'a call block with nothing in it', end)
    }
    endLast(end)
    settle(repairs)
    reader.state = 'done'
    return end
  }

  /** Tells the calls that were waiting; `repairs` are those of the last. */
  function settle(repairs: readonly Repair[] = []): void {
    const calls = waiting
    waiting = []
    for (const [index, { name, draft, ending, end: place }] of calls.entries()) {
      const end = place - context.base()
      const more = index === calls.length - 1 ? repairs : []
      if (draft && ending) draft.end({ ...ending, repairs: [...ending.repairs, ...more], end })
      else if (name) context.issue('unknown-tool', `there is no tool named ${name}`, end, name)
    }
  }

  // ── what is no call ───────────────────────────────────────────────────────────────────────────

  function fail(code: IssueCode, message: string, end: number): number {
    if (current?.draft) current.draft.fail(code, message, end)
    else context.issue(code, message, end, current?.name)
    current = undefined
    reader.state = 'done'
    return end
  }

  function notACall(at: number): number {
    if (alone) return giveUp(at)
    if (found > 0) return finish(at, missingCloser())
    reader.step = skipLine
    return at
  }

  /** What cannot be read goes with the rest of its line; before any call it must have the closer. */
  function skipLine(text: string, at: number, last: boolean): number {
    const lineEnd = text.indexOf('\n', at)
    const line = lineEnd === -1 ? text : text.slice(0, lineEnd)
    const closed = close === '' ? -1 : line.indexOf(close, at)
    if (closed === -1 && lineEnd === -1 && !last) {
      return Math.max(at, text.length - overlap(text, close))
    }
    const end = closed === -1 ? line.length : closed
    if (current) {
      fail('invalid-arguments', 'the arguments cannot be read', end)
      reader.state = 'open'
      reader.step = beforeCall
      return end
    }
    if (closed !== -1)
      return fail('missing-name', 'a call block without a call', end + close.length)
    reader.state = 'declined'
    return end
  }

  /** It was not meant as calls. A block of code is text to its end, and so are the calls in it. */
  function giveUp(at: number): number {
    for (const { draft } of waiting) draft?.retract(OTHER_TEXT)
    current?.draft?.retract(OTHER_TEXT)
    reader.state = inFence ? 'passing' : 'declined'
    reader.step = passFence
    return at
  }

  function passFence(text: string, at: number, last: boolean): number {
    const closer = `\n${close}`
    const closed = text.indexOf(closer, at)
    if (closed === -1 && !last) return Math.max(at, text.length - overlap(text, closer))
    reader.state = 'declined'
    return closed === -1 ? text.length : closed + closer.length
  }

  function isCloser(text: string, at: number, last: boolean): boolean | undefined {
    if (close === '') return false
    const length = matchClose(text, at, text.length, last)
    return length === NEED_MORE ? undefined : length > 0
  }

  function missingCloser(): Repair[] {
    if (list === 'open') return [{ code: 'added-bracket', path: [], risk: 'safe', after: ']' }]
    return close === '' ? [] : [{ code: 'missing-closer', path: [], risk: 'safe', after: close }]
  }

  return {
    read(text, at, last) {
      readFrom = at
      const end = reader.read(text, at, last)
      if (echoes) body += text.slice(at, end)
      return end
    },
    get state() {
      return reader.state
    },
  }
}

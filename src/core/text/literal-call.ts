/**
 * Syntax factory: calls as a name and arguments in brackets, as in a program.
 *
 *     [get_weather(city='Oslo', days=3), get_time(zone='CET')]
 *     <|tool_call>call:get_weather{city:<|"|>Oslo<|"|>,days:3}<tool_call|>
 *
 * Python's may stand in a list, one to a line, in a fence, be printed or assigned.
 */
import type { Marker, Opener, ReadContext, Reader, ToolTable } from '../protocol.ts'
import { createBlanks } from './blanks.ts'
import { Call, ENDS_INSIDE, missingCloser } from './call.ts'
import { skipSpace } from './characters.ts'
import { repaired } from './json-calls.ts'
import { createLiteralArguments, type LiteralArguments } from './literal-arguments.ts'
import type { LiteralSyntax } from './literal-text.ts'
import { type Follows, literal, markerAt } from './marker.ts'
import { type EndsText, IN_LIST } from './quote-end.ts'
import { untilMarker } from './result-block.ts'
import { createSteps, type Step } from './steps.ts'

export interface PythonCallOptions {
  readonly open: Marker
  /** None: the calls end where they end. */
  readonly close?: string
  /** Tells where texts end; by default as {@link IN_LIST}. */
  readonly endsText?: EndsText
  /** Set when the calls count only if nothing stands beside them, and where that is. */
  readonly alone?: 'in-list' | 'in-fence'
  /** Part of a written name that the tool's name lacks. */
  readonly suffix?: string
  /** The opener, when nobody writes it in prose: what stands between the two is a failed call. */
  readonly sure?: string
  /** True when models repeat the calls behind the closer, word for word. */
  readonly echoes?: boolean
}

export interface LiteralMarks {
  /** What a text begins and ends with. */
  readonly delimiter: string
  /** What a call begins and ends with. */
  readonly open: string
  readonly close: string
}

type CallOptions = Omit<PythonCallOptions, 'open'> & Omit<LiteralSyntax, 'endsText'>

/** Longest beginning of a call, and how far behind a call the next or the closer may stand. */
const HEAD_WINDOW = 192
const NEXT_WINDOW = 256
const ECHO_WINDOW = 16

const OTHER_TEXT = 'the call is part of other text'

const FENCE = /^`{1,3}\w*/
const NAME = '[\\p{L}_@$][\\p{L}\\p{N}_.:/$-]*'
/** A call, maybe assigned or printed, maybe behind stray tokens. */
const head = (bracket: string) =>
  new RegExp(
    `^(?:<[\\w|]+>\\s*)*(?:\\w+\\s*=\\s*)?(?:print\\s*\\(\\s*)?(?:call:\\s*)?(${NAME})\\s*${bracket}`,
    'u',
  )
const PYTHON_HEAD = head('\\(')
/** Without arguments the closer may follow at once. */
const LITERAL_HEAD = head('(?:\\{|(?=<\\w+\\|?>))')
const HEAD_BEGINS = new RegExp(
  `^(?:<[\\w|]+>\\s*)*(?:${NAME}\\s*[=(]\\s*){0,2}(?:call:\\s+)?(?:${NAME}\\s*)?(?:<[\\w|]*)?$`,
  'u',
)

/** The beginning of a call at `at`; undefined when more must be seen, false when there is none. */
function matchHead(
  pattern: RegExp,
  text: string,
  at: number,
  last: boolean,
): RegExpExecArray | false | undefined {
  const ahead = text.slice(at, at + HEAD_WINDOW)
  if (!last && ahead.length < HEAD_WINDOW && HEAD_BEGINS.test(ahead)) return undefined
  return pattern.exec(ahead) ?? false
}

/** Holds where a call follows, maybe in brackets, whose name `accepts`; or `close`, with nothing before. */
export function callFollows(accepts: (name: string) => boolean = () => true, close = ''): Follows {
  const markAt = markerAt([close])
  return (text, at, end, last) => {
    const part = text.slice(at, end)
    const skipBlanks = createBlanks(true)
    const first = skipBlanks(part, 0)
    const i = part.charAt(first) === '[' ? skipBlanks(part, first + 1) : first
    const mark = markAt(part, i, last)
    if (mark !== '') return mark === undefined ? mark : true
    const head = matchHead(PYTHON_HEAD, part, i, last)
    return head && accepts(head[1] ?? '')
  }
}

/** Calls in Python between markers. */
export function pythonCalls(options: PythonCallOptions): Opener {
  const syntax = { close: '', ...options, delimiter: '', open: options.sure ?? '' }
  const passes = options.alone === 'in-fence'
  return { ...options.open, passes, open: (context) => readCalls(syntax, context) }
}

/** Calls in the syntax of the Gemma family. */
export function literalCalls(marks: LiteralMarks): Pick<Opener, 'open'> {
  return { open: (context) => readCalls(marks, context) }
}

/** Before the first call there may be a line break, and the indentation of the next line. */
const BLANKS = ' \t\r\n'

/** A list of calls without markers: with tools only their names begin one. */
export function pythonList({ known, names }: ToolTable): Opener {
  if (!known) return bareList(() => true)
  const letters = names.map((name) => name.charAt(0)).join('')
  return { ...bareList((name) => names.includes(name)), prefix: ['[', BLANKS + letters] }
}

/**
 * The same on a line of its own, where no tools say what a name is. `[Point(x=1)]` shows an object,
 * of a class; the names of functions begin small.
 */
export function pythonLine(): Opener {
  const list = bareList((name) => /^[a-z]/.test(name))
  return { ...list, prefix: ['[', `${BLANKS}abcdefghijklmnopqrstuvwxyz`], boundary: 'line' }
}

function bareList(accepts: (name: string) => boolean): Opener {
  const open = { prefix: ['['], match: literal('[', callFollows(accepts)) }
  return { ...pythonCalls({ open, alone: 'in-list' }), keep: true }
}

/** A complete call of which the end is not told yet. */
interface WaitingCall {
  readonly call: Call
  readonly ending: ReturnType<LiteralArguments['ending']>
  /** Absolute. */
  end: number
}

/** No bracket opened them: that is a way to write that there are none. */
const NO_ARGUMENTS: WaitingCall['ending'] = { json: '{}', repairs: [repaired('empty-arguments')] }

function readCalls(options: CallOptions, context: ReadContext): Reader {
  const { delimiter, open, close, alone, suffix = '', sure, echoes = false } = options
  const syntax = { delimiter, open, close, endsText: options.endsText ?? IN_LIST }
  const isPython = delimiter === ''
  const invalid = isPython ? 'invalid-arguments' : 'invalid-json'
  const closerAt = markerAt([close])
  const endAt = markerAt([close, open, isPython ? '\n' : ''])
  const inFence = alone === 'in-fence'
  const strict = alone !== undefined && (context.alone || !context.tools.known)
  const reader = createSteps<Reader['state']>(between)
  let waiting: WaitingCall[] = []
  /** The call that is read; none when it is the `print` of a result. */
  let current: Call | undefined
  /** Calls and failed calls. */
  let found = 0
  let inList = false
  /** What was read before, as far as it may be repeated, and where the piece begins that is read. */
  let body = ''
  let readFrom = 0

  // ── around the calls ──────────────────────────────────────────────────────────────────────────

  function between(text: string, at: number, last: boolean): number {
    const window = Math.min(text.length, at + NEXT_WINDOW)
    const final = last || window === at + NEXT_WINDOW
    const i = skipSpace(text, at, window)
    const closer = closerAt(text.slice(0, window), i, final)
    if (closer === undefined || (i === text.length && !final)) return at
    if (closer !== '') return atCloser(text, i)
    const next = i < window ? text.charAt(i) : ' '
    if (next === '[' && found === 0 && !inList) {
      inList = true
      return i + 1
    }
    if (next === ']' && inList) {
      inList = false
      if (alone === 'in-list') reader.step = afterList
      return endLast(i + 1)
    }
    // Separators, the end of `print(…)`, and brackets too many.
    if (',;)]}'.includes(next) && found > 0) return endLast(i + 1)
    if (next === '`' && !alone) return passFence(text, i, last)
    if (next === '#' && isPython) {
      reader.step = inComment
      return i
    }
    const head = matchHead(isPython ? PYTHON_HEAD : LITERAL_HEAD, text, i, last)
    if (head === undefined) return at
    const isCall = head && found < context.limits.maxCalls
    return isCall ? beginCall(head, i) : notACall(text, at, last)
  }

  function inComment(text: string, at: number): number {
    const lineEnd = text.indexOf('\n', at)
    if (lineEnd === -1) return text.length
    reader.step = between
    return lineEnd
  }

  function passFence(text: string, at: number, last: boolean): number {
    const [fence = ''] = FENCE.exec(text.slice(at, at + NEXT_WINDOW)) ?? []
    if (at + fence.length === text.length && fence.length < NEXT_WINDOW && !last) return at
    return fence.startsWith('```') ? endLast(at + fence.length) : notACall(text, at, last)
  }

  /** A list without markers: `[get_weather()](docs.md)` is a link. */
  function afterList(text: string, at: number, last: boolean): number {
    const window = text.slice(at, at + NEXT_WINDOW)
    const line = /^[^\S\n]*/.exec(window)?.[0] ?? ''
    if (line.length === window.length && window.length < NEXT_WINDOW && !last) return at
    const goesOn = strict && !/^(?:$|[\n<`])/.test(window.slice(line.length))
    return goesOn || window.startsWith('(') ? giveUp(at) : finish(at)
  }

  function atCloser(text: string, at: number): number {
    const echo = (body + text.slice(readFrom, at)).trim()
    if (inList) addCloser()
    const end = finish(at + close.length)
    if (echoes && found > 0) {
      reader.state = 'open'
      reader.step = skipEcho(echo)
    }
    return end
  }

  /** The calls once more, as text on a line of its own. */
  function skipEcho(echo: string): Step {
    return (text, at, last) => {
      const i = skipSpace(text, at, at + ECHO_WINDOW)
      const end = i + echo.length
      if (end >= text.length && echo.startsWith(text.slice(i)) && !last) return at
      reader.state = 'done'
      const repeated = text.startsWith(echo, i) && '\r\n<'.includes(text.charAt(end))
      return repeated ? end : at
    }
  }

  // ── calls ─────────────────────────────────────────────────────────────────────────────────────

  function beginCall([head, name = '']: RegExpExecArray, at: number): number {
    if (!alone) settle()
    // `print(weather)` shows what a call returned.
    const isPrint = inFence && name === 'print' && found > 0
    const tool = name.endsWith(suffix) ? name.slice(0, name.length - suffix.length) : name
    const call = isPrint ? undefined : new Call(context, tool)
    if (call && !call.draft && (inFence || (alone && found === 0))) return giveUp(at)
    current = call
    found++
    const args = createLiteralArguments(context, syntax, call?.draft, strict && !isPrint)
    const isBare = !isPython && !head.endsWith('{')
    reader.step = (text, from, last) => inArguments(args, isBare, text, from, last)
    return at + head.length
  }

  function inArguments(
    args: LiteralArguments,
    isBare: boolean,
    text: string,
    at: number,
    last: boolean,
  ): number {
    const end = args.read(text, at, last)
    if (args.state === 'done') {
      const ending = isBare && args.ending().json === '{}' ? NO_ARGUMENTS : args.ending()
      if (current) waiting.push({ call: current, ending, end: 0 })
      current = undefined
      reader.step = between
      return endLast(end)
    }
    if (args.state !== 'open') {
      if (alone) return giveUp(end)
      reader.step = skipping(args.state)
      return end
    }
    if (!last) return end
    // A quote that was thought to stand inside a text may have been its end.
    if (alone && args.ending().repairs.length > 0) return giveUp(text.length)
    settle()
    current?.cutOff(text.length)
    return reader.leave('done', text.length)
  }

  function endLast(end: number): number {
    const call = waiting.at(-1)
    if (call) call.end = context.base() + end
    return end
  }

  function finish(end: number): number {
    if (found === 0 && alone) return giveUp(end)
    if (found === 0) context.issue('empty-call', 'a call block with nothing in it', end)
    endLast(end)
    settle()
    return reader.leave('done', end)
  }

  /** Tells the calls that were waiting. */
  function settle(): void {
    for (const { call, ending, end } of waiting) call.end({ ...ending, end: end - context.base() })
    waiting = []
  }

  /** What ends the calls is missing. */
  function addCloser(): void {
    const repairs = waiting.at(-1)?.call.repairs
    if (inList) repairs?.push({ code: 'added-bracket', path: [], risk: 'safe', after: ']' })
    else if (close !== '') repairs?.push(missingCloser(close))
  }

  // ── what is no call ───────────────────────────────────────────────────────────────────────────

  /** Other text follows, or nothing. */
  function notACall(text: string, at: number, last: boolean): number {
    const rest = last ? text.slice(at).trimStart() : ' '
    const isCut = close.startsWith(rest)
    if (found > 0 && (isCut || !alone)) {
      addCloser()
      return finish(isCut && rest !== '' ? text.length : at)
    }
    if (alone) return giveUp(at)
    if (isCut || (rest.length < HEAD_WINDOW && HEAD_BEGINS.test(rest) && last)) {
      context.issue('truncated-call', ENDS_INSIDE, text.length)
      return reader.leave('done', text.length)
    }
    reader.step = skipping('failed')
    if (!sure) reader.state = 'declined'
    return at
  }

  /**
   * What cannot be read goes with the rest of its line, or up to the next call; before any call it
   * must have the closer.
   */
  function skipping(why: LiteralArguments['state']): Step {
    return (text, at, last) => {
      let end = at
      let mark = endAt(text, end, last)
      while (mark === '' && end < text.length) mark = endAt(text, ++end, last)
      if (mark === undefined) return end
      reader.step = between
      if (current) {
        if (why === 'failed') current.fail(invalid, 'the arguments cannot be read', end)
        else current.fail('limit-exceeded', 'the arguments are nested too deeply', end)
        current = undefined
        return end
      }
      if (mark !== close) return reader.leave('declined', end)
      end += close.length
      context.issue('missing-name', 'a call block without a call', end)
      return reader.leave('done', end)
    }
  }

  /** It was not meant as calls. A block of code is text to its end, and so are the calls in it. */
  function giveUp(at: number): number {
    for (const { call, end } of waiting) call.draft?.retract(OTHER_TEXT, end - context.base())
    current?.draft?.retract(OTHER_TEXT, at)
    reader.state = inFence ? 'passing' : 'declined'
    reader.step = passBlock
    return at
  }

  function passBlock(text: string, at: number, last: boolean): number {
    const { end, closed } = untilMarker(`\n${close}`)(text, at, last)
    if (closed || last) reader.state = 'declined'
    return Math.max(at, end)
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

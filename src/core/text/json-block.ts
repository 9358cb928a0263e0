/**
 * Syntax factory: calls as JSON behind a marker, usually with a closing marker.
 *
 *     <tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>
 *
 * The closer is looked for outside JSON strings only, and it is a set: its own, one that models write
 * by mistake, the opener of the next call, or the end of the reply.
 */
import type { Repair } from '../issue.ts'
import { createJsonReader, type JsonReader } from '../json/reader.ts'
import {
  type CallDraft,
  type Marker,
  NEED_MORE,
  NO_MATCH,
  type Opener,
  type ReadContext,
  type Reader,
} from '../protocol.ts'
import { isSpace, skipSpace } from './characters.ts'
import { callName, readCompleteCall } from './complete-call.ts'
import {
  CALL_DEPTH,
  type CallKeys,
  COMMON_KEYS,
  createJsonCalls,
  type JsonCall,
} from './json-calls.ts'
import { literal, marker } from './marker.ts'
import { createSteps, type Step } from './steps.ts'

export interface JsonBlockOptions {
  readonly open: Marker
  /** The closers; one other than the first is a repair. None: the JSON ends the block. */
  readonly close: readonly string[]
  /** What may also stand behind the JSON and goes with it, such as the end of a turn. */
  readonly ends?: readonly string[]
  readonly keys?: CallKeys
  /** Names that say that no tool is called. */
  readonly none?: readonly string[]
  /**
   * True when the opener cannot be anything else: a body that is no JSON is then a malformed call
   * and not text.
   */
  readonly sure?: boolean
  /** False: a list of calls in the body is malformed. */
  readonly lists?: boolean
  /** True when other JSON may stand behind the opener: unless it begins with a call, it is text. */
  readonly doubtful?: boolean
}

/** How far behind a value the closer may stand, and how far a body that is no JSON may reach. */
const CLOSER_WINDOW = 256
const SKIP_WINDOW = 4096
const FENCE_WINDOW = 32
/** How long a call is waited for before it is told bit by bit. */
const SHORT = 256
/** How much white space may stand between a marker and its JSON. */
const BODY_WINDOW = 64
/** What a list may begin with. */
const LIST_START = '{["\']'

/** A marker with JSON behind it, or with nothing: what else follows makes it prose or another format. */
export function jsonMarker(open: string, close: string = open): Marker {
  const others = ['```', open, close].map((other) => literal(other))
  return marker(open, (text, at, end, last) => {
    const window = Math.min(end, at + BODY_WINDOW)
    const final = last || window === at + BODY_WINDOW
    const i = skipSpace(text, at, window)
    if (i < window && text.charAt(i) === '{') return true
    let needMore = false
    if (i < window && text.charAt(i) === '[') {
      const item = skipSpace(text, i + 1, window)
      if (item < window && LIST_START.includes(text.charAt(item))) return true
      needMore = item === window && !final
    }
    for (const match of others) {
      const length = match(text, i, window, final)
      if (length > 0) return true
      needMore ||= length === NEED_MORE
    }
    return needMore ? undefined : false
  })
}

export function jsonBlock(options: JsonBlockOptions): Opener {
  return {
    ...options.open,
    open: (context) => readBlock(options, context),
    readComplete: (context, text, at) => readComplete(options, context, text, at),
  }
}

/** The index behind a complete call, or -1 when this is none. */
function readComplete(
  options: JsonBlockOptions,
  context: ReadContext,
  text: string,
  at: number,
): number {
  const [close] = options.close
  if (options.keys || !close) return -1
  const complete = readCompleteCall(context, text, skipSpace(text, at, text.length), close)
  if (!complete) return -1
  const { name, json, value, end } = complete
  // What looks like the closer may be the next opener.
  if (options.open.match(text, end - close.length, text.length, false) !== NO_MATCH) return -1
  const draft = context.begin(name)
  if (draft) draft.end({ json, value, repairs: [], end })
  else context.issue('unknown-tool', `there is no tool named ${name}`, end, name)
  return end
}

function readBlock(options: JsonBlockOptions, context: ReadContext): Reader {
  const ends = [...options.close, ...(options.ends ?? [])]
  const closers = ends.map((end) => literal(end))
  const firsts = `${options.open.prefix[0]}${ends.map((end) => end.charAt(0)).join('')}`
  const { none = [], doubtful = false } = options
  const [close = ''] = options.close
  const reader = createSteps<Reader['state']>(readStart)
  /** A call that began before its arguments were read. */
  let begun: CallDraft | undefined
  let json: JsonReader | undefined
  let calls: ReturnType<typeof createJsonCalls> | undefined
  /** A complete call that waits to see whether its closer is there. */
  let waiting: JsonCall | undefined
  let found = 0
  let fenced = false
  const extra: Repair[] = []

  // ── behind the opener ─────────────────────────────────────────────────────────────────────────

  function readStart(text: string, at: number, last: boolean): number {
    const i = skipPrefix(text, at, text.length)
    if (i === text.length) return last ? nothing(i) : i
    const first = text.charAt(i)
    if (first === '{' && mayBeShort()) return beginShort(i)
    if (first === '{' || first === '[') return beginJson(i)
    const opened = options.open.match(text, i, text.length, last)
    const closed = closerAt(text, i, last)
    if (opened === NEED_MORE || (opened === NO_MATCH && closed === NEED_MORE)) return i
    if (opened > 0) return emptyBlock(i)
    if (closed > 0) return emptyBlock(i + closed)
    if (text.startsWith('```', i)) return openFence(text, i, last)
    if (!last && '```'.startsWith(text.slice(i))) return i
    return notJson(i)
  }

  /** White space; in a block of lines of its own also the marks of a block quote. */
  function skipPrefix(text: string, at: number, end: number): number {
    let i = skipSpace(text, at, end)
    while (options.open.boundary === 'line' && text.charAt(i) === '>' && i < end) {
      i = skipSpace(text, i + 1, end)
    }
    return i
  }

  /** The reply ends behind the opener. */
  function nothing(end: number): number {
    reader.state = options.sure ? 'done' : 'declined'
    if (options.sure) context.issue('truncated-call', 'the reply ends inside a call', end)
    return end
  }

  // Most calls are short and in order. Such a one is read in one go as soon as it is complete.

  function mayBeShort(): boolean {
    return context.deltas && !options.keys && close !== '' && none.length === 0 && !doubtful
  }

  function beginShort(at: number): number {
    reader.step = readShort
    return at
  }

  function readShort(text: string, at: number, last: boolean): number {
    const over = last || text.length >= at + SHORT
    const name = callName(text, at)
    if (name !== undefined) {
      begun ??= context.begin(name)
      const complete = begun && readCompleteCall(context, text, at, close)
      if (complete && !isOpener(text, complete.end - close.length)) {
        begun?.end({ json: complete.json, value: complete.value, repairs: [], end: complete.end })
        reader.state = 'done'
        return complete.end
      }
    }
    return over || (name !== undefined && !begun) ? beginJson(at) : at
  }

  /** What looks like the closer may be the next opener. */
  function isOpener(text: string, at: number): boolean {
    return options.open.match(text, at, text.length, false) !== NO_MATCH
  }

  function beginJson(at: number): number {
    calls = createJsonCalls(
      { deltas: context.deltas, fit: context.fit, begin },
      {
        keys: options.keys ?? COMMON_KEYS,
        needsArguments: doubtful,
        ...(options.lists === undefined ? {} : { lists: options.lists }),
        onCall,
      },
    )
    json = createJsonReader(calls, {
      repair: context.repair,
      maxDepth: context.limits.maxDepth,
      watchDepth: CALL_DEPTH,
      shortcuts: context.shortcuts,
      isCloser: (text, i, last) => endsBlock(text, i, last),
    })
    reader.step = readJson
    return at
  }

  function begin(name: string, id?: string): CallDraft | undefined {
    const known = begun
    begun = undefined
    if (known) return known
    return none.includes(name) || reader.state !== 'open' ? undefined : context.begin(name, id)
  }

  function emptyBlock(end: number): number {
    context.issue('empty-call', 'a call block with nothing in it', end)
    reader.state = 'done'
    return end
  }

  function openFence(text: string, at: number, last: boolean): number {
    const window = Math.min(text.length, at + FENCE_WINDOW)
    const lineEnd = text.slice(at, window).indexOf('\n') + at
    if (lineEnd < at) return last || window < text.length ? notJson(at) : at
    fenced = true
    extra.push({ code: 'unwrapped-fence', path: [], risk: 'safe' })
    reader.step = readStart
    return lineEnd + 1
  }

  function notJson(at: number): number {
    if (options.sure) reader.step = skipJunk()
    else reader.state = 'declined'
    return at
  }

  /** A body that is no JSON: malformed when its end is near, otherwise plain text. */
  function skipJunk(): Step {
    let budget = SKIP_WINDOW
    return (text, at, last) => {
      const limit = Math.min(text.length, at + budget)
      const found = findEnd(text, at, limit, last || limit === at + budget)
      if (found.closed) {
        context.issue('invalid-json', 'the call is not JSON', found.end)
        reader.state = 'done'
      } else {
        budget -= found.end - at
        if (budget === 0 || last) reader.state = 'declined'
      }
      return found.end
    }
  }

  // ── JSON ──────────────────────────────────────────────────────────────────────────────────────

  function readJson(text: string, at: number, last: boolean): number {
    if (!json) return at
    const end = json.read(text, at, last)
    if (reader.state !== 'open') return end
    if (json.status === 'done') {
      reader.step = readAfter
    } else if (json.status === 'failed') {
      failed(end)
    } else if (last) {
      truncated(text.length)
      return text.length
    }
    return end
  }

  /** A call that is the whole value ends with its closer; one of several ends where it ends. */
  function onCall(call: JsonCall, end: number): void {
    waiting = call
    if (isOther()) reader.state = 'declined'
    else if (!call.whole) settle(end, [])
  }

  /** True as long as no call speaks for a block that may hold something else. */
  function isOther(): boolean {
    return doubtful && found === 0 && !waiting?.draft && !calls?.unfinished()?.draft
  }

  function failed(end: number): void {
    const deep = json?.failure === 'depth'
    const message = deep ? 'the arguments are nested too deeply' : NOT_JSON
    const code = deep ? 'limit-exceeded' : 'invalid-json'
    settle(end, [])
    reader.step = (text, at, last) => {
      const stop = findEnd(text, at, text.length, last)
      if (stop.closed || last) report(code, message, stop.end)
      return stop.end
    }
  }

  function truncated(end: number): void {
    settle(end, [])
    report('truncated-call', 'the reply ends inside a call', end)
  }

  function report(
    code: 'limit-exceeded' | 'invalid-json' | 'truncated-call',
    message: string,
    end: number,
  ): void {
    if (isOther()) {
      reader.state = 'declined'
      return
    }
    const unfinished = calls?.unfinished()
    if (unfinished?.draft) unfinished.draft.fail(code, message, end)
    else context.issue(code, message, end, unfinished?.name)
    reader.state = 'done'
  }

  // ── behind a value ────────────────────────────────────────────────────────────────────────────

  function readAfter(text: string, at: number, last: boolean): number {
    const window = Math.min(text.length, at + CLOSER_WINDOW)
    const final = last || window === at + CLOSER_WINDOW
    const i = skipPrefix(text, at, window)
    if (i === text.length && !final) return at
    // The next opener may begin like the closer, so it is looked for first.
    const opened = options.open.match(text, i, window, final)
    const closed = closerAt(text, i, final, window)
    if (opened === NEED_MORE || (opened === NO_MATCH && closed === NEED_MORE)) return at
    if (opened > 0) return finish(at, missingCloser())
    if (closed > 0) return finish(i + closed, closerRepairs(text, i))
    if (last && isCutCloser(text, i)) return finish(text.length, missingCloser())
    return readOn(text, at, i, window, final)
  }

  function readOn(text: string, at: number, i: number, window: number, final: boolean): number {
    const next = text.charAt(i)
    const separated = next === ',' || next === ';'
    const j = separated ? skipSpace(text, i + 1, window) : i
    if (j === window && !final) return at
    if (text.charAt(j) === '{' || (next === '[' && options.close.length > 0)) return another(at, j)
    if (next === '}' || next === ']') {
      extra.push({ code: 'dropped-bracket', path: [], risk: 'safe', before: next })
      return i + 1
    }
    if (fenced && text.startsWith('```', i)) {
      fenced = false
      return i + 3
    }
    if (fenced && !final && '```'.startsWith(text.slice(i, window))) return at
    return finish(at, missingCloser())
  }

  function another(end: number, next: number): number {
    settle(end, [])
    return beginJson(next)
  }

  function finish(end: number, repairs: readonly Repair[]): number {
    settle(end, repairs)
    const other = isOther()
    if (found === 0 && !other) reportNone(end)
    reader.state = other ? 'declined' : 'done'
    return end
  }

  function reportNone(end: number): void {
    if (options.lists === false) context.issue('missing-name', 'the call names no tool', end)
    else context.issue('empty-call', 'a call block without a call', end)
  }

  /** Ends the call that was waiting. */
  function settle(end: number, repairs: readonly Repair[]): void {
    const call = waiting
    if (!call) return
    waiting = undefined
    found++
    if (call.name !== undefined && none.includes(call.name)) return
    endCall(context, call, [...extra.splice(0), ...repairs], end)
  }

  // ── closers ───────────────────────────────────────────────────────────────────────────────────

  function closerAt(text: string, at: number, last: boolean, end = text.length): number {
    let needMore = false
    for (const match of closers) {
      const length = match(text, at, end, last)
      if (length > 0) return length
      needMore ||= length === NEED_MORE
    }
    return needMore ? NEED_MORE : NO_MATCH
  }

  function closerRepairs(text: string, at: number): Repair[] {
    const [own] = options.close
    if (own === undefined || text.startsWith(own, at)) return []
    return [{ code: 'mismatched-closer', path: [], risk: 'safe', after: own }]
  }

  function missingCloser(): Repair[] {
    const [own] = options.close
    return own === undefined ? [] : [{ code: 'missing-closer', path: [], risk: 'safe', after: own }]
  }

  /** A closer, or the opener of the next call, which ends a block that was not closed. */
  function endsBlock(text: string, at: number, last: boolean): boolean | undefined {
    const closed = closerAt(text, at, last)
    const opened = options.open.match(text, at, text.length, last)
    if (closed > 0 || opened > 0) return true
    return closed === NEED_MORE || opened === NEED_MORE ? undefined : false
  }

  /** The end of a block that cannot be read: behind a closer, or before the next opener. */
  function findEnd(
    text: string,
    at: number,
    end: number,
    last: boolean,
  ): { readonly end: number; readonly closed: boolean } {
    for (let i = at; i < end; i++) {
      if (!firsts.includes(text.charAt(i))) continue
      const opened = options.open.match(text, i, end, last)
      const closed = opened === NO_MATCH ? closerAt(text, i, last, end) : NO_MATCH
      if (opened > 0) return { end: i, closed: true }
      if (closed > 0) return { end: i + closed, closed: true }
      if (opened === NEED_MORE || closed === NEED_MORE) return { end: i, closed: false }
    }
    return { end, closed: false }
  }

  function isCutCloser(text: string, at: number): boolean {
    const rest = text.slice(at)
    return rest.length > 0 && ends.some((end) => end.startsWith(rest))
  }

  return reader
}

/** Ends a call, or says why it cannot be made. */
export function endCall(
  context: ReadContext,
  call: JsonCall,
  more: readonly Repair[],
  end: number,
): void {
  const { name, draft, json } = call
  const repairs = [...call.repairs, ...more]
  if (draft && isHopeless(repairs)) return draft.fail('invalid-json', NOT_JSON, end)
  if (draft && json !== undefined) {
    return draft.end({ json, repairs, end, raw: call.raw, streamed: call.streamed })
  }
  if (draft) return draft.fail('invalid-arguments', 'the arguments are not a JSON object', end)
  if (call.invalid && name !== undefined) {
    return context.issue('invalid-arguments', 'the arguments are not a JSON object', end, name)
  }
  if (name !== undefined) {
    return context.issue('unknown-tool', `there is no tool named ${name}`, end, name)
  }
  const guessed = repairs.some(({ risk }) => risk === 'guess')
  if (guessed) return context.issue('invalid-json', NOT_JSON, end)
  context.issue('missing-name', 'the call names no tool', end)
}

const NOT_JSON = 'the call is not valid JSON'

/** A bare word without a value was taken for a key: that is prose in braces. */
export function isHopeless(repairs: readonly Repair[]): boolean {
  const bare = repairs.filter(({ code }) => code === 'quoted-key').map(({ path }) => path.join())
  return repairs.some(({ code, path }) => code === 'added-null' && bare.includes(path.join()))
}

/** True when only white space stands from `at` to the end of the line; undefined: not known yet. */
export function endOfLine(
  text: string,
  at: number,
  end: number,
  last: boolean,
): boolean | undefined {
  let i = at
  while (i < end && isSpace(text.charCodeAt(i)) && text.charAt(i) !== '\n') i++
  if (i < end) return text.charAt(i) === '\n'
  return last ? false : undefined
}

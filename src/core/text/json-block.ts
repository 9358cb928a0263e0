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
  type Marker,
  NEED_MORE,
  NO_MATCH,
  type Opener,
  type ReadContext,
  type Reader,
} from '../protocol.ts'
import { isSpace, skipSpace } from './characters.ts'
import { MAX_BODY, readCompleteCall } from './complete-call.ts'
import {
  CALL_DEPTH,
  type CallKeys,
  COMMON_KEYS,
  createJsonCalls,
  type JsonCall,
} from './json-calls.ts'
import { literal } from './marker.ts'
import { createSteps, type Step } from './steps.ts'

export interface JsonBlockOptions {
  readonly open: Marker
  /** The closers; one other than the first is a repair. */
  readonly close: readonly string[]
  readonly keys?: CallKeys
  /**
   * True when the opener cannot be anything else: a body that is no JSON is then a malformed call
   * and not text.
   */
  readonly sure?: boolean
  /** False: a list of calls in the body is malformed. */
  readonly lists?: boolean
}

/** How far behind a value the closer may stand, and how far a body that is no JSON may reach. */
const CLOSER_WINDOW = 256
const SKIP_WINDOW = 4096
const FENCE_WINDOW = 32

export function jsonBlock(options: JsonBlockOptions): Opener {
  return { ...options.open, open: (context) => readBlock(options, context) }
}

function readBlock(options: JsonBlockOptions, context: ReadContext): Reader {
  const closers = options.close.map((marker) => literal(marker))
  const reader = createSteps<Reader['state']>(readStart)
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
    if (first === '{' || first === '[') return readShort(text, i) || beginJson(i)
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

  /** The end of a short, complete call, or 0 when this is none. */
  function readShort(text: string, at: number): number {
    const { maxDepth } = context.limits
    if (options.keys || fenced || maxDepth < MAX_BODY / 2) return 0
    const [close = ''] = options.close
    const short = readCompleteCall(text, at, close)
    if (!short) return 0
    const { name, json, value, end } = short
    // What looks like the closer may be the next opener.
    if (options.open.match(text, end - close.length, text.length, false) !== NO_MATCH) return 0
    reader.state = 'done'
    const draft = context.begin(name)
    if (draft) draft.end({ json, value, repairs: [], end })
    else context.issue('unknown-tool', `there is no tool named ${name}`, end, name)
    return end
  }

  function beginJson(at: number): number {
    calls = createJsonCalls(context, {
      keys: options.keys ?? COMMON_KEYS,
      ...(options.lists === undefined ? {} : { lists: options.lists }),
      onCall,
    })
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

  /** A body that is no JSON: malformed when the closer is near, otherwise plain text. */
  function skipJunk(): Step {
    let budget = SKIP_WINDOW
    return (text, at, last) => {
      const limit = Math.min(text.length, at + budget)
      const closed = closerEnd(text.slice(0, limit), at)
      if (closed !== -1) {
        context.issue('invalid-json', 'the call is not JSON', closed)
        reader.state = 'done'
        return closed
      }
      const end = limit < text.length ? limit : safeEnd(text, at, last)
      budget -= end - at
      if (budget === 0 || last) reader.state = 'declined'
      return end
    }
  }

  // ── JSON ──────────────────────────────────────────────────────────────────────────────────────

  function readJson(text: string, at: number, last: boolean): number {
    if (!json) return at
    const end = json.read(text, at, last)
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
    if (!call.whole) settle(end, [])
  }

  function failed(end: number): void {
    const deep = json?.failure === 'depth'
    const message = deep ? 'the arguments are nested too deeply' : NOT_JSON
    const code = deep ? 'limit-exceeded' : 'invalid-json'
    settle(end, [])
    reader.step = (text, at, last) => {
      const closed = closerEnd(text, at)
      const stop = closed === -1 ? safeEnd(text, at, last) : closed
      if (closed !== -1 || last) report(code, message, stop)
      return stop
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
    if (opened > 0) return finish(at, [missingCloser()])
    if (closed > 0) return finish(i + closed, closerRepairs(text, i))
    if (last && isCutCloser(text, i)) return finish(text.length, [missingCloser()])
    return readOn(text, at, i, window, final)
  }

  function readOn(text: string, at: number, i: number, window: number, final: boolean): number {
    const next = text.charAt(i)
    if (next === '{' || next === '[') return another(at, i)
    if (next === ',' || next === ';') {
      const j = skipSpace(text, i + 1, window)
      if (j === window && !final) return at
      if (text.charAt(j) === '{') return another(at, j)
    }
    if (next === '}' || next === ']') {
      extra.push({ code: 'dropped-bracket', path: [], risk: 'safe', before: next })
      return i + 1
    }
    if (fenced && text.startsWith('```', i)) {
      fenced = false
      return i + 3
    }
    if (fenced && !final && '```'.startsWith(text.slice(i, window))) return at
    return finish(at, [missingCloser()])
  }

  function another(end: number, next: number): number {
    settle(end, [])
    return beginJson(next)
  }

  function finish(end: number, repairs: readonly Repair[]): number {
    settle(end, repairs)
    if (found === 0) reportNone(end)
    reader.state = 'done'
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
    const [own = ''] = options.close
    if (text.startsWith(own, at)) return []
    return [{ code: 'mismatched-closer', path: [], risk: 'safe', after: own }]
  }

  function missingCloser(): Repair {
    return { code: 'missing-closer', path: [], risk: 'safe', after: options.close[0] ?? '' }
  }

  /** A closer, or the opener of the next call, which ends a block that was not closed. */
  function endsBlock(text: string, at: number, last: boolean): boolean | undefined {
    const closed = closerAt(text, at, last)
    const opened = options.open.match(text, at, text.length, last)
    if (closed > 0 || opened > 0) return true
    return closed === NEED_MORE || opened === NEED_MORE ? undefined : false
  }

  /** Index behind the first closer from `at` on, or -1. */
  function closerEnd(text: string, at: number): number {
    let end = -1
    // Only what stands before the closer found so far can come first.
    let before = text
    for (const marker of options.close) {
      const hit = before.indexOf(marker, at)
      if (hit === -1) continue
      before = text.slice(0, hit)
      end = hit + marker.length
    }
    return end
  }

  /** Up to here no closer can begin that the next piece completes. */
  function safeEnd(text: string, at: number, last: boolean): number {
    if (last) return text.length
    const longest = Math.max(...options.close.map((marker) => marker.length))
    return Math.max(at, text.length - longest + 1)
  }

  function isCutCloser(text: string, at: number): boolean {
    const rest = text.slice(at).trimEnd()
    return rest.length > 0 && options.close.some((marker) => marker.startsWith(rest))
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

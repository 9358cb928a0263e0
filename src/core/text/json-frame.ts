/**
 * Reads calls in JSON that stand in a frame: markup before them, and mostly behind them.
 *
 *     <tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>
 *     <|tool_call:name|>get_weather<|tool_call:args|>{"city": "Oslo"}<|tool_call:end|>
 *
 * The closer is looked for outside JSON strings only, and it is a set: its own, one that models write
 * by mistake, the opener of the next call, or the end of the reply.
 */
import { ARGUMENTS_LOST } from '../arguments/lost.ts'
import type { IssueCode, Repair } from '../issue.ts'
import { GREATER, isExoticSpace } from '../json/codes.ts'
import type { JsonSchema } from '../model.ts'
import type { Fit } from '../options.ts'
import {
  type Marker,
  NEED_MORE,
  NO_MATCH,
  type ReadContext,
  type Reader,
  type ToolTable,
} from '../protocol.ts'
import { Call, ENDS_INSIDE, missingCloser } from './call.ts'
import { skipSpace } from './characters.ts'
import { callName, readCompleteCall } from './complete-call.ts'
import {
  type CallKeys,
  COMMON_KEYS,
  createJsonCalls,
  endCall,
  type Identity,
  type JsonCall,
  type JsonCalls,
  NOT_JSON,
  repaired,
} from './json-calls.ts'
import { literally, type PatternReader, patternReader, SPACE, sequence } from './pattern.ts'
import { createSteps, type Step } from './steps.ts'

export interface JsonFrame {
  /** What begins the next frame: one that was not closed ends before it. */
  readonly open: Marker['match']
  /** The whole head, when it says who is called: the JSON is then the arguments. */
  readonly head?: PatternReader
  readonly identify?: (groups: Groups) => Identity | undefined
  readonly close: PatternReader | undefined
  /** The closer as it is written, if it must not be missing. */
  readonly closer?: string | undefined
  /** What may stand behind the closer and goes with it, such as the end of a section. */
  readonly tail?: PatternReader | undefined
  /** Who reads the JSON, where more than the JSON itself says how far it reaches. */
  readonly reader?: ((...of: Parameters<typeof createJsonCalls>) => FrameCalls) | undefined
  /** True when calls stand one behind the other, with nothing but white space between them. */
  readonly chained?: boolean
  /** The characters that openers and closers begin with. */
  readonly stops: string
  /** True when each line may begin with the mark of a block quote. */
  readonly quoted?: boolean
  /** True when a code fence around the JSON is part of the format. */
  readonly fenced?: boolean | undefined
  /** True when the arguments may be plain text, which the end of the reply ends as well. */
  readonly plain?: boolean | undefined
  /** Finds arguments in plain text behind a name; without it there are none. */
  readonly readWords?: ReadWords | undefined
  /** The tool that arguments without a name are meant for. */
  readonly findTool?: (tools: ToolTable, json: string) => string | undefined
  /** True when a short call is waited for, to be read in one go. */
  readonly quick?: boolean
  readonly keys?: CallKeys
  /** Names that say that no tool is called. */
  readonly none?: readonly string[]
  /** False: a list of calls is malformed. */
  readonly lists?: boolean
  /** True when other JSON may stand in the frame: unless it begins with a call, it is text. */
  readonly doubtful?: boolean
}

/** What a frame asks of the JSON in it. */
export interface FrameCalls extends Pick<JsonCalls, 'unfinished'> {
  readonly reader: Pick<JsonCalls['reader'], 'read' | 'status' | 'failure'>
}

export type Groups = Readonly<Record<string, string | undefined>>

export type ReadWords = (
  words: string,
  schema: JsonSchema | undefined,
  fit: Fit | undefined,
) => Pick<JsonCall, 'json' | 'repairs'> | undefined

/** How far behind a value the closer may stand. */
const WINDOW = 256
/** White space that may stand before the tail or the next call. */
const TAIL_WINDOW = 16
/** How long a call is waited for before it is told bit by bit. */
const SHORT = 256
/** Longest text that may stand in place of the JSON. */
const MAX_WORDS = 4096

const FENCE = '```'
const FENCE_OPEN = patternReader(sequence(literally(FENCE), '\\w{0,16}', '(?=[\\s{[])'))
const FENCE_CLOSE = patternReader(sequence(literally(FENCE), SPACE, '(?=[<[])'), FENCE.length)

export function readFrame(frame: JsonFrame, context: ReadContext): Reader {
  const { none = [], closer = '' } = frame
  const reader = createSteps<Reader['state']>(frame.head ? readHead : readLead)
  let identity: Identity | undefined
  let json: FrameCalls | undefined
  /** A call that began before its arguments were read. */
  let begun: Call | undefined
  /** A complete call that waits to see whether its closer is there. */
  let waiting: JsonCall | undefined
  let failure: readonly [IssueCode, string] | undefined
  /** True when a code fence may close. */
  let { fenced } = frame
  /** True once one has opened. */
  let inFence = false
  let found = 0
  const repairs: Repair[] = []

  function readHead(text: string, at: number): number {
    const head = frame.head?.read(text, at, text.length)
    // Matched all the same: the reply ends here.
    if (!head?.whole) return fail('truncated-call', ENDS_INSIDE, text.length)
    identity = frame.identify?.(head.groups) ?? head.groups
    reader.step = readLead
    return at + head.length
  }

  // ── before the JSON ───────────────────────────────────────────────────────────────────────────

  function readLead(text: string, at: number, last: boolean): number {
    const i = skipPrefix(text, at, text.length)
    if (i === text.length) return last ? fail('truncated-call', ENDS_INSIDE, i) : i
    if ('{['.includes(text.charAt(i))) return beginJson(text, i)
    const stop = isStop(text, i, last)
    const fence = FENCE_OPEN.match(text, i, text.length, last)
    if (stop === undefined || (!stop && fence === NEED_MORE)) return i
    if (!stop && fence > 0) return openFence(i + fence)
    reader.step = stop ? readAfter : readWords()
    if (stop && identity && inFence) failure = ['invalid-arguments', ARGUMENTS_LOST]
    else if (stop && identity) takeArguments('{}', [repaired('empty-arguments')])
    return i
  }

  function skipPrefix(text: string, at: number, end: number): number {
    let i = skipSpace(text, at, end)
    const isBlank = (code: number) => isExoticSpace(code) || (frame.quoted && code === GREATER)
    while (i < end && isBlank(text.charCodeAt(i))) i = skipSpace(text, i + 1, end)
    return i
  }

  /** A closer or the next opener; undefined: not known yet. */
  function isStop(text: string, at: number, last: boolean): boolean | undefined {
    let isUndecided = at === text.length && !last
    if (!frame.stops.includes(text.charAt(at))) return false
    for (const match of [frame.open, frame.close?.match, frame.tail?.match]) {
      const length = match?.(text, at, text.length, last) ?? NO_MATCH
      if (length > 0) return true
      isUndecided ||= length === NEED_MORE
    }
    return isUndecided ? undefined : false
  }

  /** In a code block its closing fence ends the JSON as well; backticks before other text may be quotes. */
  function endsJson(text: string, at: number, last: boolean): boolean | undefined {
    if (!fenced || text.charAt(at) !== '`') return isStop(text, at, last)
    const length = FENCE_CLOSE.match(text, at, text.length, last)
    return length === NEED_MORE ? undefined : length > 0
  }

  function openFence(end: number): number {
    if (!fenced) repairs.push(repaired('unwrapped-fence'))
    fenced = inFence = true
    return end
  }

  /** Plain text: the arguments if the tool takes them so, otherwise a mistake if it has an end. */
  function readWords(): Step {
    const pieces: string[] = []
    let budget = frame.plain ? Number.POSITIVE_INFINITY : MAX_WORDS
    return (text, at, last) => {
      const end = nextStop(text, at, last)
      const stopped = isStop(text, end, last)
      if (end - at >= budget || (last && !stopped && !frame.plain)) {
        return reader.leave('declined', Math.min(end, at + budget))
      }
      pieces.push(text.slice(at, end))
      budget -= end - at
      // A marker that is only mentioned, before one that is meant wherever it stands.
      if (!identity && !frame.quoted) {
        const opened = frame.open(text, end, text.length, last)
        if (opened === NEED_MORE) return end
        if (opened > 0) return reader.leave('declined', end)
      }
      if (stopped || last) {
        takeWords(pieces.join('').trim(), !stopped)
        reader.step = readAfter
      }
      return end
    }
  }

  /** Where the next closer or opener stands, or may begin. */
  function nextStop(text: string, at: number, last: boolean): number {
    let end = at
    while (end < text.length && isStop(text, end, last) === false) end++
    return end
  }

  function takeWords(raw: string, cut: boolean): void {
    const schema = context.tools.find(identity?.name ?? '')?.schema
    const args =
      identity?.name === undefined ? undefined : frame.readWords?.(raw, schema, context.fit)
    if (args?.json === undefined) failure = ['invalid-json', NOT_JSON]
    else takeArguments(args.json, args.repairs, { raw, cut })
  }

  function takeArguments(
    args: string,
    own: readonly Repair[],
    more?: Pick<JsonCall, 'raw' | 'cut'>,
  ): void {
    const { name, id } = identity ?? {}
    const call = name === undefined ? undefined : begin(name, id)
    waiting = { whole: true, name, id, call, json: args, repairs: own, ...more }
  }

  // ── JSON ──────────────────────────────────────────────────────────────────────────────────────

  function beginJson(text: string, at: number): number {
    if (!frame.quick || !context.deltas || text.charAt(at) !== '{') return openJson(at)
    reader.step = readShort
    return at
  }

  /** Most calls are short and in order. Such a one is read in one go as soon as it is complete. */
  function readShort(text: string, at: number, last: boolean): number {
    const name = begun?.name ?? callName(text, at)
    const isClosed = context.find(text, closer, at) !== -1
    if (name !== undefined) {
      begun ??= new Call(context, name)
      const end = isClosed ? readCompleteCall(context, text, at, closer, frame.open, begun) : -1
      if (end !== -1) return reader.leave('done', end)
    }
    // What is closed and was not read so has to be read in the other way.
    return last || isClosed || text.length >= at + SHORT ? openJson(at) : at
  }

  function openJson(at: number): number {
    json = (frame.reader ?? createJsonCalls)(context, {
      keys: frame.keys ?? COMMON_KEYS,
      identity,
      needsArguments: frame.doubtful,
      lists: frame.lists,
      isCloser: endsJson,
      begin,
      onCall,
    })
    reader.step = readJson
    return at
  }

  function begin(name: string, id?: string): Call | undefined {
    const call = begun
    begun = undefined
    if (call) return call
    return none.includes(name) || reader.state !== 'open' ? undefined : new Call(context, name, id)
  }

  /** A call that is the whole value ends with its closer; one of several ends where it ends. */
  function onCall(call: JsonCall, end: number): void {
    waiting = call
    if (isOther(call.call)) reader.state = 'declined'
    else if (!call.whole) settle(end)
  }

  function readJson(text: string, at: number, last: boolean): number {
    if (!json) return at
    const end = json.reader.read(text, at, last)
    const { status } = json.reader
    if (reader.state !== 'open') return end
    if (status === 'done') reader.step = readAfter
    else if (status === 'failed') refuse(json.reader.failure === 'depth')
    else if (last) return fail('truncated-call', ENDS_INSIDE, text.length)
    return end
  }

  /** What cannot be read reaches to the next closer or opener. */
  function refuse(deep: boolean): void {
    failure = deep
      ? ['limit-exceeded', 'the arguments are nested too deeply']
      : ['invalid-json', NOT_JSON]
    reader.step = (text, at, last) => {
      const end = nextStop(text, at, last)
      if (isStop(text, end, last) || last) reader.step = readAfter
      return end
    }
  }

  // ── behind the JSON ───────────────────────────────────────────────────────────────────────────

  function readAfter(text: string, at: number, last: boolean): number {
    const window = Math.min(text.length, at + WINDOW)
    const i = skipPrefix(text, at, window)
    if (i === window) return last || i === at + WINDOW ? finish(at) : at
    // The next opener may begin like the closer, so it is looked for first.
    const opened = frame.open(text, i, text.length, last)
    if (opened > 0) return finish(at)
    const closed = frame.close?.read(text, i, text.length)
    if (opened === NEED_MORE || (closed && !closed.whole && !last)) return at
    if (closed) return finish(i + closed.length, closed.whole ? mismatch(text, i) : missing())
    return readOn(text, at, i, last)
  }

  function readOn(text: string, at: number, i: number, last: boolean): number {
    const next = text.charAt(i)
    const window = Math.min(text.length, i + WINDOW)
    const j = next === ',' || next === ';' ? skipSpace(text, i + 1, window) : i
    if (j === text.length && !last && j < i + WINDOW) return at
    const isAnother = text.charAt(j) === '{' || (next === '[' && closer !== '')
    if (isAnother && !identity && !failure) {
      settle(at)
      return openJson(j)
    }
    if (next === '}' || next === ']') {
      repairs.push({ ...repaired('dropped-bracket'), before: next })
      return i + 1
    }
    if (fenced && text.startsWith(FENCE, i)) return i + FENCE.length
    if (fenced && FENCE.startsWith(text.slice(i))) return last ? finish(text.length) : at
    // A bracket was mended, and yet other text follows: what looked like the end stood in an argument.
    if (closer && !failure && waiting?.repairs.some(({ code }) => code === 'replaced-bracket')) {
      refuse(false)
      return at
    }
    return finish(at)
  }

  function missing(): Repair[] {
    return closer === '' ? [] : [missingCloser(closer)]
  }

  function mismatch(text: string, at: number): Repair[] {
    if (text.startsWith(closer, at)) return []
    return [{ ...repaired('mismatched-closer'), after: closer }]
  }

  function finish(end: number, more: readonly Repair[] = missing()): number {
    if (failure) return fail(...failure, end)
    repairs.push(...more)
    settle(end)
    reader.step = readTail
    if (found > 0) return end
    return json && frame.lists === false
      ? fail('missing-name', 'the call names no tool', end)
      : fail('empty-call', 'a call block without a call', end)
  }

  /** Ends the call that was waiting. */
  function settle(end: number): void {
    if (!waiting) return
    const call = waiting.call ? waiting : guessTool(waiting)
    waiting = undefined
    found++
    if (none.includes(call.name ?? '')) return
    endCall(context, { ...call, around: [...(call.around ?? []), ...repairs.splice(0)] }, end)
  }

  /** Arguments without a name are those of the one tool that takes them. */
  function guessTool(call: JsonCall): JsonCall {
    const isGuess = context.repair === 'guess' && call.json !== undefined
    const after = isGuess ? frame.findTool?.(context.tools, call.json) : undefined
    if (after === undefined) return call
    const guess: Repair = { code: 'resolved-name', path: [], risk: 'guess', before: '', after }
    return { ...call, call: begin(after, call.id), around: [...(call.around ?? []), guess] }
  }

  function readTail(text: string, at: number, last: boolean): number {
    const i = skipSpace(text, at, at + TAIL_WINDOW)
    const more = frame.chained && found < context.limits.maxCalls
    const tail = frame.tail?.read(text, i, text.length)
    const next = more ? frame.head?.read(text, i, text.length) : undefined
    if (!tail?.whole && next?.whole) return readNext(i)
    if (!last && !tail?.whole && (tail ?? next)) return at
    return reader.leave('done', tail?.whole ? i + tail.length : at)
  }

  function readNext(at: number): number {
    json = begun = waiting = failure = undefined
    inFence = false
    reader.step = readHead
    return at
  }

  function fail(code: IssueCode, message: string, end: number): number {
    const unfinished = json?.unfinished()
    const call = unfinished?.call ?? waiting?.call ?? begun
    if (isOther(call)) return reader.leave('declined', end)
    if (call) call.fail(code, message, end)
    else context.issue(code, message, end, unfinished?.name ?? identity?.name)
    reader.step = readTail
    return end
  }

  /** True as long as no call speaks for a frame that may hold something else. */
  function isOther(call: Call | undefined): boolean | undefined {
    return frame.doubtful && found === 0 && !call?.draft
  }

  return reader
}

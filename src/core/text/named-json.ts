/**
 * Syntax factory: a name between markers, then the arguments as JSON.
 *
 *     <|tool_call:name|>get_weather<|tool_call:args|>{"city": "Oslo"}<|tool_call:end|>
 *
 * All that stands before the arguments is one pattern. A call ends with its closer, the end of its
 * section, the opener of the next one, or with its JSON where the format has no closer.
 */
import type { IssueCode, Repair, RepairCode } from '../issue.ts'
import { writeJson } from '../json/write.ts'
import {
  type CallDraft,
  type CallEnding,
  NEED_MORE,
  type Opener,
  type Protocol,
  type ReadContext,
  type Reader,
  type ToolTable,
} from '../protocol.ts'
import { findFittingTool, soleTextParameter } from './fitting-tool.ts'
import { createJsonArguments, type JsonArguments } from './json-arguments.ts'
import { isHopeless } from './json-block.ts'
import { type Follows, marker } from './marker.ts'
import {
  literally,
  oneOf,
  optional,
  type Pattern,
  type PatternReader,
  patternReader,
  SPACE,
  sequence,
} from './pattern.ts'
import { createSteps, type Step } from './steps.ts'

export interface NamedJsonOptions {
  /** All up to the arguments, with the groups `name` and, where there is one, `id`. */
  readonly header: Pattern
  /** What a header begins with: a call that was not closed ends there. */
  readonly open: Pattern
  /** From this length on a header in which the reply ends is a call cut off, and no text. */
  readonly cut?: number
  /** What ends a call; without it, the JSON does. */
  readonly close?: Pattern
  /** The closer as it is written, if it must not be missing. */
  readonly closer?: string
  /** What may stand behind the closer and goes with it, such as the end of a section. */
  readonly tail?: Pattern
  /** True when calls stand one behind the other, with nothing but white space between them. */
  readonly chained?: boolean
  /** True when a code fence around the arguments is part of the format. */
  readonly fenced?: boolean
  /** True when the arguments may be plain text, which the end of the reply ends as well. */
  readonly plain?: boolean
  /** What the groups of the header say. */
  readonly identify?: (groups: Groups, tools: ToolTable) => Identity
}

export type Groups = Readonly<Record<string, string | undefined>>

/** Without a name the arguments have to tell which tool is meant. */
export interface Identity {
  readonly name?: string | undefined
  readonly id?: string | undefined
}

/** A name: no white space, no brackets, no markers. */
export const NAME: Pattern = '(?<name>[^\\s<>[\\]{}"`]{1,128})'

const FENCE = literally('```')
/** Up to the first character of the arguments. */
const LEAD = patternReader(
  sequence('\\s{0,64}', `(?<fence>${optional(FENCE, '\\w{0,16}(?!\\w)', SPACE)})`, '(?=[^\\s`])'),
)
/** How far a closer is looked for. */
const WINDOW = 128
const HEADER_WINDOW = 512
/** Longest text that may stand in place of the arguments. */
const MAX_WORDS = 4096

type Failure = readonly [code: IssueCode, message: string]

const NOT_JSON: Failure = ['invalid-json', 'the arguments are not JSON']
const NO_OBJECT: Failure = ['invalid-arguments', 'the arguments are not a JSON object']
const TOO_DEEP: Failure = ['limit-exceeded', 'the arguments are nested too deeply']

/** The options, compiled. */
interface Frame extends Omit<NamedJsonOptions, 'header' | 'close' | 'tail'> {
  readonly header: PatternReader
  readonly close: PatternReader | undefined
  readonly tail: PatternReader | undefined
  /** A closer or the next opener. */
  readonly stop: PatternReader
  /** Finds the first place of one, or where one may begin. */
  readonly search: RegExp
}

export function namedJson(options: NamedJsonOptions): Pick<Opener, 'keep' | 'match' | 'open'> {
  const { header, open, cut, close, tail } = options
  const stop = oneOf(...[open, close, tail].filter((pattern) => pattern !== undefined))
  const frame: Frame = {
    ...options,
    header: patternReader(sequence(SPACE, header)),
    // Braces too many stand before the closer if anywhere.
    close:
      close === undefined
        ? undefined
        : patternReader(sequence('[\\s}\\]]{0,16}', optional(FENCE, SPACE), close)),
    tail: tail === undefined ? undefined : patternReader(sequence(SPACE, tail)),
    stop: patternReader(stop),
    search: new RegExp(stop, 'g'),
  }
  return {
    keep: true,
    match: patternReader(header, cut).match,
    open: (context) => readCall(frame, context),
  }
}

/** Openers for a reply that begins with the name of a tool, and what must stand behind the name. */
export function atStart(
  call: ReturnType<typeof namedJson>,
  behind: Pattern,
): (tools: ToolTable) => Opener[] {
  const { match } = patternReader(behind)
  const follows: Follows = (text, at, end, last) => {
    const length = match(text, at, end, last)
    return length === NEED_MORE ? undefined : length > 0
  }
  return ({ names }) =>
    names.map((name) => ({ ...call, ...marker(name, follows), boundary: 'start' }))
}

function readCall(frame: Frame, context: ReadContext): Reader {
  const reader = createSteps<Reader['state']>(readHeader)
  let call: Identity = {}
  let draft: CallDraft | undefined
  let args: JsonArguments | undefined
  /** Plain text in place of the arguments. */
  let words: string | undefined
  let failure: Failure | undefined
  let repairs: Repair[] = []
  let count = 0

  function readHeader(text: string, at: number): number {
    count++
    const found = frame.header.read(text, at, text.length)
    // Matched all the same: the reply ends here.
    if (!found?.whole) return truncated(text.length)
    call = frame.identify?.(found.groups, context.tools) ?? found.groups
    reader.step = readLead
    return at + found.length
  }

  // ── arguments ─────────────────────────────────────────────────────────────────────────────────

  function readLead(text: string, at: number, last: boolean): number {
    const found = LEAD.read(text, at, Math.min(text.length, at + WINDOW))
    if (found && !found.whole) return last ? truncated(text.length) : at
    const i = at + (found?.length ?? 0)
    const isJson = found !== undefined && '{['.includes(text.charAt(i))
    const stop = !isJson && isStop(text, i, last)
    if (stop === undefined) return at
    if (isJson) return openJson(i, found.groups['fence'] !== '')
    if (stop) return nothing(i)
    reader.step = readWords()
    return at
  }

  /** True where a closer or the next opener stands; undefined: not known yet. */
  function isStop(text: string, at: number, last: boolean): boolean | undefined {
    const length = frame.stop.match(text, at, Math.min(text.length, at + WINDOW), last)
    return length === NEED_MORE ? undefined : length > 0
  }

  function openJson(at: number, fenced: boolean): number {
    if (fenced && !frame.fenced) repairs.push(repaired('unwrapped-fence'))
    begin()
    args = createJsonArguments(context, draft, isStop)
    reader.step = readJson
    return at
  }

  function begin(): void {
    if (call.name !== undefined) draft = context.begin(call.name, call.id)
  }

  function nothing(at: number): number {
    begin()
    repairs.push(repaired('empty-arguments'))
    reader.step = readCloser
    return at
  }

  function readJson(text: string, at: number, last: boolean): number {
    if (!args) return at
    const json = args.reader
    const end = json.read(text, at, last)
    if (json.status === 'done') {
      reader.step = readCloser
    } else if (json.status === 'failed') {
      failure = json.failure === 'depth' ? TOO_DEEP : NOT_JSON
      reader.step = skipRest
    } else if (last) {
      return truncated(text.length)
    }
    return end
  }

  /** What cannot be read reaches to the next closer or opener. */
  function skipRest(text: string, at: number, last: boolean): number {
    const { end, stopped } = findStop(text, at, last)
    if (stopped || last) reader.step = readCloser
    return end
  }

  function readWords(): Step {
    const pieces: string[] = []
    let budget = frame.plain ? Number.POSITIVE_INFINITY : MAX_WORDS
    return (text, at, last) => {
      const { end, stopped } = findStop(text, at, last)
      if (end - at >= budget || (last && !stopped && !frame.plain)) {
        reader.state = 'declined'
        return Math.min(end, at + budget)
      }
      pieces.push(text.slice(at, end))
      budget -= end - at
      if (stopped || last) {
        words = pieces.join('').trim()
        begin()
        reader.step = readCloser
      }
      return end
    }
  }

  /** Where the next closer or opener stands, or may begin. */
  function findStop(text: string, at: number, last: boolean): { end: number; stopped: boolean } {
    frame.search.lastIndex = at
    const hit = frame.search.exec(text)?.index ?? text.length
    const stopped = hit < text.length && isStop(text, hit, last) === true
    return { end: last && !stopped ? text.length : hit, stopped }
  }

  // ── behind the arguments ──────────────────────────────────────────────────────────────────────

  function readCloser(text: string, at: number, last: boolean): number {
    const found = frame.close?.read(text, at, Math.min(text.length, at + WINDOW))
    if (found && !found.whole && !last) return at
    const closer = text.slice(at, at + (found?.length ?? 0))
    // Half a closer at the end of the reply is no text; white space is.
    const end = at + (found?.whole || closer.trim() !== '' ? closer.length : 0)
    if (/[}\]]/.test(closer)) repairs.push(repaired('dropped-bracket'))
    if (frame.closer && !found?.whole) repairs.push(repaired('missing-closer', frame.closer))
    settle(end, last && end === at)
    reader.step = readTail
    return end
  }

  function readTail(text: string, at: number, last: boolean): number {
    const tail = frame.tail?.read(text, at, Math.min(text.length, at + WINDOW))
    const more = frame.chained && count < context.limits.maxCalls
    const next = more
      ? frame.header.read(text, at, Math.min(text.length, at + HEADER_WINDOW))
      : undefined
    if (!tail?.whole && next?.whole) return another(at)
    if (!last && !tail?.whole && (tail ?? next)) return at
    reader.state = 'done'
    return tail?.whole ? at + tail.length : at
  }

  function another(at: number): number {
    draft = args = words = failure = undefined
    repairs = []
    reader.step = readHeader
    return at
  }

  function settle(end: number, cut: boolean): void {
    if (failure) return fail(failure, end)
    if (words !== undefined) return settleWords(words, end, cut)
    const json = args?.json() ?? '{}'
    repairs.unshift(...(args?.repairs ?? []))
    if (isHopeless(repairs)) return fail(NOT_JSON, end)
    if (!json.startsWith('{')) return fail(NO_OBJECT, end)
    if (call.name === undefined && context.repair === 'guess') guessTool(json)
    finish({ json, repairs, end, streamed: args?.streamed })
  }

  /** Plain text is the argument of a tool that takes a text and nothing else. */
  function settleWords(raw: string, end: number, cut: boolean): void {
    const key = soleTextParameter(draft?.schema)
    if (!draft || key === undefined) return fail(NOT_JSON, end)
    draft.end({ json: writeJson({ [key]: raw }), repairs, end, raw, cut })
  }

  function guessTool(json: string): void {
    const name = findFittingTool(context.tools, json)
    if (name === undefined) return
    repairs.push({ code: 'resolved-name', path: [], risk: 'guess', before: '', after: name })
    draft = context.begin(name, call.id)
  }

  function finish(ending: CallEnding): void {
    const { name } = call
    if (draft) draft.end(ending)
    else if (name) context.issue('unknown-tool', `there is no tool named ${name}`, ending.end, name)
    else context.issue('missing-name', 'the call names no tool', ending.end)
  }

  function truncated(end: number): number {
    fail(['truncated-call', 'the reply ends inside a call'], end)
    reader.state = 'done'
    return end
  }

  function fail([code, message]: Failure, end: number): void {
    if (draft) draft.fail(code, message, end)
    else context.issue(code, message, end, call.name)
  }

  return reader
}

function repaired(code: RepairCode, after?: string): Repair {
  return { code, path: [], risk: 'safe', ...(after === undefined ? {} : { after }) }
}

/** Writes a call: its name between the first two texts, its arguments between the last two. */
export function writeNamedCall(
  open: string,
  middle: string,
  close: string,
): Protocol['formatCall'] {
  return ({ name, arguments: args }) => open + name + middle + writeJson(args) + close
}

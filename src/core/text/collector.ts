/**
 * Turns what the engine finds into the result and, when somebody listens, into events. Ids, coercion,
 * duplicates and the treatment of malformed calls are decided here, once for all protocols.
 */
import { isDuplicate } from '../duplicate.ts'
import { createIdMint, type IdMintOptions } from '../ids.ts'
import type { Issue, IssueCode, Span } from '../issue.ts'
import { parseObject } from '../json/strict.ts'
import type { JsonObject } from '../json/value.ts'
import type { ExtractEvent, Extraction, ToolCall } from '../model.ts'
import type { CoreOptions, Fit, Segment } from '../options.ts'
import type { CallEnding } from '../protocol.ts'
import { ENDS_INSIDE } from './call.ts'
import { GrowingText } from './growing-text.ts'
import type { CallHead, Output, OutputCall } from './output.ts'

type CollectorOptions = IdMintOptions & Pick<CoreOptions, 'onMalformed' | 'dedupe' | 'trace'>

/** What the options do not say. */
interface Circumstances {
  readonly fit: Fit | undefined
  readonly listening: boolean
  /** True when the reply ended because it became too long. */
  cutByLength(): boolean
}

export interface Collector extends Output {
  /** The events since the last time; empty when nobody listens. */
  takeEvents(): ExtractEvent[]
  result(): TracedExtraction
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

export function createCollector(
  options: CollectorOptions,
  { fit, listening, cutByLength }: Circumstances,
): Collector {
  const { onMalformed, dedupe, trace } = options
  const mint = createIdMint(options)
  // Mostly there is one: a list of one takes a fifth of the memory of an empty one that is added to.
  let events: ExtractEvent[] | undefined
  const calls: ToolCall[] = []
  const issues: Issue[] = []
  let text = new GrowingText()
  const reasoning = new GrowingText()
  const segments: Segment[] = []
  let nextIndex = 0
  let error: Issue | undefined

  function emit(event: ExtractEvent): void {
    if (!listening) return
    if (events) events.push(event)
    else events = [event]
  }

  function mark(kind: Segment['kind'], start: number, end: number): void {
    if (trace && end > start) segments.push({ kind, start, end })
  }

  function addIssue(issue: Issue): void {
    const how = MALFORMED.has(issue.code) && onMalformed
    if (how === 'skip') return
    issues.push(issue)
    if (how === 'error') error ??= issue
  }

  function begin(head: CallHead): OutputCall {
    const { name, protocol } = head
    const index = nextIndex++
    const { id, originalId } = mint.claim(head.id, name, calls.length)
    let streaming = false
    emit({ type: 'call-start', index, id, name, protocol })

    function delta(argumentsDelta: string): void {
      streaming = true
      emit({ type: 'call-delta', index, argumentsDelta })
    }

    function end(ending: CallEnding, start: number, end: number): void {
      const raw = ending.raw ?? ending.json
      const { value, repairs, issues, lacks } = fitted(ending, head, fit)
      // What nothing closed and lacks an argument was going to have it.
      if (ending.cut && (lacks?.() || cutByLength())) {
        return fail('truncated-call', ENDS_INSIDE, start, end, raw)
      }
      mark('call', start, end)
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
      }
      if (repairs.length > 0) call.repairs = repairs
      if (originalId !== undefined) call.originalId = originalId
      if (isDuplicate(name, value, calls, dedupe)) {
        const message = `${name} was already called with these arguments`
        return abort({ code: 'duplicate-dropped', message, name, span })
      }
      if (listening) finishDeltas(value, ending, streaming, delta)
      calls.push(call)
      emit({ type: 'call-end', index, call })
      if (originalId !== undefined) {
        const message = `the id ${originalId} was taken; the call got ${id}`
        tell({ code: 'duplicate-id', message, name, callId: id })
      }
      for (const issue of issues) tell({ ...issue, name, callId: id, span })
    }

    function abort(issue: Issue): void {
      addIssue(issue)
      emit({ type: 'call-abort', index, issue })
    }

    function fail(code: IssueCode, message: string, start: number, end: number, raw: string): void {
      mark('issue', start, end)
      const span: Span = [start, end]
      const issue: Issue = { code, message, span, raw, name, callId: id, protocol }
      abort(issue)
      standIn(issue, protocol)
    }

    function retract(message: string): void {
      abort({ code: 'quoted-call', message, name, callId: id })
    }

    return { delta, end, fail, retract }
  }

  /** The presets that want a malformed call as a call get one that says what was wrong. */
  function standIn({ code, raw = '', name = 'unknown', span }: Issue, protocol = 'text'): void {
    const isRaw = onMalformed === 'raw'
    if (!(isRaw || onMalformed === 'sentinel') || !MALFORMED.has(code)) return
    const args: JsonObject = isRaw ? { raw } : { __invalid_json__: raw.slice(0, SENTINEL_LENGTH) }
    const index = nextIndex++
    const { id } = mint.claim(undefined, name, calls.length)
    const call: ToolCall = {
      id,
      name,
      arguments: args,
      origin: 'text',
      protocol,
      ...(span && { span }),
    }
    calls.push(call)
    emit({ type: 'call-start', index, id, name, protocol })
    emit({ type: 'call-delta', index, argumentsDelta: JSON.stringify(args) })
    emit({ type: 'call-end', index, call })
  }

  function tell(issue: Issue): void {
    addIssue(issue)
    emit({ type: 'issue', issue })
  }

  return {
    begin,
    text(piece, start) {
      mark('text', start, start + piece.length)
      text.add(piece)
      emit({ type: 'text-delta', text: piece })
    },
    reasoning(piece, start) {
      mark('reasoning', start, start + piece.length)
      reasoning.add(piece)
      emit({ type: 'reasoning-delta', text: piece })
    },
    markup: (start, end) => mark('markup', start, end),
    reasoningWasOpen(start, end) {
      reasoning.add(text.read())
      text = new GrowingText()
      for (const [i, segment] of segments.entries()) {
        if (segment.kind === 'text') segments[i] = { ...segment, kind: 'reasoning' }
      }
      const message = 'the text before it was reasoning'
      tell({ code: 'orphan-reasoning-end', message, span: [start, end] })
    },
    issue(issue, takesText) {
      if (takesText && issue.span) mark('issue', issue.span[0], issue.span[1])
      tell(issue)
      if (takesText) standIn(issue, issue.protocol)
    },
    takeEvents() {
      const taken = events
      events = undefined
      return taken ?? []
    },
    result: () => ({
      calls: error ? [] : calls,
      text: text.read(),
      reasoning: reasoning.read(),
      issues,
      protocol: error ? null : (calls[0]?.protocol ?? null),
      ...(error ? { error } : {}),
      ...(trace ? { segments } : {}),
    }),
  }
}

/** The arguments as an object, fitted to the tool's schema. */
function fitted(ending: CallEnding, head: CallHead, fit: Fit | undefined): ReturnType<Fit['fit']> {
  const value = ending.value ?? parseObject(ending.json) ?? {}
  const repairs = head.repairs.length > 0 ? [...head.repairs, ...ending.repairs] : ending.repairs
  if (!fit || head.schema === undefined) return { value, repairs, issues: [] }
  return fit.fit(value, head.schema, repairs)
}

/** Says what the deltas have not said yet. */
function finishDeltas(
  value: JsonObject,
  { json, value: written, streamed }: CallEnding,
  streaming: boolean,
  delta: (json: string) => void,
): void {
  if (!streaming) return delta(value === written ? json : JSON.stringify(value))
  if (streamed === undefined) return
  const rest = Object.keys(value).filter((key) => !streamed.has(key))
  const members = rest.map((key) => `${JSON.stringify(key)}:${JSON.stringify(value[key])}`)
  const comma = streamed.size > 0 && members.length > 0 ? ',' : ''
  delta(`${comma}${members.join(',')}}`)
}

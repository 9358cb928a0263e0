/** Calls that stand in the text of a reply put in their place, in the reply's own dialect. */
import { createHeard } from '../../core/heard.ts'
import type { Issue } from '../../core/issue.ts'
import { parseStrict } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject } from '../../core/json/value.ts'
import type { FinishReason, Tool, ToolCall } from '../../core/model.ts'
import { type Channel, readNative } from '../../core/native.ts'
import { createRecentMap } from '../../core/recent-map.ts'
import { remembering } from '../../core/remember.ts'
import type { TracingExtractor } from '../../core/text/extractor.ts'
import { createReplyReader, type ExtractOptions, type ReplyReader } from '../../extract.ts'
import { mergeReading, type ReadingOptions } from '../../reading-options.ts'
import { type CallIds, createCallIds } from './call-ids.ts'
import type { Exchange } from './exchange.ts'
import { createStreamMender, type StreamMender } from './rescue-stream.ts'
import { createTextRescue, type TextRescue } from './text-rescue.ts'
import { createThoughts, type ReadThoughts, type Thoughts } from './thoughts.ts'
import { createTurnCalls, type TurnCalls } from './turn-calls.ts'
import { unfailing } from './unfailing.ts'
import type { Reasoned, Wire } from './wire.ts'

export interface MendingOptions extends ReadingOptions {
  /** The model behind the server, when the name in the requests does not tell its family. */
  readonly model?: string | undefined
  /** Told of every call that was rescued. What it throws is ignored. */
  readonly onRescue?: ((rescue: Rescue) => void) | undefined
  /** Told of what was to be a call and is none, and stays text. What it throws is ignored. */
  readonly onIssue?: ((found: RescueIssue) => void) | undefined
}

export interface Rescue {
  readonly dialect: string
  readonly model: string
  readonly call: ToolCall
}

export interface RescueIssue {
  readonly dialect: string
  readonly model: string
  readonly issue: Issue
}

/** For the bytes of a stream, as they come. */
export function mendStream(exchange: Exchange, options: MendingOptions): StreamMender {
  const { wire } = exchange
  const { ids, openText, reasoned, inReasoning } = createRescuer(exchange, options)
  const turns = new Map<number, TurnCalls>()
  const thoughts = new Map<number, Thoughts>()

  function callsOf(answer: number): TurnCalls {
    const turn = turns.get(answer) ?? createTurnCalls(exchange.tools)
    turns.set(answer, turn)
    return turn
  }

  function thoughtsOf(answer: number): Thoughts {
    const own = thoughts.get(answer) ?? createThoughts(inReasoning)
    thoughts.set(answer, own)
    return own
  }

  /** What was never finished makes no calls, but that is told. */
  function over(passed: Uint8Array): Uint8Array {
    for (const one of thoughts.values()) tell(() => void one.end(undefined))
    return passed
  }

  const stream = wire.open({ ids, callsOf, thoughtsOf, reasoned })
  const open = (answer: number) => openText(callsOf(answer), thoughtsOf(answer))
  const { push, end, abandon } = unfailing(createStreamMender(wire, stream, open))
  return { push, end: () => over(end()), abandon: () => over(abandon()) }
}

/** A whole reply as it should have been; undefined when it is, or when there is no telling. */
export function mendBytes(
  bytes: Uint8Array,
  exchange: Exchange,
  options: MendingOptions,
): string | undefined {
  const body = parseStrict(new TextDecoder().decode(bytes))
  if (!isJsonObject(body)) return undefined
  try {
    const mended = mendBody(body, exchange, options)
    return mended === body ? undefined : JSON.stringify(mended)
  } catch {
    // Mending must never make a reply worse.
    return undefined
  }
}

/** The body with every call in its place, or the same body when there is nothing to do. */
export function mendBody(
  body: JsonObject,
  exchange: Exchange,
  options: MendingOptions,
): JsonObject {
  const { ids, isPlain, openText, reasoned } = createRescuer(exchange, options)
  const { wire } = exchange
  let turn: TurnCalls | undefined

  /** Some servers leave a call in the text that they have understood. */
  function turnOf(): TurnCalls {
    if (turn) return turn
    turn = createTurnCalls(exchange.tools)
    for (const call of callsBeside(body, wire)) {
      turn.addNative({ ...call, namespace: call.provider?.['namespace'] })
    }
    return turn
  }

  return wire.mend(body, {
    ids,
    reasoned,
    rescue(text, reason) {
      if (isPlain(text)) return undefined
      const ops = openText(turnOf()).whole(text, reason ?? 'stop')
      const [first, second] = ops
      if (first?.type === 'text' && !second && first.text === text) return undefined
      return ops
    },
  })
}

/** The calls that a body has beside its text. */
function callsBeside(body: JsonObject, { dialect, mayHaveCalls }: Wire): readonly ToolCall[] {
  if (mayHaveCalls?.(body) === false) return []
  return dialect.decodeResponse(body).message.toolCalls ?? []
}

interface Rescuer {
  readonly ids: CallIds
  /** True for a whole text in which there is no call. */
  readonly isPlain: (text: string) => boolean
  /** In a stream, with the calls that were passed on, and the reasoning beside which it is said. */
  readonly openText: (turn?: TurnCalls, thoughts?: Thoughts) => TextRescue
  readonly inReasoning: ReadThoughts
  readonly reasoned: Reasoned
}

function createRescuer(exchange: Exchange, options: MendingOptions): Rescuer {
  const { wire } = exchange
  const { model = exchange.model, onRescue, onIssue } = options
  const { id: dialect } = wire.dialect
  let reader: ReplyReader | undefined
  const said = createHeard([exchange.system, exchange.history])
  const ids = createCallIds(wire.dialect.rules.callId, exchange.history)

  function rescued(found: ToolCall, turn: TurnCalls | undefined): ToolCall | undefined {
    if (turn?.isNative(found)) return undefined
    const call = { ...asDeclared(found), id: ids.fit(found.id) }
    turn?.addRescued(call)
    tell(() => onRescue?.({ dialect, model, call }))
    return call
  }

  /** The call with what the API wants back with calls of its tool. */
  function asDeclared(call: ToolCall): ToolCall {
    const provider = exchange.tools.find(({ name }) => name === call.name)?.provider
    return provider ? { ...call, provider } : call
  }

  function noted(issue: Issue): void {
    tell(() => onIssue?.({ dialect, model, issue }))
  }

  /** Not before there is a text: what is wrong with the options must not keep a reply from passing. */
  function readText(): ReplyReader {
    reader ??= readerFor(exchange, model, mergeReading(options))
    return reader
  }

  function inReasoning(channel: Channel, reason: FinishReason | undefined): readonly ToolCall[] {
    const { calls, issues } = readText().readChannel(channel, reason, said)
    for (const issue of issues) noted(issue)
    return calls.flatMap((call) => rescued(call, undefined) ?? [])
  }

  return {
    ids,
    isPlain: (text) => readText().isPlain(text),
    openText: (turn, thoughts) =>
      createTextRescue(heard(readText().open(said), thoughts), {
        rescued: (call) => rescued(call, turn),
        noted,
      }),
    inReasoning,
    reasoned(answer, reason) {
      const said = readNative(answer)
      // Some servers send a call without anything in it with every reply.
      const hasCalls = said?.calls.some(({ name }) => name !== undefined) ?? false
      return said?.reasoning ? inReasoning({ ...said, hasCalls }, reason) : []
    },
  }
}

/** Tells the thoughts of an answer of its text. */
function heard(extractor: TracingExtractor, thoughts: Thoughts | undefined): TracingExtractor {
  if (!thoughts) return extractor
  return {
    ...extractor,
    push(chunk) {
      thoughts.say(chunk)
      return extractor.push(chunk)
    },
  }
}

function tell(listener: () => void): void {
  try {
    listener()
  } catch {
    // The reply must not suffer from who looks on.
  }
}

/** A client sends the same tools with every request, and so do most that use the same program. */
const readersFor = remembering((_: readonly Tool[]) =>
  createRecentMap<ReplyReader>({ maxEntries: 32 }),
)

function readerFor(exchange: Exchange, model: string, reading: ReadingOptions): ReplyReader {
  const options = { ...reading, ...readingOf(exchange, model) }
  if (reading.protocols) return createReplyReader(options)
  const readers = readersFor(exchange.tools)
  // The model comes last: only its name may have spaces.
  const key = `${exchange.wantsJson} ${reading.preset} ${reading.repair} ${model}`
  const known = readers.get(key)
  if (known) return known
  const reader = createReplyReader(options)
  readers.set(key, reader)
  return reader
}

function readingOf({ tools, wantsJson }: Exchange, model: string): ExtractOptions {
  return { tools, model, trace: true, ...(wantsJson && { rawJson: 'off' }) }
}

/** Running one recording: read, written again, cut into pieces, and sent through every other dialect. */
import type { ChatEvent, ChatResponse } from '../../src/core/chat.ts'
import type { Dialect } from '../../src/core/dialect.ts'
import type { ToolCall } from '../../src/core/model.ts'
import { createReplyIds } from '../../src/dialects/history/reply-ids.ts'
import { allDialects, findDialect } from '../../src/dialects/registry.ts'
import { compareValues, type Difference } from '../compare.ts'
import { expectedFinish, expectedUsage } from './expected.ts'
import { cutBytes, type Read, readReply, readStream, restreamed, rewritten } from './read.ts'
import type { RecordedCall, Recording } from './recording.ts'
import { type RecordedReply, repliesOf, requestsOf } from './replies.ts'

/**
 * `again`: written in the same dialect and read again, nothing changed. `pieces`: nothing changes either,
 * however the bytes are cut. `others`: written in every other dialect and read, the calls are the same. Ids
 * that a dialect does not take are rewritten, always in the same way.
 */
export const CHECKS = ['calls', 'finish', 'usage', 'again', 'pieces', 'others'] as const
export type Check = (typeof CHECKS)[number]

export interface RecordingOutcome {
  readonly recording: Recording
  readonly dialect: string
  /** What is wrong; a check that does not apply is absent. */
  readonly checks: Partial<Record<Check, readonly Difference[]>>
}

export interface RecordingOptions {
  readonly chunkings: number
  readonly seed: string
}

/** Names in the index that are ours under another name. */
const OURS: Readonly<Record<string, string>> = {
  'bedrock-converse': 'bedrock',
  'cohere-v2': 'cohere',
  // A body that only says what went wrong: read as the dialect of most services.
  error: 'openai-chat',
}

/** The dialect a recording is read with; undefined when there is none. */
export function dialectOf({ dialect, provider }: Recording): Dialect | undefined {
  const own =
    dialect === 'openai-chat' && provider === 'mistral' ? findDialect(provider) : undefined
  return own ?? findDialect(OURS[dialect] ?? dialect)
}

export function runRecording(
  recording: Recording,
  dialect: Dialect,
  options: RecordingOptions,
): RecordingOutcome {
  const checks: Partial<Record<Check, Difference[]>> = {}
  const add = (check: Check, differences: readonly Difference[] | undefined): void => {
    if (differences) checks[check] = [...(checks[check] ?? []), ...differences]
  }
  for (const [segment, reply] of repliesOf(recording, dialect).entries()) {
    const judged = judgeReply(recording, segment, reply, dialect, options)
    for (const check of CHECKS) add(check, judged[check]?.())
  }
  for (const body of requestsOf(recording)) {
    add(
      'again',
      guarded('request', () => compareRequest(body, dialect)),
    )
  }
  return { recording, dialect: dialect.id, checks }
}

type Judge = () => readonly Difference[]

function judgeReply(
  recording: Recording,
  segment: number,
  reply: RecordedReply,
  dialect: Dialect,
  { chunkings, seed }: RecordingOptions,
): Partial<Record<Check, Judge>> {
  const place = recording.segments > 1 ? `reply ${segment + 1} ` : ''
  const judge =
    (what: string, compare: () => Difference[]): Judge =>
    () =>
      guarded(`${place}${what}`, compare)
  let read: Read
  try {
    read = readReply(reply, dialect)
  } catch (error) {
    return { calls: () => [thrown(`${place}reading`, error)] }
  }
  const { response } = read
  const usage = response && expectedUsage(dialect.id, recording.usage[segment] ?? null)
  return {
    calls: judge('calls', () => compareCalls(recording, segment, read)),
    finish: judge('finish', () => compareFinish(recording, segment, read)),
    ...(usage && { usage: judge('usage', () => compareUsage(usage, response)) }),
    ...(response &&
      !response.error && {
        again: judge('again', () => compareAgain(read, response, dialect)),
        others: judge('others', () => compareOthers(read, response, dialect)),
      }),
    ...(reply.type === 'stream' && {
      pieces: judge('pieces', () =>
        cutBytes(reply.bytes, chunkings, `${seed}:${recording.id}`).flatMap((pieces) =>
          compareValues(read, readStream(pieces, dialect), 'in pieces').slice(0, 3),
        ),
      ),
    }),
  }
}

function guarded(what: string, compare: () => Difference[]): Difference[] {
  try {
    return compare().map((difference) => ({ ...difference, at: `${what}: ${difference.at}` }))
  } catch (error) {
    return [thrown(what, error)]
  }
}

function thrown(at: string, error: unknown): Difference {
  return { at, expected: 'no error', got: error instanceof Error ? error.stack : String(error) }
}

// ── what the index says ─────────────────────────────────────────────────────────────────────────

function compareCalls(recording: Recording, segment: number, read: Read): Difference[] {
  const { calls } = recording
  if (!calls) return compareValues(true, read.failure !== undefined, 'is refused')
  const expected = calls.filter((call) => call.segment === segment)
  const response = read.response ?? read.failure?.partial
  return [
    ...compareValues(
      expected.filter(isWhole).map(expectedCall),
      (response?.message.toolCalls ?? []).map((call, at) =>
        plainCall(call, expected.filter(isWhole)[at]?.id === null),
      ),
      'calls',
    ),
    ...expected
      .filter((call) => !isWhole(call))
      .flatMap(({ name }) => compareBroken(name, response)),
  ]
}

function isWhole(call: RecordedCall): boolean {
  return call.arguments !== null
}

function expectedCall({ id, name, arguments: args }: RecordedCall): object {
  return { ...(id !== null && { id }), name, arguments: args }
}

function plainCall({ id, name, arguments: args }: ToolCall, isWithoutId = false): object {
  return { ...(!isWithoutId && { id }), name, arguments: args }
}

/** A call that cannot be read is not made, and that is told. */
function compareBroken(name: string, response: ChatResponse | undefined): Difference[] {
  const told = response?.issues.some((issue) => issue.name === name) ?? false
  return compareValues(true, told, `an issue about ${name}`)
}

function compareFinish(
  { finish, hasError, calls }: Recording,
  segment: number,
  { response, failure }: Read,
): Difference[] {
  const word = finish[segment]
  if (hasError || !calls) {
    return compareValues(true, (failure ?? response?.error) !== undefined, 'is an error')
  }
  if (typeof word !== 'string') return []
  const hasCalls = calls.some((call) => call.segment === segment)
  return compareValues(expectedFinish(word, hasCalls), response?.finishReason, 'finish reason')
}

function compareUsage(usage: object, { usage: got }: ChatResponse): Difference[] {
  const counted = new Map(Object.entries(got))
  return Object.entries(usage).flatMap(([field, tokens]) =>
    compareValues(tokens, counted.get(field), field),
  )
}

// ── what must hold whatever the index says ──────────────────────────────────────────────────────

function compareAgain({ events }: Read, read: ChatResponse, dialect: Dialect): Difference[] {
  const again = rewritten(read, dialect)
  const response = withIdsOf(read, [dialect])
  // Where calls decide, the provider's word may be a wrong one, and calls that were left out decide as well.
  const hasEnd = response.finishReason !== 'tool-calls'
  // A reply without a word gets one when it is written; what it means must stay.
  const hasWord = response.stopReason !== undefined
  const whole = [
    ...compareValues(
      comparable(response, hasEnd, hasWord),
      comparable(again, hasEnd, hasWord),
      'whole',
    ),
    ...compareValues(
      dialect.encodeResponse(response),
      dialect.encodeResponse(again),
      'on the wire',
    ),
  ]
  if (events.length === 0) return whole
  const { response: streamed } = restreamed(events, dialect)
  const told = asTold(read, events, [dialect])
  return [...whole, ...compareValues(told, asTold(streamed), 'streamed')]
}

/** The reply with the ids that it has after it was written in these dialects, one after the other. */
function withIdsOf(response: ChatResponse, dialects: readonly Dialect[]): ChatResponse {
  const { toolCalls } = response.message
  if (!toolCalls) return response
  const fitted = dialects.reduce((calls, { rules }) => {
    const ids = createReplyIds(rules.callId)
    return calls.map((call) => ({ ...call, id: ids.fit(call.id) }))
  }, toolCalls)
  return { ...response, message: { ...response.message, toolCalls: fitted } }
}

/**
 * Without what is not of the reply itself: arguments are compared as values, issues were solved by the
 * first reading, and the blocks kept for the provider are compared on the wire.
 */
function comparable(
  { message, issues, ...response }: ChatResponse,
  hasEnd: boolean,
  hasWord: boolean,
): object {
  const { extra: _, toolCalls = [], ...said } = message
  const { finishReason, stopReason, ...rest } = response
  return {
    ...rest,
    ...(hasEnd && { finishReason }),
    ...(hasEnd && hasWord && { stopReason }),
    message: { ...said, toolCalls: toolCalls.map(({ rawArguments: _raw, ...call }) => call) },
  }
}

/** What the events of a stream can tell. */
function asTold(
  response: ChatResponse | undefined,
  events: readonly ChatEvent[] = [],
  dialects: readonly Dialect[] = [],
): object {
  if (!response) return {}
  const { id, model, usage, message } = response
  const { content, reasoning } = message
  return { id, model, usage, content, reasoning, calls: callsOf(response, events, dialects) }
}

function compareRequest(body: unknown, dialect: Dialect): Difference[] {
  const request = dialect.decodeRequest(body)
  return compareValues(request, dialect.decodeRequest(dialect.encodeRequest(request)), 'again')
}

function compareOthers({ events }: Read, response: ChatResponse, dialect: Dialect): Difference[] {
  return allDialects
    .filter((other) => other !== dialect)
    .flatMap((other) => {
      const there = rewritten(response, other)
      const back = rewritten(there, dialect)
      const streamed = events.length === 0 ? undefined : restreamed(events, other).response
      return [
        ...compareValues(callsOf(response, [], [other]), callsOf(there), `in ${other.id}`),
        ...compareValues(
          callsOf(response, [], [other, dialect]),
          callsOf(back),
          `from ${other.id}`,
        ),
        ...(streamed
          ? compareValues(
              callsOf(response, events, [other]),
              callsOf(streamed),
              `streamed in ${other.id}`,
            )
          : []),
      ]
    })
}

/**
 * Calls as values, with the ids that they have in these dialects; in streams under the ids they began with,
 * should the end give others.
 */
function callsOf(
  response: ChatResponse,
  events: readonly ChatEvent[] = [],
  dialects: readonly Dialect[] = [],
): object[] {
  const begun = events.flatMap((event) => (event.type === 'call-start' ? [event.id] : []))
  const toolCalls = (response.message.toolCalls ?? []).map((call, at) => {
    return { ...call, id: begun[at] ?? call.id }
  })
  const named = { ...response, message: { ...response.message, toolCalls } }
  return (withIdsOf(named, dialects).message.toolCalls ?? []).map((call) => plainCall(call))
}

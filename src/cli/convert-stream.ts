/** Streams from one dialect to another. */
import { createFrameReader, writeFrame } from '../client/frames.ts'
import type { ChatEvent, ChatResponse } from '../core/chat.ts'
import type { Dialect } from '../core/dialect.ts'
import type { Issue } from '../core/issue.ts'
import { UsageError } from './command.ts'

export interface StreamedReply {
  readonly from: Dialect
  readonly events: readonly ChatEvent[]
}

/** The events of a recorded stream; without a dialect, the one that understands it is looked for. */
export function readStream(bytes: Uint8Array, candidates: readonly Dialect[]): StreamedReply {
  const read = candidates.map((from) => ({ from, events: eventsOf(bytes, from) }))
  // The dialect that most others resemble comes last, and is meant when several fit.
  const found = read.findLast(({ events }) => isReply(events)) ?? read.findLast(saysSomething)
  if (found) return found
  const [only, ...others] = candidates
  if (only && others.length === 0) {
    throw new UsageError(`there is nothing of a reply in this stream as ${only.id} reads it`)
  }
  throw new UsageError(
    'this is neither JSON nor a stream of a known dialect; if it is a stream, say --from',
  )
}

function eventsOf(bytes: Uint8Array, dialect: Dialect): ChatEvent[] {
  const reader = createFrameReader(dialect.framing)
  const decoder = dialect.createStreamDecoder()
  const frames = [...reader.push(bytes), ...reader.end()]
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
}

function isReply(events: readonly ChatEvent[]): boolean {
  return events.at(-1)?.type === 'finish'
}

/** A stream that was cut off still has what came before. */
function saysSomething({ events }: StreamedReply): boolean {
  return events.some(({ type }) => type === 'text-delta' || type === 'call-start')
}

/** A stream translated while it arrives. */
export async function* translate(
  chunks: AsyncIterable<Uint8Array>,
  from: Dialect,
  to: Dialect,
  report: (issue: Issue) => void,
): AsyncGenerator<Uint8Array> {
  const reader = createFrameReader(from.framing)
  const decoder = from.createStreamDecoder({ report })
  const encoder = to.createStreamEncoder({ report })
  const written = (events: readonly ChatEvent[]): Uint8Array =>
    Buffer.concat(
      events.flatMap((event) => encoder.push(event)).map((frame) => writeFrame(to.framing, frame)),
    )
  for await (const chunk of chunks) {
    yield written(reader.push(chunk).flatMap((frame) => decoder.push(frame)))
  }
  yield written([...reader.end().flatMap((frame) => decoder.push(frame)), ...decoder.end()])
}

/** The stream as bytes. */
export function writeStream(
  events: readonly ChatEvent[],
  to: Dialect,
  report: (issue: Issue) => void,
): Uint8Array {
  const encoder = to.createStreamEncoder({ report })
  const frames = events.flatMap((event) => encoder.push(event))
  return Buffer.concat(frames.map((frame) => writeFrame(to.framing, frame)))
}

/** The reply that a stream was, and what went wrong with it. */
export function wholeReply(
  events: readonly ChatEvent[],
  report: (issue: Issue) => void,
): ChatResponse | undefined {
  const last = events.at(-1)
  if (last?.type === 'finish') return last.response
  const failure = last?.type === 'error' ? last.error : undefined
  if (failure) report({ code: 'invalid-response', message: failure.message })
  return failure?.partial
}

/** Streams that are over: from the frames of one dialect to events, and to the frames of another. */
import type { ChatEvent, ChatResponse } from '../core/chat.ts'
import type { CodecOptions, Dialect, Frame, Framing } from '../core/dialect.ts'

export interface StreamedReply {
  readonly from: Dialect
  readonly events: readonly ChatEvent[]
}

/**
 * The events of a recorded stream, as the candidate reads it that understands it; undefined when none
 * does. `framesBy` cuts the recording into frames.
 */
export function readFrames(
  framesBy: (framing: Framing) => readonly Frame[],
  candidates: readonly Dialect[],
): StreamedReply | undefined {
  const read = candidates.map((from) => ({ from, events: eventsOf(framesBy(from.framing), from) }))
  // The dialect that most others resemble is behind them, and is meant when several fit. Some take the
  // end of another one's stream for that of an empty reply.
  return (
    read.findLast((one) => isReply(one) && saysSomething(one)) ??
    read.findLast(saysSomething) ??
    read.findLast(isReply)
  )
}

function eventsOf(frames: readonly Frame[], dialect: Dialect): ChatEvent[] {
  const decoder = dialect.createStreamDecoder()
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
}

function isReply({ events }: StreamedReply): boolean {
  return events.at(-1)?.type === 'finish'
}

/** Also true for a stream that was cut off: it still has what came before. */
function saysSomething({ events }: StreamedReply): boolean {
  return events.some(({ type }) => WORDS.has(type))
}

const WORDS: ReadonlySet<ChatEvent['type']> = new Set([
  'text-delta',
  'reasoning-delta',
  'call-start',
])

export function writeFrames(
  events: readonly ChatEvent[],
  to: Dialect,
  { report }: CodecOptions = {},
): Frame[] {
  const encoder = to.createStreamEncoder({ report })
  return events.flatMap((event) => encoder.push(event))
}

/** The reply that a stream was; what went wrong with it is reported. */
export function wholeReply(
  events: readonly ChatEvent[],
  { report }: CodecOptions = {},
): ChatResponse | undefined {
  const last = events.at(-1)
  if (last?.type === 'finish') return last.response
  const failure = last?.type === 'error' ? last.error : undefined
  if (failure) report?.({ code: 'invalid-response', message: failure.message })
  return failure?.partial
}

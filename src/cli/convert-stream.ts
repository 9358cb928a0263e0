/** Streams from one dialect to another. */
import { createFrameReader, writeFrame } from '../client/frames.ts'
import type { ChatEvent } from '../core/chat.ts'
import type { Dialect, Frame, Framing } from '../core/dialect.ts'
import type { Issue } from '../core/issue.ts'
import { jsonErrorAt } from '../core/json/error-position.ts'
import { locator } from '../core/position.ts'
import { readFrames, type StreamedReply, writeFrames } from '../dialects/recorded-stream.ts'
import { UsageError } from './command.ts'

/** The events of a recorded stream; without a dialect, the one that understands it is looked for. */
export function readStream(bytes: Uint8Array, candidates: readonly Dialect[]): StreamedReply {
  const found = readFrames((framing) => framesOf(bytes, framing), candidates)
  if (found) return found
  const [only, ...others] = candidates
  if (only && others.length === 0) {
    throw nothingRead(only)
  }
  throw new UsageError(
    `this is neither JSON${whereNot(bytes)} nor a stream of a known dialect; if it is a stream, say --from`,
  )
}

function nothingRead({ id }: Dialect): UsageError {
  return new UsageError(`there is nothing of a reply in this stream as ${id} reads it`)
}

/** The place where it stops being JSON, if it began so. */
function whereNot(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes)
  return /^\s*[[{]/.test(text) ? ` (not from ${locator(text)(jsonErrorAt(text))} on)` : ''
}

function framesOf(bytes: Uint8Array, framing: Framing): Frame[] {
  const reader = createFrameReader(framing)
  return [...reader.push(bytes), ...reader.end()]
}

/**
 * A stream translated while it arrives.
 *
 * @throws UsageError behind its end when there was nothing of a reply in it.
 */
export async function* translate(
  chunks: AsyncIterable<Uint8Array>,
  from: Dialect,
  to: Dialect,
  report: (issue: Issue) => void,
): AsyncGenerator<Uint8Array> {
  const reader = createFrameReader(from.framing)
  const decoder = from.createStreamDecoder({ report })
  const encoder = to.createStreamEncoder({ report })
  let hasReply = false
  const written = (events: readonly ChatEvent[]): Uint8Array => {
    hasReply ||= events.some(({ type }) => type !== 'error')
    const frames = events.flatMap((event) => encoder.push(event))
    return Buffer.concat(frames.map((frame) => writeFrame(to.framing, frame)))
  }
  for await (const chunk of chunks) {
    yield written(reader.push(chunk).flatMap((frame) => decoder.push(frame)))
  }
  yield written([...reader.end().flatMap((frame) => decoder.push(frame)), ...decoder.end()])
  if (!hasReply) throw nothingRead(from)
}

/** The stream as bytes. */
export function writeStream(
  events: readonly ChatEvent[],
  to: Dialect,
  report: (issue: Issue) => void,
): Uint8Array {
  const frames = writeFrames(events, to, { report })
  return Buffer.concat(frames.map((frame) => writeFrame(to.framing, frame)))
}

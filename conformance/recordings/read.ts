/** Reading a reply as a client does: from its bytes, in whatever pieces they come. */
import { createFrameReader } from '../../src/client/frames.ts'
import type { ChatEvent, ChatResponse, StreamFailure } from '../../src/core/chat.ts'
import type { Dialect } from '../../src/core/dialect.ts'
import { randomNumbers } from '../chunkings.ts'
import { type RecordedReply, written } from './replies.ts'

export interface Read {
  readonly response: ChatResponse | undefined
  readonly failure: StreamFailure | undefined
  readonly events: readonly ChatEvent[]
}

/** Ids that can be compared. */
const OPTIONS = { ids: 'sequential' } as const

export function readReply(reply: RecordedReply, dialect: Dialect): Read {
  if (reply.type === 'stream') return readStream([reply.bytes], dialect)
  const response = dialect.decodeResponse(reply.body, OPTIONS)
  return { response, failure: undefined, events: [] }
}

export function readStream(pieces: readonly Uint8Array[], dialect: Dialect): Read {
  const reader = createFrameReader(dialect.framing)
  const decoder = dialect.createStreamDecoder(OPTIONS)
  const events: ChatEvent[] = []
  for (const piece of pieces) {
    for (const frame of reader.push(piece)) events.push(...decoder.push(frame))
  }
  for (const frame of reader.end()) events.push(...decoder.push(frame))
  events.push(...decoder.end())
  const last = events.at(-1)
  return {
    response: last?.type === 'finish' ? last.response : undefined,
    failure: last?.type === 'error' ? last.error : undefined,
    events,
  }
}

/** The reply written in a dialect, whole, and read again. */
export function rewritten(response: ChatResponse, dialect: Dialect): ChatResponse {
  return dialect.decodeResponse(dialect.encodeResponse(response), OPTIONS)
}

/** The stream written in a dialect and read again. */
export function restreamed(events: readonly ChatEvent[], dialect: Dialect): Read {
  const encoder = dialect.createStreamEncoder()
  const frames = events.flatMap((event) => encoder.push(event))
  return readStream([written(frames, dialect)], dialect)
}

/** Longest piece of a chunking, in bytes: characters of several bytes are cut as well. */
const LONGEST = [1, 3, 16, 100, 1000]
const MOST_PIECES = 4000

/** The bytes in random pieces, the same ones for the same seed. */
export function cutBytes(bytes: Uint8Array, count: number, seed: string): Uint8Array[][] {
  const random = randomNumbers(seed)
  return Array.from({ length: count }, () => {
    const drawn = LONGEST[Math.floor(random() * LONGEST.length)] ?? 1
    const longest = Math.max(drawn, Math.ceil((2 * bytes.length) / MOST_PIECES))
    const pieces: Uint8Array[] = []
    for (let start = 0; start < bytes.length; ) {
      const end = start + 1 + Math.floor(random() * longest)
      pieces.push(bytes.subarray(start, end))
      start = end
    }
    return pieces
  })
}

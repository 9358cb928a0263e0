/** How the scripted provider writes its answers. */
import type { ServerResponse } from 'node:http'
import { writeFrame } from '../client/frames.ts'
import { replyEvents } from '../client/reply-events.ts'
import type { ChatResponse } from '../core/chat.ts'
import type { Dialect } from '../core/dialect.ts'
import type { JsonObject } from '../core/json/value.ts'

export function sendJson(response: ServerResponse, status: number, body: JsonObject): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

export const CONTENT_TYPES = {
  sse: 'text/event-stream',
  ndjson: 'application/x-ndjson',
  aws: 'application/vnd.amazon.eventstream',
} as const

export function beginStream(response: ServerResponse, dialect: Dialect): void {
  response.writeHead(200, { 'content-type': CONTENT_TYPES[dialect.framing] })
}

/** The bytes of a whole stream, frame by frame. */
export function streamBytes(dialect: Dialect, reply: ChatResponse, pieceLength = 8): Uint8Array[] {
  const encoder = dialect.createStreamEncoder()
  const frames = replyEvents(reply, pieceLength).flatMap((event) => encoder.push(event))
  return frames.map((frame) => writeFrame(dialect.framing, frame))
}

/** A client that has seen enough hangs up, and then nothing drains any more. */
export function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })
}

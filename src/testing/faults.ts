/** The ways in which providers fail. */
import type { ServerResponse } from 'node:http'
import { writeFrame } from '../client/frames.ts'
import type { ChatResponse } from '../core/chat.ts'
import type { Dialect } from '../core/dialect.ts'
import { beginStream, drained, sendJson, streamBytes } from './upstream-reply.ts'

export type Fault =
  /** An answer with this status; `retryAfter` in seconds. */
  | {
      readonly kind: 'status'
      readonly status: number
      readonly message?: string
      readonly code?: string
      readonly retryAfter?: number
    }
  /** The connection breaks in the middle of the reply. */
  | { readonly kind: 'cut' }
  /** The stream ends properly, but in the middle of a line. */
  | { readonly kind: 'half-line' }
  /** The reply comes byte by byte, with this pause between pieces. */
  | { readonly kind: 'drip'; readonly pauseMs: number; readonly pieces?: number }
  /** A page of HTML with status 200. */
  | { readonly kind: 'html' }
  /** The proper reply, under the name of another type. */
  | { readonly kind: 'wrong-type'; readonly contentType: string }
  /** Status 200, and then an error as one of the events. */
  | { readonly kind: 'error-in-stream'; readonly message?: string; readonly code?: string }
  /** More bytes than anybody should read. */
  | { readonly kind: 'huge'; readonly bytes: number }
  /** All of the reply, on a connection that stays open. */
  | { readonly kind: 'open-end' }
  /** No answer at all. */
  | { readonly kind: 'silence' }

interface Stage {
  readonly response: ServerResponse
  readonly dialect: Dialect
  readonly streams: boolean
  readonly reply: ChatResponse
}

const PIECE = new Uint8Array(64 * 1024).fill(32)

export async function playFault(fault: Fault, stage: Stage): Promise<void> {
  const { response, dialect, streams } = stage
  switch (fault.kind) {
    case 'status':
      return sendStatus(response, fault)
    case 'html':
      response
        .writeHead(200, { 'content-type': 'text/html' })
        .end('<html><body>Sign in</body></html>')
      return
    case 'silence':
      return
    case 'huge':
      return sendHuge(response, fault.bytes)
    case 'error-in-stream':
      return sendErrorInStream(stage, fault.message, fault.code)
    case 'wrong-type':
      response.writeHead(200, { 'content-type': fault.contentType }).end(replyBytes(stage))
      return
    default:
      if (streams) beginStream(response, dialect)
      else response.writeHead(200, { 'content-type': 'application/json' })
      return sendBroken(response, replyBytes(stage), fault)
  }
}

function replyBytes({ dialect, streams, reply }: Stage): Buffer {
  const bytes = streams
    ? streamBytes(dialect, reply)
    : [encoder.encode(JSON.stringify(dialect.encodeResponse(reply)))]
  return Buffer.concat(bytes)
}

const encoder = new TextEncoder()

function sendStatus(response: ServerResponse, fault: Fault & { kind: 'status' }): void {
  const { status, message = `status ${status}`, code, retryAfter } = fault
  if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter))
  response.setHeader('x-request-id', 'req_scripted')
  sendJson(response, status, {
    error: { message, ...(code !== undefined && { code, type: code }) },
  })
}

async function sendHuge(response: ServerResponse, total: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' })
  for (let sent = 0; sent < total && !response.destroyed; sent += PIECE.length) {
    if (!response.write(PIECE)) await drained(response)
  }
  response.end()
}

function sendErrorInStream(
  { response, dialect, reply }: Stage,
  message = 'overloaded',
  code = 'overloaded_error',
): void {
  beginStream(response, dialect)
  const bytes = streamBytes(dialect, reply)
  for (const piece of bytes.slice(0, Math.ceil(bytes.length / 2))) response.write(piece)
  response.end(errorFrame(dialect, message, code))
}

function errorFrame(dialect: Dialect, message: string, code: string): Uint8Array {
  const frames = dialect.createStreamEncoder().push({ type: 'error', error: { message, code } })
  return Buffer.concat(frames.map((frame) => writeFrame(dialect.framing, frame)))
}

async function sendBroken(
  response: ServerResponse,
  bytes: Buffer,
  fault: Fault & { kind: 'cut' | 'half-line' | 'drip' | 'open-end' },
): Promise<void> {
  const half = Math.floor(bytes.length / 2) + 3
  if (fault.kind === 'half-line') {
    response.end(bytes.subarray(0, half))
    return
  }
  if (fault.kind === 'open-end') {
    response.write(bytes)
    return
  }
  if (fault.kind === 'cut') {
    response.write(bytes.subarray(0, half), () => response.destroy())
    return
  }
  const size = Math.max(1, Math.ceil(bytes.length / (fault.pieces ?? bytes.length)))
  for (let at = 0; at < bytes.length && !response.destroyed; at += size) {
    response.write(bytes.subarray(at, at + size))
    await new Promise((resolve) => setTimeout(resolve, fault.pauseMs))
  }
  response.end()
}

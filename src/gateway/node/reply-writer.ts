/**
 * Writes replies as fast as their clients take them. A response is ended only when the socket has taken all of
 * it: from then on Node counts the connection as idle, and a server that stops closes idle connections.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { wholeSource } from '../byte-source.ts'
import { GatewayError } from '../gateway-error.ts'
import { type ByteSink, type ByteSource, type GatewayReply, isWhole } from '../http.ts'
import type { HangUp } from './hang-up.ts'
import type { UnreadReplies, UnreadReply } from './unread-replies.ts'

export interface WritingOptions {
  readonly incoming: IncomingMessage
  readonly hangUp: HangUp
  /** Aborted when the client hangs up. */
  readonly signal: AbortSignal
  /** How long a client may take nothing. */
  readonly stalledMs: number
  readonly unread: UnreadReplies
}

const TRAILERS =
  'x-toolglot-rescued, x-toolglot-repairs, x-toolglot-issues, x-toolglot-model, x-toolglot-lane, x-toolglot-fallbacks, x-toolglot-max-tokens, x-toolglot-loop'

/** Resolves when the reply is on its way, or the client is gone. */
export async function writeReply(
  reply: GatewayReply,
  response: ServerResponse,
  options: WritingOptions,
): Promise<void> {
  const { incoming, hangUp, signal, unread } = options
  const { bytes, source } = contentOf(reply)
  const writer = new ReplyWriter(source, response, {
    trailers: bytes ? undefined : reply.trailers,
    unread: bytes && unread.add(bytes.length, () => hangUp.giveUp(tooSlow())),
    stalledMs: options.stalledMs,
    giveUp: (ms) => hangUp.giveUp(stalled(ms)),
  })
  if (!watchFor(writer, response, signal)) return
  if (!response.socket && !(await isItsTurn(response, signal))) return
  // What is left of a body that was refused must not be taken for the next request.
  const ending = incoming.complete ? {} : { connection: 'close' }
  const length = bytes && { 'content-length': bytes.length }
  response.writeHead(reply.status, { ...length, ...reply.headers, ...writer.headers(), ...ending })
  if (bytes?.length === 0 || incoming.method === 'HEAD') response.end()
  else writer.start()
  // Whoever still sends reads our answer only when that is taken.
  if (bytes && !incoming.complete) incoming.resume()
  // They go along with the first bytes, unless there are none yet.
  if (!bytes && response.writableLength === 0) response.flushHeaders()
}

/** Lets go of everything when the reply is written or the client leaves; false when it has left. */
function watchFor(writer: ReplyWriter, response: ServerResponse, signal: AbortSignal): boolean {
  const stop = (): void => writer.stop()
  if (signal.aborted || response.destroyed) {
    stop()
    return false
  }
  signal.addEventListener('abort', stop, { once: true })
  response.once('finish', () => {
    signal.removeEventListener('abort', stop)
    stop()
  })
  return true
}

/**
 * A client may send requests without waiting for the replies, which leave in the order of the requests.
 * Before its turn a reply is not written: Node would keep all of it.
 */
function isItsTurn(response: ServerResponse, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const leave = (): void => resolve(false)
    signal.addEventListener('abort', leave, { once: true })
    response.once('socket', () => {
      signal.removeEventListener('abort', leave)
      resolve(true)
    })
  })
}

interface Content {
  readonly source: ByteSource
  /** Where the reply is all there. */
  readonly bytes?: Uint8Array
}

function contentOf({ body }: GatewayReply): Content {
  if (!isWhole(body)) return { source: body }
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  return { source: wholeSource(bytes), bytes }
}

interface WriterOptions {
  readonly trailers: GatewayReply['trailers']
  readonly unread: UnreadReply | undefined
  readonly stalledMs: number
  /** The client has taken nothing for so long. */
  readonly giveUp: (ms: number) => void
}

class ReplyWriter implements ByteSink {
  readonly #source: ByteSource
  readonly #response: ServerResponse
  readonly #options: WriterOptions
  /** Pieces that the socket has not taken. */
  #untaken = 0
  #isEnding = false
  /** Runs while the client must take something before more can be written. */
  #patience: ReturnType<typeof setTimeout> | undefined

  constructor(source: ByteSource, response: ServerResponse, options: WriterOptions) {
    this.#source = source
    this.#response = response
    this.#options = options
  }

  headers(): Record<string, string> {
    return this.#hasTrailers() ? { trailer: TRAILERS } : {}
  }

  start(): void {
    this.#response.on('drain', () => {
      this.#stopWaiting()
      if (this.#isEnding) this.#wait()
      else this.#source.resume()
    })
    this.#source.start(this)
  }

  data(bytes: Uint8Array): void {
    this.#untaken++
    if (this.#response.write(bytes, this.#onTaken)) return
    this.#source.pause()
    this.#wait()
  }

  end(): void {
    this.#isEnding = true
    this.#wait()
    if (this.#untaken === 0) this.#finish()
  }

  /** Without a proper end, so that nobody takes it for one. */
  fail(): void {
    this.#response.destroy()
  }

  /** It is written, or nobody wants more. */
  stop(): void {
    this.#stopWaiting()
    this.#source.cancel()
    this.#options.unread?.done()
  }

  readonly #onTaken = (): void => {
    this.#untaken--
    this.#options.unread?.taken()
    this.#patience?.refresh()
    if (this.#isEnding && this.#untaken === 0) this.#finish()
  }

  #finish(): void {
    const { trailers } = this.#options
    const last = this.#hasTrailers() ? (trailers?.() ?? {}) : {}
    if (Object.keys(last).length > 0) this.#response.addTrailers(last)
    this.#response.end()
  }

  /** Trailers follow the last chunk, and HTTP/1.0, which proxies still speak, has no chunks. */
  #hasTrailers(): boolean {
    return this.#options.trailers !== undefined && this.#response.useChunkedEncodingByDefault
  }

  #wait(): void {
    const { stalledMs, giveUp } = this.#options
    this.#patience ??= setTimeout(() => giveUp(stalledMs), stalledMs)
  }

  #stopWaiting(): void {
    clearTimeout(this.#patience)
    this.#patience = undefined
  }
}

function stalled(ms: number): GatewayError {
  return new GatewayError('client_closed', `the client took nothing of the reply for ${ms} ms`)
}

function tooSlow(): GatewayError {
  const message = 'the client takes the reply too slowly: limits.unreadBytes are used up'
  return new GatewayError('client_closed', message)
}

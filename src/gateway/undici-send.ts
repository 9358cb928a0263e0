/** Requests to providers over undici, without streams in between. */
import { Readable } from 'node:stream'
import { Agent, type Dispatcher } from 'undici'
import { joinedBytes } from '../client/joined-bytes.ts'
import { sourceStream } from './byte-source.ts'
import type { ByteSink, ByteSource, Send, UpstreamReply, UpstreamRequest } from './http.ts'

export interface UndiciSend {
  readonly send: Send
  close(): Promise<void>
}

const CONNECT_MS = 10_000

export function createUndiciSend(): UndiciSend {
  const agent = new Agent({
    connect: { timeout: CONNECT_MS },
    // As many connections as there are requests; each waits for its own model.
    connections: null,
    pipelining: 1,
    keepAliveTimeout: 30_000,
    allowH2: false,
  })
  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        dispatch(agent, request, new Exchange(request.signal, resolve, reject))
      }),
    close: () => agent.destroy(),
  }
}

function dispatch(
  agent: Dispatcher,
  { method, url, headers, body, headersMs = 0, idleMs = 0 }: UpstreamRequest,
  exchange: Exchange,
): void {
  if (!exchange.begin()) return
  agent.dispatch(
    {
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers,
      body: bodyOf(body),
      headersTimeout: headersMs,
      bodyTimeout: idleMs,
    },
    exchange,
  )
}

function bodyOf(body: UpstreamRequest['body']): string | Uint8Array | Readable | null {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array)
    return body ?? null
  return Readable.from(sourceStream(body))
}

const ABORTED = new DOMException('the request was given up', 'AbortError')

/** So much of an answer is read before anybody wants it. */
const EARLY_BYTES = 64 * 1024

/**
 * A request, and the body of its answer. What comes before anybody wants it is kept, and when that is too
 * much no more is read. Of a busy provider many chunks arrive with one read of the socket: they go on as
 * one piece, as soon as all of them are there.
 */
class Exchange implements Dispatcher.DispatchHandler, ByteSource {
  readonly #signal: AbortSignal | undefined
  readonly #resolve: (reply: UpstreamReply) => void
  readonly #reject: (error: unknown) => void
  #controller: Dispatcher.DispatchController | undefined
  #sink: ByteSink | undefined
  #waiting: Uint8Array[] = []
  #earlyBytes = 0
  #ending: ((sink: ByteSink) => void) | undefined
  #isLeft = false
  readonly #onAbort = (): void => {
    this.#reject(this.#signal?.reason)
    this.#controller?.abort(ABORTED)
  }

  constructor(
    signal: AbortSignal | undefined,
    resolve: (reply: UpstreamReply) => void,
    reject: (error: unknown) => void,
  ) {
    this.#signal = signal
    this.#resolve = resolve
    this.#reject = reject
  }

  /** False when nobody wants it any more. */
  begin(): boolean {
    const signal = this.#signal
    if (signal?.aborted) this.#reject(signal.reason)
    else signal?.addEventListener('abort', this.#onAbort, { once: true })
    return !signal?.aborted
  }

  // ── what undici tells ─────────────────────────────────────────────────────────────────────────

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#signal?.aborted) controller.abort(ABORTED)
  }

  onResponseStart(_: unknown, status: number, given: GivenHeaders): void {
    // Before the answer proper there may be others.
    if (status < 200) return
    this.#resolve({ status, headers: flat(given), body: this })
  }

  onResponseData(controller: Dispatcher.DispatchController, bytes: Uint8Array): void {
    if (this.#isLeft) return
    this.#waiting.push(bytes)
    if (this.#sink) {
      if (this.#waiting.length === 1) queueMicrotask(() => this.#pass())
      return
    }
    this.#earlyBytes += bytes.length
    if (this.#earlyBytes > EARLY_BYTES) controller.pause()
  }

  onResponseEnd(): void {
    this.#finish((sink) => sink.end())
  }

  onResponseError(_: unknown, error: Error): void {
    const reason: unknown = this.#signal?.aborted ? this.#signal.reason : error
    this.#reject(reason)
    this.#finish((sink) => sink.fail(reason))
  }

  // ── the body ──────────────────────────────────────────────────────────────────────────────────

  start(sink: ByteSink): void {
    this.#sink = sink
    const ending = this.#ending
    // Before anything is passed: who is given it may want no more for now.
    if (!ending) this.#controller?.resume()
    this.#pass()
    if (!this.#isLeft) ending?.(sink)
  }

  pause(): void {
    this.#controller?.pause()
  }

  resume(): void {
    this.#controller?.resume()
  }

  cancel(): void {
    if (this.#isLeft) return
    this.#isLeft = true
    if (!this.#ending) this.#controller?.abort(ABORTED)
  }

  #pass(): void {
    const pieces = this.#waiting
    if (!this.#sink || this.#isLeft || pieces.length === 0) return
    this.#waiting = []
    this.#sink.data(joinedBytes(pieces))
  }

  #finish(tell: (sink: ByteSink) => void): void {
    this.#signal?.removeEventListener('abort', this.#onAbort)
    if (this.#isLeft || this.#ending) return
    this.#pass()
    this.#ending = tell
    if (this.#sink && !this.#isLeft) tell(this.#sink)
  }
}

type GivenHeaders = Readonly<Record<string, string | string[] | undefined>>

function flat(headers: GivenHeaders): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    kept[name] = Array.isArray(value) ? value.join(', ') : (value ?? '')
  }
  return kept
}

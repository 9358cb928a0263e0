/** Requests to providers over undici, without streams in between. */
import { Agent, type Dispatcher } from 'undici'
import { joinedBytes } from '../client/joined-bytes.ts'
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
        dispatch(agent, request, resolve, reject)
      }),
    close: () => agent.destroy(),
  }
}

function dispatch(
  agent: Dispatcher,
  { method, url, headers, body, signal, headersMs = 0, idleMs = 0 }: UpstreamRequest,
  resolve: (reply: UpstreamReply) => void,
  reject: (error: unknown) => void,
): void {
  if (signal?.aborted) return reject(signal.reason)
  const source = new ResponseSource()
  let abort: ((reason: Error) => void) | undefined
  let reason: unknown
  const onAbort = (): void => {
    reason = signal?.reason
    reject(reason)
    abort?.(ABORTED)
  }
  signal?.addEventListener('abort', onAbort, { once: true })
  const done = (): void => signal?.removeEventListener('abort', onAbort)
  const options: Dispatcher.DispatchOptions = {
    origin: url.origin,
    path: url.pathname + url.search,
    method,
    headers,
    body: body ?? null,
    headersTimeout: headersMs,
    bodyTimeout: idleMs,
  }
  agent.dispatch(options, {
    onRequestStart(controller) {
      abort = (why) => controller.abort(why)
      source.attach(controller)
      if (signal?.aborted) controller.abort(ABORTED)
    },
    onResponseStart(_, status, given) {
      // Before the answer proper there may be others.
      if (status < 200) return
      resolve({ status, headers: flat(given), body: source })
    },
    onResponseData(_, chunk) {
      source.push(chunk)
    },
    onResponseEnd() {
      done()
      source.end()
    },
    onResponseError(_, error) {
      done()
      reject(reason ?? error)
      source.fail(reason ?? error)
    },
  })
}

const ABORTED = new DOMException('the request was given up', 'AbortError')

function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(headers)
  return Object.fromEntries(
    entries.map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  )
}

/**
 * The body of an answer; what comes before anybody wants it is kept, and then no more is read. Of a busy
 * provider many chunks arrive with one read of the socket: they go on as one piece, as soon as all of them
 * are there.
 */
class ResponseSource implements ByteSource {
  #controller: Dispatcher.DispatchController | undefined
  #sink: ByteSink | undefined
  #waiting: Uint8Array[] = []
  #ending: ((sink: ByteSink) => void) | undefined
  #isLeft = false

  attach(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
  }

  push(bytes: Uint8Array): void {
    if (this.#isLeft) return
    this.#waiting.push(bytes)
    if (!this.#sink) this.#controller?.pause()
    else if (this.#waiting.length === 1) queueMicrotask(() => this.#pass())
  }

  #pass(): void {
    const pieces = this.#waiting
    if (!this.#sink || this.#isLeft || pieces.length === 0) return
    this.#waiting = []
    this.#sink.data(joinedBytes(pieces))
  }

  end(): void {
    this.#finish((sink) => sink.end())
  }

  fail(error: unknown): void {
    this.#finish((sink) => sink.fail(error))
  }

  start(sink: ByteSink): void {
    this.#sink = sink
    const isEarly = this.#waiting.length > 0
    this.#pass()
    if (this.#ending) this.#ending(sink)
    else if (isEarly) this.#controller?.resume()
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

  #finish(tell: (sink: ByteSink) => void): void {
    if (this.#isLeft || this.#ending) return
    this.#pass()
    this.#ending = tell
    if (this.#sink && !this.#isLeft) tell(this.#sink)
  }
}

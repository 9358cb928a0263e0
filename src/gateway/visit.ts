/** One request of a client, from its arrival to the last byte of the reply. */
import type { Usage } from '../core/chat.ts'
import { costOf } from '../providers/prices.ts'
import { corsHeaders } from './access.ts'
import type { Answered } from './answering.ts'
import { type Awaited, isAwaited } from './awaited-reply.ts'
import type { Budgets } from './budget.ts'
import type { ClientKey, GatewayConfig } from './config.ts'
import { errorsFor } from './endpoints/registry.ts'
import { type Failure, failureOf, GatewayError } from './gateway-error.ts'
import { type ByteSource, type GatewayReply, type GatewayRequest, isWhole } from './http.ts'
import { Observations } from './observations.ts'
import type { GatewayObserver, Outcome } from './observer.ts'
import { inWordsOf } from './overflow-words.ts'
import { createReport, type Report, type Watchers } from './question.ts'
import { KEEP_ALIVE_MS, ReplyBody } from './reply-body.ts'
import type { Limiter } from './state.ts'
import { errorHeaders, rescueHeaders, STREAM_HEADERS, toldHeaders } from './told-headers.ts'
import { Lease, type UnderWay } from './under-way.ts'
import type { UsageBook } from './usage-book.ts'

export interface VisitOptions {
  readonly config: GatewayConfig
  readonly observers: readonly GatewayObserver[]
  readonly limits: Limiter
  readonly budgets: Budgets
  readonly usage: UsageBook
  readonly underWay: UnderWay
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number
}

const LEFT = new DOMException('the client hung up', 'AbortError')
const JSON_HEADERS = { 'content-type': 'application/json' } as const

type Headers = GatewayReply['headers']

export class Visit {
  readonly id: string = `req_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`
  readonly at: number = Date.now()
  readonly now: () => number
  readonly #begunAt: number
  readonly report: Report = createReport()
  readonly watch: Watchers
  bytesIn = 0
  readonly #request: GatewayRequest
  readonly #path: string
  readonly #options: VisitOptions
  /** The places among all requests under way, and among those of its key. */
  readonly #lease = new Lease()
  #key: ClientKey | undefined
  #firstByteAt: number | undefined
  #bytesOut = 0
  #isOver = false
  #body: ByteSource | undefined
  #giveUp: ((reason: unknown) => void) | undefined
  /** The client may leave at any moment, also while nothing else listens. */
  readonly #onLeft = (): void => this.#left()

  constructor(request: GatewayRequest, path: string, options: VisitOptions) {
    const { method, headers } = request
    this.#request = request
    this.#path = path
    this.#options = options
    this.now = options.now
    this.#begunAt = options.now()
    const { id, at } = this
    this.#lease.hold(options.underWay.enter())
    this.watch = new Observations(options.observers, { id, method, path, headers, at })
    request.signal.addEventListener('abort', this.#onLeft, { once: true })
  }

  /** What the work comes to, unless the client leaves before: then nobody waits for the work. */
  whileWanted(work: () => Promise<GatewayReply>): Promise<GatewayReply> {
    return new Promise<GatewayReply>((resolve, reject) => {
      this.#giveUp = reject
      if (this.#request.signal.aborted) this.#left()
      else work().then(resolve, reject)
    }).finally(() => {
      // It would keep the reply, which may be large, until it is read.
      this.#giveUp = undefined
    })
  }

  /** Counts the request; throws a GatewayError when there are too many, or the key has spent what it may. */
  async admit(key: ClientKey): Promise<void> {
    const { name, requestsPerMinute, concurrency } = key
    const { limits, budgets } = this.#options
    this.#key = key
    await budgets.check(key)
    if (requestsPerMinute !== undefined) {
      const taken = await limits.take(name, requestsPerMinute)
      if (!taken.allowed)
        throw tooMany(`${requestsPerMinute} requests a minute`, taken.retryAfterMs)
    }
    if (concurrency === undefined) return
    const leave = await limits.enter(name, concurrency, () => !this.#isOver)
    if (!leave) throw tooMany(`${concurrency} requests at a time`, 1000)
    this.#lease.hold(leave)
  }

  reply(reply: GatewayReply): GatewayReply {
    const { status, body } = reply
    const headers = this.#headersWith(reply.headers)
    if (isWhole(body)) return this.#wholeReply(status, headers, body)
    // Pages that follow what happens end with the server, which must not wait for them.
    this.#lease.end()
    const source = new ReplyBody(body, {
      keepAlive: '',
      keepAliveMs: 0,
      onData: (bytes) => this.#sent(bytes),
      onEnd: () => this.#end(status),
    })
    return { ...reply, headers, body: this.#wanted(source) }
  }

  answer(reply: Answered | Awaited): GatewayReply {
    const { contentType, body, headers: given, keepAlive } = reply
    const isBegun = !isAwaited(reply)
    const told = isBegun ? toldHeaders(reply, this.report) : {}
    const headers = this.#headersWith({ 'content-type': contentType, ...given, ...told })
    if (isWhole(body)) return this.#wholeReply(200, headers, body)
    return {
      status: 200,
      headers: { ...headers, ...STREAM_HEADERS },
      body: this.#replyBody(200, body, keepAlive, !isBegun),
      trailers: () => this.#trailers(isBegun ? undefined : reply.answered()),
    }
  }

  /** A reply in the words of a server, with its status. */
  forward({ status, headers: given, body }: GatewayReply): GatewayReply {
    const headers = this.#headersWith(given)
    if (isWhole(body)) return this.#wholeReply(status, headers, body)
    return {
      status,
      headers: { ...headers, ...STREAM_HEADERS },
      body: this.#replyBody(status, body),
    }
  }

  /** What the headers say of a reply that began after them. */
  #trailers(answered: Answered | undefined): Record<string, string> {
    return answered ? toldHeaders(answered, this.report) : rescueHeaders(this.report)
  }

  refuse(error: unknown): GatewayReply {
    const failure = failureOf(error)
    const endpoint = errorsFor(this.#path)
    const status = endpoint.statusOf?.(failure) ?? failure.status
    const told = inWordsOf(endpoint, failure, this.bytesIn)
    const body = JSON.stringify(endpoint.writeError(told))
    this.#sent(body)
    this.#handOver(status, forLog(failure, error))
    const headers = this.#headersWith({ ...JSON_HEADERS, ...errorHeaders(failure) })
    return { status, headers, body }
  }

  #replyBody(status: number, source: ByteSource, keepAlive = '', isOverdue = false): ByteSource {
    const { keepAliveMs = KEEP_ALIVE_MS } = this.#options.config.limits ?? {}
    const body = new ReplyBody(source, {
      keepAlive,
      keepAliveMs,
      isOverdue,
      onData: (bytes) => this.#sent(bytes),
      onEnd: (how, error = this.report.failure) => {
        const failure = error === undefined ? undefined : failureOf(error)
        if (how === 'left') this.#left()
        // The transport breaks it off: it will never be written.
        else if (how === 'failed') this.#end(status, failure)
        else this.#handOver(status, failure)
      },
    })
    return this.#wanted(body)
  }

  /** A reply may come when its client has left already. */
  #wanted(body: ByteSource): ByteSource {
    this.#body = body
    if (this.#isOver) body.cancel()
    return body
  }

  #wholeReply(status: number, headers: Headers, body: string | Uint8Array): GatewayReply {
    this.#sent(body)
    this.#handOver(status)
    return { status, headers, body }
  }

  #headersWith(given: Headers): Headers {
    const cors = corsHeaders(this.#request.headers, this.#options.config.cors ?? [])
    return { 'x-toolglot-request-id': this.id, ...cors, ...given }
  }

  #sent(bytes: Uint8Array | string): void {
    this.#firstByteAt ??= this.now()
    this.#bytesOut += bytes.length
    this.watch.clientBytes(bytes)
  }

  /** Nothing more will come of the reply: the request is over when the client has it. */
  #handOver(status: number, failure?: Failure): void {
    const end = (): void => this.#end(status, failure)
    if (this.#request.whenWritten) this.#request.whenWritten(end)
    else end()
  }

  #left(): void {
    const { reason = LEFT } = this.#request.signal
    this.#end(499, failureOf(reason))
    this.#body?.cancel()
    this.#giveUp?.(reason)
  }

  /** The one place where a request ends. */
  #end(status: number, failure?: Failure): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#request.signal.removeEventListener('abort', this.#onLeft)
    this.#lease.end()
    this.watch.end({ ...this.#outcomeOf(status, failure), costUsd: this.#charge(status) })
  }

  /** Writes down what the reply has used, and says what it cost as far as that is known. */
  #charge(status: number): number | undefined {
    const { target, usage: reported, counted, askedAt, isUnanswered } = this.report
    // A provider that was asked wants its money also when the client has left; one that has failed does not.
    const isRefused = isUnanswered || (status >= 400 && status !== 499)
    if (!target || askedAt === undefined || isRefused) return undefined
    const { budgets, usage: book } = this.#options
    const isReported = reported !== undefined && Object.keys(reported).length > 0
    const usage = isReported
      ? reported
      : estimatedUsage(
          counted === 'none' ? 0 : this.bytesIn,
          counted === 'both' ? this.#bytesOut : 0,
        )
    const costUsd = target.price && costOf(usage, target.price)
    const { inputTokens = 0, outputTokens = 0, totalTokens = inputTokens + outputTokens } = usage
    if (this.#key) budgets.charge(this.#key, { tokens: totalTokens, costUsd })
    book.add({
      key: this.#key?.name,
      provider: target.name,
      model: target.model,
      usage,
      isEstimated: !isReported,
      costUsd,
    })
    return costUsd
  }

  #outcomeOf(status: number, failure: Failure | undefined): Outcome {
    const now = this.now()
    const at = this.#begunAt
    const { bytesIn } = this
    const { usage, rescues, issues, remarks, fallbacks, askedAt, answeredAt, fitted, loop, turn } =
      this.report
    const firstByteAt = this.#firstByteAt
    const waited = askedAt === undefined ? 0 : (answeredAt ?? now) - askedAt
    return {
      status,
      error: failure?.code,
      message: failure?.message,
      durationMs: Math.round(now - at),
      addedMs: Math.round(Math.max(0, (firstByteAt ?? now) - at - waited)),
      firstByteMs: firstByteAt === undefined ? undefined : Math.round(firstByteAt - at),
      usage,
      rescues: [...rescues],
      issues: [...issues],
      remarks: [...remarks],
      fallbacks,
      fitted,
      loop,
      turn,
      bytesIn,
      bytesOut: this.#bytesOut,
    }
  }
}

/** A token is about so many bytes of English; the JSON around the words makes the estimate rather too high. */
const BYTES_OF_TOKEN = 4

/** For providers that do not report usage, and clients that leave before the report: such replies are not free. */
function estimatedUsage(bytesIn: number, bytesOut: number): Usage {
  return {
    inputTokens: Math.ceil(bytesIn / BYTES_OF_TOKEN),
    outputTokens: Math.ceil(bytesOut / BYTES_OF_TOKEN),
  }
}

/** What strangers are not told. */
function forLog(failure: Failure, error: unknown): Failure {
  const isMistake = failure.code === 'internal' && error instanceof Error
  return isMistake ? { ...failure, message: error.stack ?? error.message } : failure
}

function tooMany(what: string, retryAfterMs: number): GatewayError {
  const message = `this key may send no more than ${what}`
  return new GatewayError('too_many_requests', message, retryAfterMs)
}

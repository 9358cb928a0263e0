/** One request of a client, from its arrival to the last byte of the reply. */
import { corsHeaders } from './access.ts'
import type { Answered } from './answering.ts'
import type { ClientKey, GatewayConfig } from './config.ts'
import { errorsFor } from './endpoints/registry.ts'
import { type Failure, failureOf, GatewayError } from './gateway-error.ts'
import type { GatewayReply, GatewayRequest } from './http.ts'
import { watchAll } from './observations.ts'
import type { GatewayObserver, Outcome } from './observer.ts'
import { createReport, type Report, type Watchers } from './question.ts'
import { ReplyBody } from './reply-body.ts'
import type { Limiter } from './state.ts'
import { errorHeaders, rescueHeaders, STREAM_HEADERS, toldHeaders } from './told-headers.ts'

export interface VisitOptions {
  readonly config: GatewayConfig
  readonly observers: readonly GatewayObserver[]
  readonly limits: Limiter
  /** Told once, when nobody need wait for it any more. */
  readonly onOver: () => void
}

export interface Visit {
  readonly id: string
  readonly at: number
  readonly watch: Watchers
  readonly report: Report
  bytesIn: number
  /** Counts the request; throws a GatewayError when there are too many. */
  admit(key: ClientKey | undefined): Promise<void>
  reply(reply: GatewayReply): GatewayReply
  answer(answered: Answered): GatewayReply
  refuse(error: unknown): GatewayReply
}

const KEEP_ALIVE_MS = 15_000
const LEFT = new DOMException('the client hung up', 'AbortError')
const JSON_HEADERS = { 'content-type': 'application/json' } as const

export function beginVisit(
  request: GatewayRequest,
  path: string,
  { config, observers, limits, onOver }: VisitOptions,
): Visit {
  const { method, headers, signal } = request
  const id = `req_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`
  const at = Date.now()
  const report = createReport()
  const watch = watchAll(observers, { id, method, path, headers, at })
  const cors = corsHeaders(headers, config.cors ?? [])
  const leaving: (() => void)[] = []
  let firstByteAt: number | undefined
  let bytesOut = 0
  let isOver = false
  let isReleased = false

  function end(status: number, failure?: Failure): void {
    if (isOver) return
    isOver = true
    for (const leave of leaving) leave()
    watch.end(outcomeOf(status, failure))
    release()
  }

  function release(): void {
    if (isReleased) return
    isReleased = true
    onOver()
  }

  function outcomeOf(status: number, failure: Failure | undefined): Outcome {
    const now = Date.now()
    const { askedAt, answeredAt } = report
    const waited = askedAt === undefined ? 0 : (answeredAt ?? now) - askedAt
    const first = firstByteAt ?? now
    return {
      status,
      error: failure?.code,
      message: failure?.message,
      durationMs: now - at,
      addedMs: Math.max(0, first - at - waited),
      firstByteMs: firstByteAt === undefined ? undefined : firstByteAt - at,
      usage: report.usage,
      rescues: report.rescues,
      issues: report.issues,
      fallbacks: report.fallbacks,
      bytesIn: visit.bytesIn,
      bytesOut,
    }
  }

  function sent(bytes: Uint8Array | string): void {
    firstByteAt ??= Date.now()
    bytesOut += bytes.length
    watch.clientBytes(bytes)
  }

  function headersWith(
    given: GatewayReply['headers'],
    more?: GatewayReply['headers'],
  ): GatewayReply['headers'] {
    return { 'x-toolglot-request-id': id, ...cors, ...given, ...more }
  }

  function wholeReply(
    status: number,
    given: GatewayReply['headers'],
    body: string | Uint8Array,
  ): GatewayReply {
    sent(body)
    end(status)
    return { status, headers: headersWith(given), body }
  }

  const visit: Visit = {
    id,
    at,
    watch,
    report,
    bytesIn: 0,
    async admit(key) {
      const { name = '', requestsPerMinute, concurrency } = key ?? {}
      if (requestsPerMinute !== undefined) {
        const taken = await limits.take(name, requestsPerMinute)
        if (!taken.allowed)
          throw tooMany(`${requestsPerMinute} requests a minute`, taken.retryAfterMs)
      }
      if (concurrency === undefined) return
      const leave = await limits.enter(name, concurrency)
      if (!leave) throw tooMany(`${concurrency} requests at a time`, 1000)
      leaving.push(leave)
    },
    reply(reply) {
      const { status, body, headers: given } = reply
      if (typeof body === 'string' || body instanceof Uint8Array)
        return wholeReply(status, given, body)
      // Pages that follow what happens end with the server, which must not wait for them.
      release()
      const onEnd = (): void => end(status)
      const options = { keepAlive: '', keepAliveMs: 0, onData: sent, onEnd }
      return { ...reply, headers: headersWith(given), body: new ReplyBody(body, options) }
    },
    answer(answered) {
      const { contentType, body, keepAlive = '' } = answered
      const told = toldHeaders(answered, report)
      const given = { 'content-type': contentType, ...answered.headers, ...told }
      if (typeof body === 'string' || body instanceof Uint8Array)
        return wholeReply(200, given, body)
      const { keepAliveMs = KEEP_ALIVE_MS } = config.limits ?? {}
      const source = new ReplyBody(body, {
        keepAlive,
        keepAliveMs,
        onData: sent,
        onEnd(how, error = report.failure) {
          // Some sources hear of it before we do, and break off.
          if (how === 'left' || signal.aborted) end(499, failureOf(signal.reason ?? LEFT))
          else end(200, error === undefined ? undefined : failureOf(error))
        },
      })
      const headers = headersWith(given, STREAM_HEADERS)
      return { status: 200, headers, body: source, trailers: () => rescueHeaders(report) }
    },
    refuse(error) {
      const failure = failureOf(error)
      const endpoint = errorsFor(path)
      const status = endpoint.statusOf?.(failure) ?? failure.status
      const body = JSON.stringify(endpoint.writeError(failure))
      sent(body)
      end(status, forLog(failure, error))
      return { status, headers: headersWith(JSON_HEADERS, errorHeaders(failure)), body }
    },
  }
  return visit
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

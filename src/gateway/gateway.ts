/**
 * The gateway: any client's question to any provider's model. Knows nothing of sockets: a request goes in,
 * a reply comes out, and transports do the rest.
 */
import { type Environment, processEnvironment } from '../client/endpoint.ts'
import { parseStrict } from '../core/json/strict.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import { getProtocol } from '../protocols/registry.ts'
import { type Access, checkModel, checkOrigin, corsHeaders, createAccess } from './access.ts'
import { type Answered, answer } from './answering.ts'
import type { ClientKey, GatewayConfig } from './config.ts'
import { createDirectory, type Directory, type ModelWish } from './directory.ts'
import type { Endpoint, Place } from './endpoints/endpoint.ts'
import { errorsFor, findEndpoint } from './endpoints/registry.ts'
import { type Failure, failureOf, GatewayError } from './gateway-error.ts'
import { forwardedHeaders } from './header-policy.ts'
import type { GatewayReply, GatewayRequest, HeaderMap, Send } from './http.ts'
import { watchAll } from './observations.ts'
import type { GatewayObserver, Outcome } from './observer.ts'
import { findPage, type PageParts } from './pages.ts'
import { createReport, type Question, type Report, type Watchers } from './question.ts'
import { ReplyBody } from './reply-body.ts'
import { createMemoryState } from './state/memory-state.ts'
import type { GatewayState } from './state.ts'
import { createTurnMemory } from './turn-memory.ts'
import { fetchSend, webHandler } from './web.ts'

export interface GatewayOptions {
  /** What reaches the providers. Default: the global `fetch`. */
  readonly send?: Send | undefined
  /** What is remembered between requests. Default: in memory. */
  readonly state?: GatewayState | undefined
  readonly observers?: readonly GatewayObserver[] | undefined
  /** Default: the variables of the process. */
  readonly env?: Environment | undefined
  /** True: only clients that name this machine as such are answered. */
  readonly localOnly?: boolean | undefined
  /** What is shown besides. */
  readonly pages?: PageParts | undefined
}

export interface Gateway {
  /** Answers one request. Never rejects. */
  handle(request: GatewayRequest): Promise<GatewayReply>
  /** The same for runtimes that have `fetch`: `export default createGateway(config)`. */
  readonly fetch: (request: Request) => Promise<Response>
  /** From now on another configuration counts; requests under way are not touched. Throws when it is wrong. */
  reload(config: GatewayConfig): void
  /** No new requests are taken. Resolves when those under way are done. */
  drain(): Promise<void>
  /** Requests under way. */
  pending(): number
  /** The names of models that clients are shown. */
  models(): readonly string[]
  close(): Promise<void>
}

const REQUEST_BYTES = 32 * 1024 * 1024
const REPLY_BYTES = 64 * 1024 * 1024
const CONCURRENCY = 10_000
const KEEP_ALIVE_MS = 15_000

/** What a configuration comes to. */
interface Setup {
  readonly config: GatewayConfig
  readonly directory: Directory
  readonly access: Access
}

/**
 * @example
 * const gateway = createGateway({ models: { fast: ['groq/llama-3.3-70b', 'ollama/qwen3'] } })
 * const response = await gateway.fetch(request)
 *
 * @throws InvalidInputError when the configuration is wrong.
 */
export function createGateway(config: GatewayConfig = {}, options: GatewayOptions = {}): Gateway {
  const { send = fetchSend(), state = createMemoryState(), env = processEnvironment() } = options
  const { observers = [], localOnly = false, pages = {} } = options
  const turns = createTurnMemory(state.turns)
  let setup = open(config)
  let pending = 0
  let isDraining = false
  let tellDrained = (): void => {}

  function open(next: GatewayConfig): Setup {
    const maxReplyBytes = next.limits?.replyBytes ?? REPLY_BYTES
    const parts = { send, env, circuits: state.circuits, maxReplyBytes }
    return { config: next, access: createAccess(next), directory: createDirectory(next, parts) }
  }

  async function handle(request: GatewayRequest): Promise<GatewayReply> {
    pending++
    const { pathname: path, searchParams: query } = new URL(request.url, 'http://gateway')
    const visit = beginVisit(request, path)
    try {
      return await route(request, { path, query, model: undefined }, visit)
    } catch (error) {
      return visit.refuse(error)
    }
  }

  async function route(request: GatewayRequest, place: Place, visit: Visit): Promise<GatewayReply> {
    const { config, access, directory } = setup
    const { method, headers } = request
    const { cors = [] } = config
    checkOrigin(headers, cors, localOnly && !access.hasKeys)
    if (method === 'OPTIONS') return visit.reply(preflight(headers, cors))
    const { path, query } = place
    const found = findEndpoint(path, query)
    if (found && method !== 'POST') throw notAllowed(method, 'POST')
    if (!found) {
      const page = await findPage(request, place, { access, directory, state, pages, isDraining })
      return visit.reply(page)
    }
    if (isDraining) throw new GatewayError('shutting_down', 'the gateway is shutting down', 1000)
    const { concurrency = CONCURRENCY } = config.limits ?? {}
    if (pending > concurrency) throw new GatewayError('busy', 'the gateway is busy', 1000)
    return ask(request, found.endpoint, found.place, visit)
  }

  async function ask(
    request: GatewayRequest,
    endpoint: Endpoint,
    place: Place,
    visit: Visit,
  ): Promise<GatewayReply> {
    const { config, access, directory } = setup
    const key = await access.identify(request.headers, place.query)
    await visit.admit(key)
    const { requestBytes = REQUEST_BYTES } = config.limits ?? {}
    const bytes = await request.readBody(requestBytes)
    const body = readObject(bytes)
    const wish = readWish(request.headers)
    const seen = endpoint.sight(body, place)
    const sight = { ...seen, model: request.headers['x-toolglot-model'] ?? seen.model }
    const { model, streamed, tools } = sight
    visit.watch.asked({
      endpoint: endpoint.id,
      model,
      streamed,
      tools,
      key: key?.name,
      body: bytes,
    })
    visit.bytesIn = bytes.length
    checkModel(key, model)
    const { id, at } = visit
    const question: Question = {
      endpoint,
      sight,
      body,
      facts: { id, model, created: Math.floor(at / 1000) },
      key: key?.name,
      forwarded: forwardedHeaders(request.headers, config.forwardHeaders),
      returned: config.returnHeaders ?? [],
      rescue: rescueWish(request.headers, config),
      signal: request.signal,
      maxReplyBytes: config.limits?.replyBytes ?? REPLY_BYTES,
      report: visit.report,
      watch: visit.watch,
      request: (given = body) => readQuestion(() => endpoint.read(given, sight)),
    }
    return visit.answer(question, await answer(question, directory.find(model, wish), turns))
  }

  // ── one visit ───────────────────────────────────────────────────────────────────────────────

  interface Visit {
    readonly id: string
    readonly at: number
    readonly watch: Watchers
    readonly report: Report
    bytesIn: number
    /** Counts the request; throws a GatewayError when there are too many. */
    admit(key: ClientKey | undefined): Promise<void>
    reply(reply: GatewayReply): GatewayReply
    answer(question: Question, answered: Answered): GatewayReply
    refuse(error: unknown): GatewayReply
  }

  function beginVisit(request: GatewayRequest, path: string): Visit {
    const { method, headers, signal } = request
    const id = `req_${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}`
    const at = Date.now()
    const report = createReport()
    const watch = watchAll(observers, { id, method, path, headers, at })
    const own = { 'x-toolglot-request-id': id, ...corsHeaders(headers, setup.config.cors ?? []) }
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
      pending--
      if (isDraining && pending === 0) tellDrained()
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

    function wholeReply(reply: GatewayReply & { body: string | Uint8Array }): GatewayReply {
      sent(reply.body)
      end(reply.status)
      return { ...reply, headers: { ...own, ...reply.headers } }
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
          const taken = await state.limits.take(name, requestsPerMinute)
          if (!taken.allowed)
            throw tooMany(`${requestsPerMinute} requests a minute`, taken.retryAfterMs)
        }
        if (concurrency === undefined) return
        const leave = await state.limits.enter(name, concurrency)
        if (!leave) throw tooMany(`${concurrency} requests at a time`, 1000)
        leaving.push(leave)
      },
      reply(reply) {
        const { body, headers: given } = reply
        if (typeof body === 'string' || body instanceof Uint8Array) {
          return wholeReply({ ...reply, body })
        }
        // Pages that follow what happens end with the server, which must not wait for them.
        release()
        const onEnd = (): void => end(reply.status)
        const options = { keepAlive: '', keepAliveMs: 0, onData: sent, onEnd }
        return { ...reply, headers: { ...own, ...given }, body: new ReplyBody(body, options) }
      },
      answer(question, answered) {
        const given = { ...answered.headers, ...toldHeaders(answered, report) }
        const plain = { status: 200, headers: { 'content-type': answered.contentType, ...given } }
        const { body } = answered
        if (typeof body === 'string' || body instanceof Uint8Array)
          return wholeReply({ ...plain, body })
        const { keepAlive } = question.endpoint.openStream(question.sight, question.facts)
        const { keepAliveMs = KEEP_ALIVE_MS } = setup.config.limits ?? {}
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
        const headers = { ...own, ...plain.headers, ...STREAM_HEADERS }
        return { status: 200, headers, body: source, trailers: () => rescueHeaders(report) }
      },
      refuse(error) {
        const failure = failureOf(error)
        const endpoint = errorsFor(path)
        const status = endpoint.statusOf?.(failure) ?? failure.status
        const body = JSON.stringify(endpoint.writeError(failure))
        sent(body)
        end(
          status,
          error instanceof Error && failure.code === 'internal'
            ? { ...failure, message: error.stack ?? error.message }
            : failure,
        )
        return { status, headers: { ...own, ...JSON_HEADERS, ...errorHeaders(failure) }, body }
      },
    }
    return visit
  }

  const gateway: Gateway = {
    handle,
    fetch: webHandler(handle),
    reload(next) {
      setup = open(next)
    },
    drain() {
      isDraining = true
      return new Promise((resolve) => {
        tellDrained = resolve
        if (pending === 0) resolve()
      })
    },
    pending: () => pending,
    models: () => setup.directory.list().map(({ id }) => id),
    close: () => state.close(),
  }
  return gateway
}

const JSON_HEADERS = { 'content-type': 'application/json' } as const
/** Proxies in between must not wait for more, or pack it. */
const STREAM_HEADERS = {
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const
const LEFT = new DOMException('the client hung up', 'AbortError')

function preflight(headers: HeaderMap, cors: readonly string[]): GatewayReply {
  const wanted = headers['access-control-request-headers']
  const isAllowed = Object.keys(corsHeaders(headers, cors)).length > 0
  const allowed = isAllowed && {
    'access-control-allow-methods': 'GET, POST, OPTIONS',
    'access-control-max-age': '600',
    ...(wanted !== undefined && { 'access-control-allow-headers': wanted }),
  }
  return { status: 204, headers: { ...allowed }, body: '' }
}

function notAllowed(method: string, wanted: string): GatewayError {
  return new GatewayError('method_not_allowed', `${method} is not for this path; use ${wanted}`)
}

function tooMany(what: string, retryAfterMs: number): GatewayError {
  const message = `this key may send no more than ${what}`
  return new GatewayError('too_many_requests', message, retryAfterMs)
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function readObject(bytes: Uint8Array): JsonObject {
  const body = parseBytes(bytes)
  if (isJsonObject(body)) return body
  const what = body === undefined ? 'the body is not valid JSON' : 'the body is no JSON object'
  throw new GatewayError('invalid_json', what)
}

function parseBytes(bytes: Uint8Array): unknown {
  try {
    return parseStrict(decoder.decode(bytes))
  } catch {
    return undefined
  }
}

/** A mistake in the question is the client's. */
function readQuestion<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new GatewayError('invalid_request', error.message)
  }
}

// ── what a request wants otherwise ──────────────────────────────────────────────────────────────

const TOOL_MODES = ['auto', 'native', 'text'] as const

function readWish(headers: HeaderMap): ModelWish {
  const mode = headers['x-toolglot-tool-mode']
  const protocol = headers['x-toolglot-protocol']
  const toolMode = TOOL_MODES.find((one) => one === mode)
  if (mode !== undefined && !toolMode) {
    throw new GatewayError('invalid_request', 'x-toolglot-tool-mode must be auto, native or text')
  }
  if (protocol !== undefined) readQuestion(() => getProtocol(protocol))
  return { toolMode, protocol }
}

function rescueWish(headers: HeaderMap, { rescue = {} }: GatewayConfig): Question['rescue'] {
  const { enabled = true, protocols } = rescue
  const isOff = headers['x-toolglot-rescue'] === 'off'
  return { enabled: enabled && !isOff, protocols: protocols?.map((id) => getProtocol(id)) }
}

// ── what the client is told besides ─────────────────────────────────────────────────────────────

function toldHeaders({ target, lane }: Answered, report: Report): Record<string, string> {
  return {
    'x-toolglot-model': headerText(`${target.name}/${target.model}`),
    'x-toolglot-lane': lane,
    ...(report.fallbacks > 0 && { 'x-toolglot-fallbacks': String(report.fallbacks) }),
    ...rescueHeaders(report),
  }
}

function rescueHeaders({ rescues, issues }: Report): Record<string, string> {
  const protocols = new Set(rescues.map(({ protocol }) => protocol))
  const repairs = new Set(rescues.flatMap((one) => one.repairs))
  return {
    ...(protocols.size > 0 && { 'x-toolglot-rescued': [...protocols].join(', ') }),
    ...(repairs.size > 0 && { 'x-toolglot-repairs': [...repairs].join(', ') }),
    ...(issues.length > 0 && { 'x-toolglot-issues': [...new Set(issues)].join(', ') }),
  }
}

/** Only what may stand in a header. */
function headerText(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?')
}

function errorHeaders({ code, retryAfterMs, requestId }: Failure): Record<string, string> {
  return {
    'x-toolglot-error': code,
    ...(retryAfterMs !== undefined && {
      'retry-after': String(Math.max(1, Math.ceil(retryAfterMs / 1000))),
    }),
    ...(requestId !== undefined && { 'x-request-id': headerText(requestId) }),
  }
}

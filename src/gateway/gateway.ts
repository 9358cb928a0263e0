/**
 * The gateway: any client's question to any provider's model. Knows nothing of sockets: a request goes in,
 * a reply comes out, and transports do the rest.
 */
import { monotonicNow } from '../client/clock.ts'
import { type Environment, processEnvironment } from '../client/endpoint.ts'
import { ProviderError } from '../client/errors.ts'
import { createServiceMemories } from '../client/service-memory.ts'
import { checkKeys, type OptionKeys } from '../core/check-options.ts'
import { type Access, checkOrigin, corsHeaders, createAccess, type KnownKey } from './access.ts'
import { answer } from './answering.ts'
import { begunWithin, repliedWithin } from './awaited-reply.ts'
import { checkPriced, createBudgets } from './budget.ts'
import { watched } from './byte-source.ts'
import { checkConfig } from './check-config.ts'
import type { GatewayConfig } from './config.ts'
import { type Chain, createDirectory, type Directory, type ModelWish } from './directory.ts'
import type { Place } from './endpoints/endpoint.ts'
import { type FoundEndpoint, findEndpoint } from './endpoints/registry.ts'
import { GatewayError, MethodError } from './gateway-error.ts'
import { forwardedHeaders } from './header-policy.ts'
import { createWebSearch, type SearchWeb } from './hosted/search-backends.ts'
import type { GatewayReply, GatewayRequest, HeaderMap, Send } from './http.ts'
import { type Limits, limitsOf } from './limits.ts'
import { createLoadBoard } from './load-board.ts'
import { createCatalogues } from './model-catalogue.ts'
import { createNotices, type GatewayNotice } from './notices.ts'
import type { GatewayObserver } from './observer.ts'
import type { PageParts } from './pages/page.ts'
import { checkAdmin, findPage } from './pages.ts'
import { canPass } from './pass-lane.ts'
import type { Question } from './question.ts'
import { readQuestionApart, readTarget, readWish, rescueWish } from './reading.ts'
import {
  checkManage,
  type FoundManagement,
  findManagement,
  manage,
  modelIn,
} from './relay/management.ts'
import { type FoundRelay, findRelay } from './relay/relay-endpoint.ts'
import { headOf } from './relay/relay-lane.ts'
import { openRelay } from './relay/relay-request.ts'
import { relay } from './relay/relaying.ts'
import { answerShared } from './relay/shared-paths.ts'
import { FIRST_KEEP_ALIVE_MS } from './reply-body.ts'
import {
  checkContents,
  giveOthersATurn,
  openBody,
  type RequestBody,
  readRequestBody,
} from './request-body.ts'
import { shownName } from './shown-text.ts'
import { createMemoryState } from './state/memory-state.ts'
import type { GatewayState } from './state.ts'
import { createTurnMemory, type TurnMemory } from './turn-memory.ts'
import { UnderWay } from './under-way.ts'
import { createUsageBook } from './usage-book.ts'
import { Visit, type VisitOptions } from './visit.ts'
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
  /**
   * Asked when a client wants a model that nobody has, before it is refused; true when another configuration counts
   * now, in which there may be one.
   */
  readonly onUnknownModel?: (() => Promise<boolean>) | undefined
  /** What is shown besides. */
  readonly pages?: PageParts | undefined
  /** Learns what is no error of any request, such as a provider that does not list its models. */
  readonly onNotice?: ((notice: GatewayNotice) => void) | undefined
  /** The lists of models have changed. */
  readonly onModels?: ((names: readonly string[]) => void) | undefined
  /** Milliseconds on a clock that never goes back. Default: `performance.now`. */
  readonly now?: (() => number) | undefined
}

export interface Gateway {
  /** Answers one request. Never rejects. */
  handle(request: GatewayRequest): Promise<GatewayReply>
  /** The same for runtimes that have `fetch`: `export default createGateway(config)`. */
  readonly fetch: (request: Request) => Promise<Response>
  /** From now on another configuration counts; requests under way are not touched. Throws when it is wrong. */
  reload(config: GatewayConfig): void
  /** From now on `/ready` is 503, so that load balancers go elsewhere; requests that come are answered. */
  leave(): void
  /** No new requests are taken. Resolves when those under way are done. */
  drain(): Promise<void>
  /** Requests under way: from their arrival until the reply is written or the client has left. */
  pending(): number
  /** The names of models that clients are shown, as far as they are known. */
  models(): readonly string[]
  /** Asks providers for their lists of models that were never asked, and waits so many milliseconds at most. */
  readModels(waitMs?: number): Promise<void>
  close(): Promise<void>
}

/** What a configuration comes to. */
interface Setup {
  readonly config: GatewayConfig
  readonly limits: Limits
  readonly directory: Directory
  readonly access: Access
  readonly searchWeb: SearchWeb | undefined
  readonly visits: VisitOptions
}

const OPTION_KEYS: OptionKeys<GatewayOptions> = {
  send: 0,
  state: 0,
  observers: 0,
  env: 0,
  localOnly: 0,
  onUnknownModel: 0,
  pages: 0,
  onNotice: 0,
  onModels: 0,
  now: 0,
}

/**
 * @example
 * const gateway = createGateway({ models: { fast: ['groq/llama-3.3-70b', 'ollama/qwen3'] } })
 * const response = await gateway.fetch(request)
 *
 * @throws InvalidInputError when the configuration is wrong.
 */
export function createGateway(config: GatewayConfig = {}, options: GatewayOptions = {}): Gateway {
  checkKeys('the options of createGateway', options, OPTION_KEYS, '{ observers }')
  const { send = fetchSend(), env = processEnvironment(), now = monotonicNow } = options
  const { observers = [], localOnly = false, pages = {}, onUnknownModel } = options
  const { state = createMemoryState({ now }) } = options
  const turns = createTurnMemory(state)
  const memories = createServiceMemories()
  const notices = createNotices(options.onNotice)
  const catalogues = createCatalogues({
    now,
    onChange: () => options.onModels?.(modelNames()),
    onFailure: notices.unlisted,
  })
  const loads = createLoadBoard(now)
  const budgets = createBudgets(state.ledger, Date.now)
  const usage = createUsageBook()
  const underWay = new UnderWay()
  let setup = open(config)
  let isLeaving = false
  let isDraining = false

  function open(next: GatewayConfig): Setup {
    checkConfig(next)
    const limits = limitsOf(next)
    const parts = {
      ...{ send, env, circuits: state.circuits, loads, memories, catalogues, limits, now },
      onAmbiguous: notices.ambiguous,
    }
    return {
      config: next,
      limits,
      access: createAccess(next),
      directory: createDirectory(next, parts),
      searchWeb: next.webSearch && createWebSearch(next.webSearch, send),
      visits: { config: next, observers, limits: state.limits, budgets, usage, underWay, now },
    }
  }

  async function handle(request: GatewayRequest): Promise<GatewayReply> {
    const { path, query } = readTarget(request.url)
    const visit = new Visit(request, path, setup.visits)
    const place = { path, query, model: undefined }
    try {
      return await visit.whileWanted(async () => route(request, place, visit))
    } catch (error) {
      return visit.refuse(error)
    }
  }

  function route(
    request: GatewayRequest,
    place: Place,
    visit: Visit,
  ): GatewayReply | Promise<GatewayReply> {
    const { config, access, limits } = setup
    const { method, headers } = request
    const { cors = [] } = config
    checkHeaders(request, limits)
    checkOrigin(headers, cors, localOnly && !access.hasKeys)
    if (method === 'OPTIONS') return visit.reply(preflight(headers, cors))
    const managed = findManagement(method, place.path)
    if (managed) return askServers(request, managed, place, visit)
    const found = findEndpoint(place.path, place.query)
    const relayed = found ? undefined : findRelay(place.path, place.query)
    if ((found ?? relayed) && method !== 'POST') throw new MethodError(method, 'POST')
    if (found) return ask(request, found, visit)
    return relayed ? passOn(request, relayed, visit) : openPage(request, place, visit)
  }

  /**
   * The one way in for whatever has a body: within the limits of the gateway and of the key, and the body
   * within its own.
   */
  async function admit(
    request: GatewayRequest,
    query: URLSearchParams,
    visit: Visit,
  ): Promise<Admitted> {
    const { access, limits } = setup
    if (isDraining) throw new GatewayError('shutting_down', 'the gateway is shutting down', 1000)
    if (underWay.count > limits.concurrency)
      throw new GatewayError('busy', 'the gateway is busy', 1000)
    const key = access.hasKeys ? await access.identify(request.headers, query) : undefined
    if (key) await visit.admit(key)
    return {
      key,
      async readBody() {
        const read = await readRequestBody(request, limits)
        visit.bytesIn = read.bytes.length
        return read
      },
    }
  }

  function modelNames(): readonly string[] {
    return setup.directory.list().map(({ id }) => id)
  }

  async function openPage(
    request: GatewayRequest,
    { path, query }: Place,
    visit: Visit,
  ): Promise<GatewayReply> {
    const { access, directory } = setup
    const { route, match } = findPage(request.method, path)
    const { headers, signal } = request
    const { config } = setup
    const spending = { budgets, usage, keys: config.keys ?? [] }
    const context = {
      ...{ headers, signal, path, query, match, access, directory, state, pages, isLeaving, turns },
      spending,
    }
    if (route.takesBody || route.isLimited) {
      const { key, readBody } = await admit(request, query, visit)
      const body = route.takesBody ? (await readBody()).body : {}
      return visit.reply(await route.page({ ...context, key, client: key?.digest, body }))
    }
    const key = route.for === 'anyone' ? undefined : await access.identify(headers, query)
    if (route.for === 'admin') checkAdmin(access, key)
    return visit.reply(await route.page({ ...context, key, client: key?.digest, body: {} }))
  }

  async function ask(
    request: GatewayRequest,
    found: FoundEndpoint,
    visit: Visit,
  ): Promise<GatewayReply> {
    const { config, limits, searchWeb } = setup
    const { key, readBody } = await admit(request, found.place.query, visit)
    const read = await readBody()
    const wish = readWish(request.headers)
    const asking = { request, found, visit, key, config, limits, searchWeb, turns }
    const question = questionOf(read, asking)
    const { listedAt } = found.endpoint
    const chain = await chainFor(question.sight.model, key, { ...wish, listedAt })
    if (key) checkPriced(key, chain)
    const { firstKeepAliveMs = FIRST_KEEP_ALIVE_MS } = config.limits ?? {}
    const shared = await answerShared(question, read, chain, { at: visit.at, firstKeepAliveMs })
    if (shared) return 'reply' in shared ? visit.reply(shared.reply) : visit.answer(shared.answered)
    if (found.endpoint.suffix !== undefined) checkServed(question, chain)
    checkContents(read, found.endpoint, limits)
    await giveOthersATurn(read.bytes)
    const reply = answer(question, chain, turns).catch((error: unknown) => {
      throw isUnserved(error, question) ? notServed(question, chain) : error
    })
    return visit.answer(await repliedWithin(firstKeepAliveMs, question, reply))
  }

  async function chainFor(
    model: string,
    key: KnownKey | undefined,
    wish: ModelWish,
  ): Promise<Chain> {
    try {
      await setup.directory.ready(model, key)
      return setup.directory.find(model, key, wish)
    } catch (error) {
      const isUnknown = error instanceof GatewayError && error.code === 'unknown_model'
      if (!isUnknown || !(await onUnknownModel?.())) throw error
      await setup.directory.ready(model, key)
      return setup.directory.find(model, key, wish)
    }
  }

  async function passOn(
    request: GatewayRequest,
    found: FoundRelay,
    visit: Visit,
  ): Promise<GatewayReply> {
    const { config, directory, limits } = setup
    const admitted = await admit(request, found.place.query, visit)
    const { key } = admitted
    const opened = await openRelay({
      ...{ request, found, visit, config, limits, directory },
      ...admitted,
    })
    const chain = await chainFor(opened.model, key, readWish(request.headers))
    if (key) checkPriced(key, chain)
    const { firstKeepAliveMs = FIRST_KEEP_ALIVE_MS } = config.limits ?? {}
    const reply = relay(opened.request, chain)
    const head = headOf(opened.request)
    return visit.answer(await (head ? begunWithin(firstKeepAliveMs, head, reply) : reply))
  }

  async function askServers(
    request: GatewayRequest,
    found: FoundManagement,
    { path, query }: Place,
    visit: Visit,
  ): Promise<GatewayReply> {
    const { access, directory, limits } = setup
    const { key, readBody } = await admit(request, query, visit)
    checkManage(access, key, localOnly)
    const isFile = found.endpoint.body === 'file'
    const read = isFile ? undefined : await readBody()
    const fields = read?.body ?? {}
    visit.watch.asked({
      endpoint: found.endpoint.api,
      model: modelIn({ found, fields }),
      streamed: false,
      tools: 0,
      key: key?.name,
      body: read?.bytes ?? new Uint8Array(),
    })
    const file =
      isFile && found.method === 'POST'
        ? watched(openBody(request, limits), ({ length }) => {
            visit.bytesIn += length
          })
        : undefined
    const { signal, headers } = request
    const wished = headers['x-toolglot-model']
    const asked = { found, path, key, fields, file, wished, signal, watch: visit.watch }
    return visit.forward(await manage(asked, directory))
  }

  const gateway: Gateway = {
    handle,
    fetch: webHandler(handle),
    reload(next) {
      setup = open(next)
    },
    leave() {
      isLeaving = true
    },
    drain() {
      isLeaving = true
      isDraining = true
      return underWay.none()
    },
    pending: () => underWay.count,
    models: modelNames,
    async readModels(waitMs) {
      await setup.directory.listFor(undefined, { waitMs })
    },
    close: () => state.close(),
  }
  return gateway
}

/** A request that may have its body read. */
interface Admitted {
  readonly key: KnownKey | undefined
  readBody(): Promise<RequestBody>
}

interface Asking {
  readonly request: GatewayRequest
  readonly found: FoundEndpoint
  readonly visit: Visit
  readonly key: KnownKey | undefined
  readonly config: GatewayConfig
  readonly limits: Limits
  readonly searchWeb: SearchWeb | undefined
  readonly turns: TurnMemory
}

/** Throws a GatewayError when none of those who could be asked has what only their own API can do. */
function checkServed(question: Question, chain: Chain): void {
  const { members, targetOf } = chain
  if (members.some(({ client }) => canPass(question, targetOf(client)))) return
  throw notServed(question, chain)
}

/** True when all who were asked have said that they lack it. */
function isUnserved(error: unknown, { endpoint }: Question): boolean {
  return (
    endpoint.suffix !== undefined && error instanceof ProviderError && error.code === 'unsupported'
  )
}

function notServed(question: Question, { name }: Chain): GatewayError {
  const { path } = question.sight.place
  const message = `no provider of ${JSON.stringify(shownName(name))} has ${path}: it is for providers that speak the Responses API themselves`
  return new GatewayError('not_supported', message)
}

function questionOf({ body, bytes }: RequestBody, asking: Asking): Question {
  const { request, found, visit, key, config, limits, searchWeb, turns } = asking
  const { headers, signal } = request
  const { endpoint, place } = found
  const { id, at, report, watch } = visit
  const seen = endpoint.sight(body, place)
  const wanted = headers['x-toolglot-model']
  const sight = wanted === undefined ? seen : { ...seen, model: wanted }
  const { model, streamed, tools } = sight
  watch.asked({ endpoint: endpoint.id, model, streamed, tools, key: key?.name, body: bytes })
  return {
    endpoint,
    sight,
    body,
    toolKinds: endpoint.dialect.toolKindsIn?.(body) ?? [],
    // The override in a header is for the gateway: statistics of a client go by the name in its body.
    facts: { id, model: seen.model || model, created: Math.floor(at / 1000) },
    key: key?.name,
    client: key?.digest,
    forwarded: forwardedHeaders(headers, config.forwardHeaders),
    returned: config.returnHeaders ?? [],
    rescue: rescueWish(headers, config),
    searchWeb,
    loopGuard: { key: key?.loopGuard, usual: config.loopGuard ?? 'warn' },
    signal,
    maxReplyBytes: limits.replyBytes,
    now: visit.now,
    pause: () => giveOthersATurn(bytes),
    report,
    watch,
    notePassed: (id, target) => turns.noteUpstream(key?.digest, id, { model, target, body }),
    request: (given = body) =>
      readQuestionApart(endpoint.read(given, sight), () => giveOthersATurn(bytes)),
  }
}

/** Some transports hold them to nothing. */
function checkHeaders({ url, headers }: GatewayRequest, { headerBytes }: Limits): void {
  let length = url.length
  for (const name in headers) length += name.length + (headers[name]?.length ?? 0)
  if (length <= headerBytes) return
  const message = `the address and the headers have ${length} bytes; the limit of this gateway is ${headerBytes} (limits.headerBytes)`
  throw new GatewayError('headers_too_large', message)
}

function preflight(headers: HeaderMap, cors: readonly string[]): GatewayReply {
  const wanted = headers['access-control-request-headers']
  const isAllowed = Object.keys(corsHeaders(headers, cors)).length > 0
  const allowed = isAllowed && {
    'access-control-allow-methods': 'GET, HEAD, POST, DELETE, OPTIONS',
    'access-control-max-age': '600',
    ...(wanted !== undefined && { 'access-control-allow-headers': wanted }),
  }
  return { status: 204, headers: { ...allowed }, body: '' }
}

/** Everything that is not a question to a model: lists, health, the playground. */
import type { JsonObject, JsonValue } from '../core/json/value.ts'
import { type Access, checkModel } from './access.ts'
import type { ClientKey } from './config.ts'
import type { Directory, ListedModel } from './directory.ts'
import type { Place } from './endpoints/endpoint.ts'
import { findEndpoint } from './endpoints/registry.ts'
import { GatewayError, MethodError } from './gateway-error.ts'
import type { ByteSource, GatewayReply, GatewayRequest } from './http.ts'
import { decodedName, starIn } from './model-names.ts'
import { checkEncoding, readObject } from './reading.ts'
import type { GatewayState } from './state.ts'

/** What a server shows besides; all of it may be missing. */
export interface PageParts {
  readonly version?: string | undefined
  /** In the format of Prometheus. */
  readonly metrics?: (() => string) | undefined
  readonly traffic?: TrafficPages | undefined
  /** A file of the playground. */
  readonly file?: ((path: string) => Promise<PageFile | undefined>) | undefined
}

export interface PageFile {
  readonly contentType: string
  readonly bytes: Uint8Array
  /** True: its name changes with its content. */
  readonly isLasting: boolean
}

export interface TrafficPages {
  list(): JsonValue
  get(id: string): JsonValue | undefined
  /** Each change as JSON text. */
  follow(): ByteSource
}

export interface PageContext {
  readonly access: Access
  readonly directory: Directory
  readonly state: GatewayState
  readonly pages: PageParts
  readonly isDraining: boolean
}

type Page = (visit: PageVisit) => GatewayReply | Promise<GatewayReply>

interface PageVisit extends PageContext {
  readonly request: GatewayRequest
  readonly place: Place
  readonly match: RegExpExecArray
  readonly key: ClientKey | undefined
}

interface PageRoute {
  readonly method: 'GET' | 'POST'
  readonly path: RegExp
  /** `anyone`: also those without a key. `admin`: with keys, only those that are marked so. */
  readonly for: 'anyone' | 'clients' | 'admin'
  readonly page: Page
}

const ROUTES: readonly PageRoute[] = [
  { method: 'GET', path: /^\/health$/, for: 'anyone', page: () => json({ status: 'ok' }) },
  { method: 'GET', path: /^\/ready$/, for: 'anyone', page: readyPage },
  { method: 'GET', path: /^\/metrics$/, for: 'admin', page: metricsPage },
  { method: 'GET', path: /^\/v1\/models$/, for: 'clients', page: modelsPage },
  { method: 'GET', path: /^\/v1\/models\/(.+)$/, for: 'clients', page: modelPage },
  { method: 'GET', path: /^\/v1beta\/models$/, for: 'clients', page: geminiModelsPage },
  // Verbs such as `:embedContent` are for no page, and must not look as if they were for this one.
  {
    method: 'GET',
    path: /^\/v1beta\/models\/(?!.*:[a-z]+[A-Z]\w*$)(.+)$/,
    for: 'clients',
    page: geminiModelPage,
  },
  { method: 'GET', path: /^\/api\/tags$/, for: 'clients', page: tagsPage },
  { method: 'GET', path: /^\/api\/ps$/, for: 'clients', page: () => json({ models: [] }) },
  { method: 'POST', path: /^\/api\/show$/, for: 'clients', page: showPage },
  { method: 'GET', path: /^\/api\/version$/, for: 'anyone', page: versionPage },
  { method: 'POST', path: /^\/v1\/messages\/count_tokens$/, for: 'clients', page: countPage },
  {
    method: 'POST',
    path: /^\/v1beta\/(?:models\/)?(.+):countTokens$/,
    for: 'clients',
    page: geminiCountPage,
  },
  { method: 'GET', path: /^\/playground\/settings$/, for: 'anyone', page: settingsPage },
  { method: 'GET', path: /^\/playground\/traffic$/, for: 'admin', page: trafficPage },
  { method: 'GET', path: /^\/playground\/traffic\/stream$/, for: 'admin', page: followPage },
  { method: 'GET', path: /^\/playground\/traffic\/([\w-]+)$/, for: 'admin', page: exchangePage },
  { method: 'GET', path: /^\/(?:[\w-]+(?:\/[\w-]+)*\.\w+)?$/, for: 'anyone', page: filePage },
]

/** Throws a GatewayError when there is none. */
export async function findPage(
  request: GatewayRequest,
  place: Place,
  context: PageContext,
): Promise<GatewayReply> {
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const fitting = ROUTES.filter(({ path }) => path.test(place.path))
  const route = fitting.find((one) => one.method === method)
  if (!route) throw nowhere(request, place, fitting)
  const match = route.path.exec(place.path)
  if (!match) throw nowhere(request, place, [])
  const key = await identify(route, request, place, context)
  return route.page({ ...context, request, place, match, key })
}

function nowhere(
  { method }: GatewayRequest,
  { path }: Place,
  fitting: readonly PageRoute[],
): GatewayError {
  const wanted = fitting[0]?.method
  if (wanted) return new MethodError(method, wanted)
  return new GatewayError('unknown_path', `there is nothing at ${shown(path)}${meantPath(path)}`)
}

/** A path as it may stand in a message. */
function shown(path: string): string {
  return path.length <= MAX_SHOWN ? path : `${path.slice(0, MAX_SHOWN)}…`
}

const MAX_SHOWN = 200

/** What becomes of a path when the base URL of a client has a slash or a version that it adds itself. */
function meantPath(path: string): string {
  const meant = path
    .slice(0, MAX_SHOWN)
    .replace(/\/{2,}/g, '/')
    .replace(/^\/v1(?:beta)?(?=\/(?:v1|v1beta|api)\/)/, '')
    .replace(/(?!^)\/$/, '')
  const isThere =
    findEndpoint(meant, new URLSearchParams()) ?? ROUTES.some((route) => route.path.test(meant))
  if (meant === path || !isThere) return ''
  return `; ${meant} was probably meant: look at the base URL of the client`
}

async function identify(
  { for: who }: PageRoute,
  { headers }: GatewayRequest,
  { query }: Place,
  { access }: PageContext,
): Promise<ClientKey | undefined> {
  if (who === 'anyone') return undefined
  const key = await access.identify(headers, query)
  if (who === 'admin' && access.hasKeys && !key?.admin) {
    throw new GatewayError('admin_only', 'this is for keys with "admin": true only')
  }
  return key
}

// ── health ──────────────────────────────────────────────────────────────────────────────────────

function readyPage({ isDraining, state }: PageVisit): GatewayReply {
  const status = isDraining ? 'shutting down' : 'ready'
  return json({ status, shared: state.isShared() }, isDraining ? 503 : 200)
}

function metricsPage({ pages }: PageVisit): GatewayReply {
  if (!pages.metrics) throw new GatewayError('unknown_path', 'metrics are switched off')
  const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
  return { status: 200, headers, body: pages.metrics() }
}

function versionPage({ pages }: PageVisit): GatewayReply {
  // Clients of Ollama look at it to see what the server can do.
  return json({ version: '0.12.0', toolglot: pages.version ?? null })
}

// ── models ──────────────────────────────────────────────────────────────────────────────────────

function visible({ directory, key }: PageVisit): readonly ListedModel[] {
  const { models } = key ?? {}
  if (!models) return directory.list()
  return directory.list().filter(({ id }) => models.some((one) => starIn(id, one) !== undefined))
}

function modelsPage(visit: PageVisit): GatewayReply {
  const models = visible(visit)
  const isAnthropic = visit.request.headers['anthropic-version'] !== undefined
  if (!isAnthropic) return json({ object: 'list', data: models.map(openaiModel) })
  const [first, last] = [models[0]?.id ?? null, models.at(-1)?.id ?? null]
  const data = models.map(anthropicModel)
  return json({ data, has_more: false, first_id: first, last_id: last })
}

function modelPage(visit: PageVisit): GatewayReply {
  const model = askedModel(visit)
  const isAnthropic = visit.request.headers['anthropic-version'] !== undefined
  return json(isAnthropic ? anthropicModel(model) : openaiModel(model))
}

/** The one in the path. Throws a GatewayError when nobody answers to it, or not to this client. */
function askedModel({ match, key, directory }: PageVisit): ListedModel {
  const id = decodedName(match[1] ?? '')
  checkModel(key, id)
  directory.find(id)
  return { id, provider: id.split('/')[0] ?? 'toolglot' }
}

function openaiModel({ id, provider }: ListedModel): JsonObject {
  return { id, object: 'model', created: 0, owned_by: provider }
}

function anthropicModel({ id }: ListedModel): JsonObject {
  return { type: 'model', id, display_name: id, created_at: '1970-01-01T00:00:00Z' }
}

function geminiModelsPage(visit: PageVisit): GatewayReply {
  return json({ models: visible(visit).map(geminiModel) })
}

function geminiModelPage(visit: PageVisit): GatewayReply {
  return json(geminiModel(askedModel(visit)))
}

function geminiModel({ id }: ListedModel): JsonObject {
  return {
    name: `models/${id}`,
    displayName: id,
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  }
}

const MODEL_DETAILS = {
  format: 'gguf',
  family: 'toolglot',
  families: ['toolglot'],
  parameter_size: '',
  quantization_level: '',
} as const

function tagsPage(visit: PageVisit): GatewayReply {
  const models = visible(visit).map(({ id }) => ({
    name: id,
    model: id,
    modified_at: '1970-01-01T00:00:00Z',
    size: 0,
    // As long as a real one: some clients show the first twelve characters.
    digest: '0'.repeat(64),
    details: { ...MODEL_DETAILS, families: [...MODEL_DETAILS.families] },
  }))
  return json({ models })
}

/** Clients of Ollama ask what a model can do before they offer tools to it. */
async function showPage({ request, directory, key }: PageVisit): Promise<GatewayReply> {
  const { model, name } = await readJson(request)
  const id = typeof model === 'string' ? model : name
  if (typeof id !== 'string')
    throw new GatewayError('invalid_request', 'the body must have "model"')
  checkModel(key, id)
  directory.find(id)
  return json({
    modelfile: '',
    parameters: '',
    template: '',
    details: { ...MODEL_DETAILS, families: [...MODEL_DETAILS.families] },
    model_info: { 'general.architecture': 'toolglot', 'toolglot.context_length': 131072 },
    capabilities: ['completion', 'tools'],
  })
}

async function countPage({ request }: PageVisit): Promise<GatewayReply> {
  const { messages, system, tools } = await readJson(request)
  return estimate({ input_tokens: tokensIn([messages ?? [], system ?? '', tools ?? []]) })
}

/** What is counted is the contents alone, or a whole request. */
async function geminiCountPage(visit: PageVisit): Promise<GatewayReply> {
  askedModel(visit)
  const { contents, generateContentRequest } = await readJson(visit.request)
  return estimate({ totalTokens: tokensIn(generateContentRequest ?? contents ?? []) })
}

/** Each model counts in its own way, and most cannot be asked. */
function tokensIn(value: JsonValue): number {
  return Math.max(1, Math.ceil(JSON.stringify(value).length / CHARACTERS_A_TOKEN))
}

function estimate(body: JsonObject): GatewayReply {
  const reply = json(body)
  return { ...reply, headers: { ...reply.headers, 'x-toolglot-estimate': 'true' } }
}

const CHARACTERS_A_TOKEN = 3.6

const MAX_PAGE_BYTES = 32 * 1024 * 1024

async function readJson(request: GatewayRequest): Promise<JsonObject> {
  checkEncoding(request.headers)
  return readObject(await request.readBody(MAX_PAGE_BYTES))
}

// ── the playground ──────────────────────────────────────────────────────────────────────────────

function settingsPage({ pages, access }: PageVisit): GatewayReply {
  const { version = null, traffic } = pages
  return json({ version, traffic: traffic !== undefined, needsKey: access.hasKeys })
}

function trafficOf({ pages }: PageVisit): TrafficPages {
  if (pages.traffic) return pages.traffic
  throw new GatewayError(
    'unknown_path',
    'traffic is not recorded; see "traffic" in the configuration',
  )
}

function trafficPage(visit: PageVisit): GatewayReply {
  return json({ exchanges: trafficOf(visit).list() })
}

function exchangePage(visit: PageVisit): GatewayReply {
  const exchange = trafficOf(visit).get(visit.match[1] ?? '')
  if (exchange === undefined) throw new GatewayError('unknown_path', 'no such exchange is recorded')
  return json(exchange)
}

function followPage(visit: PageVisit): GatewayReply {
  const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }
  return { status: 200, headers, body: trafficOf(visit).follow() }
}

/** Scripts and styles are our own files, and the page asks nobody but this gateway. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

async function filePage({ pages, place }: PageVisit): Promise<GatewayReply> {
  // Some clients ask for it to see whether anybody is there.
  if (!pages.file && place.path === '/') return plain('Toolglot is running')
  const file = await pages.file?.(place.path === '/' ? '/index.html' : place.path)
  if (!file) throw new GatewayError('unknown_path', `there is nothing at ${shown(place.path)}`)
  const { contentType, bytes, isLasting } = file
  const headers = {
    'content-type': contentType,
    'cache-control': isLasting ? 'public, max-age=31536000, immutable' : 'no-cache',
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  }
  return { status: 200, headers, body: bytes }
}

function plain(text: string): GatewayReply {
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: text }
}

function json(body: JsonValue, status = 200): GatewayReply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

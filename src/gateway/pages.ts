/** Everything that is not a question to a model: lists, health, the playground. */
import type { ClientKey } from './config.ts'
import type { Place } from './endpoints/endpoint.ts'
import { findEndpoint } from './endpoints/registry.ts'
import { GatewayError, MethodError } from './gateway-error.ts'
import type { GatewayReply, GatewayRequest } from './http.ts'
import {
  geminiModelPage,
  geminiModelsPage,
  modelPage,
  modelsPage,
  showPage,
  tagsPage,
} from './pages/models.ts'
import {
  json,
  MAX_SHOWN,
  type Page,
  type PageContext,
  type PageVisit,
  shown,
} from './pages/page.ts'
import {
  exchangePage,
  filePage,
  followPage,
  settingsPage,
  trafficPage,
} from './pages/playground.ts'
import { countPage, geminiCountPage } from './pages/token-count.ts'

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

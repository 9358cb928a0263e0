/** Everything that is not a question to a model: lists, health, the playground. */
import type { Access } from './access.ts'
import type { ClientKey } from './config.ts'
import { findEndpoint } from './endpoints/registry.ts'
import { GatewayError, MethodError } from './gateway-error.ts'
import type { GatewayReply } from './http.ts'
import {
  geminiModelPage,
  geminiModelsPage,
  modelPage,
  modelsPage,
  showPage,
  tagsPage,
} from './pages/models.ts'
import { json, type Page, type PageVisit } from './pages/page.ts'
import {
  exchangePage,
  filePage,
  followPage,
  settingsPage,
  trafficPage,
} from './pages/playground.ts'
import {
  cancelPage,
  countResponsePage,
  deletePage,
  inputPage,
  responsePage,
} from './pages/responses.ts'
import { countPage, geminiCountPage } from './pages/token-count.ts'
import { usagePage } from './pages/usage.ts'
import { loadedPage, serverVersion } from './relay/ollama-pages.ts'
import { findRelay } from './relay/relay-endpoint.ts'
import { unservedAt } from './relay/unserved.ts'
import { shownName } from './shown-text.ts'

export interface PageRoute {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: RegExp
  /** `anyone`: also those without a key. `admin`: with keys, only those that are marked so. */
  readonly for: 'anyone' | 'clients' | 'admin'
  readonly page: Page
  /** Counts like a question: a provider may be asked. */
  readonly isLimited?: boolean
}

const ROUTES: readonly PageRoute[] = [
  { method: 'GET', path: /^\/health$/, for: 'anyone', page: () => json({ status: 'ok' }) },
  { method: 'GET', path: /^\/ready$/, for: 'anyone', page: readyPage },
  { method: 'GET', path: /^\/metrics$/, for: 'admin', page: metricsPage },
  { method: 'GET', path: /^\/usage$/, for: 'admin', page: usagePage },
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
  { method: 'GET', path: /^\/api\/ps$/, for: 'clients', page: loadedPage },
  { method: 'POST', path: /^\/api\/show$/, for: 'clients', page: showPage },
  { method: 'GET', path: /^\/api\/version$/, for: 'anyone', page: versionPage },
  { method: 'POST', path: /^\/v1\/messages\/count_tokens$/, for: 'clients', page: countPage },
  {
    method: 'POST',
    path: /^\/v1beta\/(?:models\/)?(.+):countTokens$/,
    for: 'clients',
    page: geminiCountPage,
  },
  {
    method: 'POST',
    path: /^(?:\/v1)?\/responses\/input_tokens$/,
    for: 'clients',
    page: countResponsePage,
  },
  ...[
    { method: 'GET', path: /^(?:\/v1)?\/responses\/([^/]+)$/, page: responsePage } as const,
    { method: 'DELETE', path: /^(?:\/v1)?\/responses\/([^/]+)$/, page: deletePage } as const,
    {
      method: 'GET',
      path: /^(?:\/v1)?\/responses\/([^/]+)\/input_items$/,
      page: inputPage,
    } as const,
    { method: 'POST', path: /^(?:\/v1)?\/responses\/([^/]+)\/cancel$/, page: cancelPage } as const,
  ].map((route) => ({ ...route, for: 'clients', isLimited: true }) as const),
  { method: 'GET', path: /^\/playground\/settings$/, for: 'anyone', page: settingsPage },
  { method: 'GET', path: /^\/playground\/traffic$/, for: 'admin', page: trafficPage },
  { method: 'GET', path: /^\/playground\/traffic\/stream$/, for: 'admin', page: followPage },
  { method: 'GET', path: /^\/playground\/traffic\/([\w-]+)$/, for: 'admin', page: exchangePage },
  { method: 'GET', path: /^\/(?:[\w-]+(?:\/[\w-]+)*\.\w+)?$/, for: 'anyone', page: filePage },
]

export interface FoundPage {
  readonly route: PageRoute & { readonly takesBody: boolean }
  readonly match: RegExpExecArray
}

/** Throws a GatewayError when there is none. */
export function findPage(given: string, path: string): FoundPage {
  const method = given === 'HEAD' ? 'GET' : given
  const fitting = ROUTES.filter((one) => one.path.test(path))
  const route = fitting.find((one) => one.method === method)
  const match = route?.path.exec(path)
  if (!route || !match) throw unservedAt(path) ?? nowhere(given, path, route ? [] : fitting)
  return { route: { ...route, takesBody: route.method === 'POST' && !route.isLimited }, match }
}

function nowhere(method: string, path: string, fitting: readonly PageRoute[]): GatewayError {
  const wanted = fitting[0]?.method
  if (wanted) return new MethodError(method, wanted)
  return new GatewayError(
    'unknown_path',
    `there is nothing at ${shownName(path)}${meantPath(path)}`,
  )
}

/** What becomes of a path when the base URL of a client has a slash or a version that it adds itself. */
function meantPath(path: string): string {
  const meant = shownName(path)
    .replace(/\/{2,}/g, '/')
    .replace(/^\/v1(?:beta)?(?=\/(?:v1|v1beta|api)\/)/, '')
    .replace(/(?!^)\/$/, '')
  const isThere =
    findEndpoint(meant, new URLSearchParams()) ??
    findRelay(meant, new URLSearchParams()) ??
    ROUTES.some((route) => route.path.test(meant))
  if (meant === path || !isThere) return ''
  return `; ${meant} was probably meant: look at the base URL of the client`
}

/** Where there are keys, only those that are marked so. */
export function checkAdmin({ hasKeys }: Access, key: ClientKey | undefined): void {
  if (!hasKeys || key?.admin) return
  throw new GatewayError('admin_only', 'this is for keys with "admin": true only')
}

// ── health ──────────────────────────────────────────────────────────────────────────────────────

function readyPage({ isLeaving, state }: PageVisit): GatewayReply {
  const status = isLeaving ? 'shutting down' : 'ready'
  return json({ status, shared: state.isShared() }, isLeaving ? 503 : 200)
}

function metricsPage({ pages }: PageVisit): GatewayReply {
  if (!pages.metrics) throw new GatewayError('unknown_path', 'metrics are switched off')
  const headers = { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }
  return { status: 200, headers, body: pages.metrics() }
}

async function versionPage(visit: PageVisit): Promise<GatewayReply> {
  const { pages, access, directory, signal } = visit
  // Strangers cause no requests to servers.
  const asked = access.hasKeys ? undefined : await serverVersion(directory, signal)
  // Clients of Ollama look at it to see what the server can do.
  return json({ version: asked ?? '0.12.0', toolglot: pages.version ?? null })
}

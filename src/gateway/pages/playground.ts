/** The playground: its files, and the traffic that it shows. */
import { GatewayError } from '../gateway-error.ts'
import type { GatewayReply } from '../http.ts'
import { serversOf } from '../relay/management.ts'
import { shownName } from '../shown-text.ts'
import { json, type PageVisit, type TrafficPages } from './page.ts'

export function settingsPage({ pages, access }: PageVisit): GatewayReply {
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

export function trafficPage(visit: PageVisit): GatewayReply {
  return json({ exchanges: trafficOf(visit).list() })
}

export function exchangePage(visit: PageVisit): GatewayReply {
  const exchange = trafficOf(visit).get(visit.match[1] ?? '')
  if (exchange === undefined) throw new GatewayError('unknown_path', 'no such exchange is recorded')
  return json(exchange)
}

export function followPage(visit: PageVisit): GatewayReply {
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

export async function filePage(visit: PageVisit): Promise<GatewayReply> {
  const { pages, path, headers: asked, directory } = visit
  // What clients of Ollama look for; the page is for browsers.
  const isBrowser = /text\/html/i.test(asked['accept'] ?? '')
  if (path === '/' && !isBrowser && serversOf(directory, 'ollama-version').length > 0) {
    return plain('Ollama is running')
  }
  // Some clients ask for it to see whether anybody is there.
  if (!pages.file && path === '/') return plain('Toolglot is running')
  const file = await pages.file?.(path === '/' ? '/index.html' : path)
  if (!file) throw new GatewayError('unknown_path', `there is nothing at ${shownName(path)}`)
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

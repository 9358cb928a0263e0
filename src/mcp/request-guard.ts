/**
 * Who may speak to a server on this machine. A page from anywhere can make the browser of its visitor send
 * requests here; its `Origin` gives it away, and where it has made its own name lead here (DNS
 * rebinding), the `Host`.
 */
import type { IncomingHttpHeaders } from 'node:http'

export interface GuardOptions {
  /** Names under which the server is reached, beside those of this machine; without a port. */
  readonly allowedHosts?: readonly string[]
  /** Pages that may call it, such as `https://app.example`, beside those of this machine. */
  readonly allowedOrigins?: readonly string[]
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** What is wrong with where a request comes from; undefined when nothing is. */
export function findIntruder(
  { host, origin }: IncomingHttpHeaders,
  { allowedHosts = [], allowedOrigins = [] }: GuardOptions,
): string | undefined {
  const name = hostnameOf(`http://${host}`)
  if (name === undefined || !(LOOPBACK.has(name) || allowedHosts.includes(name))) {
    return `host "${host}" is not allowed`
  }
  if (origin === undefined || allowedOrigins.includes(origin)) return undefined
  return LOOPBACK.has(hostnameOf(origin) ?? '') ? undefined : `origin "${origin}" is not allowed`
}

function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined
}

/** Which headers cross the gateway. Everything else stays where it is: above all keys and cookies. */
import type { HeaderMap } from './http.ts'

/** From the client to a provider of the same dialect. */
const FORWARDED: readonly string[] = ['anthropic-beta', 'anthropic-version', 'openai-beta']

/** From the provider to the client. */
const RETURNED: ReadonlySet<string> = new Set([
  'x-request-id',
  'request-id',
  'retry-after',
  'openai-processing-ms',
  'openai-version',
])
const RETURNED_PREFIXES: readonly string[] = ['x-ratelimit-', 'anthropic-ratelimit-']

export function forwardedHeaders(
  headers: HeaderMap,
  more: readonly string[] = [],
): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const name of [...FORWARDED, ...more]) {
    const value = headers[name]
    if (value !== undefined) kept[name] = value
  }
  return kept
}

export function returnedHeaders(
  headers: HeaderMap,
  more: readonly string[] = [],
): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue
    const isUsual =
      RETURNED.has(name) || RETURNED_PREFIXES.some((prefix) => name.startsWith(prefix))
    if (isUsual || more.includes(name)) kept[name] = value
  }
  return kept
}

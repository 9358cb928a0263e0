/** Who may ask for what. */
import { InvalidInputError } from '../core/errors.ts'
import { isJsonObject } from '../core/json/value.ts'
import type { ClientKey, GatewayConfig } from './config.ts'
import { GatewayError } from './gateway-error.ts'
import type { HeaderMap } from './http.ts'
import { starIn } from './model-names.ts'
import { shownName } from './shown-text.ts'

export interface Access {
  readonly hasKeys: boolean
  /** The key of a request; undefined when none is needed. Throws a GatewayError when it is not known. */
  identify(headers: HeaderMap, query: URLSearchParams): Promise<KnownKey | undefined>
}

export interface KnownKey extends ClientKey {
  /** Of the key itself, in hex: names may be given twice, or to another key tomorrow. */
  readonly digest: string
}

/** @throws InvalidInputError for keys that would let in whoever sends none. */
export function createAccess({ keys = [] }: GatewayConfig): Access {
  checkKeys(keys)
  const byDigest = indexKeys(keys)
  return {
    hasKeys: keys.length > 0,
    async identify(headers, query) {
      if (keys.length === 0) return undefined
      const given = keyIn(headers, query)
      if (given === undefined) throw new GatewayError('invalid_key', MISSING)
      const known = (await byDigest).get(await digest(given))
      if (!known) throw new GatewayError('invalid_key', 'the key is not known to this gateway')
      return known
    },
  }
}

const MISSING =
  'this gateway wants a key: send it as "Authorization: Bearer …", "x-api-key" or "x-goog-api-key"'

function checkKeys(keys: unknown): void {
  // Not what was given: it may be the key.
  if (!Array.isArray(keys)) throw new InvalidInputError('keys must be a list of { name, key }')
  for (const [at, own] of keys.entries()) {
    const key = isJsonObject(own) ? own['key'] : undefined
    if (typeof key === 'string' && key.trim() !== '') continue
    throw new InvalidInputError(
      `keys[${at}] has no key; if it comes from an environment variable, is that set?`,
    )
  }
}

/** Keys are looked up by their digest, so that the time it takes tells nothing about them. */
async function indexKeys(keys: readonly ClientKey[]): Promise<ReadonlyMap<string, KnownKey>> {
  const digests = keys.map(async (own) => {
    const stored = /^sha256:([0-9a-f]{64})$/i.exec(own.key)?.[1]
    const known = { ...own, digest: stored?.toLowerCase() ?? (await digest(own.key)) }
    return [known.digest, known] as const
  })
  return new Map(await Promise.all(digests))
}

async function digest(text: string): Promise<string> {
  const bytes = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

function keyIn(headers: HeaderMap, query: URLSearchParams): string | undefined {
  const bearer = /^Bearer\s+(\S+)\s*$/i.exec(headers['authorization'] ?? '')?.[1]
  const own = headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers['api-key']
  return bearer ?? own ?? query.get('key') ?? undefined
}

/** Whether a key may use the model of this name. */
export function mayUse(key: ClientKey | undefined, model: string): boolean {
  return !key?.models || key.models.some((pattern) => starIn(model, pattern) !== undefined)
}

export function notAllowed(model: string): GatewayError {
  const message = `this key may not use ${JSON.stringify(shownName(model))}`
  return new GatewayError('model_not_allowed', message)
}

/**
 * Web pages may not ask unless they are ours or listed. Without this, any page that is open in a browser
 * could use a gateway on the same machine.
 */
export function checkOrigin(
  headers: HeaderMap,
  allowed: readonly string[],
  localOnly: boolean,
): void {
  const { origin, host = '' } = headers
  if (localOnly && !LOCAL_HOST.test(host)) {
    throw new GatewayError('origin_not_allowed', 'this gateway is for its own machine only')
  }
  if (origin === undefined || isAllowed(origin, host, allowed)) return
  const message = 'pages of this origin may not ask; see "cors" in the configuration'
  throw new GatewayError('origin_not_allowed', message)
}

const LOCAL_HOST = /^(?:localhost|[\w-]+\.localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/i

function isAllowed(origin: string, host: string, allowed: readonly string[]): boolean {
  if (allowed.includes('*') || allowed.includes(origin)) return true
  return URL.canParse(origin) && new URL(origin).host === host
}

export function corsHeaders(
  { origin }: HeaderMap,
  allowed: readonly string[],
): Readonly<Record<string, string>> {
  const isListed = origin !== undefined && (allowed.includes('*') || allowed.includes(origin))
  if (!isListed) return {}
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'x-toolglot-request-id, x-toolglot-rescued, retry-after',
    vary: 'origin',
  }
}

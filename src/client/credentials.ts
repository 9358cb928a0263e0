/** Who is asking: keys, tokens and signatures, as a provider wants them. */
import { isJsonObject } from '../core/json/value.ts'
import type { Auth, BearerAuth, Provider } from '../providers/provider.ts'
import { monotonicNow } from './clock.ts'
import { type Endpoint, type Environment, fillIn, firstSet, missing } from './endpoint.ts'
import { classify } from './error-class.ts'
import { ProviderError } from './errors.ts'
import type { KeySlot } from './key-pool.ts'
import { parsed } from './parsed.ts'
import type { Secrets } from './secrets.ts'
import { type SignedRequest, signRequest } from './sigv4.ts'
import { sendSmall } from './small-request.ts'

/** A key, or a function that has a fresh one. */
export type ApiKey = string | (() => string | Promise<string>)

export interface CredentialOptions {
  readonly apiKey?: ApiKey | undefined
  readonly env: Environment
  readonly fetch: typeof fetch
  readonly secrets: Secrets
}

export interface Credentials {
  /** The headers of the request with those that prove who sends it, by a key of a pool if there is one. */
  sign(request: SignedRequest, slot?: KeySlot): Promise<Readonly<Record<string, string>>>
  /** The provider did not believe it: get a new token next time. */
  forget(slot?: KeySlot): void
}

/** A token lives at least this long when nobody says how long. */
const TOKEN_MS = 10 * 60_000
/** So long before its end a token is not used any more. */
const MARGIN_MS = 60_000
const TOKEN_TIMEOUT_MS = 30_000

/** Longer than any token with all that comes along with it. */
const MAX_TOKEN_BYTES = 256 * 1024

interface Token {
  readonly value: string
  readonly until: number
}

/** A token that was asked for, and when it is too old; not before it has come. */
interface Order {
  readonly token: Promise<Token>
  until: number
}

export function createCredentials(
  provider: Provider,
  { settings }: Endpoint,
  options: CredentialOptions,
): Credentials {
  const { env, secrets } = options
  const tokens = tokensOf(provider)
  /** One for each key of a pool, or one for all requests. */
  const orders = new Map<KeySlot | undefined, Order>()

  function keyFrom(given: string | undefined): string | undefined {
    const key = given ?? firstSet(provider.keyVariables, env)
    secrets.addPassing(key)
    return key
  }

  function lacksKey(): ProviderError {
    const names = [...provider.keyVariables, ...tokens.flatMap(({ variables }) => variables)]
    const where = names.length > 0 ? ` or set ${names.join(' or ')}` : ''
    const message = `no key for ${provider.name}: pass apiKey${where}`
    return new ProviderError('unauthorized', message, { provider: provider.id })
  }

  function setting(name: string): string {
    const value = settings[name]
    if (value !== undefined && value !== '') return value
    throw new ProviderError('unauthorized', missing(name, provider), { provider: provider.id })
  }

  /** The first way for which there is a key, else the last one. */
  function pick(key: string | undefined): Auth | undefined {
    const byKey = tokens.find(({ auth }) => key !== undefined && auth.keys?.test(key))
    const usesKey = (auth: Auth): boolean =>
      auth.scheme !== 'sigv4' && auth.scheme !== 'client-credentials'
    const ways = provider.auth.filter((auth) => !isToken(auth))
    return byKey?.auth ?? ways.find((auth) => usesKey(auth) === (key !== undefined)) ?? ways[0]
  }

  /** A token that is set, where the caller passes no key. */
  function tokenSet(): { readonly auth: BearerAuth; readonly value: string } | undefined {
    if (options.apiKey !== undefined) return undefined
    const found = tokens.find(({ setting }) => (settings[setting] ?? '') !== '')
    return found && { auth: found.auth, value: settings[found.setting] ?? '' }
  }

  /** One token for all requests; nobody's cancellation ends the others' wait. */
  async function freshToken(slot: KeySlot | undefined, buy: () => Promise<Token>): Promise<string> {
    const before = orders.get(slot)
    const isFresh = before && before.until - MARGIN_MS >= monotonicNow()
    const { value } = await (isFresh ? before : placeOrder(slot, buy)).token
    secrets.addPassing(value)
    return value
  }

  function placeOrder(slot: KeySlot | undefined, buy: () => Promise<Token>): Order {
    const placed: Order = { token: buy(), until: Number.POSITIVE_INFINITY }
    orders.set(slot, placed)
    placed.token.then(
      (fresh) => {
        placed.until = fresh.until
      },
      () => {
        if (orders.get(slot) === placed) forget(slot)
      },
    )
    return placed
  }

  function forget(slot?: KeySlot): void {
    orders.delete(slot)
  }

  async function orderToken(url: string, init: RequestInit): Promise<Token> {
    const fields = { provider: provider.id }
    const { fetch } = options
    const limits = { timeoutMs: TOKEN_TIMEOUT_MS, maxBytes: MAX_TOKEN_BYTES }
    const answer = await sendSmall(url, init, { fetch, secrets, fields, ...limits })
    const { status, isOk, text } = answer
    if (!isOk) throw classify({ status, body: parsed(secrets.hide(text)) }, fields)
    const body = parsed(text)
    const { access_token: access, token: own = access } = fieldsOf(body)
    if (typeof own === 'string' && own !== '') return { value: own, until: untilOf(body) }
    const message = 'the answer to the request for a token has none'
    throw new ProviderError('unauthorized', message, fields)
  }

  function clientCredentials(tokenUrl: string): Promise<Token> {
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: setting('clientId'),
      client_secret: setting('clientSecret'),
    })
    return orderToken(fillIn(tokenUrl, settings, provider), { method: 'POST', body: form })
  }

  async function sign(
    request: SignedRequest,
    slot?: KeySlot,
  ): Promise<Readonly<Record<string, string>>> {
    const token = slot ? undefined : tokenSet()
    if (token) return withBearer(request.headers, token.value, token.auth)
    const apiKey = slot?.source ?? options.apiKey
    const key = keyFrom(typeof apiKey === 'function' ? await apiKey() : apiKey)
    const auth = pick(key)
    const { headers } = request
    if (auth?.scheme === 'sigv4') {
      return signRequest(
        request,
        {
          service: auth.service,
          region: setting('region'),
          accessKeyId: setting('accessKeyId'),
          secretAccessKey: setting('secretAccessKey'),
          sessionToken: settings['sessionToken'],
        },
        new Date(),
      )
    }
    if (auth?.scheme === 'client-credentials') {
      const bought = await freshToken(slot, () => clientCredentials(auth.tokenUrl))
      return { authorization: `Bearer ${bought}`, ...headers }
    }
    if (key === undefined && (provider.keyOptional || hasOwn(headers, auth))) return headers
    if (key === undefined || !auth) throw lacksKey()
    if (auth.scheme === 'header') return { [auth.header]: key, ...headers }
    if (auth.scheme === 'bearer') return withBearer(headers, key, auth)
    const bought = await freshToken(slot, () =>
      orderToken(auth.tokenUrl, {
        headers: { authorization: auth.prefix + key, accept: 'application/json' },
      }),
    )
    return { authorization: `Bearer ${bought}`, ...headers }
  }

  return { sign, forget }
}

interface TokenWay {
  readonly auth: BearerAuth
  readonly setting: string
  readonly variables: readonly string[]
}

/** The ways to authenticate with a token that is a setting. */
function tokensOf({ auth, settings = {} }: Provider): TokenWay[] {
  return auth.filter(isToken).map((way) => {
    const { setting } = way
    return { auth: way, setting, variables: settings[setting]?.variables ?? [] }
  })
}

function isToken(auth: Auth): auth is BearerAuth & { readonly setting: string } {
  return auth.scheme === 'bearer' && auth.setting !== undefined
}

/** The headers with a token, and with what goes with it: lists of the caller are added to. */
function withBearer(
  headers: Readonly<Record<string, string>>,
  token: string,
  { headers: own = {} }: BearerAuth,
): Readonly<Record<string, string>> {
  const added = Object.entries(own).map(([name, value]) => {
    const given = headers[name]
    const isThere = given === undefined || given.split(/\s*,\s*/).includes(value)
    return [name, isThere ? (given ?? value) : `${given},${value}`] as const
  })
  return { authorization: `Bearer ${token}`, ...headers, ...Object.fromEntries(added) }
}

/** The caller's own headers say who is asking. */
function hasOwn(headers: Readonly<Record<string, string>>, auth: Auth | undefined): boolean {
  const name = auth?.scheme === 'header' ? auth.header : 'authorization'
  return name in headers || 'authorization' in headers
}

function untilOf(body: unknown): number {
  const { expires_in: seconds, expires_at: at } = fieldsOf(body)
  // What time it is counts here alone: from now on, how long it still is.
  if (typeof at === 'number') return monotonicNow() + at * 1000 - Date.now()
  return monotonicNow() + (typeof seconds === 'number' ? seconds * 1000 : TOKEN_MS)
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {}
}

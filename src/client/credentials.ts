/** Who is asking: keys, tokens and signatures, as a provider wants them. */
import { isJsonObject } from '../core/json/value.ts'
import type { Auth, Provider } from '../providers/provider.ts'
import { type Endpoint, type Environment, fillIn, firstSet, missing } from './endpoint.ts'
import { classify } from './error-class.ts'
import { ProviderError } from './errors.ts'
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
  /** The headers of the request with those that prove who sends it. */
  sign(request: SignedRequest): Promise<Readonly<Record<string, string>>>
  /** The provider did not believe it: get a new token next time. */
  forget(): void
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
  for (const [name, { secret }] of Object.entries(provider.settings ?? {})) {
    if (secret) secrets.add(settings[name])
  }
  let order: Order | undefined

  function keyFrom(given: string | undefined): string | undefined {
    const key = given ?? firstSet(provider.keyVariables, env)
    secrets.addPassing(key)
    return key
  }

  function lacksKey(): ProviderError {
    const names = provider.keyVariables
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
    const usesKey = (auth: Auth): boolean =>
      auth.scheme !== 'sigv4' && auth.scheme !== 'client-credentials'
    return provider.auth.find((auth) => usesKey(auth) === (key !== undefined)) ?? provider.auth[0]
  }

  /** One token for all requests; nobody's cancellation ends the others' wait. */
  async function freshToken(buy: () => Promise<Token>): Promise<string> {
    if (!order || order.until - MARGIN_MS < Date.now()) order = placeOrder(buy)
    const { value } = await order.token
    secrets.addPassing(value)
    return value
  }

  function placeOrder(buy: () => Promise<Token>): Order {
    const placed: Order = { token: buy(), until: Number.POSITIVE_INFINITY }
    placed.token.then(
      (fresh) => {
        placed.until = fresh.until
      },
      () => {
        if (order === placed) forget()
      },
    )
    return placed
  }

  function forget(): void {
    order = undefined
  }

  async function orderToken(url: string, init: RequestInit): Promise<Token> {
    const fields = { provider: provider.id }
    const { fetch } = options
    const limits = { timeoutMs: TOKEN_TIMEOUT_MS, maxBytes: MAX_TOKEN_BYTES }
    const answer = await sendSmall(url, init, { fetch, secrets, fields, ...limits })
    const { status, isOk, text } = answer
    const body = parsed(text)
    if (!isOk) throw classify({ status, body }, fields)
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

  async function sign(request: SignedRequest): Promise<Readonly<Record<string, string>>> {
    const { apiKey } = options
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
      const bought = await freshToken(() => clientCredentials(auth.tokenUrl))
      return { authorization: `Bearer ${bought}`, ...headers }
    }
    if (key === undefined && (provider.keyOptional || hasOwn(headers, auth))) return headers
    if (key === undefined || !auth) throw lacksKey()
    if (auth.scheme === 'header') return { [auth.header]: key, ...headers }
    if (auth.scheme === 'bearer') return { authorization: `Bearer ${key}`, ...headers }
    const bought = await freshToken(() =>
      orderToken(auth.tokenUrl, {
        headers: { authorization: auth.prefix + key, accept: 'application/json' },
      }),
    )
    return { authorization: `Bearer ${bought}`, ...headers }
  }

  return { sign, forget }
}

/** The caller's own headers say who is asking. */
function hasOwn(headers: Readonly<Record<string, string>>, auth: Auth | undefined): boolean {
  const name = auth?.scheme === 'header' ? auth.header : 'authorization'
  return name in headers || 'authorization' in headers
}

function untilOf(body: unknown): number {
  const { expires_in: seconds, expires_at: at } = fieldsOf(body)
  if (typeof at === 'number') return at * 1000
  return Date.now() + (typeof seconds === 'number' ? seconds * 1000 : TOKEN_MS)
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value) ? value : {}
}

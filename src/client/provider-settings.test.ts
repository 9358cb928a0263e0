/** What people have in their environment for a provider, beside its key. */
import { describe, expect, test } from 'vitest'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import type { GatewayConfig } from '../gateway/config.ts'
import { missingCredentials, providersInEnvironment } from '../gateway/discovery/environment.ts'
import { createGateway } from '../gateway/gateway.ts'
import type { UpstreamRequest } from '../gateway/http.ts'
import { anthropic } from '../providers/anthropic.ts'
import type { ClientRequest } from './chat-client.ts'
import { type ClientOptions, createClient } from './create-client.ts'

interface Sent {
  readonly url: string
  readonly headers: Headers
  readonly body: JsonObject
}

const messages = [{ role: 'user', content: 'Hello?' }] as const

/** What reaches the provider. The reply does not matter. */
async function sent(
  options: Partial<ClientOptions>,
  request: Partial<ClientRequest> = {},
): Promise<Sent> {
  const requests: Sent[] = []
  const client = createClient({
    provider: 'openrouter',
    model: 'm',
    env: {},
    retries: 0,
    ...options,
    fetch: async (url, init) => {
      const body: unknown = JSON.parse(String(init?.body))
      const headers = new Headers(init?.headers)
      requests.push({ url: String(url), headers, body: isJsonObject(body) ? body : {} })
      return new Response('', { status: 418 })
    },
  })
  await client.complete({ messages, ...request }).catch((error: unknown) => {
    if (requests.length === 0) throw error
  })
  const [first] = requests
  if (!first) throw new Error('nothing was sent')
  return first
}

describe('OpenRouter', () => {
  const env = {
    OPENROUTER_API_KEY: 'k',
    OPENROUTER_HTTP_REFERER: 'https://app.test',
    OPENROUTER_APP_TITLE: 'My app',
    OPENROUTER_FALLBACK_MODELS: 'a/one, b/two,',
    OPENROUTER_PROVIDER_ORDER: 'anthropic,together',
    OPENROUTER_TRANSFORMS: 'middle-out',
  }

  test('is told which app is calling, and how to route', async () => {
    const { headers, body } = await sent({ env })
    expect(headers.get('http-referer')).toBe('https://app.test')
    expect(headers.get('x-title')).toBe('My app')
    expect(headers.get('x-openrouter-title')).toBe('My app')
    expect(body).toMatchObject({
      models: ['a/one', 'b/two'],
      provider: { order: ['anthropic', 'together'] },
      transforms: ['middle-out'],
    })
  })

  test('is told nothing when nothing is set', async () => {
    const { headers, body } = await sent({ apiKey: 'k' })
    for (const name of ['http-referer', 'x-title', 'x-openrouter-title']) {
      expect(headers.has(name)).toBe(false)
    }
    for (const field of ['models', 'provider', 'transforms', 'tools']) {
      expect(body).not.toHaveProperty(field)
    }
  })

  test('settings come before the environment, and a request before both', async () => {
    const settings = { appTitle: 'Other', transforms: '' }
    const own = { extra: { 'openai-chat': { models: ['c/three'] } } }
    const { headers, body } = await sent({ env, settings, headers: { 'X-Title': 'Mine' } }, own)
    expect(headers.get('x-openrouter-title')).toBe('Other')
    expect(headers.get('x-title')).toBe('Mine')
    expect(body).toMatchObject({ models: ['c/three'] })
    expect(body).not.toHaveProperty('transforms')
  })

  const tool = { type: 'function', function: { name: 'zzz', parameters: { type: 'object' } } }
  const withTools = { OPENROUTER_TOOLS: JSON.stringify([tool]) }

  test('OPENROUTER_TOOLS are the tools of requests that bring none', async () => {
    const options = { apiKey: 'k', env: withTools }
    expect((await sent(options)).body['tools']).toMatchObject([{ function: { name: 'zzz' } }])
    const { body } = await sent(options, { tools: ['own'] })
    expect(body['tools']).toMatchObject([{ function: { name: 'own' } }])
    const text = await sent({ ...options, toolMode: 'text' })
    expect(JSON.stringify(text.body['messages'])).toContain('zzz')
  })

  test('OPENROUTER_TOOLS that are no list are refused', () => {
    const env = { OPENROUTER_TOOLS: '{broken' }
    expect(() => createClient({ provider: 'openrouter', model: 'm', env })).toThrow(
      'settings.tools (OPENROUTER_TOOLS) of OpenRouter must be a JSON list of tool definitions',
    )
  })
})

describe('MiniMax', () => {
  test.for([
    [{}, 'https://api.minimax.io/v1/chat/completions'],
    [{ MINIMAX_API_COMPAT: 'openai' }, 'https://api.minimax.io/v1/chat/completions'],
    [{ MINIMAX_API_COMPAT: 'anthropic' }, 'https://api.minimax.io/anthropic/v1/messages'],
  ] as const)('with %j is asked at %s', async ([env, url]) => {
    expect((await sent({ provider: 'minimax', apiKey: 'k', env })).url).toBe(url)
  })

  test('has no other interfaces', () => {
    const settings = { apiCompat: 'antropic' }
    expect(() => createClient({ provider: 'minimax', model: 'm', settings, env: {} })).toThrow(
      'settings.apiCompat of MiniMax cannot be "antropic" (did you mean anthropic?); it takes openai or anthropic',
    )
  })
})

describe('a token of Anthropic', () => {
  const token = { ANTHROPIC_AUTH_TOKEN: 'oat' }

  test.for<[string, Partial<ClientOptions>]>([
    ['from the environment', { env: token }],
    ['in the settings', { settings: { authToken: 'oat' } }],
    ['before a key of the environment', { env: { ...token, ANTHROPIC_API_KEY: 'k' } }],
  ])('%s is sent as a bearer token', async ([, options]) => {
    const { headers } = await sent({ provider: 'claude', ...options })
    expect(headers.get('authorization')).toBe('Bearer oat')
    expect(headers.get('anthropic-beta')).toBe('oauth-2025-04-20')
    expect(headers.has('x-api-key')).toBe(false)
  })

  test('is recognised where a key is passed', async () => {
    const { headers } = await sent({ provider: 'anthropic', apiKey: 'sk-ant-oat01-x' })
    expect(headers.get('authorization')).toBe('Bearer sk-ant-oat01-x')
    expect(headers.has('x-api-key')).toBe(false)
  })

  test('leaves the caller’s list of betas in place', async () => {
    const given = { 'anthropic-beta': 'files-api-2025-04-14' }
    const { headers } = await sent({ provider: 'anthropic', env: token, headers: given })
    expect(headers.get('anthropic-beta')).toBe('files-api-2025-04-14,oauth-2025-04-20')
  })

  test('gives way to a key that is passed', async () => {
    const { headers } = await sent({ provider: 'anthropic', env: token, apiKey: 'k' })
    expect(headers.get('x-api-key')).toBe('k')
    expect(headers.has('authorization')).toBe(false)
  })

  test('is named when nothing is there', async () => {
    await expect(sent({ provider: 'anthropic' })).rejects.toThrow(
      'no key for Anthropic: pass apiKey or set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN',
    )
  })

  test('never shows in an error', async () => {
    const client = createClient({
      provider: 'anthropic',
      model: 'm',
      env: { ANTHROPIC_AUTH_TOKEN: 'very-secret-token' },
      retries: 0,
      fetch: async () => new Response('you sent very-secret-token', { status: 400 }),
    })
    const error = await client.complete({ messages }).catch(String)
    expect(error).not.toContain('very-secret-token')
  })

  test('makes the provider known to a gateway', () => {
    expect(providersInEnvironment(token)).toHaveProperty('anthropic')
    expect(missingCredentials(anthropic, { settings: { authToken: 'oat' } }, {})).toBeUndefined()
  })
})

describe('the gateway', () => {
  async function asked(config: GatewayConfig, env: Record<string, string>) {
    const requests: UpstreamRequest[] = []
    const gateway = createGateway(config, {
      env,
      send: async (request) => {
        requests.push(request)
        throw new Error('enough')
      },
    })
    const body = JSON.stringify({ model: `${Object.keys(config.providers ?? {})[0]}/m`, messages })
    const url = 'http://gateway.test/v1/chat/completions'
    await gateway.fetch(new Request(url, { method: 'POST', body }))
    await gateway.close()
    return requests[0]
  }

  test('sends the same to OpenRouter', async () => {
    const env = { OPENROUTER_API_KEY: 'k', OPENROUTER_APP_TITLE: 'A', OPENROUTER_TRANSFORMS: 'x' }
    const request = await asked({ providers: { openrouter: {} } }, env)
    expect(request?.headers).toMatchObject({ 'x-title': 'A' })
    expect(JSON.parse(String(request?.body))).toMatchObject({ transforms: ['x'] })
  })

  test('asks MiniMax at the interface that is wanted', async () => {
    const config = { providers: { minimax: { settings: { apiCompat: 'anthropic' } } } }
    const request = await asked(config, { MINIMAX_API_KEY: 'k' })
    expect(String(request?.url)).toBe('https://api.minimax.io/anthropic/v1/messages')
  })

  test('sends tokens to Anthropic', async () => {
    const config = { providers: { claude: { settings: { authToken: 'oat' } } } }
    const request = await asked(config, {})
    expect(request?.headers).toMatchObject({ authorization: 'Bearer oat' })
  })
})

/** Providers repeat the key that they refuse; clients of the gateway must not see it, whatever the lane. */
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json/value.ts'
import type { ProviderConfig } from '../../src/gateway/config.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { fakeProviders, postRequest, sseResponse } from '../support/gateway-send.ts'

const KEY = 'sk-very-secret/0815'
const BASE = 'http://models.test/v1'

/** Every place where a credential of a provider can be configured. */
const PLACES: readonly (readonly [string, Partial<ProviderConfig>])[] = [
  ['apiKey', { apiKey: KEY }],
  ['headers.authorization', { headers: { Authorization: `Bearer ${KEY}` } }],
  [
    'headers.authorization with a password',
    { headers: { authorization: `Basic ${btoa(`me:${KEY}`)}` } },
  ],
  ['headers.x-api-key', { headers: { 'x-api-key': KEY } }],
  ['headers of any name', { headers: { 'X-Team-Pass': KEY } }],
  [
    'the query of baseUrl',
    { baseUrl: `${BASE}?code=${encodeURIComponent(KEY)}&api-version=2024-10-21` },
  ],
]

/** Every way in which a chat service says that something went wrong. */
const FAILURES: readonly (readonly [string, boolean, (words: string) => Response])[] = [
  ['a refusal', false, (message) => Response.json({ error: { message } }, { status: 401 })],
  [
    'a refusal of a stream',
    true,
    (message) => Response.json({ error: { message } }, { status: 429 }),
  ],
  ['a refusal in plain text', false, (message) => new Response(message, { status: 500 })],
  [
    'an error with status 200 and counts',
    false,
    (message) => Response.json({ error: { message }, choices: [], usage: { prompt_tokens: 1 } }),
  ],
  ['an error with status 200', false, (message) => Response.json({ error: { message } })],
  [
    'a stream that is an error with status 200',
    true,
    (message) => Response.json({ error: { message } }),
  ],
  [
    'an error as the first event',
    true,
    (message) => sseResponse({ error: { message, code: 'server_error' } }),
  ],
  [
    'an error in the middle of a stream',
    true,
    (message) => sseResponse(delta('Once'), { error: { message, code: 'server_error' } }),
  ],
  [
    'an error whose details repeat it',
    true,
    (message) =>
      sseResponse(delta('Once'), { error: { message: 'no', metadata: { raw: message } } }),
  ],
]

function delta(content: string): JsonObject {
  return { choices: [{ index: 0, delta: { role: 'assistant', content }, finish_reason: null }] }
}

const LANES = [
  ['pass', '/v1/chat/completions'],
  ['translate', '/v1/messages'],
] as const

describe.each(LANES)('%s lane', (_, path) => {
  describe.each(FAILURES)('%s', (_kind, stream, answer) => {
    test.each(PLACES)('shows nothing of %s', async (_place, config) => {
      const echo = `Incorrect API key provided: ${KEY}, or ${encodeURIComponent(KEY)}, or ${btoa(`me:${KEY}`)}.`
      const { send, requests } = fakeProviders(() => answer(echo))
      const providers = { own: { provider: 'openai-compatible', baseUrl: BASE, ...config } }
      const gateway = createGateway({ demo: false, providers }, { send, env: {} })
      const messages = [{ role: 'user', content: 'Hello' }]
      const body = { model: 'own/m', messages, stream, max_tokens: 10 }
      const response = await gateway.fetch(postRequest(path, body))
      const seen = `${await response.text()} ${JSON.stringify([...response.headers])}`
      expect(seen).not.toContain(KEY)
      // As a provider may write it in JSON.
      expect(seen).not.toContain(KEY.replaceAll('/', '\\/'))
      expect(seen).toMatch(/error|failed/)
      expect(sentWith(requests[0])).toContain(KEY)
    })
  })
})

test('a key with escapes in JSON is hidden as well', async () => {
  const text = `{"error": {"message": "bad key ${KEY.replaceAll('/', '\\/')}"}}`
  const frames = sseResponse(delta('Once'), text)
  const { send } = fakeProviders(() => frames)
  const providers = { own: { provider: 'openai-compatible', baseUrl: BASE, apiKey: KEY } }
  const gateway = createGateway({ demo: false, providers }, { send, env: {} })
  const body = { model: 'own/m', messages: [{ role: 'user', content: 'Hello' }], stream: true }
  const response = await gateway.fetch(postRequest('/v1/chat/completions', body))
  const seen = await response.text()
  expect(seen).toContain('bad key ***')
})

/** What the provider was sent that says who is asking. */
function sentWith(request: { readonly url: URL; readonly headers: object } | undefined): string {
  const headers = Object.values(request?.headers ?? {}).map(String)
  const decoded = headers.flatMap((value) =>
    value.startsWith('Basic ') ? [atob(value.slice(6))] : [value],
  )
  return [...decoded, ...(request?.url.searchParams.values() ?? [])].join(' ')
}

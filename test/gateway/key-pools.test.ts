/** Several keys for one provider of the gateway, in both lanes and for all its models. */
import { describe, expect, test } from 'vitest'
import type { GatewayConfig } from '../../src/gateway/config.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import {
  type FakeProviders,
  fakeProviders,
  postRequest,
  sseResponse,
} from '../support/gateway-send.ts'

const ONE = 'sk-first-key-0001'
const TWO = 'sk-second-key-0002'

const CONFIG: GatewayConfig = {
  demo: false,
  providers: {
    own: { provider: 'openai-compatible', baseUrl: 'http://models.test/v1', apiKey: [ONE, TWO] },
  },
}

/** Refuses the first key, and the second as well if told so. */
function service(refusesAll = false): FakeProviders & { keys(): string[] } {
  const fake = fakeProviders(({ headers, body }) => {
    const key = headers['authorization'] ?? ''
    if (refusesAll || key.includes(ONE)) {
      const message = `Rate limit reached for ${key}`
      return Response.json(
        { error: { message } },
        { status: 429, headers: { 'retry-after': '20' } },
      )
    }
    const message = { role: 'assistant', content: 'Here.' }
    if (body['stream'] !== true) {
      return Response.json({ choices: [{ message, finish_reason: 'stop' }] })
    }
    return sseResponse({ choices: [{ index: 0, delta: message, finish_reason: 'stop' }] }, '[DONE]')
  })
  const keys = (): string[] =>
    fake.requests.map(({ headers }) => (headers['authorization'] ?? '').replace('Bearer ', ''))
  return { ...fake, keys }
}

const PATHS = [
  ['pass', '/v1/chat/completions'],
  ['translate', '/v1/messages'],
] as const

function request(path: string, stream: boolean, model = 'own/m'): Request {
  const messages = [{ role: 'user', content: 'Hello' }]
  return postRequest(path, { model, messages, stream, max_tokens: 10 })
}

describe.each(PATHS)('%s lane', (_, path) => {
  test.each([false, true])('the next key answers at once (streamed: %s)', async (stream) => {
    const fake = service()
    const gateway = createGateway(CONFIG, { send: fake.send, env: {} })
    const response = await gateway.fetch(request(path, stream))
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('Here.')
    expect(fake.keys()).toEqual([ONE, TWO])
  })

  test('the key is left alone for other models, in the other lane and after a reload', async () => {
    const fake = service()
    const gateway = createGateway(CONFIG, { send: fake.send, env: {} })
    await gateway.fetch(request(path, false))
    await gateway.fetch(request(path, false, 'own/another'))
    for (const [, other] of PATHS) await gateway.fetch(request(other, false))
    gateway.reload({ ...CONFIG, limits: { concurrency: 3 } })
    await gateway.fetch(request(path, false))
    expect(fake.keys()).toEqual([ONE, TWO, TWO, TWO, TWO, TWO])
  })

  test.each([false, true])('no key is shown when none is left (streamed: %s)', async (stream) => {
    const fake = service(true)
    const models = { fast: { chain: ['own/m'], retries: 0 } }
    const gateway = createGateway({ ...CONFIG, models }, { send: fake.send, env: {} })
    const response = await gateway.fetch(request(path, stream, 'fast'))
    const text = await response.text()
    expect(response.status).toBe(429)
    expect(text).toContain('2 of 2 keys')
    expect(text).not.toContain('sk-')
    expect(fake.keys()).toEqual([ONE, TWO])
  })
})

test('keys may come from the environment', async () => {
  const fake = service()
  const own = { provider: 'openai-compatible', baseUrl: 'http://models.test/v1' }
  const env = { OPENAI_COMPATIBLE_API_KEYS: `${ONE},${TWO}` }
  const gateway = createGateway({ demo: false, providers: { own } }, { send: fake.send, env })
  expect((await gateway.fetch(request('/v1/chat/completions', false))).status).toBe(200)
  expect(fake.keys()).toEqual([ONE, TWO])
})

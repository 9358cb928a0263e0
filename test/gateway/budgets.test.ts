/** What a key may spend, and what clients have used: in both lanes, whole and streamed. */
import { describe, expect, test } from 'vitest'
import { isJsonObject, type JsonObject } from '../../src/core/json/value.ts'
import type { GatewayConfig, KeyBudget } from '../../src/gateway/config.ts'
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts'
import { createMetrics } from '../../src/gateway/observe/metrics.ts'
import { fakeProviders, postRequest, sseResponse } from '../support/gateway-send.ts'

const KEY = 'tg-app-key-0123456789'
const ADMIN = 'tg-admin-key-0123456789'
const PATHS = [
  ['pass', '/v1/chat/completions'],
  ['translate', '/v1/messages'],
] as const
/** What every reply takes, in tokens and dollars. */
const TOKENS = 1500
const PRICE = { input: 1000, output: 2000 }
const COST = 1 + 0.5 * 2

interface Opened {
  readonly gateway: Gateway
  readonly metrics: ReturnType<typeof createMetrics>
}

function open(budget: KeyBudget | undefined, more: GatewayConfig = {}, usage = true): Opened {
  const counts = { prompt_tokens: 1000, completion_tokens: 500, total_tokens: TOKENS }
  const told: JsonObject = usage ? { usage: counts } : {}
  const { send } = fakeProviders(({ body }) => {
    const message = { role: 'assistant', content: 'Here.' }
    if (body['stream'] !== true) {
      return Response.json({ choices: [{ message, finish_reason: 'stop' }], ...told })
    }
    const frame = { choices: [{ index: 0, delta: message, finish_reason: 'stop' }], ...told }
    return sseResponse(frame, '[DONE]')
  })
  const metrics = createMetrics()
  const config: GatewayConfig = {
    demo: false,
    providers: { own: { provider: 'openai-compatible', baseUrl: 'http://m.test/v1', apiKey: 'k' } },
    prices: { 'own/m': PRICE },
    keys: [
      { name: 'app', key: KEY, budget },
      { name: 'admin', key: ADMIN, admin: true },
    ],
    ...more,
  }
  return { gateway: createGateway(config, { send, env: {}, observers: [metrics] }), metrics }
}

async function ask(
  { gateway }: Opened,
  path: string,
  { stream = false, model = 'own/m' } = {},
): Promise<{ readonly status: number; readonly text: string; readonly headers: Headers }> {
  const messages = [{ role: 'user', content: 'Hello' }]
  const request = postRequest(path, { model, messages, stream, max_tokens: 10 })
  request.headers.set('x-api-key', KEY)
  const response = await gateway.fetch(request)
  return { status: response.status, text: await response.text(), headers: response.headers }
}

async function usageOf({ gateway }: Opened, key = ADMIN): Promise<Response> {
  const headers = { authorization: `Bearer ${key}` }
  return gateway.fetch(new Request('http://gateway.test/usage', { headers }))
}

describe.each(PATHS)('%s lane', (_, path) => {
  test.each([false, true])('a budget of tokens (streamed: %s)', async (stream) => {
    const opened = open({ tokens: 2 * TOKENS, per: 'day' })
    const statuses: number[] = []
    for (let times = 0; times < 4; times++)
      statuses.push((await ask(opened, path, { stream })).status)
    expect(statuses).toEqual([200, 200, 429, 429])
  })

  test.each([false, true])('a budget of dollars (streamed: %s)', async (stream) => {
    const opened = open({ usd: 2 * COST })
    const statuses: number[] = []
    for (let times = 0; times < 3; times++)
      statuses.push((await ask(opened, path, { stream })).status)
    expect(statuses).toEqual([200, 200, 429])
  })

  test('says until when, and that it is the budget', async () => {
    const opened = open({ usd: COST / 2, per: 'hour' })
    await ask(opened, path)
    const { headers, text } = await ask(opened, path)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(3600)
    expect(text).toContain('has used its budget of 1 US dollars for the hour')
  })

  test('replies without usage are estimated, not free', async () => {
    const opened = open({ tokens: 10 }, {}, false)
    expect((await ask(opened, path)).status).toBe(200)
    expect((await ask(opened, path)).status).toBe(429)
  })

  test('a model without a price is refused to a key with dollars', async () => {
    const opened = open({ usd: 5 })
    const { status, text } = await ask(opened, path, { model: 'own/unknown' })
    expect(status).toBe(403)
    expect(text).toContain('own/unknown')
    const withTokens = open({ tokens: 5000 })
    expect((await ask(withTokens, path, { model: 'own/unknown' })).status).toBe(200)
  })
})

test('a price of 0, and prices by pattern', async () => {
  const opened = open({ usd: 0.01 }, { prices: { 'own/*': 0, 'own/dear*': PRICE } })
  const models = ['own/a', 'own/a', 'own/dear-1', 'own/a']
  const statuses: number[] = []
  for (const model of models) {
    statuses.push((await ask(opened, '/v1/chat/completions', { model })).status)
  }
  expect(statuses).toEqual([200, 200, 200, 429])
})

test('usage by key and model, for admins', async () => {
  const opened = open({ usd: 100, per: 'day' })
  for (const [, path] of PATHS) await ask(opened, path)
  expect((await usageOf(opened, KEY)).status).toBe(403)
  const page: unknown = await (await usageOf(opened)).json()
  const { keys, models } = isJsonObject(page) ? page : {}
  expect(keys).toMatchObject([
    { name: 'app', budget: { usd: 100, per: 'day' }, spent: { tokens: 2 * TOKENS, usd: 2 * COST } },
    { name: 'admin' },
  ])
  expect(models).toEqual([
    {
      ...{ key: 'app', provider: 'own', model: 'm', requests: 2 },
      ...{ inputTokens: 2000, outputTokens: 1000, estimated: 0, costUsd: 2 * COST, unpriced: 0 },
    },
  ])
  expect(JSON.stringify([keys, models])).not.toContain(KEY)
})

test('metrics say what was spent', async () => {
  const opened = open({ usd: 100 })
  await ask(opened, '/v1/messages', { stream: true })
  const text = opened.metrics.render()
  expect(text).toContain(`toolglot_cost_usd_total{provider="own",model="m"} ${COST}`)
  expect(text).toContain(`toolglot_key_cost_usd_total{key="app"} ${COST}`)
  expect(text).toContain('toolglot_key_tokens_total{key="app",direction="input"} 1000')
})

test('requests that nobody answered cost nothing', async () => {
  const { send } = fakeProviders(() => Response.json({ error: { message: 'no' } }, { status: 400 }))
  const config: GatewayConfig = {
    demo: false,
    providers: { own: { provider: 'openai-compatible', baseUrl: 'http://m.test/v1', apiKey: 'k' } },
    keys: [{ name: 'app', key: KEY, budget: { tokens: 1 } }],
  }
  const opened = { gateway: createGateway(config, { send, env: {} }), metrics: createMetrics() }
  for (let times = 0; times < 3; times++) {
    expect((await ask(opened, '/v1/chat/completions')).status).toBe(400)
  }
})

test.for<[string, GatewayConfig]>([
  ['a budget of nothing', { keys: [{ name: 'a', key: 'k', budget: {} }] }],
  ['dollars that are no number', { keys: [{ name: 'a', key: 'k', budget: { usd: Number.NaN } }] }],
  ['tokens below one', { keys: [{ name: 'a', key: 'k', budget: { tokens: -5 } }] }],
  [
    'an unknown period',
    { keys: [{ name: 'a', key: 'k', budget: { usd: 1, per: 'week' as 'day' } }] },
  ],
  ['a price that is no number', { prices: { 'own/m': { input: Number.NaN, output: 1 } } }],
])('refuses %s', ([, config]) => {
  expect(() => createGateway(config, { env: {} })).toThrow(/budget|prices/)
})

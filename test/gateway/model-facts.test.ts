/** What clients of the gateway are told about its models. */
import { expect, test } from 'vitest'
import { isJsonObject, type JsonObject } from '../../src/core/json/value.ts'
import type { GatewayConfig } from '../../src/gateway/config.ts'
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts'
import { fakeProviders, postRequest } from '../support/gateway-send.ts'

const CONFIG: GatewayConfig = {
  demo: false,
  providers: { local: { provider: 'ollama', models: ['qwen3'] } },
  models: {
    short: { chain: [{ model: 'local/qwen3', contextWindow: 9000 }] },
    fast: ['local/qwen3'],
  },
}

const SHOWN: JsonObject = {
  model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': 40960 },
  capabilities: ['completion', 'vision'],
}

async function show(gateway: Gateway, model: string): Promise<JsonObject> {
  const response = await gateway.fetch(postRequest('/api/show', { model }))
  return objectIn(response)
}

async function get(gateway: Gateway, path: string, headers = {}): Promise<JsonObject> {
  const response = await gateway.fetch(new Request(`http://gateway.test${path}`, { headers }))
  return objectIn(response)
}

async function objectIn(response: Response): Promise<JsonObject> {
  const body: unknown = await response.json()
  if (!isJsonObject(body)) throw new TypeError('the answer is no object')
  return body
}

test('/api/show has the true context length, and asks for it once', async () => {
  const { send, requests } = fakeProviders(() => Response.json(SHOWN))
  const gateway = createGateway(CONFIG, { send, env: {} })
  const window = (tokens: number): JsonObject => ({
    'general.architecture': 'toolglot',
    'toolglot.context_length': tokens,
  })
  expect(await show(gateway, 'local/qwen3')).toMatchObject({
    model_info: window(40960),
    capabilities: ['completion', 'tools', 'vision'],
  })
  expect(await show(gateway, 'fast')).toMatchObject({ model_info: window(40960) })
  expect(await show(gateway, 'short')).toMatchObject({ model_info: window(9000) })
  expect(requests.map(({ url }) => url.pathname)).toEqual(['/api/show'])
})

test('a context length that nobody knows is not made up', async () => {
  const { send } = fakeProviders(() => Response.json({ error: 'no' }, { status: 500 }))
  const gateway = createGateway(CONFIG, { send, env: {} })
  const shown = await show(gateway, 'local/qwen3')
  expect(shown).toMatchObject({ capabilities: ['completion', 'tools'] })
  expect(shown['model_info']).toEqual({ 'general.architecture': 'toolglot' })
})

test('lists have what is known of each model', async () => {
  const { send } = fakeProviders(() => Response.json(SHOWN))
  const gateway = createGateway(CONFIG, { send, env: {} })
  const before = await get(gateway, '/v1/models')
  const plain = { object: 'model', created: 0 }
  expect(before['data']).toContainEqual({ ...plain, id: 'local/qwen3', owned_by: 'local' })
  expect(before['data']).toContainEqual(
    expect.objectContaining({ id: 'short', context_length: 9000 }),
  )

  expect(await get(gateway, '/v1/models/local/qwen3')).toMatchObject({ context_length: 40960 })
  const after = await get(gateway, '/v1/models')
  expect(after['data']).toContainEqual(
    expect.objectContaining({
      id: 'local/qwen3',
      context_length: 40960,
      max_model_len: 40960,
      supports_image_input: true,
    }),
  )
  const anthropic = await get(gateway, '/v1/models', { 'anthropic-version': '2023-06-01' })
  expect(anthropic['data']).toContainEqual(
    expect.objectContaining({
      id: 'fast',
      max_input_tokens: 40960,
      capabilities: { image_input: { supported: true }, thinking: { supported: false } },
    }),
  )
  const gemini = await get(gateway, '/v1beta/models')
  expect(gemini['models']).toContainEqual(
    expect.objectContaining({ name: 'models/fast', inputTokenLimit: 40960 }),
  )
})

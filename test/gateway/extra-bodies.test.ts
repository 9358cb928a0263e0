/** Fields that the configuration adds to requests, in both lanes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/create-client.ts'
import type { JsonObject } from '../../src/core/json/value.ts'
import { type GatewayRig, servicesAt, startRig } from '../support/gateway-services.ts'

let rig: GatewayRig

beforeAll(async () => {
  rig = await startRig({
    config(url) {
      const { ollama, 'openai-chat': chat } = servicesAt(url)
      return {
        providers: {
          local: {
            ...ollama,
            body: { keep_alive: '30m', options: { num_ctx: 8192, temperature: 0.1 } },
            perModel: {
              '*': { body: { options: { top_k: 1 } } },
              'qwen3*': { body: { options: { num_ctx: 32768, top_k: 20 } } },
            },
          },
          vllm: {
            ...chat,
            body: { repetition_penalty: 1.05, temperature: 0.1 },
            forceBody: { chat_template_kwargs: { enable_thinking: false } },
          },
        },
        models: {
          long: { chain: ['local/qwen3'], body: { options: { num_ctx: 65536 } } },
          linked: { chain: [{ model: 'vllm/a', body: { top_k: 3 } }] },
        },
      }
    },
  })
})
afterAll(() => rig.close())

async function sent(path: string, body: JsonObject): Promise<JsonObject> {
  rig.upstream.play({ reply: 'hello' })
  const response = await fetch(rig.url + path, { method: 'POST', body: JSON.stringify(body) })
  expect(response.status).toBe(200)
  return rig.upstream.requests.at(-1)?.body as JsonObject // every request of the test has a body
}

const messages = [{ role: 'user', content: 'hi' }]

describe.for([
  ['pass', '/api/chat', { stream: false, options: { temperature: 0.9 } }],
  ['translate', '/v1/chat/completions', { temperature: 0.9 }],
] as const)('a server with an API of its own: %s', ([, path, more]) => {
  test.for([
    ['local/qwen3', { num_ctx: 32768, top_k: 20 }],
    ['local/other', { num_ctx: 8192, top_k: 1 }],
    ['long', { num_ctx: 65536, top_k: 20 }],
  ] as const)('%s', async ([model, options]) => {
    const body = await sent(path, { model, messages, ...more })
    expect(body).toMatchObject({ keep_alive: '30m', options: { ...options, temperature: 0.9 } })
  })
})

describe.for([
  ['pass', '/v1/chat/completions'],
  ['translate', '/v1/messages'],
] as const)('a server that speaks OpenAI: %s', ([, path]) => {
  test('defaults, and fields that the client cannot change', async () => {
    const body = await sent(path, {
      model: 'linked',
      max_tokens: 100,
      temperature: 0.9,
      chat_template_kwargs: { enable_thinking: true },
      messages,
    })
    expect(body).toMatchObject({
      temperature: 0.9,
      repetition_penalty: 1.05,
      top_k: 3,
      chat_template_kwargs: { enable_thinking: false },
    })
  })
})

test('a client has the same options', async () => {
  rig.upstream.play({ reply: 'hello' })
  const client = createClient({
    provider: 'openai-compatible',
    baseUrl: `${rig.upstream.url}/openai-chat`,
    model: 'm',
    env: {},
    body: { top_k: 20, temperature: 0.1 },
    forceBody: { seed: 7 },
  })
  await client.complete({ messages: [{ role: 'user', content: 'hi' }], temperature: 0.9, seed: 1 })
  expect(rig.upstream.requests.at(-1)?.body).toMatchObject({
    top_k: 20,
    temperature: 0.9,
    seed: 7,
  })
  expect(() =>
    createClient({ provider: 'ollama', model: 'm', env: {}, body: { messages: [] } }),
  ).toThrow('body.messages: belongs to the request itself')
})

/** What services say about their models, and what becomes of it. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import type { ModelFacts } from '../providers/model-info.ts'
import { type ClientOptions, createClient } from './create-client.ts'
import { createFallback } from './fallback.ts'

interface Asked {
  readonly method: string
  readonly url: string
  readonly body: JsonObject
  readonly headers: Headers
}

type Answer = (asked: Asked) => Response | Promise<Response>

function clientOf(
  provider: string,
  model: string,
  answer: Answer,
  more: Partial<ClientOptions> = {},
) {
  const asked: Asked[] = []
  const client = createClient({
    provider,
    model,
    apiKey: 'key-for-tests',
    settings: { integrationId: 'tests' },
    env: {},
    retries: 0,
    fetch: async (url, init) => {
      const body: unknown = JSON.parse(String(init?.body ?? '{}'))
      const { method = 'GET' } = init ?? {}
      const headers = new Headers(init?.headers)
      const one = { method, url: String(url), body: isJsonObject(body) ? body : {}, headers }
      asked.push(one)
      return answer(one)
    },
    ...more,
  })
  return { client, asked, urls: () => asked.map(({ method, url }) => `${method} ${url}`) }
}

const SHOWN: JsonObject = {
  parameters: 'stop                           "<|im_end|>"\nnum_ctx                        16384',
  model_info: { 'general.architecture': 'qwen3', 'qwen3.context_length': 40960 },
  capabilities: ['completion', 'tools', 'thinking'],
}

/** Provider, model, what is asked, what is answered, what is understood. */
const SERVICES: readonly (readonly [string, string, string, JsonValue, ModelFacts])[] = [
  [
    'ollama',
    'qwen3',
    'POST http://127.0.0.1:11434/api/show',
    SHOWN,
    { nativeTools: true, contextWindow: 16384, vision: false, reasoning: true },
  ],
  [
    'ollama',
    'gemma3:1b',
    'POST http://127.0.0.1:11434/api/show',
    {
      model_info: { 'general.architecture': 'gemma3', 'gemma3.context_length': 32768 },
      capabilities: ['completion', 'vision'],
    },
    { nativeTools: false, contextWindow: 32768, vision: true, reasoning: false },
  ],
  [
    'llama-cpp',
    'any',
    'GET http://127.0.0.1:8080/props',
    {
      default_generation_settings: { n_ctx: 65536 },
      modalities: { vision: true, audio: false },
      chat_template_caps: { supports_tools: true },
    },
    { nativeTools: true, contextWindow: 65536, vision: true },
  ],
  [
    'lm-studio',
    'qwen3-8b',
    'GET http://127.0.0.1:1234/api/v0/models',
    {
      data: [
        { id: 'other', type: 'llm', state: 'not-loaded', max_context_length: 1 },
        {
          id: 'qwen3-8b',
          type: 'llm',
          state: 'loaded',
          max_context_length: 32768,
          loaded_context_length: 8192,
          capabilities: ['tool_use'],
        },
      ],
    },
    { nativeTools: true, contextWindow: 8192, vision: false },
  ],
  [
    'vllm',
    'm',
    'GET http://127.0.0.1:8000/v1/models',
    { data: [{ id: 'm', max_model_len: 131072 }] },
    { contextWindow: 131072 },
  ],
  [
    'openrouter',
    'vendor/m:nitro',
    'GET https://openrouter.ai/api/v1/models',
    {
      data: [
        {
          id: 'vendor/m',
          context_length: 200_000,
          architecture: { input_modalities: ['text', 'image'] },
          top_provider: { context_length: 128_000, max_completion_tokens: 16_384 },
          supported_parameters: ['max_tokens', 'reasoning'],
        },
      ],
    },
    {
      nativeTools: false,
      reasoning: true,
      vision: true,
      contextWindow: 128_000,
      maxOutputTokens: 16_384,
    },
  ],
  [
    'google',
    'gemini-2.5-pro',
    'GET https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro',
    {
      name: 'models/gemini-2.5-pro',
      inputTokenLimit: 1048576,
      outputTokenLimit: 65536,
      thinking: true,
    },
    { contextWindow: 1048576, maxOutputTokens: 65536, reasoning: true },
  ],
  [
    'anthropic',
    'claude-sonnet-4-5',
    'GET https://api.anthropic.com/v1/models/claude-sonnet-4-5',
    {
      type: 'model',
      max_input_tokens: 200_000,
      max_tokens: 64_000,
      capabilities: { image_input: { supported: true }, thinking: { supported: true } },
    },
    { contextWindow: 200_000, maxOutputTokens: 64_000, vision: true, reasoning: true },
  ],
  [
    'mistral',
    'mistral-small',
    'GET https://api.mistral.ai/v1/models',
    {
      data: [
        {
          id: 'mistral-small',
          max_context_length: 131072,
          capabilities: { function_calling: true, vision: false },
        },
      ],
    },
    { nativeTools: true, vision: false, contextWindow: 131072 },
  ],
  [
    'groq',
    'llama',
    'GET https://api.groq.com/openai/v1/models',
    { data: [{ id: 'llama', context_window: 131072, max_completion_tokens: 32768 }] },
    { contextWindow: 131072, maxOutputTokens: 32768 },
  ],
  [
    'together',
    'm',
    'GET https://api.together.xyz/v1/models',
    [{ id: 'm', context_length: 4096 }],
    { contextWindow: 4096 },
  ],
  ['openai', 'gpt-5', 'GET https://api.openai.com/v1/models', { data: [{ id: 'gpt-5' }] }, {}],
]

describe.each(SERVICES)('%s', (provider, model, question, answer, facts) => {
  test(`says what ${model} can do, once`, async () => {
    const { client, asked, urls } = clientOf(provider, model, () => Response.json(answer))
    const both = await Promise.all([client.modelInfo(), client.modelInfo()])
    expect(both).toEqual([
      { id: model, ...facts },
      { id: model, ...facts },
    ])
    await client.modelInfo()
    expect(urls()).toEqual([question])
    if (question.startsWith('POST')) expect(asked[0]?.body).toEqual({ model })
    expect(client.capabilities.nativeTools).toBe(facts.nativeTools !== false)
  })
})

describe('models()', () => {
  test.each([
    [
      'ollama',
      '/api/tags',
      { models: [{ name: 'qwen3:8b' }, { name: 'gemma3:1b' }] },
      ['qwen3:8b', 'gemma3:1b'],
    ],
    [
      'google',
      '/models?pageSize=1000',
      { models: [{ name: 'models/gemini-2.5-pro' }] },
      ['gemini-2.5-pro'],
    ],
    ['groq', '/models', { data: [{ id: 'a' }, { object: 'model' }] }, ['a']],
    ['together', '/models', [{ id: 'a' }], ['a']],
  ] as const)('lists those of %s', async (provider, path, answer, ids) => {
    const { client, urls } = clientOf(provider, 'any', () => Response.json(answer))
    expect((await client.models()).map(({ id }) => id)).toEqual(ids)
    expect(urls()[0]).toMatch(path)
  })

  test('rejects when the service refuses, without showing the key', async () => {
    const refusal = { error: { message: 'Incorrect API key: key-for-tests' } }
    const { client } = clientOf('groq', 'any', () => Response.json(refusal, { status: 401 }))
    await expect(client.models()).rejects.toMatchObject({
      code: 'unauthorized',
      message: expect.stringContaining('***'),
    })
  })

  test('rejects when there is no list', async () => {
    const more = { settings: { project: 'p' } }
    const { client } = clientOf('vertex', 'any', () => Response.json({}), more)
    await expect(client.models()).rejects.toMatchObject({ code: 'unsupported' })
  })

  test('what it says need not be asked again', async () => {
    const answer = {
      data: [
        { id: 'a', context_window: 4096 },
        { id: 'b', context_window: 8192 },
      ],
    }
    const { client, asked } = clientOf('groq', 'a', () => Response.json(answer))
    await client.models()
    expect(await client.modelInfo({ model: 'b' })).toEqual({ id: 'b', contextWindow: 8192 })
    expect(asked).toHaveLength(1)
  })
})

describe('without an answer', () => {
  test.each<readonly [string, Answer]>([
    ['a refusal', () => Response.json({ error: 'no' }, { status: 404 })],
    ['a page', () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
    [
      'JSON of another shape',
      () => Response.json({ model_info: 5, capabilities: 'tools', parameters: 7 }),
    ],
    ['no connection', () => Promise.reject(new TypeError('fetch failed'))],
  ])('%s: nothing is known, and nothing fails', async (_, answer) => {
    const { client, asked } = clientOf('ollama', 'm', answer)
    expect(await client.modelInfo()).toEqual({ id: 'm' })
    expect(await client.modelInfo()).toEqual({ id: 'm' })
    expect(asked).toHaveLength(1)
    expect(client.capabilities).toMatchObject({ nativeTools: true, toolMode: 'native' })
  })

  test('the service is asked again after a minute', async () => {
    vi.useFakeTimers({ now: 0, toFake: ['performance'] })
    try {
      let isUp = false
      const { client } = clientOf('ollama', 'm', () =>
        isUp ? Response.json(SHOWN) : Response.json({}, { status: 503 }),
      )
      expect(await client.modelInfo()).toEqual({ id: 'm' })
      isUp = true
      vi.advanceTimersByTime(61_000)
      expect(await client.modelInfo()).toMatchObject({ contextWindow: 16384 })
    } finally {
      vi.useRealTimers()
    }
  })

  test('a signal ends the wait of one, and not of others', async () => {
    let release = (_: Response): void => {}
    const held = new Promise<Response>((resolve) => {
      release = resolve
    })
    const { client } = clientOf('ollama', 'm', () => held)
    const controller = new AbortController()
    const given = client.modelInfo({ signal: controller.signal })
    const other = client.modelInfo()
    controller.abort(new Error('enough'))
    await expect(given).rejects.toThrow('enough')
    release(Response.json(SHOWN))
    expect(await other).toMatchObject({ contextWindow: 16384 })
  })

  test('a key that may not list models is not left alone', async () => {
    const answer: Answer = ({ url, headers }) => {
      if (url.endsWith('/models')) return Response.json({}, { status: 403 })
      const key = headers.get('authorization')
      const message = { role: 'assistant', content: key }
      return Response.json({ choices: [{ message, finish_reason: 'stop' }] })
    }
    const { client } = clientOf('groq', 'm', answer, { apiKey: ['key-one', 'key-two'] })
    await client.modelInfo()
    const { message } = await client.complete({ messages: [{ role: 'user', content: 'Hi' }] })
    expect(message.content).toBe('Bearer key-one')
  })
})

describe('tool mode', () => {
  const messages = [{ role: 'user', content: 'How deep is it?' }] as const
  const tools = [{ name: 'sound', inputSchema: { type: 'object' } }] as const
  const plain: JsonObject = { capabilities: ['completion'] }
  const answer: Answer = ({ url }) =>
    url.endsWith('/api/show')
      ? Response.json(plain)
      : Response.json({ message: { role: 'assistant', content: 'Deep.' }, done: true })
  const paths = (asked: readonly Asked[]): string[] =>
    asked.map(({ url, body }) => `${new URL(url).pathname}${'tools' in body ? ' with tools' : ''}`)

  test('auto uses what is known', async () => {
    const { client, asked } = clientOf('ollama', 'm', answer)
    await client.modelInfo()
    expect(client.capabilities).toMatchObject({ nativeTools: false, toolMode: 'text' })
    await client.complete({ messages, tools })
    expect(paths(asked)).toEqual(['/api/show', '/api/chat'])
  })

  test.each([
    ['whole', false],
    ['streamed', true],
  ])('lookUp asks before the first request with tools: %s', async (_, streamed) => {
    const { client, asked } = clientOf('ollama', 'm', answer, { lookUp: true })
    const ask = (request: Parameters<typeof client.complete>[0]) =>
      streamed ? client.stream(request).response : client.complete(request)
    await ask({ messages })
    await ask({ messages, tools })
    await ask({ messages, tools })
    expect(paths(asked)).toEqual(['/api/chat', '/api/show', '/api/chat', '/api/chat'])
  })

  test('nobody is asked over a fetch of the caller’s, or where nothing is to be learned', async () => {
    const own = clientOf('ollama', 'm', answer)
    await own.client.complete({ messages, tools })
    expect(paths(own.asked)).toEqual(['/api/chat with tools'])
    const native = clientOf('ollama', 'm', answer, { lookUp: true, toolMode: 'native' })
    await native.client.complete({ messages, tools })
    expect(paths(native.asked)).toEqual(['/api/chat with tools'])
  })

  test('a server on this machine is asked by itself', async () => {
    const seen: string[] = []
    const server = createServer((request, response) => {
      seen.push(request.url ?? '')
      const body =
        request.url === '/api/show' ? plain : { message: { content: 'Deep.' }, done: true }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(body))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      // A server that listens at a port has an address with one.
      const { port } = server.address() as AddressInfo
      const baseUrl = `http://127.0.0.1:${port}`
      const client = createClient({ provider: 'ollama', model: 'm', baseUrl, env: {}, retries: 0 })
      await client.complete({ messages, tools })
      await client.complete({ messages, tools })
      expect(seen).toEqual(['/api/show', '/api/chat', '/api/chat'])
    } finally {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  })
})

test('a chain speaks for the client that would be asked next', async () => {
  const { client } = clientOf('ollama', 'm', () => Response.json(SHOWN))
  const chain = createFallback([{ client, contextWindow: 4096 }])
  expect(await chain.modelInfo?.()).toMatchObject({ id: 'm', contextWindow: 4096, reasoning: true })
  expect(await createFallback([client]).modelInfo?.()).toMatchObject({ contextWindow: 16384 })
})

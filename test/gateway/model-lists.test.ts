/** Which models clients are shown, and which names they can use, when servers say what they have. */
import { describe, expect, test } from 'vitest'
import { isJsonObject, type JsonObject } from '../../src/core/json/value.ts'
import type { GatewayConfig } from '../../src/gateway/config.ts'
import { createGateway, type Gateway, type GatewayOptions } from '../../src/gateway/gateway.ts'
import type { Send } from '../../src/gateway/http.ts'
import { fakeProviders, postRequest, type SentRequest } from '../support/gateway-send.ts'

const VLLM = {
  data: [{ id: 'hermes', owned_by: 'vllm', max_model_len: 32768 }, { id: 'Qwen/Qwen3-8B' }],
}
const OLLAMA = {
  models: [{ name: 'qwen3-coder:latest' }, { name: 'shared' }, { name: 'llava:7b' }],
}
const OPENAI = { data: [{ id: 'gpt-5' }, { id: 'shared' }] }

const LISTS: Readonly<Record<string, JsonObject>> = {
  'vllm.test': VLLM,
  'ollama.test': OLLAMA,
  'api.openai.com': OPENAI,
}

const CONFIG: GatewayConfig = {
  providers: {
    vllm: { baseUrl: 'http://vllm.test/v1' },
    ollama: { baseUrl: 'http://ollama.test' },
    openai: { apiKey: 'sk-0123456789' },
  },
}

const SAID = {
  choices: [{ message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
}

function answer({ url, body }: SentRequest): Response {
  if (url.pathname === '/api/show') {
    const facts = { 'general.architecture': 'a', 'a.context_length': 8192 }
    return Response.json({ model_info: facts, capabilities: ['tools', 'vision'] })
  }
  if (/\/(?:models|tags)$/.test(url.pathname)) return Response.json(LISTS[url.hostname] ?? {})
  const message = { role: 'assistant', content: 'Hi.' }
  if (url.hostname === 'ollama.test')
    return Response.json({ model: body['model'] ?? '', message, done: true })
  return Response.json({ ...SAID, model: body['model'] ?? '' })
}

function open(config: GatewayConfig = CONFIG, options: GatewayOptions = {}) {
  const { send, requests } = fakeProviders(answer)
  return { gateway: createGateway(config, { send, env: {}, ...options }), requests }
}

async function get(gateway: Gateway, path: string, headers = {}): Promise<JsonObject> {
  const response = await gateway.fetch(new Request(`http://gateway.test${path}`, { headers }))
  const body: unknown = await response.json()
  if (!isJsonObject(body)) throw new TypeError('the answer is no object')
  return body
}

async function idsAt(gateway: Gateway, path = '/v1/models', headers = {}): Promise<unknown[]> {
  const body = await get(gateway, path, headers)
  const entries = body['data'] ?? body['models']
  return Array.isArray(entries)
    ? entries.map((one) => isJsonObject(one) && (one['id'] ?? one['name']))
    : []
}

interface Asked {
  readonly status: number
  readonly target: string | null
  readonly text: string
}

async function ask(gateway: Gateway, model: string, headers = {}): Promise<Asked> {
  const request = postRequest('/v1/chat/completions', {
    model,
    messages: [{ role: 'user', content: 'Hello' }],
  })
  for (const [name, value] of Object.entries(headers)) request.headers.set(name, String(value))
  const response = await gateway.fetch(request)
  const target = response.headers.get('x-toolglot-model')
  return { status: response.status, target, text: await response.text() }
}

const ALL = [
  'vllm/hermes',
  'vllm/Qwen/Qwen3-8B',
  'ollama/qwen3-coder:latest',
  'ollama/shared',
  'ollama/llava:7b',
  'openai/gpt-5',
  'openai/shared',
]

describe('lists', () => {
  test.for([
    ['/v1/models', {}, ALL],
    ['/v1/models', { 'anthropic-version': '2023-06-01' }, ALL],
    ['/api/tags', {}, ALL],
    ['/v1beta/models', {}, ALL.map((id) => `models/${id}`)],
  ] as const)(
    '%s %j has what the servers have, and no demo models',
    async ([path, headers, ids]) => {
      const { gateway } = open()
      expect(await idsAt(gateway, path, headers)).toEqual(ids)
    },
  )

  test('a list is asked for once, and context lengths are known with it', async () => {
    const { gateway, requests } = open()
    await Promise.all([idsAt(gateway), idsAt(gateway), idsAt(gateway, '/api/tags')])
    const asked = requests.filter(({ url }) => url.hostname === 'vllm.test')
    expect(asked).toHaveLength(1)
    const { data } = await get(gateway, '/v1/models')
    expect(data).toContainEqual(
      expect.objectContaining({ id: 'vllm/hermes', max_model_len: 32768 }),
    )
  })

  test("Ollama's models are described one by one", async () => {
    const { gateway } = open()
    await idsAt(gateway)
    await expect
      .poll(async () => (await get(gateway, '/v1/models'))['data'])
      .toContainEqual(expect.objectContaining({ id: 'ollama/llava:7b', context_length: 8192 }))
  })

  test('a server that does not answer delays nobody, and is reported once', async () => {
    const notices: string[] = []
    const { send: usual } = fakeProviders(answer)
    const send: Send = (request) =>
      request.url.hostname === 'vllm.test'
        ? Promise.reject(new Error('connect ECONNREFUSED'))
        : usual(request)
    const options = { send, env: {}, onNotice: ({ code }: { code: string }) => notices.push(code) }
    const gateway = createGateway(CONFIG, options)
    const others = ALL.filter((id) => !id.startsWith('vllm/'))
    expect(await idsAt(gateway)).toEqual(others)
    expect(await idsAt(gateway)).toEqual(others)
    expect(notices).toEqual(['models-not-listed'])
  })

  test('a list that never comes is not waited for', async () => {
    const { send: usual } = fakeProviders(answer)
    const send: Send = (request) =>
      request.url.hostname === 'vllm.test' ? new Promise(() => {}) : usual(request)
    const gateway = createGateway(CONFIG, { send, env: {} })
    expect(await idsAt(gateway)).toEqual(ALL.filter((id) => !id.startsWith('vllm/')))
  })

  test('models of the configuration are all that is listed of their provider', async () => {
    const { gateway } = open({
      providers: { openai: { apiKey: 'k', models: ['gpt-5'] } },
      models: {
        fast: 'openai/gpt-5',
        secret: { chain: ['openai/gpt-5'], hidden: true },
        'x-*': 'fast',
      },
    })
    expect(await idsAt(gateway)).toEqual(['fast', 'openai/gpt-5'])
  })

  test('after a reload the models are still known', async () => {
    const { gateway } = open()
    await idsAt(gateway)
    gateway.reload({ ...CONFIG, models: { fast: 'vllm/hermes' } })
    expect(gateway.models()).toEqual(['fast', ...ALL])
  })

  test('only what the key may use is shown', async () => {
    const keys = [{ name: 'some', key: 'key-of-some', models: ['vllm/*', 'qwen3-coder'] }]
    const { gateway } = open({ ...CONFIG, keys })
    const headers = { authorization: 'Bearer key-of-some' }
    const ids = await idsAt(gateway, '/v1/models', headers)
    expect(ids).toEqual(['vllm/hermes', 'vllm/Qwen/Qwen3-8B', 'ollama/qwen3-coder:latest'])
  })

  test('one model, in each form', async () => {
    const { gateway } = open()
    expect(await get(gateway, '/v1/models/vllm/hermes')).toMatchObject({
      id: 'vllm/hermes',
      owned_by: 'vllm',
      context_length: 32768,
    })
    const anthropic = { 'anthropic-version': '2023-06-01' }
    expect(await get(gateway, '/v1/models/hermes', anthropic)).toMatchObject({
      type: 'model',
      id: 'hermes',
      max_input_tokens: 32768,
    })
    expect(await get(gateway, '/v1beta/models/vllm/Qwen/Qwen3-8B')).toMatchObject({
      name: 'models/vllm/Qwen/Qwen3-8B',
    })
  })
})

describe('pages of a list', () => {
  const anthropic = { 'anthropic-version': '2023-06-01' }

  test('Anthropic', async () => {
    const { gateway } = open()
    const first = await get(gateway, '/v1/models?limit=3', anthropic)
    expect(first).toMatchObject({ has_more: true, first_id: ALL[0], last_id: ALL[2] })
    const path = `/v1/models?limit=100&after_id=${encodeURIComponent(ALL[2] ?? '')}`
    expect(await get(gateway, path, anthropic)).toMatchObject({ has_more: false, first_id: ALL[3] })
    const before = `/v1/models?limit=2&before_id=${encodeURIComponent(ALL[3] ?? '')}`
    expect(await get(gateway, before, anthropic)).toMatchObject({
      has_more: true,
      first_id: ALL[1],
      last_id: ALL[2],
    })
  })

  test('OpenAI and Gemini', async () => {
    const { gateway } = open()
    expect(await idsAt(gateway, '/v1/models?limit=2')).toEqual(ALL.slice(0, 2))
    const { nextPageToken } = await get(gateway, '/v1beta/models?pageSize=6')
    const rest = `/v1beta/models?pageSize=6&pageToken=${encodeURIComponent(String(nextPageToken))}`
    expect(await get(gateway, rest)).toEqual({
      models: [expect.objectContaining({ name: 'models/openai/shared' })],
    })
  })

  test('a limit that is no number is refused', async () => {
    const { gateway } = open()
    const error = { message: 'limit must be a number from 1 on' }
    expect(await get(gateway, '/v1/models?limit=x')).toMatchObject({ error })
  })
})

describe('demo models', () => {
  test('are a handful when there is nothing else', async () => {
    const { gateway } = open({})
    const ids = await idsAt(gateway)
    expect(ids).toContain('demo/hermes')
    expect(ids.length).toBeLessThan(8)
  })

  test.for([
    [{ demo: false }, '', 0],
    [{ ...CONFIG }, '?demo=few', 5],
    [{ ...CONFIG, demo: true }, '', 5],
    [{ ...CONFIG, demo: true }, '?demo=none', 0],
  ] as const)('%j, asked with %j', async ([config, query, count]) => {
    const ids = await idsAt(open(config).gateway, `/v1/models${query}`)
    expect(ids.filter((id) => String(id).startsWith('demo/'))).toHaveLength(count)
  })

  test('are all there for those who ask', async () => {
    expect((await idsAt(open({ ...CONFIG, demo: 'all' }).gateway)).length).toBeGreaterThan(300)
    expect((await idsAt(open().gateway, '/v1/models?demo=all')).length).toBeGreaterThan(300)
    expect(await get(open().gateway, '/v1/models?demo=1')).toHaveProperty('error')
  })

  test('never answer in the place of a real model', async () => {
    const { gateway } = open()
    expect((await ask(gateway, 'hermes')).target).toBe('vllm/hermes')
    expect((await ask(gateway, 'demo/hermes')).target).toBe('demo/hermes')
    // The server is away, or has lost the model.
    expect((await ask(open({}).gateway, 'hermes')).status).toBe(404)
  })
})

describe('names', () => {
  test.for([
    ['a bare name', 'hermes', 'vllm/hermes'],
    ['a name with a slash in it', 'Qwen/Qwen3-8B', 'vllm/Qwen/Qwen3-8B'],
    ['a name without its tag', 'qwen3-coder', 'ollama/qwen3-coder:latest'],
    ['a bare name of a hosted service', 'gpt-5', 'openai/gpt-5'],
    ['the whole name', 'openai/gpt-5', 'openai/gpt-5'],
    ['a name that nobody lists, with its provider', 'openai/gpt-99', 'openai/gpt-99'],
    ['the first of two', 'shared', 'ollama/shared'],
  ] as const)('%s', async ([, model, target]) => {
    const { gateway } = open()
    expect(await ask(gateway, model)).toMatchObject({ status: 200, target })
  })

  test('two providers with the same name are reported once', async () => {
    const notices: string[] = []
    const { gateway } = open(CONFIG, { onNotice: ({ message }) => notices.push(message) })
    await ask(gateway, 'shared')
    await ask(gateway, 'shared')
    await ask(gateway, 'ollama/shared')
    expect(notices).toEqual([
      'several providers have "shared": ollama/shared, openai/shared; the first is asked, and the whole name chooses another',
    ])
  })

  test('aliases and patterns go first, and may lead to bare names', async () => {
    const models = {
      'gpt-*': 'hermes',
      shared: 'openai/shared',
      many: ['nowhere-to-be-found', 'gpt-x'],
    }
    const { gateway } = open({ ...CONFIG, models })
    expect((await ask(gateway, 'gpt-5')).target).toBe('vllm/hermes')
    expect((await ask(gateway, 'shared')).target).toBe('openai/shared')
    expect((await ask(gateway, 'many')).target).toBe('vllm/hermes')
  })

  test('a model that appears later is found', async () => {
    let now = 0
    const list: JsonObject[] = []
    const { send } = fakeProviders((request) =>
      request.url.pathname.endsWith('/models') ? Response.json({ data: list }) : answer(request),
    )
    const config = { providers: { vllm: { baseUrl: 'http://vllm.test/v1' } } }
    const gateway = createGateway(config, { send, env: {}, now: () => now })
    expect((await ask(gateway, 'new')).status).toBe(404)
    list.push({ id: 'new' })
    now += 6_000
    expect(await ask(gateway, 'new')).toMatchObject({ status: 200, target: 'vllm/new' })
  })

  test.for([
    ['qwen3-codr', 'there is no model "qwen3-codr" (did you mean ollama/qwen3-coder:latest'],
    ['claude-haiku', 'there is no model "claude-haiku"; GET /v1/models lists those there are'],
  ] as const)('%s is answered with the nearest', async ([model, message]) => {
    const { status, text } = await ask(open().gateway, model)
    expect(status).toBe(404)
    const { error } = JSON.parse(text)
    expect(error.code).toBe('model_not_found')
    expect(error.message).toContain(message)
  })

  test.for([
    ['/v1/messages', 'GET /v1/models', 'error.type', 'not_found_error'],
    ['/api/chat', 'GET /api/tags', 'error', expect.any(String)],
    ['/v1beta/models/hermse:generateContent', 'GET /v1beta/models', 'error.status', 'NOT_FOUND'],
  ] as const)('%s says it in its own form', async ([path, listedAt, place, value]) => {
    const body = {
      model: 'hermse',
      messages: [{ role: 'user', content: 'Hi' }],
      contents: [],
      max_tokens: 9,
    }
    const response = await open().gateway.fetch(postRequest(path, body))
    expect(response.status).toBe(404)
    const text = await response.text()
    expect(JSON.parse(text)).toHaveProperty(place, value)
    expect(text).toContain(listedAt)
    expect(text).toContain('did you mean vllm/hermes?')
  })
})

describe('rights of a key', () => {
  const headers = { authorization: 'Bearer key-of-some' }
  const rig = (models: readonly string[], more: GatewayConfig = {}) =>
    open({ ...CONFIG, ...more, keys: [{ name: 'some', key: 'key-of-some', models }] })

  test.for([
    [['ollama/qwen3-coder:latest']],
    [['ollama/qwen3-coder']],
    [['qwen3-coder']],
    [['ollama/*']],
  ])('%j hold for every spelling of the model', async ([models = []]) => {
    const { gateway } = rig(models)
    for (const name of [
      'qwen3-coder',
      'qwen3-coder:latest',
      'ollama/qwen3-coder',
      'ollama/qwen3-coder:latest',
    ]) {
      expect([name, (await ask(gateway, name, headers)).status]).toEqual([name, 200])
    }
    for (const name of ['hermes', 'vllm/hermes', 'gpt-5', 'openai/shared', 'vllm/qwen3-coder']) {
      expect([name, (await ask(gateway, name, headers)).status]).toEqual([name, 403])
    }
  })

  test('a bare name grants the model that it means, and no other of the same name', async () => {
    const { gateway } = rig(['shared'])
    expect((await ask(gateway, 'ollama/shared', headers)).status).toBe(200)
    expect((await ask(gateway, 'openai/shared', headers)).status).toBe(403)
  })

  test('an alias of the configuration grants the alias alone', async () => {
    const { gateway } = rig(['hermes'], { models: { hermes: 'ollama/shared' } })
    expect((await ask(gateway, 'hermes', headers)).target).toBe('ollama/shared')
    expect((await ask(gateway, 'vllm/hermes', headers)).status).toBe(403)
    expect((await ask(gateway, 'ollama/shared', headers)).status).toBe(403)
  })

  test('a made-up name does not lead to a default model that the key may not use', async () => {
    const { gateway, requests } = rig(['my-*', 'openai/gpt-*'], { defaultModel: 'hermes' })
    for (const name of ['my-own', 'my-hermse', 'hermes', 'my-own:latest', 'vllm/hermes']) {
      const { status, text } = await ask(gateway, name, headers)
      expect([name, status]).toEqual([name, name.startsWith('my-') ? 404 : 403])
      // Nor is it told which models others may use.
      expect(text.replace(name, '')).not.toContain('hermes')
    }
    expect(requests.filter(({ url }) => url.pathname.endsWith('/completions'))).toEqual([])
    const free = rig(['my-*', 'vllm/hermes'], { defaultModel: 'hermes' })
    expect((await ask(free.gateway, 'my-own', headers)).target).toBe('vllm/hermes')
  })
})

/** Everything that a client sends has a bound, on every path, and the answer says which one it passed. */
import { afterEach, describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/create-client.ts'
import { MAX_JSON_DEPTH } from '../../src/core/json/depth.ts'
import type { JsonObject, JsonValue } from '../../src/core/json/value.ts'
import type { ClientKey, GatewayConfig } from '../../src/gateway/config.ts'
import { createGateway, type GatewayOptions } from '../../src/gateway/gateway.ts'
import { listen } from '../../src/gateway/node.ts'
import { createLogger, createLogObserver } from '../../src/gateway/observe/log.ts'
import { createTrafficLog } from '../../src/gateway/observe/traffic.ts'
import { ASKERS, type Asker } from '../support/gateway-askers.ts'
import { type RawHandler, startRawUpstream } from '../support/gateway-raw-upstream.ts'

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

const MODEL = 'demo/echo'

async function openGateway(config: GatewayConfig = {}, options: GatewayOptions = {}) {
  const gateway = createGateway(config, { env: {}, ...options })
  const server = await listen(gateway, { limits: config.limits })
  closers.push(async () => {
    await server.shutdown(0)
    await gateway.close()
  })
  return { url: server.url, gateway }
}

interface Answer {
  readonly status: number
  readonly code: string | null
  readonly text: string
}

async function post(url: string, body: string | JsonObject, key?: string): Promise<Answer> {
  const response = await fetch(url, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(key !== undefined && { headers: { 'x-api-key': key } }),
  })
  const code = response.headers.get('x-toolglot-error')
  return { status: response.status, code, text: await response.text() }
}

const question = (client: Asker) =>
  client.body({ model: MODEL, messages: [{ role: 'user', content: 'Hello?' }] }, false)

/** Whatever reads a body: the paths for questions, and the pages. */
const BODIES: readonly (readonly [path: string, body: JsonObject])[] = [
  ...ASKERS.map((client) => [client.path(MODEL, false), question(client)] as const),
  ['/v1/messages/count_tokens', { model: MODEL, messages: [{ role: 'user', content: 'Hello?' }] }],
  [`/v1beta/models/${encodeURIComponent(MODEL)}:countTokens`, { contents: [] }],
  ['/api/show', { model: MODEL }],
]

function nested(depth: number): JsonValue {
  let value: JsonValue = 0
  for (let level = 0; level < depth; level++) value = [value]
  return value
}

/** Deeper than anybody could write with JSON.stringify. */
function withDeep(body: JsonObject, open: string, close: string, depth: number): string {
  const value = `${open.repeat(depth)}0${close.repeat(depth)}`
  return `${JSON.stringify(body).slice(0, -1)},"metadata":${value}}`
}

describe.for(BODIES)('%s', ([path, body]) => {
  test('a body as long as may be, and a longer one', async () => {
    const { url } = await openGateway({ limits: { requestBytes: 2000 } })
    const padded = (length: number) => {
      const text = JSON.stringify({ ...body, user: '' })
      return text.replace('"user":""', `"user":"${'x'.repeat(length - text.length)}"`)
    }
    expect((await post(url + path, padded(2000))).status).toBe(200)
    const long = await post(url + path, padded(2001))
    expect([long.status, long.code]).toEqual([413, 'body_too_large'])
    expect(long.text).toContain('limits.requestBytes')
  })

  test('requests a minute and at a time', async () => {
    const keys: ClientKey[] = [{ name: 'few', key: 'key-of-few', requestsPerMinute: 2 }]
    const { url } = await openGateway({ keys })
    const statuses: number[] = []
    for (let count = 0; count < 4; count++) {
      statuses.push((await post(url + path, body, 'key-of-few')).status)
    }
    expect(statuses).toEqual([200, 200, 429, 429])
    expect((await post(url + path, body)).status).toBe(401)
  })

  test('models that the key may not use', async () => {
    const keys: ClientKey[] = [{ name: 'other', key: 'key-of-other', models: ['demo/hermes'] }]
    const { url } = await openGateway({ keys })
    const { status, code } = await post(url + path, body, 'key-of-other')
    expect([status, code]).toEqual([403, 'model_not_allowed'])
  })

  test('nesting', async () => {
    const { url } = await openGateway()
    for (const [open, close] of [
      ['[', ']'],
      ['{"a":', '}'],
    ] as const) {
      const most = await post(url + path, withDeep(body, open, close, MAX_JSON_DEPTH - 1))
      expect(most.status, most.text).toBe(200)
      for (const depth of [MAX_JSON_DEPTH, 100_000]) {
        const answer = await post(url + path, withDeep(body, open, close, depth))
        expect([answer.status, answer.code]).toEqual([400, 'limit_exceeded'])
        expect(answer.text).toContain(`is ${MAX_JSON_DEPTH} (limits.jsonDepth)`)
      }
    }
  })

  test('values', async () => {
    const { url } = await openGateway({ limits: { jsonValues: 1000 } })
    const list = (length: number) => Array<number>(length).fill(0)
    expect((await post(url + path, { ...body, metadata: list(900) })).status).toBe(200)
    const answer = await post(url + path, { ...body, metadata: list(1000) })
    expect([answer.status, answer.code]).toEqual([400, 'limit_exceeded'])
    expect(answer.text).toContain('limits.jsonValues')
  })

  test('headers', async () => {
    const { gateway } = await openGateway({ limits: { headerBytes: 1000 } })
    const send = (length: number) =>
      gateway.fetch(
        new Request(`http://localhost${path}`, {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { 'x-long': 'x'.repeat(length) },
        }),
      )
    expect((await send(100)).status).toBe(200)
    const answer = await send(1000)
    expect(answer.status).toBe(431)
    expect(await answer.text()).toContain('limits.headerBytes')
  })
})

describe.for(ASKERS.map((client) => [client.id, client] as const))('%s', ([, client]) => {
  const named = (model: string) => ({
    path: client.path(model, false),
    body: client.body({ model, messages: [{ role: 'user', content: 'Hello?' }] }, false),
  })

  test('a long name of a model', async () => {
    const { url } = await openGateway({ limits: { modelNameLength: 40 } })
    const { path, body } = named('x'.repeat(41))
    const answer = await post(url + path, body)
    expect([answer.status, answer.code]).toEqual([400, 'limit_exceeded'])
    expect(answer.text).toContain('41; the limit of this gateway is 40 (limits.modelNameLength)')
  })

  test('values of strangers are cut in errors', async () => {
    const { url } = await openGateway()
    const { path, body } = named(`no/${'x'.repeat(900)}`)
    const answer = await post(url + path, body)
    expect([answer.status, answer.code]).toEqual([404, 'unknown_model'])
    expect(answer.text.length).toBeLessThan(600)
  })
})

describe('tools and messages', () => {
  const tool = (name: string, description = '') => ({
    name,
    description,
    inputSchema: { type: 'object', properties: {} },
  })
  const withTools = ASKERS.filter(({ hasTools }) => hasTools)

  test.for(withTools.map((client) => [client.id, client] as const))('%s', async ([, client]) => {
    const limits = {
      messages: 3,
      tools: 2,
      toolNameLength: 20,
      toolBytes: 1000,
      toolsBytes: 1500,
    }
    const { url } = await openGateway({ limits })
    const ask = (tools: readonly ReturnType<typeof tool>[], messages = 1) => {
      const said = Array.from({ length: messages }, (_, at) => ({
        role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
        content: 'x',
      }))
      const body = client.body({ model: MODEL, messages: said, tools }, false)
      return post(url + client.path(MODEL, false), body)
    }
    expect((await ask([tool('a', 'x'.repeat(500)), tool('b')], 3)).status).toBe(200)
    const over: readonly (readonly [option: string, answer: Answer])[] = [
      ['messages', await ask([tool('a')], 5)],
      ['tools', await ask([tool('a'), tool('b'), tool('c')])],
      ['toolNameLength', await ask([tool('a'.repeat(21))])],
      ['toolBytes', await ask([tool('a', 'x'.repeat(1000))])],
      ['toolsBytes', await ask([tool('a', 'x'.repeat(800)), tool('b', 'x'.repeat(800))])],
    ]
    for (const [option, { status, code, text }] of over) {
      expect([option, status, code]).toEqual([option, 400, 'limit_exceeded'])
      expect(text).toContain(`(limits.${option})`)
    }
  })

  test('a limit that is none is refused', () => {
    for (const limits of [{ tools: 0 }, { messages: Number.NaN }, { jsonDepth: 100_000 }]) {
      expect(() => createGateway({ limits })).toThrow(`limits.${Object.keys(limits)[0]} cannot be`)
    }
  })
})

describe('the default model', () => {
  const config: GatewayConfig = {
    models: { cheap: 'demo/echo', dear: 'demo/hermes' },
    defaultModel: 'dear',
    keys: [
      { name: 'cheap', key: 'key-of-cheap', models: ['cheap', 'gpt-*'] },
      { name: 'both', key: 'key-of-both', models: ['dear', 'gpt-*'] },
      { name: 'all', key: 'key-of-all' },
    ],
  }

  test.for(ASKERS.map((client) => [client.id, client] as const))('%s', async ([, client]) => {
    const { url } = await openGateway(config)
    const ask = async (key: string, model: string) => {
      const messages = [{ role: 'user', content: 'Hello?' }] as const
      const path = client.path(model, false)
      return (await post(url + path, client.body({ model, messages }, false), key)).status
    }
    expect(await ask('key-of-cheap', 'cheap')).toBe(200)
    // A name within the key's patterns must not lead to a model outside of them.
    expect(await ask('key-of-cheap', 'gpt-made-up')).toBe(404)
    expect(await ask('key-of-cheap', 'dear')).toBe(403)
    expect(await ask('key-of-both', 'gpt-made-up')).toBe(200)
    expect(await ask('key-of-all', 'made-up')).toBe(200)
  })
})

test.for([-3_600_000, 3_600_000])('limits hold when the time is set by %i ms', async (jump) => {
  const { now } = Date
  const keys: ClientKey[] = [{ name: 'few', key: 'key-of-few', requestsPerMinute: 3 }]
  const { url } = await openGateway({ keys })
  const [, body] = BODIES[0] ?? []
  const ask = async () =>
    (await post(`${url}/v1/chat/completions`, body ?? {}, 'key-of-few')).status
  try {
    const before = [await ask(), await ask()]
    Date.now = () => now() + jump
    expect([...before, await ask(), await ask()]).toEqual([200, 200, 200, 429])
  } finally {
    Date.now = now
  }
})

describe('what is kept and shown of names', () => {
  const MEGABYTE = 1024 * 1024

  test('logs and traffic', async () => {
    const lines: string[] = []
    const traffic = createTrafficLog()
    const logger = createLogger({ destination: { write: (line) => lines.push(line) } })
    const keys: ClientKey[] = [{ name: 'some', key: 'key-of-some', models: ['demo/*'] }]
    const observers = [createLogObserver({ logger }), traffic]
    const { url } = await openGateway({ keys }, { observers })
    const body = { messages: [{ role: 'user', content: 'x' }] }
    const long = 'x'.repeat(MEGABYTE)
    for (const model of [long, `demo/${long}`, `demo/${'x'.repeat(1000)}`, 'no'.repeat(500)]) {
      const answer = await post(`${url}/v1/chat/completions`, { model, ...body }, 'key-of-some')
      expect(answer.status).toBeGreaterThanOrEqual(400)
      expect(answer.text.length).toBeLessThan(1000)
    }
    expect(lines).toHaveLength(4)
    for (const line of lines) expect(line.length).toBeLessThan(2000)
    const summaries = traffic.list()
    expect(summaries).toHaveLength(4)
    for (const summary of summaries) expect(JSON.stringify(summary).length).toBeLessThan(2000)
  })

  test('names of tools that a model makes up', async () => {
    const lines: string[] = []
    const logger = createLogger({ destination: { write: (line) => lines.push(line) } })
    const name = 'x'.repeat(5000)
    const upstream = await startRawUpstream(replyWith(`<tool_call>{"name":"${name}"}</tool_call>`))
    closers.push(() => upstream.close())
    const { url } = await openGateway(at(upstream.url), {
      observers: [createLogObserver({ logger })],
    })
    const tools = [{ type: 'function', function: { name: 'x', parameters: { type: 'object' } } }]
    await post(`${url}/v1/chat/completions`, { ...hello, tools })
    expect(lines).toHaveLength(1)
    expect(lines[0]?.length).toBeLessThan(2000)
  })
})

const hello = { model: 'up/m', messages: [{ role: 'user', content: 'Hello?' }] }

function at(baseUrl: string): GatewayConfig {
  const cooldown = { cooldownMs: 0, retries: 0 }
  return {
    providers: { up: { provider: 'openai-compatible', baseUrl } },
    models: { 'up/m': { chain: ['up/m'], ...cooldown } },
  }
}

function chunk(delta: string): string {
  return `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":${delta}},"finish_reason":null}]}`
}

function replyWith(content: string): RawHandler {
  return (response) => {
    const message = { role: 'assistant', content }
    const choices = [{ index: 0, message, finish_reason: 'stop' }]
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, choices }))
  }
}

describe('replies that nest too deeply', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  const whole = `{"id":"c","object":"chat.completion","created":1,"choices":[{"index":0,"message":{"role":"assistant","content":"x","extra":${deep}},"finish_reason":"stop"}]}`

  const sends = (type: string, ...pieces: readonly string[]): RawHandler => {
    return (response) => {
      response.setHeader('content-type', type)
      response.end(pieces.join(''))
    }
  }
  const streams = (...chunks: readonly string[]) =>
    sends('text/event-stream', ...[...chunks, '[DONE]'].map((data) => `data: ${data}\n\n`))

  const tools = [{ type: 'function', function: { name: 'x', parameters: { type: 'object' } } }]
  const LANES: readonly (readonly [name: string, path: string, more: JsonObject])[] = [
    ['pass', '/v1/chat/completions', {}],
    ['pass with tools', '/v1/chat/completions', { tools }],
    ['translate', '/v1/messages', { max_tokens: 100 }],
  ]

  test.for(LANES)('%s', async ([, path, more]) => {
    const upstream = await startRawUpstream()
    closers.push(() => upstream.close())
    const { url } = await openGateway(at(upstream.url))
    const ask = (stream: boolean) => post(url + path, { ...hello, ...more, stream })
    upstream.answer(sends('application/json', whole))
    for (const stream of [false, true]) {
      const answer = await ask(stream)
      expect([answer.status, answer.code]).toEqual([502, 'server_error'])
      expect(answer.text).toContain('nests deeper than')
    }
    upstream.answer(streams(chunk(deep)))
    const first = await ask(true)
    expect([first.status, first.code]).toEqual([502, 'server_error'])
    // Once the reply has begun, the error is a part of it.
    upstream.answer(streams(chunk('"Hello"'), chunk(deep), chunk('" there"')))
    const later = await ask(true)
    expect(later.text).toContain('nests deeper than')
    expect(later.text).not.toContain(' there')
  })

  test('a client of its own', async () => {
    const upstream = await startRawUpstream(sends('application/json', whole))
    closers.push(() => upstream.close())
    const client = createClient({
      provider: 'openai-compatible',
      baseUrl: upstream.url,
      model: 'm',
      retries: 0,
    })
    const request = { messages: [{ role: 'user', content: 'Hello?' }] } as const
    const wanted = { name: 'ProviderError', code: 'server_error' }
    await expect(client.complete(request)).rejects.toMatchObject(wanted)
    upstream.answer(streams(chunk('"Hello"'), chunk(deep)))
    await expect(client.stream(request).response).rejects.toMatchObject({ name: 'ProviderError' })
  })
})

test('bodies as deep as may be are answered in every pair of dialects', async () => {
  const upstream = await startRawUpstream(replyWith('Hello!'))
  closers.push(() => upstream.close())
  const { url } = await openGateway(at(upstream.url))
  const input = { input: nested(MAX_JSON_DEPTH - 10) }
  const call = { id: 'c', type: 'function', function: { name: 'x', arguments: '' } }
  const chat = {
    model: 'up/m',
    messages: [
      { role: 'user', content: 'x' },
      {
        role: 'assistant',
        tool_calls: [{ ...call, function: { name: 'x', arguments: JSON.stringify(input) } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'x' },
    ],
  }
  const messages = {
    model: 'up/m',
    max_tokens: 10,
    messages: [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'x', ...input }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: 'x' }] },
    ],
    tools: [{ name: 'x', input_schema: { type: 'object', properties: { a: { default: 0 } } } }],
  }
  expect((await post(`${url}/v1/chat/completions`, chat)).status).toBe(200)
  expect((await post(`${url}/v1/messages`, messages)).status).toBe(200)
})

describe('long requests', () => {
  const alternating = (count: number) =>
    Array.from({ length: count }, (_, at) => ({
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: 'x',
    }))

  test.for([
    ['pass', '/v1/chat/completions', 2],
    ['translate', '/v1/messages', 8],
  ] as const)('others have their turn: %s', { timeout: 60_000 }, async ([, path, atLeast]) => {
    const upstream = await startRawUpstream(replyWith('Hello!'))
    closers.push(() => upstream.close())
    let turns = 0
    let turnsBefore = 0
    const send: GatewayOptions['send'] = async () => {
      turnsBefore = turns
      throw new Error('that is all this test wants to know')
    }
    const gateway = createGateway(at(upstream.url), { env: {}, send })
    closers.push(() => gateway.close())
    const count = (): void => {
      turns++
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    const body = { model: 'up/m', max_tokens: 10, messages: alternating(50_000) }
    const request = { method: 'POST', body: JSON.stringify(body) }
    try {
      await gateway.fetch(new Request(`http://localhost${path}`, request))
    } finally {
      clearImmediate(timer)
    }
    expect(turnsBefore).toBeGreaterThanOrEqual(atLeast)
  })

  test.for([
    ['200,000 messages', alternating(200_000)],
    ['200,000 messages of one user', alternating(400_000).filter(({ role }) => role === 'user')],
  ] as const)('%s are answered', { timeout: 120_000 }, async ([, messages]) => {
    const upstream = await startRawUpstream(replyWith('Hello!'))
    closers.push(() => upstream.close())
    const { url } = await openGateway(at(upstream.url))
    const answer = await post(`${url}/v1/messages`, {
      model: 'up/m',
      max_tokens: 10,
      messages: messages as JsonValue,
    })
    expect(answer.status, answer.text).toBe(200)
  })
})

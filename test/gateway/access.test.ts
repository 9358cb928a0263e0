/** Who may ask for what, and what crosses the gateway: nothing that should stay where it is. */
import { createHash } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../src/core/chat.ts'
import type { GatewayConfig } from '../../src/gateway/config.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { createLogger, createLogObserver } from '../../src/gateway/observe/log.ts'
import { createMetrics } from '../../src/gateway/observe/metrics.ts'
import { createTrafficLog } from '../../src/gateway/observe/traffic.ts'
import type { Fault } from '../../src/testing/faults.ts'
import { ASKERS, type Asker, ask, askerNamed, replyIn } from '../support/gateway-askers.ts'
import { openReply } from '../support/gateway-raw-client.ts'
import { startRawUpstream } from '../support/gateway-raw-upstream.ts'
import {
  type GatewayRig,
  SERVICES,
  type ServiceId,
  scriptedModels,
  servicesAt,
  startRig,
  UPSTREAM_KEY,
} from '../support/gateway-services.ts'

const rigs: GatewayRig[] = []
afterEach(async () => {
  await Promise.all(rigs.splice(0).map((rig) => rig.close()))
})

async function openRig(
  config: Partial<GatewayConfig> = {},
  more: Parameters<typeof startRig>[0] = {},
): Promise<GatewayRig> {
  const rig = await startRig({
    config: (url) => ({ providers: servicesAt(url), models: scriptedModels(), ...config }),
    ...more,
  })
  rigs.push(rig)
  return rig
}

const chat = askerNamed('openai-chat')
const messages = [{ role: 'user', content: 'Hello?' }] as const

function requestFor(service: ServiceId): ChatRequest {
  return { model: `my-${service}`, messages }
}

const hello = requestFor('openai-chat')

describe('keys', () => {
  const KEY = 'tg-client-key-1234567890'
  const HASHED = 'tg-hashed-key-0987654321'
  const keys = [
    { name: 'app', key: KEY },
    { name: 'hashed', key: `sha256:${createHash('sha256').update(HASHED).digest('hex')}` },
  ]

  test.for<[unknown, string | RegExp]>([
    [[{ name: 'app', key: '' }], 'keys[0] has no key; if it comes from an environment variable'],
    [[...keys, { name: 'late', key: undefined }], 'keys[2] has no key'],
    [[{ name: 'app', key: ' ' }], 'keys[0] has no key'],
    [['tg-client-key'], 'keys[0] has no key'],
    [{ name: 'app', key: KEY }, 'keys must be a list of { name, key }'],
    ['tg-client-key', /^keys must be a list of { name, key }$/],
  ])('%j would let in whoever sends none', ([wrong, message]) => {
    // As a program without types passes it.
    expect(() => createGateway({ keys: wrong as never })).toThrow(message)
  })

  const PLACES: Readonly<Record<string, (key: string) => Record<string, string>>> = {
    authorization: (key) => ({ authorization: `Bearer ${key}` }),
    'x-api-key': (key) => ({ 'x-api-key': key }),
    'x-goog-api-key': (key) => ({ 'x-goog-api-key': key }),
    'api-key': (key) => ({ 'api-key': key }),
  }

  test.for(ASKERS.map((client) => [client.id, client] as const))(
    '%s client',
    async ([, client]) => {
      const rig = await openRig({ keys })
      for (const place of Object.values(PLACES)) {
        for (const key of [KEY, HASHED]) {
          const answer = await ask(rig.url, client, hello, false, { headers: place(key) })
          expect(answer.status, answer.text).toBe(200)
        }
        const asked = rig.upstream.requests.length
        for (const wrong of ['tg-wrong', '', `${KEY}x`, KEY.slice(0, -1)]) {
          const answer = await ask(rig.url, client, hello, true, { headers: place(wrong) })
          expect(answer.status).toBe(401)
          expect(JSON.parse(answer.text)).toHaveProperty('error')
          expect(answer.text).not.toContain(KEY)
        }
        expect(rig.upstream.requests).toHaveLength(asked)
      }
      expect((await ask(rig.url, client, hello, false)).status).toBe(401)
    },
  )

  test('a key in the address, as clients of Gemini send it', async () => {
    const rig = await openRig({ keys })
    const url = `${rig.url}/v1beta/models/my-gemini:generateContent`
    const body = JSON.stringify(askerNamed('gemini').body(requestFor('gemini'), false))
    expect((await fetch(`${url}?key=${KEY}`, { method: 'POST', body })).status).toBe(200)
    expect((await fetch(`${url}?key=wrong`, { method: 'POST', body })).status).toBe(401)
  })

  test('lists of models want one as well, health does not', async () => {
    const rig = await openRig({ keys })
    for (const path of ['/v1/models', '/api/tags', '/v1beta/models', '/v1/models/my-gemini']) {
      expect([path, (await fetch(rig.url + path)).status]).toEqual([path, 401])
      const headers = { authorization: `Bearer ${KEY}` }
      expect([path, (await fetch(rig.url + path, { headers })).status]).toEqual([path, 200])
    }
    for (const path of ['/health', '/ready', '/api/version']) {
      expect([path, (await fetch(rig.url + path)).status]).toEqual([path, 200])
    }
  })

  test('metrics are for admins', async () => {
    const metrics = createMetrics()
    const admin = { name: 'admin', key: 'tg-admin-key-5555555555', admin: true }
    const rig = await openRig(
      { keys: [...keys, admin] },
      { observers: [metrics], pages: { metrics: () => metrics.render() } },
    )
    const withKey = (key: string) =>
      fetch(`${rig.url}/metrics`, { headers: { authorization: `Bearer ${key}` } })
    expect((await fetch(`${rig.url}/metrics`)).status).toBe(401)
    expect((await withKey(KEY)).status).toBe(403)
    expect((await withKey(admin.key)).status).toBe(200)
  })
})

describe('limits of a key', () => {
  const own = (name: string) => ({ authorization: `Bearer key-of-${name}-123` })
  const keyOf = (name: string) => ({ name, key: `key-of-${name}-123` })

  test('requests a minute', async () => {
    const keys = [{ ...keyOf('few'), requestsPerMinute: 3 }, keyOf('many')]
    const rig = await openRig({ keys })
    const statuses: number[] = []
    for (let count = 0; count < 5; count++) {
      const answer = await ask(rig.url, chat, hello, false, { headers: own('few') })
      statuses.push(answer.status)
      if (answer.status !== 429) continue
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(JSON.parse(answer.text)).toMatchObject({ error: { type: 'rate_limit_error' } })
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429])
    const other = await ask(rig.url, chat, hello, false, { headers: own('many') })
    expect(other.status).toBe(200)
  })

  test('requests at a time, whatever becomes of them', async () => {
    const keys = [{ ...keyOf('one'), concurrency: 2 }]
    const rig = await openRig({ keys })
    const body = JSON.stringify(chat.body({ ...hello }, true))
    rig.upstream.play({ fault: { kind: 'silence' } })
    const send = () =>
      fetch(`${rig.url}/v1/chat/completions`, {
        method: 'POST',
        headers: own('one'),
        body,
        signal: controller.signal,
      }).catch(() => undefined)
    const controller = new AbortController()
    const hanging = [send(), send()]
    await expect.poll(() => rig.upstream.pending(), { timeout: 5000 }).toBe(2)
    expect((await ask(rig.url, chat, hello, false, { headers: own('one') })).status).toBe(429)
    controller.abort()
    await Promise.all(hanging)
    await expect.poll(() => rig.gateway.pending(), { timeout: 5000 }).toBe(0)
    // Replies, refusals and streams that break all give their place back.
    const faults: readonly Fault[] = [{ kind: 'cut' }, { kind: 'html' }, { kind: 'half-line' }]
    for (const fault of faults) {
      rig.upstream.play({ fault })
      for (let count = 0; count < 3; count++) {
        const answer = await ask(rig.url, chat, hello, count > 0, { headers: own('one') })
        expect(answer.status).not.toBe(429)
      }
    }
    rig.upstream.play({ reply: 'Fine.' })
    for (let count = 0; count < 4; count++) {
      expect((await ask(rig.url, chat, hello, true, { headers: own('one') })).status).toBe(200)
    }
  })

  test('models', async () => {
    const keys = [{ ...keyOf('some'), models: ['my-openai-chat', 'demo/*'] }]
    const rig = await openRig({ keys })
    const asked = async (model: string, headers = own('some')) =>
      (await ask(rig.url, chat, { model, messages }, false, { headers })).status
    expect(await asked('my-openai-chat')).toBe(200)
    expect(await asked('demo/hermes')).toBe(200)
    expect(await asked('my-anthropic')).toBe(403)
    // Neither another name for it nor the header that overrides the model leads around it.
    expect(await asked('anthropic/scripted')).toBe(403)
    const other = { ...own('some'), 'x-toolglot-model': 'my-anthropic' }
    expect(await asked('my-openai-chat', other)).toBe(403)
    const list = await fetch(`${rig.url}/v1/models`, { headers: own('some') })
    const { data }: { data: readonly { id: string }[] } = JSON.parse(await list.text())
    const ids = data.map(({ id }) => id)
    expect(ids).toContain('my-openai-chat')
    expect(ids.filter((id) => id !== 'my-openai-chat' && !id.startsWith('demo/'))).toEqual([])
    expect(rig.upstream.requests).toHaveLength(1)
  })

  test('of all clients together', async () => {
    const rig = await openRig({ limits: { concurrency: 2 } })
    rig.upstream.play({ fault: { kind: 'silence' } })
    const body = JSON.stringify(chat.body(hello, true))
    const opened = [1, 2].map(() =>
      openReply(`${rig.url}/v1/chat/completions`, body).catch(() => undefined),
    )
    await expect.poll(() => rig.upstream.pending(), { timeout: 5000 }).toBe(2)
    const answer = await ask(rig.url, chat, hello, false)
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('1')
    expect((await fetch(`${rig.url}/health`)).status).toBe(200)
    await rig.listening.shutdown(0)
    await Promise.all(opened)
  })
})

describe('pages of other origins', () => {
  /** With any host and origin; fetch sets its own. */
  function send(rig: GatewayRig, headers: Record<string, string>, method = 'POST') {
    return new Promise<{ status: number; headers: Record<string, unknown> }>((resolve, reject) => {
      const sent = httpRequest(
        `${rig.url}/v1/chat/completions`,
        { method, headers },
        (response) => {
          response.resume()
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, headers: response.headers }),
          )
        },
      )
      sent.on('error', reject)
      sent.end(method === 'POST' ? JSON.stringify(chat.body(hello, false)) : undefined)
    })
  }

  test('may not ask, unless they are listed', async () => {
    const rig = await openRig({ cors: ['https://app.example'] })
    expect((await send(rig, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await send(rig, { origin: 'null' })).status).toBe(403)
    expect(rig.upstream.requests).toHaveLength(0)
    const listed = await send(rig, { origin: 'https://app.example' })
    expect(listed.status).toBe(200)
    expect(listed.headers['access-control-allow-origin']).toBe('https://app.example')
    expect((await send(rig, { origin: rig.url })).status).toBe(200)
  })

  test('are told so before they ask', async () => {
    const rig = await openRig({ cors: ['https://app.example'] })
    const wanted = { 'access-control-request-headers': 'authorization, content-type' }
    const listed = await send(rig, { origin: 'https://app.example', ...wanted }, 'OPTIONS')
    expect(listed.status).toBe(204)
    expect(listed.headers['access-control-allow-headers']).toBe('authorization, content-type')
    const other = await send(rig, { origin: 'https://evil.example', ...wanted }, 'OPTIONS')
    expect(other.headers['access-control-allow-origin']).toBeUndefined()
  })

  test('a gateway for its own machine answers to no other name', async () => {
    const rig = await openRig({}, { localOnly: true })
    expect((await send(rig, { host: 'evil.example' })).status).toBe(403)
    expect((await send(rig, { host: 'localhost.evil.example:80' })).status).toBe(403)
    const { port } = new URL(rig.url)
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, 'a.localhost']) {
      expect([host, (await send(rig, { host })).status]).toEqual([host, 200])
    }
  })
})

describe('headers', () => {
  const CLIENT_SECRETS = {
    authorization: 'Bearer sk-client-secret-1111',
    cookie: 'session=client-cookie-2222',
    'x-api-key': 'client-api-key-3333',
    'x-goog-api-key': 'client-goog-key-4444',
    'api-key': 'client-azure-key-5555',
    'x-internal-token': 'client-token-6666',
    'x-forwarded-for': '10.9.8.7',
    'proxy-authorization': 'Basic client-proxy-7777',
    'openai-organization': 'org-client-8888',
  }

  test.for(ASKERS.map((client) => [client.id, client] as const))(
    'of a client stay here: %s',
    async ([, client]) => {
      const rig = await openRig()
      for (const service of SERVICES) {
        for (const streamed of [false, true]) {
          await ask(rig.url, client, requestFor(service), streamed, { headers: CLIENT_SECRETS })
          const told = JSON.stringify(rig.upstream.requests.at(-1))
          for (const value of Object.values(CLIENT_SECRETS)) {
            expect(told).not.toContain(value.replace(/^(?:Bearer|Basic|session=) ?/, ''))
          }
        }
      }
    },
  )

  test('that providers of the same dialect know are passed on, and those that are configured', async () => {
    const rig = await openRig({ forwardHeaders: ['x-trace'] })
    const headers = { 'anthropic-beta': 'fine-grained', 'x-trace': 'abc', 'x-other': 'def' }
    await ask(rig.url, askerNamed('anthropic'), requestFor('anthropic'), false, { headers })
    const told = rig.upstream.requests.at(-1)?.headers ?? {}
    expect(told).toMatchObject({ 'anthropic-beta': 'fine-grained', 'x-trace': 'abc' })
    expect(told).not.toHaveProperty('x-other')
    expect(told['x-api-key']).toBe(UPSTREAM_KEY)
  })

  test('of a provider stay there, but for those that help', async () => {
    const upstream = await startRawUpstream((response, { text }) => {
      // The gateway also asks for the list of models.
      if (text === '') return void response.writeHead(404).end()
      const headers = {
        'set-cookie': ['a=provider-cookie', 'b=2'],
        'x-request-id': 'req_upstream',
        'x-ratelimit-remaining-tokens': '99',
        server: 'provider-server',
        'x-internal-host': 'provider-internal',
        'x-cost': '0.01',
      }
      const isStream = JSON.parse(text).stream === true
      const type = isStream ? 'text/event-stream' : 'application/json'
      response.writeHead(200, { ...headers, 'content-type': type })
      const delta = {
        id: 'a',
        choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: 'stop' }],
      }
      const message = { role: 'assistant', content: 'Hi' }
      const whole = { id: 'a', choices: [{ index: 0, message, finish_reason: 'stop' }] }
      response.end(
        isStream ? `data: ${JSON.stringify(delta)}\n\ndata: [DONE]\n\n` : JSON.stringify(whole),
      )
    })
    const rig = await openRig({ providers: servicesAt(upstream.url), returnHeaders: ['x-cost'] })
    for (const client of [chat, askerNamed('anthropic'), askerNamed('gemini')]) {
      for (const streamed of [false, true]) {
        const answer = await ask(rig.url, client, hello, streamed)
        expect(replyIn(answer, client, streamed).message.content).toBe('Hi')
        const told = Object.fromEntries(answer.headers)
        expect(JSON.stringify(told)).not.toMatch(/provider-(?:cookie|server|internal)/)
        expect(told).not.toHaveProperty('set-cookie')
        expect(told).toMatchObject({
          'x-request-id': 'req_upstream',
          'x-ratelimit-remaining-tokens': '99',
          'x-cost': '0.01',
        })
      }
    }
    await upstream.close()
  })

  test('choose the model, the mode and the format for one request', async () => {
    const rig = await openRig()
    const tools = [{ name: 'get_time', inputSchema: { type: 'object' } }] as const
    const request = { ...hello, tools }
    const other = await ask(rig.url, chat, request, false, {
      headers: { 'x-toolglot-model': 'my-anthropic' },
    })
    expect(other.headers.get('x-toolglot-model')).toBe('anthropic/scripted')
    expect(rig.upstream.requests.at(-1)?.dialect).toBe('anthropic')

    rig.upstream.play({ reply: '[get_time()]' })
    const text = await ask(rig.url, chat, request, false, {
      headers: { 'x-toolglot-tool-mode': 'text', 'x-toolglot-protocol': 'pythonic' },
    })
    expect(rig.upstream.requests.at(-1)?.body).not.toHaveProperty('tools')
    expect(text.headers.get('x-toolglot-rescued')).toBe('pythonic')
    expect(replyIn(text, chat, false).message.toolCalls).toMatchObject([{ name: 'get_time' }])

    rig.upstream.play({ reply: '<tool_call>{"name": "get_time", "argu' })
    for (const model of ['my-openai-chat', 'my-cohere']) {
      const cut = await ask(rig.url, chat, { ...request, model }, false)
      expect(cut.headers.get('x-toolglot-issues')).toBe('truncated-call')
    }

    const leak = '<tool_call>{"name": "get_time", "arguments": {}}</tool_call>'
    rig.upstream.play({ reply: leak })
    for (const model of ['my-openai-chat', 'my-cohere']) {
      for (const streamed of [false, true]) {
        const off = await ask(rig.url, chat, { ...request, model }, streamed, {
          headers: { 'x-toolglot-rescue': 'off' },
        })
        expect(replyIn(off, chat, streamed).message.content).toBe(leak)
        const on = await ask(rig.url, chat, { ...request, model }, streamed)
        expect(replyIn(on, chat, streamed).message.toolCalls).toMatchObject([{ name: 'get_time' }])
      }
    }

    rig.upstream.play({ reply: 'I ask. get_time()' })
    for (const model of ['my-openai-chat', 'my-cohere']) {
      for (const streamed of [false, true]) {
        const usual = await ask(rig.url, chat, { ...request, model }, streamed)
        expect(replyIn(usual, chat, streamed).message.content).toBe('I ask. get_time()')
        const read = await ask(rig.url, chat, { ...request, model }, streamed, {
          headers: { 'x-toolglot-preset': 'go-agentic' },
        })
        expect(replyIn(read, chat, streamed).message.toolCalls).toMatchObject([
          { name: 'get_time' },
        ])
      }
    }

    const wrong = {
      'x-toolglot-tool-mode': 'magic',
      'x-toolglot-protocol': 'no-such-format',
      'x-toolglot-preset': 'no-such-system',
    }
    for (const [name, value] of Object.entries(wrong)) {
      const answer = await ask(rig.url, chat, request, false, { headers: { [name]: value } })
      expect([name, answer.status]).toEqual([name, 400])
    }
  })

  test('cannot choose the host', async () => {
    const rig = await openRig()
    const headers = {
      'x-toolglot-base-url': 'http://127.0.0.1:1',
      'x-portkey-custom-host': 'http://127.0.0.1:1',
      'x-forwarded-host': 'evil.example',
    }
    const body = { ...chat.body(hello, false), base_url: 'http://127.0.0.1:1', api_base: 'x' }
    const answer = await fetch(`${rig.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    expect(answer.status).toBe(200)
    expect(rig.upstream.requests).toHaveLength(1)
    for (const model of ['http://127.0.0.1:1/x', '../openai-chat/scripted', 'openai-chat/', '/x']) {
      expect([model, (await ask(rig.url, chat, { model, messages }, false)).status]).toEqual([
        model,
        404,
      ])
    }
  })
})

describe('the keys of providers', () => {
  let rig: GatewayRig
  const lines: string[] = []
  const seen: string[] = []
  const metrics = createMetrics()
  const traffic = createTrafficLog()

  beforeAll(async () => {
    const logger = createLogger({
      level: 'debug',
      destination: { write: (line) => lines.push(line) },
    })
    rig = await startRig({
      observers: [createLogObserver({ logger, payloads: true }), metrics, traffic],
    })
  })
  afterAll(() => rig.close())

  const FAULTS: readonly Fault[] = [
    { kind: 'status', status: 401, message: `invalid key ${UPSTREAM_KEY}`, code: UPSTREAM_KEY },
    { kind: 'status', status: 400, message: `Bearer ${UPSTREAM_KEY} is not allowed` },
    { kind: 'status', status: 429, message: `key ${UPSTREAM_KEY} is limited` },
    { kind: 'status', status: 500, message: `${UPSTREAM_KEY}${UPSTREAM_KEY}` },
    { kind: 'cut' },
    { kind: 'html' },
  ]

  async function gather(client: Asker, service: ServiceId, streamed: boolean): Promise<void> {
    const { text, headers } = await ask(rig.url, client, requestFor(service), streamed)
    seen.push(text, JSON.stringify(Object.fromEntries(headers)))
  }

  test('are in no reply, no log line, no metric and no recording', async () => {
    for (const fault of FAULTS) {
      rig.upstream.play({ fault })
      for (const client of ASKERS) {
        for (const service of SERVICES) {
          await gather(client, service, false)
          await gather(client, service, true)
        }
      }
    }
    rig.upstream.play({ reply: 'Fine.' })
    for (const service of SERVICES) await gather(chat, service, true)
    expect(rig.upstream.requests.length).toBeGreaterThan(500)
    expect(lines.length).toBeGreaterThan(500)
    for (const text of [...seen, ...lines]) expect(text).not.toContain(UPSTREAM_KEY)
    expect(metrics.render()).not.toContain(UPSTREAM_KEY)
    expect(JSON.stringify(traffic.list())).not.toContain(UPSTREAM_KEY)
  })
})

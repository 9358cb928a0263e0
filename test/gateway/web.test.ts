/** The same gateway where there is `fetch` and no sockets. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../src/core/chat.ts'
import { getDialect } from '../../src/dialects/registry.ts'
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts'
import { fetchSend } from '../../src/gateway/web.ts'
import { CONTENT_TYPES, drained, streamBytes } from '../../src/testing/upstream-reply.ts'
import {
  ASKERS,
  type Asker,
  ask,
  askerNamed,
  eventsIn,
  type Fetch,
  replyIn,
} from '../support/gateway-askers.ts'
import { type RawUpstream, startRawUpstream } from '../support/gateway-raw-upstream.ts'
import {
  SERVICES,
  type ServiceId,
  scriptedModels,
  servicesAt,
} from '../support/gateway-services.ts'

const ORIGIN = 'http://gateway.example'
const LIMIT = 1024 * 1024

let upstream: RawUpstream
let gateway: Gateway
const unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)

beforeAll(async () => {
  process.on('unhandledRejection', note)
  upstream = await startRawUpstream()
  const timeouts = { connectMs: 1000, idleMs: 1000, totalMs: 5000 }
  gateway = createGateway(
    {
      providers: servicesAt(upstream.url, { timeouts }),
      models: scriptedModels(),
      limits: { requestBytes: LIMIT, replyBytes: 256 * 1024 * 1024 },
    },
    { send: fetchSend(), env: {} },
  )
})
afterAll(async () => {
  await gateway.close()
  await upstream.close()
  process.off('unhandledRejection', note)
})
afterEach(async () => {
  expect(unhandled).toEqual([])
  await expect.poll(() => gateway.pending(), { timeout: 5000 }).toBe(0)
})

const viaGateway: Fetch = (url, init) => gateway.fetch(new Request(url, init))
const options = { fetch: viaGateway }

const STORY = 'Down the hill, past the old mill, and then along the water. '.repeat(10)

function reply(text: string) {
  return {
    id: 'reply_1',
    model: 'scripted',
    message: { role: 'assistant', content: text },
    finishReason: 'stop',
    usage: { inputTokens: 12, outputTokens: 7 },
    issues: [],
  } as const
}

function requestFor(service: ServiceId, hasTools = false): ChatRequest {
  return {
    model: `my-${service}`,
    messages: [{ role: 'user', content: 'Tell me a story.' }],
    ...(hasTools && { tools: [{ name: 'get_time', inputSchema: { type: 'object' } }] }),
  }
}

function play(service: ServiceId, text: string): void {
  const dialect = getDialect(service)
  const whole = JSON.stringify(dialect.encodeResponse(reply(text)))
  const stream = Buffer.concat(streamBytes(dialect, reply(text), 40))
  upstream.answer((response, request) => {
    // Questions about the models have no body.
    const { stream: wanted } = request.text === '' ? {} : JSON.parse(request.text)
    const streamed = /stream/i.test(request.path) || wanted === true
    const type = streamed ? CONTENT_TYPES[dialect.framing] : 'application/json'
    response.writeHead(200, { 'content-type': type }).end(streamed ? stream : whole)
  })
}

function webRequest(client: Asker, request: ChatRequest, signal?: AbortSignal): Request {
  return new Request(ORIGIN + client.path(request.model, true), {
    method: 'POST',
    body: JSON.stringify(client.body(request, true)),
    ...(signal && { signal }),
  })
}

describe('replies', () => {
  const CELLS = ASKERS.flatMap((client) =>
    SERVICES.map((service) => [client.id, service, client] as const),
  )

  test.for(CELLS)('%s client, %s provider', async ([, service, client]) => {
    play(service, STORY)
    for (const streamed of [false, true]) {
      const answer = await ask(ORIGIN, client, requestFor(service), streamed, options)
      expect(replyIn(answer, client, streamed).message.content).toBe(STORY)
      expect(answer.headers.get('x-toolglot-request-id')).toMatch(/^req_/)
    }
  })

  test.for(['openai-chat', 'anthropic'])('a call in text is rescued: %s client', async (id) => {
    play('openai-chat', 'Well.\n<tool_call>{"name": "get_time", "arguments": {}}</tool_call>')
    const client = askerNamed(id)
    for (const streamed of [false, true]) {
      const answer = await ask(ORIGIN, client, requestFor('openai-chat', true), streamed, options)
      const { message } = replyIn(answer, client, streamed)
      expect(message.toolCalls).toMatchObject([{ name: 'get_time', arguments: {} }])
    }
  })

  test('pages', async () => {
    const get = (path: string, method = 'GET') =>
      gateway.fetch(new Request(ORIGIN + path, { method }))
    expect(await (await get('/health')).json()).toEqual({ status: 'ok' })
    const head = await get('/v1/models', 'HEAD')
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect((await get('/v1/models', 'OPTIONS')).status).toBe(204)
    expect((await get('/nothing')).status).toBe(404)
    expect((await get('/v1/messages')).status).toBe(405)
  })
})

const LANES: readonly (readonly [client: string, service: ServiceId])[] = [
  ['openai-chat', 'openai-chat'],
  ['ollama', 'ollama'],
  ['anthropic', 'openai-chat'],
  ['gemini without alt=sse', 'bedrock'],
]

describe('a client that leaves', () => {
  /** A stream that begins and then says nothing more. */
  function hang(
    service: ServiceId,
    begins = true,
  ): { asked: Promise<void>; left: Promise<number> } {
    let tellAsked = (): void => {}
    const asked = new Promise<void>((resolve) => {
      tellAsked = resolve
    })
    const left = new Promise<number>((resolve) => {
      upstream.answer((response) => {
        response.on('close', () => resolve(performance.now()))
        tellAsked()
        if (!begins) return
        const dialect = getDialect(service)
        response.writeHead(200, { 'content-type': CONTENT_TYPES[dialect.framing] })
        response.write(Buffer.concat(streamBytes(dialect, reply(STORY)).slice(0, 20)))
      })
    })
    return { asked, left }
  }

  test.for(LANES)('by the signal of its request: %s client, %s provider', async ([id, service]) => {
    const { left } = hang(service)
    const controller = new AbortController()
    const response = await gateway.fetch(
      webRequest(askerNamed(id), requestFor(service), controller.signal),
    )
    const reader = response.body?.getReader()
    await reader?.read()
    const at = performance.now()
    controller.abort()
    expect((await left) - at).toBeLessThan(900)
    await reader?.cancel().catch(() => {})
  })

  test.for(LANES)('by not reading on: %s client, %s provider', async ([id, service]) => {
    const { left } = hang(service)
    const response = await gateway.fetch(webRequest(askerNamed(id), requestFor(service)))
    const reader = response.body?.getReader()
    // Everything that has come is read, so that the gateway waits for more.
    const silence = sleep(200)
    while (await Promise.race([reader?.read(), silence]));
    const at = performance.now()
    await reader?.cancel()
    expect((await left) - at).toBeLessThan(900)
  })

  test.for(LANES)('before there is an answer: %s client, %s provider', async ([id, service]) => {
    const { asked, left } = hang(service, false)
    const controller = new AbortController()
    const request = webRequest(askerNamed(id), requestFor(service), controller.signal)
    const pending = gateway.fetch(request)
    await asked
    const at = performance.now()
    controller.abort()
    expect((await left) - at).toBeLessThan(900)
    expect((await pending).status).toBe(499)
  })
})

describe('a client that reads slowly', () => {
  test.for(LANES)('%s client, %s provider', async ([id, service]) => {
    const dialect = getDialect(service)
    const frames = streamBytes(dialect, reply(STORY))
    const piece = Buffer.concat(
      Array.from({ length: 20 }, () => Buffer.concat(frames.slice(6, 60))),
    )
    let sent = 0
    upstream.answer(async (response) => {
      response.writeHead(200, { 'content-type': CONTENT_TYPES[dialect.framing] })
      response.write(Buffer.concat(frames.slice(0, 6)))
      while (sent < 96 * 1024 * 1024 && !response.destroyed) {
        sent += piece.length
        if (!response.write(piece)) await drained(response)
      }
      response.end()
    })
    const response = await gateway.fetch(webRequest(askerNamed(id), requestFor(service)))
    const reader = response.body?.getReader()
    await reader?.read()
    let last = -1
    while (last !== sent) {
      last = sent
      await sleep(150)
    }
    expect(sent).toBeLessThan(16 * 1024 * 1024)
    await reader?.cancel()
  })

  test('gets everything in the end', async () => {
    const story = STORY.repeat(200)
    for (const [id, service] of LANES) {
      play(service, story)
      const client = askerNamed(id)
      const response = await gateway.fetch(webRequest(client, requestFor(service)))
      await sleep(50)
      const { status, headers } = response
      const answer = { status, headers, text: await response.text() }
      expect(replyIn(answer, client, true).message.content).toBe(story)
    }
  })
})

describe('errors', () => {
  test.for(ASKERS.map((client) => [client.id, client] as const))(
    '%s client',
    async ([, client]) => {
      const send = (body: string | Uint8Array<ArrayBuffer>) =>
        viaGateway(ORIGIN + client.path('my-openai-chat', false), { method: 'POST', body })
      expect((await send('{"model": ')).status).toBe(400)
      expect((await send(new Uint8Array(LIMIT + 1).fill(32))).status).toBe(413)
      const unknown = { ...requestFor('openai-chat'), model: 'no-such' }
      expect((await ask(ORIGIN, client, unknown, true, options)).status).toBe(404)
      upstream.answer((response) => {
        response.writeHead(429, { 'retry-after': '17' }).end('{"error": {"message": "slow down"}}')
      })
      for (const streamed of [false, true]) {
        const answer = await ask(ORIGIN, client, requestFor('openai-chat'), streamed, options)
        expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '17'])
        expect(JSON.parse(answer.text)).toHaveProperty('error')
      }
    },
  )

  test('a body without a length that is too long', async () => {
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(65536).fill(32)),
    })
    const response = await viaGateway(`${ORIGIN}/v1/chat/completions`, {
      method: 'POST',
      body,
      duplex: 'half',
      // The types of Node's fetch do not know the field that Node wants.
    } as RequestInit)
    expect(response.status).toBe(413)
  })

  test.for(LANES)('a stream that breaks: %s client, %s provider', async ([id, service]) => {
    const dialect = getDialect(service)
    const client = askerNamed(id)
    for (const count of [12, 30, 60]) {
      upstream.answer((response) => {
        response.writeHead(200, { 'content-type': CONTENT_TYPES[dialect.framing] })
        const bytes = Buffer.concat(streamBytes(dialect, reply(STORY)).slice(0, count))
        response.write(bytes, () => response.destroy())
      })
      const { status, text } = await ask(ORIGIN, client, requestFor(service), true, options)
      expect(status).toBe(200)
      const events = eventsIn(text, client)
      expect(events.at(-1)?.type).toBe('error')
      expect(events.some(({ type }) => type === 'finish')).toBe(false)
    }
  })

  test.for(LANES)('a provider that hangs: %s client, %s provider', async ([id, service]) => {
    const client = askerNamed(id)
    upstream.answer(() => {})
    expect((await ask(ORIGIN, client, requestFor(service), true, options)).status).toBe(504)
    upstream.answer((response) => {
      const dialect = getDialect(service)
      response.writeHead(200, { 'content-type': CONTENT_TYPES[dialect.framing] })
      response.write(Buffer.concat(streamBytes(dialect, reply(STORY)).slice(0, 20)))
    })
    const { text } = await ask(ORIGIN, client, requestFor(service), true, options)
    expect(eventsIn(text, client).at(-1)?.type).toBe('error')
  })

  test('a provider that is not there', async () => {
    const lost = createGateway(
      { providers: servicesAt('http://127.0.0.1:9'), models: scriptedModels() },
      { env: {} },
    )
    const client = askerNamed('openai-chat')
    const send: Fetch = (url, init) => lost.fetch(new Request(url, init))
    for (const streamed of [false, true]) {
      const answer = await ask(ORIGIN, client, requestFor('openai-chat'), streamed, { fetch: send })
      expect(answer.status).toBe(502)
    }
  })
})

/** Clients that hang up, read slowly, send slowly, or send what nobody can use. */
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../src/core/chat.ts'
import { getDialect } from '../../src/dialects/registry.ts'
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts'
import { type ListeningGateway, listen } from '../../src/gateway/node.ts'
import { createUndiciSend, type UndiciSend } from '../../src/gateway/undici-send.ts'
import { CONTENT_TYPES, drained, streamBytes } from '../../src/testing/upstream-reply.ts'
import { ASKERS, type Asker, ask, askerNamed, replyIn } from '../support/gateway-askers.ts'
import { openReply, openSocket, postText } from '../support/gateway-raw-client.ts'
import { type RawUpstream, startRawUpstream } from '../support/gateway-raw-upstream.ts'
import { type ServiceId, scriptedModels, servicesAt } from '../support/gateway-services.ts'

const LIMIT = 12 * 1024 * 1024
const STALLED_MS = 1500

let upstream: RawUpstream
let sender: UndiciSend
let gateway: Gateway
let server: ListeningGateway
/** The same with little patience. */
let hasty: ListeningGateway
const unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)

beforeAll(async () => {
  process.on('unhandledRejection', note)
  upstream = await startRawUpstream()
  sender = createUndiciSend()
  const limits = {
    requestBytes: LIMIT,
    replyBytes: 256 * 1024 * 1024,
    stalledClientMs: STALLED_MS,
  }
  const config = { providers: servicesAt(upstream.url), models: scriptedModels(), limits }
  gateway = createGateway(config, { send: sender.send, env: {} })
  server = await listen(gateway, { limits })
  hasty = await listen(gateway, { limits: { clientHeadersMs: 300, clientBodyMs: 300 } })
})
afterAll(async () => {
  await Promise.all([server.shutdown(0), hasty.shutdown(0)])
  await sender.close()
  await upstream.close()
  process.off('unhandledRejection', note)
})
afterEach(async () => {
  expect(unhandled).toEqual([])
  await expect.poll(() => gateway.pending(), { timeout: 5000 }).toBe(0)
})

function requestFor(service: ServiceId, hasTools = false): ChatRequest {
  return {
    model: `my-${service}`,
    messages: [{ role: 'user', content: 'Tell me a story.' }],
    ...(hasTools && { tools: [{ name: 'get_time', inputSchema: { type: 'object' } }] }),
  }
}

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

function framesOf(service: ServiceId, text: string): Uint8Array[] {
  return streamBytes(getDialect(service), reply(text), 8)
}

function begin(response: ServerResponse, service: ServiceId): void {
  response.writeHead(200, { 'content-type': CONTENT_TYPES[getDialect(service).framing] })
}

type Lane = readonly [client: string, service: ServiceId, hasTools: boolean]
const LANES: readonly Lane[] = [
  ['openai-chat', 'openai-chat', false],
  ['openai-chat', 'openai-chat', true],
  ['anthropic', 'anthropic', false],
  ['ollama', 'ollama', false],
  ['openai-chat', 'anthropic', false],
  ['anthropic', 'openai-chat', true],
  ['gemini without alt=sse', 'bedrock', false],
]

function bodyOf(client: Asker, request: ChatRequest, streamed: boolean): string {
  return JSON.stringify(client.body(request, streamed))
}

describe('a client that hangs up', () => {
  test.for(LANES)('%s client, %s provider: in the middle of a stream', async (lane) => {
    const [id, service, hasTools] = lane
    const client = askerNamed(id)
    const left = new Promise<number>((resolve) => {
      upstream.answer((response) => {
        begin(response, service)
        response.write(
          Buffer.concat(framesOf(service, 'Once upon a time. '.repeat(20)).slice(0, 40)),
        )
        response.on('close', () => resolve(performance.now()))
      })
    })
    const request = requestFor(service, hasTools)
    const open = await openReply(
      server.url + client.path(request.model, true),
      bodyOf(client, request, true),
    )
    await expect.poll(() => open.text().length, { timeout: 5000 }).toBeGreaterThan(0)
    const at = performance.now()
    open.hangUp()
    expect((await left) - at).toBeLessThan(1000)
  })

  test.for(LANES)('%s client, %s provider: before there is an answer', async (lane) => {
    const [id, service, hasTools] = lane
    const client = askerNamed(id)
    for (const streamed of [false, true]) {
      let asked = (): void => {}
      const arrived = new Promise<void>((resolve) => {
        asked = resolve
      })
      const left = new Promise<number>((resolve) => {
        upstream.answer((response) => {
          response.on('close', () => resolve(performance.now()))
          asked()
        })
      })
      const request = requestFor(service, hasTools)
      const path = client.path(request.model, streamed)
      const { socket } = await openSocket(server.url)
      socket.write(postText(path, bodyOf(client, request, streamed)))
      await arrived
      const at = performance.now()
      socket.destroy()
      expect((await left) - at).toBeLessThan(1000)
    }
  })

  test('in the middle of its own body', async () => {
    const asked = upstream.requests.length
    const { socket } = await openSocket(server.url)
    const text = postText('/v1/chat/completions', 'x'.repeat(1000))
    socket.write(text.slice(0, 300))
    await sleep(20)
    socket.destroy()
    await expect.poll(() => gateway.pending(), { timeout: 5000 }).toBe(0)
    expect(upstream.requests).toHaveLength(asked)
  })
})

describe('a client that reads slowly', () => {
  const OFFERED = 96 * 1024 * 1024
  const ALLOWED = 16 * 1024 * 1024

  /** Offers a stream without an end; tells how much was taken. */
  function offer(service: ServiceId): { sent: () => number; closed: Promise<void> } {
    const frames = framesOf(service, 'Once upon a time, so they say, there was. '.repeat(40))
    const first = Buffer.concat(frames.slice(0, 6))
    const more = Buffer.concat(frames.slice(6, 150))
    const piece = Buffer.concat(Array.from({ length: Math.ceil(65536 / more.length) }, () => more))
    let sent = 0
    const closed = new Promise<void>((resolve) => {
      upstream.answer(async (response) => {
        response.on('close', () => resolve())
        begin(response, service)
        response.write(first)
        while (sent < OFFERED && !response.destroyed) {
          sent += piece.length
          if (!response.write(piece)) await drained(response)
        }
        response.end()
      })
    })
    return { sent: () => sent, closed }
  }

  test.for(LANES)('%s client, %s provider', async ([id, service, hasTools]) => {
    const client = askerNamed(id)
    const { sent, closed } = offer(service)
    const before = process.memoryUsage()
    const request = requestFor(service, hasTools)
    const { socket, closed: given } = await openSocket(server.url, false)
    socket.write(postText(client.path(request.model, true), bodyOf(client, request, true)))
    await expect.poll(sent, { timeout: 5000 }).toBeGreaterThan(0)
    // When nothing moves any more, the rest waits where it comes from.
    let last = -1
    while (last !== sent()) {
      last = sent()
      await sleep(150)
    }
    const after = process.memoryUsage()
    expect(sent()).toBeLessThan(ALLOWED)
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(ALLOWED)
    // And one that takes nothing at all is given up, upstream included.
    await closed
    socket.resume()
    await given
  })

  test('one that pauses and goes on gets everything', async () => {
    const text = 'Once upon a time, so they say, there was. '.repeat(20_000)
    for (const [id, service, hasTools] of LANES) {
      const client = askerNamed(id)
      upstream.answer((response) => {
        begin(response, service)
        response.end(Buffer.concat(streamBytes(getDialect(service), reply(text), 4000)))
      })
      const request = requestFor(service, hasTools)
      const { socket, text: came, closed } = await openSocket(server.url)
      socket.pause()
      const path = client.path(request.model, true)
      socket.write(postText(path, bodyOf(client, request, true), ['connection: close']))
      await sleep(200)
      socket.resume()
      await closed
      const [head = '', ...rest] = came().split('\r\n\r\n')
      expect(head).toMatch(/^HTTP\/1\.1 200/)
      const answer = { status: 200, headers: new Headers(), text: unchunked(rest.join('\r\n\r\n')) }
      expect(replyIn(answer, client, true).message.content).toBe(text)
    }
  })
})

/** The body without the lengths between its chunks. */
function unchunked(body: string): string {
  const bytes = Buffer.from(body)
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf('\r\n', at)
    const length = Number.parseInt(bytes.subarray(at, end).toString(), 16)
    if (!length) break
    pieces.push(bytes.subarray(end + 2, end + 2 + length))
    at = end + 2 + length + 2
  }
  return Buffer.concat(pieces).toString()
}

describe('a client that sends slowly', () => {
  test('its headers', async () => {
    const { socket, text, closed } = await openSocket(hasty.url)
    socket.write('POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: ')
    const drip = setInterval(() => socket.write('x'), 50)
    await closed
    clearInterval(drip)
    expect(text()).toMatch(/^HTTP\/1\.1 408 /)
    expect(text()).toContain('"client_timeout"')
  })

  test('its body', async () => {
    const asked = upstream.requests.length
    const { socket, text, closed } = await openSocket(hasty.url)
    const sent = postText('/v1/chat/completions', `{"x": "${'x'.repeat(5000)}"}`)
    socket.write(sent.slice(0, 300))
    const drip = setInterval(() => socket.write('x'), 50)
    await closed
    clearInterval(drip)
    expect(text()).toMatch(/^HTTP\/1\.1 408 /)
    expect(upstream.requests).toHaveLength(asked)
  })
})

describe('what a client sends', () => {
  function answerInFull(): void {
    upstream.answer((response, { path }) => {
      const service = path.includes('anthropic') ? 'anthropic' : 'openai-chat'
      const body = JSON.stringify(getDialect(service).encodeResponse(reply('Fine.')))
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    })
  }

  test.for(['openai-chat', 'anthropic'] as const)('10 MB go through to %s', async (service) => {
    answerInFull()
    const client = askerNamed('openai-chat')
    const content = 'All work and no play. '.repeat(500_000)
    const request = { ...requestFor(service), messages: [{ role: 'user', content }] } as const
    const { status } = await ask(server.url, client, request, false)
    expect(status).toBe(200)
    expect(upstream.requests.at(-1)?.text.length).toBeGreaterThan(10 * 1024 * 1024)
  })

  test.for(ASKERS.map((client) => [client.id, client] as const))(
    'more than is allowed is refused while it comes: %s',
    async ([, client]) => {
      answerInFull()
      const asked = upstream.requests.length
      const url = server.url + client.path('my-openai-chat', false)
      const body = Buffer.alloc(LIMIT + 1024 * 1024, 32)
      const known = await fetch(url, { method: 'POST', body })
      expect(known.status).toBe(413)
      expect(() => JSON.parse(JSON.stringify(known.json()))).not.toThrow()
      // Without a length, nobody knows until it has come.
      const pieces = async function* () {
        for (let at = 0; at < body.length; at += 65536) yield body.subarray(at, at + 65536)
      }
      const unknown = await fetch(url, {
        method: 'POST',
        body: ReadableStream.from(pieces()),
        duplex: 'half',
        // The types of Node's fetch do not know the field that Node wants.
      } as RequestInit)
      expect(unknown.status).toBe(413)
      expect(await unknown.text()).toContain(String(LIMIT))
      expect(upstream.requests).toHaveLength(asked)
      // And the next request is answered.
      const next = await ask(
        server.url,
        askerNamed('openai-chat'),
        requestFor('openai-chat'),
        false,
      )
      expect(next.status).toBe(200)
    },
  )

  test('one that never stops sending is cut off', async () => {
    const { socket, text, closed } = await openSocket(server.url)
    socket.write(
      'POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ntransfer-encoding: chunked\r\n\r\n',
    )
    const piece = `10000\r\n${'x'.repeat(65536)}\r\n`
    let sent = 0
    const pump = (): void => {
      while (!socket.destroyed && sent < 2 ** 30) {
        sent += piece.length
        if (!socket.write(piece)) {
          socket.once('drain', pump)
          return
        }
      }
    }
    pump()
    await closed
    expect(text()).toMatch(/^HTTP\/1\.1 413 /)
    expect(sent).toBeLessThan(LIMIT * 4)
  })

  const WRONG: readonly (readonly [name: string, body: string, status: number])[] = [
    ['JSON that breaks off', '{"model": "my-openai-chat", "messages": [', 400],
    ['no JSON', 'hello', 400],
    ['no object', '[1, 2]', 400],
    ['nothing', '', 400],
    ['half a character', '{"model": "\u0000', 400],
  ]

  test.for(ASKERS.map((client) => [client.id, client] as const))(
    'what is no question is refused: %s',
    async ([, client]) => {
      const asked = upstream.requests.length
      const url = server.url + client.path('my-anthropic', false)
      for (const [name, body, status] of WRONG) {
        const answer = await fetch(url, { method: 'POST', body })
        expect([name, answer.status]).toEqual([name, status])
        expect(await answer.json()).toHaveProperty('error')
      }
      const invalid = await fetch(url, { method: 'POST', body: Uint8Array.of(0x7b, 0xff, 0x7d) })
      expect(invalid.status).toBe(400)
      expect(upstream.requests).toHaveLength(asked)
    },
  )

  // Ollama's requests without messages or a prompt load a model; nothing has to be loaded here.
  test.for(
    ASKERS.filter(({ id }) => !id.startsWith('ollama')).map((one) => [one.id, one] as const),
  )('a question without messages is refused: %s', async ([, client]) => {
    const url = server.url + client.path('my-cohere', false)
    const answer = await fetch(url, { method: 'POST', body: '{"model": "my-cohere"}' })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toHaveProperty('error')
  })

  test('methods, paths and models that are not there', async () => {
    for (const client of ASKERS) {
      const url = server.url + client.path('my-openai-chat', false)
      const wrong = await fetch(url)
      expect(wrong.status).toBe(405)
      expect(await wrong.json()).toHaveProperty('error')
      const answer = await ask(
        server.url,
        client,
        { ...requestFor('openai-chat'), model: 'no-such' },
        true,
      )
      expect(answer.status).toBe(404)
      expect(answer.text).toContain('no-such')
    }
    expect((await fetch(`${server.url}/v1/nothing`)).status).toBe(404)
    expect((await fetch(`${server.url}/v1/nothing`, { method: 'POST', body: '{}' })).status).toBe(
      404,
    )
    expect((await fetch(`${server.url}/..%2f..%2fetc/passwd`)).status).toBe(404)
  })

  test('lines that are no HTTP', async () => {
    for (const line of ['hello\r\n\r\n', 'GET / HTTP/9.9\r\n\r\n', '\u0000\u0001\u0002', 'POST']) {
      const { socket, closed } = await openSocket(server.url)
      socket.write(line)
      await closed
    }
    expect((await fetch(`${server.url}/health`)).status).toBe(200)
  })

  test('requests one behind the other on one connection', async () => {
    answerInFull()
    const body = bodyOf(askerNamed('openai-chat'), requestFor('openai-chat'), false)
    const { socket, text, closed } = await openSocket(server.url)
    const one = postText('/v1/chat/completions', body)
    socket.write(one + one + postText('/v1/chat/completions', body, ['connection: close']))
    await closed
    expect(text().match(/HTTP\/1\.1 200 /g)).toHaveLength(3)
  })
})

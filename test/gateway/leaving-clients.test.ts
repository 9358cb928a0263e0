/** Clients that leave at any moment, in every way a connection can end: their places are free again. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getDialect } from '../../src/dialects/registry.ts'
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts'
import { type ListeningGateway, listen } from '../../src/gateway/node.ts'
import { createMetrics } from '../../src/gateway/observe/metrics.ts'
import { createMemoryState } from '../../src/gateway/state/memory-state.ts'
import type { GatewayState } from '../../src/gateway/state.ts'
import { createUndiciSend, type UndiciSend } from '../../src/gateway/undici-send.ts'
import { streamBytes } from '../../src/testing/upstream-reply.ts'
import { openSocket, postText } from '../support/gateway-raw-client.ts'
import { type RawUpstream, startRawUpstream } from '../support/gateway-raw-upstream.ts'
import { scriptedModels, servicesAt } from '../support/gateway-services.ts'

/** With TOOLGLOT_FUZZ (`npm run fuzz`) as many times more, at other moments each time. */
const FACTOR = Number(process.env['TOOLGLOT_FUZZ'] ?? 0)
const CLIENTS = 600 * Math.max(1, FACTOR)
const AT_ONCE = 12
const PLACES = 6
const KEY = 'key-of-a-client-4711'

let upstream: RawUpstream
let sender: UndiciSend
let gateway: Gateway
let server: ListeningGateway
const metrics = createMetrics()

beforeAll(async () => {
  upstream = await startRawUpstream(answerSomehow)
  sender = createUndiciSend()
  gateway = createGateway(
    {
      providers: servicesAt(upstream.url),
      models: scriptedModels(),
      keys: [{ name: 'anna', key: KEY, concurrency: PLACES }],
    },
    { send: sender.send, env: {}, observers: [metrics], state: slowState() },
  )
  server = await listen(gateway)
})
afterAll(async () => {
  await server.shutdown(0)
  await gateway.close()
  await sender.close()
  await upstream.close()
})

/** Places are granted as late as they are over a network, so that clients can be gone by then. */
function slowState(): GatewayState {
  const state = createMemoryState()
  const { limits } = state
  return {
    ...state,
    limits: {
      take: limits.take,
      async enter(who, atMost) {
        await sleep(random() < 0.5 ? 0 : 3)
        return limits.enter(who, atMost)
      },
    },
  }
}

// ── chance ──────────────────────────────────────────────────────────────────────────────────────

let seed = FACTOR > 0 ? Date.now() % 2 ** 31 : 4711

/** The same numbers in every run (a linear congruential generator, as in Numerical Recipes). */
function random(): number {
  seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32
  return seed / 2 ** 32
}

function oneOf<T>(values: readonly [T, ...T[]]): T {
  return values[Math.floor(random() * values.length)] ?? values[0]
}

// ── the provider ────────────────────────────────────────────────────────────────────────────────

const MESSAGE = { role: 'assistant', content: 'Once upon a time. '.repeat(30) } as const
const REPLY = { id: 'r', model: 'm', message: MESSAGE, finishReason: 'stop', usage: {}, issues: [] }
const CHAT = getDialect('openai-chat')
const FRAMES = streamBytes(CHAT, { ...REPLY, finishReason: 'stop' })
const WHOLE = JSON.stringify(CHAT.encodeResponse({ ...REPLY, finishReason: 'stop' }))

async function answerSomehow(response: ServerResponse): Promise<void> {
  const kind = oneOf(['whole', 'stream', 'late', 'silent', 'headers'])
  if (kind === 'silent') return
  if (kind === 'late') await sleep(10)
  if (kind === 'whole' || kind === 'late') {
    return void response.writeHead(200, { 'content-type': 'application/json' }).end(WHOLE)
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
  if (kind === 'headers') return
  for (let at = 0; at < FRAMES.length && !response.destroyed; at += 8) {
    response.write(Buffer.concat(FRAMES.slice(at, at + 8)))
    await sleep(2)
  }
  response.end()
}

// ── clients ─────────────────────────────────────────────────────────────────────────────────────

function requestText(): string {
  const streamed = random() < 0.6
  const question = { messages: [{ role: 'user', content: 'Tell me a story.' }], stream: streamed }
  const path = oneOf(['/v1/chat/completions', '/v1/messages', '/v1/messages/count_tokens'])
  const body = JSON.stringify({ model: 'my-openai-chat', max_tokens: 9, ...question })
  return postText(path, body, [`authorization: Bearer ${KEY}`])
}

const WAYS: readonly [(socket: Socket) => void, ...((socket: Socket) => void)[]] = [
  (socket) => socket.destroy(),
  (socket) => socket.resetAndDestroy(),
  (socket) => socket.end(),
]

/** Sends some or all of a request and leaves, at once or a little later. */
async function visit(): Promise<void> {
  const { socket, closed } = await openSocket(server.url, random() < 0.7)
  const text = requestText()
  const head = text.indexOf('\r\n\r\n') + 4
  const length = oneOf([text.length, text.length, head, Math.floor(random() * text.length)])
  const repeats = random() < 0.2 ? 3 : 1
  socket.write(text.slice(0, length).repeat(length === text.length ? repeats : 1))
  const ms = oneOf([-1, 0, 1, 3, 8, 20])
  // Minus one: in the same moment.
  if (ms >= 0) await sleep(ms)
  oneOf(WAYS)(socket)
  // A client that reads nothing does not see that the other side has ended, too.
  socket.resume()
  await closed
}

describe('clients that leave', () => {
  test(`${CLIENTS} at random moments`, { timeout: 3_600_000 }, async () => {
    let left = 0
    async function work(): Promise<void> {
      while (left++ < CLIENTS) await visit()
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    await expectNothingUnderWay()
  })

  test('before their body was asked for', async () => {
    // The key is looked up first, and meanwhile the connection breaks.
    for (const leave of WAYS) {
      const clients = await Promise.all(
        Array.from({ length: 2 * PLACES }, () => openSocket(server.url)),
      )
      const head = requestText().split('\r\n\r\n')[0] ?? ''
      for (const { socket } of clients) socket.write(`${head}\r\n\r\n`, () => leave(socket))
      await Promise.all(clients.map(({ closed }) => closed))
      await expectNothingUnderWay()
    }
  })

  test('do not keep a server that stops', async () => {
    await Promise.all(Array.from({ length: 40 }, visit))
    // Nothing is under way, so the time that it would have does not matter.
    await server.shutdown(3_600_000)
  })
})

/** The counts say so, and the key has all its places. */
async function expectNothingUnderWay(): Promise<void> {
  await expect.poll(() => gateway.pending(), { timeout: 10_000 }).toBe(0)
  expect(metrics.render()).toMatch(/^toolglot_requests_in_flight 0$/m)
  let finish = (): void => {}
  const together = new Promise<void>((resolve) => {
    finish = resolve
  })
  upstream.answer(async (response) => {
    await together
    response.writeHead(200, { 'content-type': 'application/json' }).end(WHOLE)
  })
  const before = upstream.requests.length
  const asked = Array.from({ length: PLACES }, () => askChat())
  await expect.poll(() => upstream.requests.length - before, { timeout: 10_000 }).toBe(PLACES)
  expect((await askChat()).status).toBe(429)
  finish()
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(PLACES).fill(200))
  upstream.answer(answerSomehow)
}

async function askChat(): Promise<Response> {
  const body = { model: 'my-openai-chat', messages: [{ role: 'user', content: 'Hello?' }] }
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}` },
    body: JSON.stringify(body),
  })
  await response.arrayBuffer()
  return response
}

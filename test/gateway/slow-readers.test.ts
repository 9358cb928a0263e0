/** Clients that take whole replies slowly, or not at all. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import type { ClientKey, GatewayLimits } from '../../src/gateway/config.ts'
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts'
import { type ListeningGateway, listen } from '../../src/gateway/node.ts'
import type { GatewayObserver, Outcome } from '../../src/gateway/observer.ts'
import { createUndiciSend } from '../../src/gateway/undici-send.ts'
import { openSocket, postText, type RawClient } from '../support/gateway-raw-client.ts'
import { type RawUpstream, startRawUpstream } from '../support/gateway-raw-upstream.ts'
import { scriptedModels, servicesAt } from '../support/gateway-services.ts'

/** More than the buffers of the system take for a client that does not read: about 6 MB on Linux. */
const LONG = 12_000_000

const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
})

interface Rig {
  readonly gateway: Gateway
  readonly listening: ListeningGateway
  readonly outcomes: Outcome[]
  readonly upstream: RawUpstream
  connections(): Promise<number>
  /** How many replies were handed to the connection. */
  handedOver(): number
  /** A client that has asked for a long reply and reads nothing. */
  askAndWait(path?: string): Promise<RawClient>
}

async function open(limits: GatewayLimits, keys?: readonly ClientKey[]): Promise<Rig> {
  const upstream = await startRawUpstream()
  const message = { role: 'assistant', content: 'x'.repeat(LONG) }
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  const body = JSON.stringify({ id: 'r', object: 'chat.completion', model: 'm', choices })
  upstream.answer((response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  const sender = createUndiciSend()
  const outcomes: Outcome[] = []
  let handedOver = 0
  const observer: GatewayObserver = {
    begin: () => ({
      clientBytes: () => void handedOver++,
      end: (outcome) => void outcomes.push(outcome),
    }),
  }
  const config = { providers: servicesAt(upstream.url), models: scriptedModels(), limits, keys }
  const gateway = createGateway(config, {
    send: sender.send,
    env: {},
    observers: [observer],
  })
  const listening = await listen(gateway, { limits })
  closers.push(
    () => upstream.close(),
    () => sender.close(),
    () => listening.shutdown(0),
  )
  return {
    gateway,
    listening,
    outcomes,
    upstream,
    handedOver: () => handedOver,
    connections: () =>
      new Promise((resolve) => listening.server.getConnections((_, count) => resolve(count))),
    async askAndWait(path = '/v1/chat/completions') {
      const client = await openSocket(listening.url, false)
      client.socket.write(questionText(path))
      return client
    },
  }
}

function questionText(path: string, headers: readonly string[] = [], content = 'Hello?'): string {
  const messages = [{ role: 'user', content }]
  const body = JSON.stringify({ model: 'my-openai-chat', max_tokens: 9, messages })
  return postText(path, body, ['authorization: Bearer key-of-anna-4711', ...headers])
}

const PATHS = ['/v1/chat/completions', '/v1/messages']

describe('a client that reads nothing of a whole reply', () => {
  test.for(PATHS)('is given up, and everything is free again: %s', async (path) => {
    const rig = await open({ stalledClientMs: 300 })
    await Promise.all(Array.from({ length: 4 }, () => rig.askAndWait(path)))
    await expect.poll(() => rig.outcomes.length, { timeout: 20_000 }).toBe(4)
    expect(rig.outcomes.map(({ status }) => status)).toEqual(Array(4).fill(499))
    expect(rig.outcomes[0]?.message).toBe('the client took nothing of the reply for 300 ms')
    expect(rig.gateway.pending()).toBe(0)
    await expect.poll(rig.connections, { timeout: 5000 }).toBe(0)
  })

  test('keeps its place until then', async () => {
    const keys = [{ name: 'anna', key: 'key-of-anna-4711', concurrency: 2 }]
    const rig = await open({}, keys)
    const [first] = await Promise.all([rig.askAndWait(), rig.askAndWait()])
    await expect.poll(() => rig.gateway.pending(), { timeout: 10_000 }).toBe(2)
    await expect.poll(rig.handedOver, { timeout: 10_000 }).toBe(2)
    const third = await openSocket(rig.listening.url)
    third.socket.write(questionText('/v1/chat/completions', ['connection: close']))
    await third.closed
    expect(third.text()).toMatch(/^HTTP\/1\.1 429 /)
    first?.socket.destroy()
    await expect.poll(() => rig.gateway.pending(), { timeout: 10_000 }).toBe(1)
  })

  test('is given up earlier when many need the memory', async () => {
    const rig = await open({ unreadBytes: 30_000_000 })
    const clients: RawClient[] = []
    for (let count = 0; count < 6; count++) {
      clients.push(await rig.askAndWait())
      // Two fit; for each further one, the one that waits for the longest has to go.
      await expect
        .poll(() => [rig.gateway.pending(), rig.outcomes.length], { timeout: 20_000 })
        .toEqual([Math.min(count + 1, 2), Math.max(0, count - 1)])
      await expect.poll(rig.connections).toBe(Math.min(count + 1, 2))
    }
    expect(rig.outcomes[0]?.message).toContain('limits.unreadBytes')
  })

  test('does not keep the replies of requests that it has sent after it', async () => {
    const rig = await open({ stalledClientMs: 500, unreadBytes: 30_000_000 })
    const { socket } = await openSocket(rig.listening.url, false)
    const text = questionText('/v1/chat/completions')
    socket.write(text.repeat(3))
    await expect.poll(() => rig.outcomes.length, { timeout: 20_000 }).toBe(3)
    expect(rig.gateway.pending()).toBe(0)
    await expect.poll(rig.connections).toBe(0)
  })
})

describe('a client that reads slowly', () => {
  test('gets all of a whole reply, however long that takes', async () => {
    const rig = await open({ stalledClientMs: 1000 })
    const client = await openSocket(rig.listening.url)
    client.socket.write(questionText('/v1/chat/completions', ['connection: close']))
    const pausing = setInterval(() => {
      client.socket.pause()
      setTimeout(() => client.socket.resume(), 100)
    }, 120)
    await client.closed
    clearInterval(pausing)
    expect(client.text().length).toBeGreaterThan(LONG)
    expect(rig.outcomes.map(({ status }) => status)).toEqual([200])
  })

  test('has the time of a shutdown to read on', async () => {
    const rig = await open({})
    const client = await rig.askAndWait()
    await expect.poll(rig.handedOver, { timeout: 10_000 }).toBe(1)
    const down = rig.listening.shutdown(60_000)
    const pieces: Buffer[] = []
    client.socket.on('data', (piece: Buffer) => pieces.push(piece))
    client.socket.resume()
    await down
    await client.closed
    expect(Buffer.concat(pieces).length).toBeGreaterThan(LONG)
  })

  test('one that waits its turn on the same connection is not taken for one that does not read', async () => {
    const rig = await open({ stalledClientMs: 300 })
    // The first reply comes so late that the second waits longer than a client may.
    rig.upstream.answer(async (response, { text }) => {
      const body = `{"choices": [{"message": {"content": "${'x'.repeat(LONG)}"}}]}`
      if (text.includes('slow')) await sleep(1000)
      response.writeHead(200, { 'content-type': 'application/json' }).end(body)
    })
    const client = await openSocket(rig.listening.url)
    const closing = questionText('/v1/chat/completions', ['connection: close'])
    client.socket.write(questionText('/v1/chat/completions', [], 'Be slow.') + closing)
    await client.closed
    expect(client.text().match(/HTTP\/1\.1 200 /g)).toHaveLength(2)
    expect(client.text().length).toBeGreaterThan(2 * LONG)
  })
})

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test, vi } from 'vitest'
import { streamSource } from '../byte-source.ts'
import type { ServerConfig } from '../config/server-config.ts'
import { withDefaults } from '../config/server-config.ts'
import type { Send } from '../http.ts'
import { createLogger } from '../observe/log.ts'
import { startServer } from '../server.ts'
import type { LocalServer } from './local-servers.ts'
import { createRediscovery, type RediscoveryOptions } from './rediscovery.ts'

let server: Server | undefined
const stops: (() => unknown)[] = []

afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
  const own = server
  server = undefined
  own?.closeAllConnections()
  if (own) await new Promise((resolve) => own.close(resolve))
})

/** How often the server was asked for its models. */
let asked = 0

/** An Ollama server; the models can be changed. */
async function startOllama(models: string[], port = 0): Promise<number> {
  asked = 0
  const own = createServer((request, response) => {
    const isChat = request.url === '/api/chat'
    if (!isChat) asked++
    const message = { role: 'assistant', content: 'hello' }
    const reply = { model: 'm', message, done: true, done_reason: 'stop' }
    response.end(JSON.stringify(isChat ? reply : { models: models.map((name) => ({ name })) }))
  })
  await new Promise<void>((resolve) => own.listen(port, '127.0.0.1', resolve))
  server = own
  return (own.address() as AddressInfo).port // it listens at a port, not at a path
}

/** A port at which nobody listens. */
async function freePort(): Promise<number> {
  const port = await startOllama([])
  const own = server
  server = undefined
  await new Promise((resolve) => own?.close(resolve))
  return port
}

const send: Send = async ({ method, url, headers, signal }) => {
  const { status, body } = await fetch(url, { method, headers, signal: signal ?? null })
  if (!body) throw new Error('no body')
  return { status, headers: {}, body: streamSource(body) }
}

const CLOSED = { 'llama-cpp': 1, 'lm-studio': 1, vllm: 1, sglang: 1 }

function rediscoveryAt(port: number, more: Partial<RediscoveryOptions<ServerConfig>> = {}) {
  const news: LocalServer[][] = []
  const rediscovery = createRediscovery<ServerConfig>({
    send,
    env: {},
    ports: { ...CLOSED, ollama: port },
    timeoutMs: 3000,
    pauseMs: 0,
    onFound: (_, found) => news.push([...found]),
    isIdle: () => true,
    ...more,
  })
  stops.push(rediscovery.stop)
  return { rediscovery, news }
}

test('a server that starts late is found once, and again when its models change', async () => {
  const port = await freePort()
  const { rediscovery, news } = rediscoveryAt(port)
  const { report } = await rediscovery.begin({})
  expect(report.local).toEqual([])
  expect(await rediscovery.look()).toBe(false)
  const models = ['qwen3']
  await startOllama(models, port)
  expect(await rediscovery.look()).toBe(true)
  expect(await rediscovery.look()).toBe(false)
  models.push('gemma3')
  expect(await rediscovery.look()).toBe(true)
  expect(news.map((found) => found.map((one) => one.models))).toEqual([
    [['qwen3']],
    [['qwen3', 'gemma3']],
  ])
})

test('a server that does not answer for a while is still there', async () => {
  const port = await startOllama(['qwen3'])
  const { rediscovery, news } = rediscoveryAt(port)
  await rediscovery.begin({})
  const own = server
  server = undefined
  own?.closeAllConnections()
  await new Promise((resolve) => own?.close(resolve))
  expect(await rediscovery.look()).toBe(false)
  await startOllama(['qwen3'], port)
  expect(await rediscovery.look()).toBe(false)
  expect(news).toEqual([])
})

test('now and then it looks by itself, and leaves alone what it knows', async () => {
  const port = await freePort()
  const found = vi.fn()
  const { rediscovery } = rediscoveryAt(port, { intervalMs: 10, onFound: found })
  await rediscovery.begin({})
  rediscovery.start()
  await startOllama(['qwen3'], port)
  await expect.poll(() => found.mock.calls.length, { timeout: 5000 }).toBe(1)
  const before = asked
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(asked).toBe(before)
})

test('nobody is asked when that is not wanted, or too often', async () => {
  const port = await startOllama(['qwen3'])
  const off = rediscoveryAt(port).rediscovery
  await off.begin({ discover: false })
  expect(await off.look()).toBe(false)
  expect(asked).toBe(0)
  const { rediscovery } = rediscoveryAt(port, { pauseMs: 60_000 })
  await rediscovery.begin({})
  await rediscovery.look()
  const before = asked
  expect(await rediscovery.look()).toBe(false)
  expect(asked).toBe(before)
})

test('a gateway finds it when a client asks for a model that nobody has', async () => {
  const port = await freePort()
  const gateway = await startServer(withDefaults({ port: 0, log: { level: 'silent' } }), {
    env: { OLLAMA_HOST: `127.0.0.1:${port}` },
    version: '0',
    logger: createLogger({ level: 'silent' }),
  })
  stops.push(() => gateway.stop())
  await startOllama(['qwen3'], port)
  const ask = (model: string) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
    })
  expect((await ask('ollama/qwen3')).status).toBe(200)
  await expect.poll(() => gateway.models()).toContain('ollama/qwen3')
  expect((await ask('ollama-of-nobody/qwen3')).status).toBe(404)
})

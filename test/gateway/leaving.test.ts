/** A gateway that is asked to stop serves what comes until those before it have noticed. */
import { Agent, type IncomingMessage, request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import type { GatewayConfig } from '../../src/gateway/config.ts'
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts'
import { type ListeningGateway, listen } from '../../src/gateway/node.ts'
import { startRawUpstream } from '../support/gateway-raw-upstream.ts'
import { slowStream, textIn } from '../support/served.ts'

interface Started extends ListeningGateway {
  readonly gateway: Gateway
  /** Over one connection, which is kept for as long as the gateway likes. */
  ask(path: string, body?: object): Promise<Answer>
}

interface Answer {
  readonly status: number | undefined
  readonly connection: string | undefined
  readonly text: string
  readonly reused: boolean
}

const QUESTION = { model: 'demo/echo', messages: [{ role: 'user', content: 'Hello' }] }
const CHAT = '/v1/chat/completions'

async function start(config: GatewayConfig = {}): Promise<Started> {
  const gateway = createGateway(config, { env: {} })
  const listening = await listen(gateway)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(async () => {
    agent.destroy()
    await listening.shutdown(0)
    await gateway.close()
  })
  return {
    ...listening,
    gateway,
    ask: (path, body) => ask(`${listening.url}${path}`, agent, body),
  }
}

function ask(url: string, agent: Agent, body?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent, method: body ? 'POST' : 'GET' }, async (reply) => {
      resolve({
        status: reply.statusCode,
        connection: reply.headers.connection,
        text: await textOf(reply),
        reused: asked.reusedSocket,
      })
    })
    asked.on('error', reject)
    asked.end(body && JSON.stringify(body))
  })
}

async function textOf(reply: IncomingMessage): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of reply) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

test('connections are served to their end while load balancers notice', async () => {
  const { url, ask, shutdown } = await start()
  expect(await ask('/ready')).toMatchObject({ status: 200, connection: 'keep-alive' })
  const stream = await slowStream(url, 60)
  const stopped = shutdown(30_000)

  const kept = await ask('/ready')
  expect(kept).toMatchObject({ status: 503, connection: 'close', reused: true })
  expect(JSON.parse(kept.text)).toMatchObject({ status: 'shutting down' })
  // A new connection, and a reply in pieces.
  expect(await ask(CHAT, QUESTION)).toMatchObject({
    status: 200,
    connection: 'close',
    reused: false,
  })
  const streamed = await ask(CHAT, { ...QUESTION, stream: true })
  expect(streamed).toMatchObject({ status: 200, connection: 'close' })
  expect(textIn(streamed.text).isComplete).toBe(true)

  expect(textIn(await stream.text()).isComplete).toBe(true)
  await stopped
  await expect(ask('/health')).rejects.toThrow()
})

test('a request that came before ends its connection as well', async () => {
  const upstream = await startRawUpstream()
  onTestFinished(() => upstream.close())
  const { ask, shutdown } = await start({
    providers: { mine: { provider: 'openai-compatible', baseUrl: upstream.url } },
  })
  const finish = new Promise<() => void>((resolve) => {
    const message = { role: 'assistant', content: 'Hello' }
    const reply = { id: 'c', model: 'm', choices: [{ index: 0, message, finish_reason: 'stop' }] }
    upstream.answer((response) => resolve(() => void response.end(JSON.stringify(reply))))
  })
  const asked = ask(CHAT, { ...QUESTION, model: 'mine/m' })
  const answer = await finish
  const stopped = shutdown(30_000)
  answer()
  expect(await asked).toMatchObject({ status: 200, connection: 'close' })
  await stopped
})

test('a time for draining holds, also when nobody asks', async () => {
  const { url, ask, shutdown } = await start()
  let isOver = false
  const stopped = shutdown(60_000, 1000).then(() => {
    isOver = true
  })
  expect(await ask(CHAT, QUESTION)).toMatchObject({ status: 200 })
  expect(isOver).toBe(false)
  await stopped
  await expect(fetch(url)).rejects.toThrow()
})

test('without a time of its own, a gateway that nobody asks ends at once', async () => {
  const { ask, shutdown } = await start()
  const begun = performance.now()
  await shutdown(60_000)
  // It waits for load balancers for seconds otherwise.
  expect(performance.now() - begun).toBeLessThan(900)
  await expect(ask('/health')).rejects.toThrow()
})

test('what takes too long is ended, draining included', async () => {
  const { url, shutdown } = await start()
  const stream = await slowStream(url, 600)
  await shutdown(300, 60_000)
  await expect(stream.text()).rejects.toThrow()
})

/** Thousands of requests that all go wrong, in every way at once: nothing crashes, and nothing is left over. */
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import type { ChatRequest } from '../../src/core/chat.ts'
import { getDialect } from '../../src/dialects/registry.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { listen } from '../../src/gateway/node.ts'
import { createUndiciSend } from '../../src/gateway/undici-send.ts'
import { CONTENT_TYPES, streamBytes } from '../../src/testing/upstream-reply.ts'
import { ASKERS, type Asker, eventsIn } from '../support/gateway-askers.ts'
import { type RawHandler, startRawUpstream } from '../support/gateway-raw-upstream.ts'
import {
  SERVICES,
  type ServiceId,
  scriptedModels,
  servicesAt,
} from '../support/gateway-services.ts'

const COUNT = Number(process.env['TOOLGLOT_FAULTY_REQUESTS'] ?? 10_000)
const WORKERS = 40
const MB = 1024 * 1024

const STORY = 'Down the hill, past the old mill. <tool_call>{"name": "get_time", "arguments": {}}'
const reply = {
  id: 'reply_1',
  model: 'scripted',
  message: { role: 'assistant', content: STORY },
  finishReason: 'stop',
  usage: { inputTokens: 12, outputTokens: 7 },
  issues: [],
} as const

// ── a provider that never does it right ─────────────────────────────────────────────────────────

interface Prepared {
  readonly type: string
  readonly frames: readonly Uint8Array[]
  readonly whole: string
}

const PREPARED = new Map(
  SERVICES.map((service): [string, Prepared] => {
    const dialect = getDialect(service)
    const type = CONTENT_TYPES[dialect.framing]
    const whole = JSON.stringify(dialect.encodeResponse(reply))
    return [service, { type, whole, frames: streamBytes(dialect, reply, 12) }]
  }),
)

type Misdeed = (response: Parameters<RawHandler>[0], prepared: Prepared, at: number) => void

function refuse(status: number, headers: Record<string, string> = {}): Misdeed {
  return (response) => {
    const body = JSON.stringify({ error: { message: `status ${status}` } })
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
  }
}

const MISDEEDS: readonly Misdeed[] = [
  refuse(429, { 'retry-after': '30' }),
  refuse(500),
  refuse(401),
  refuse(529),
  refuse(302, { location: 'http://127.0.0.1:9/' }),
  // The connection breaks before, in the middle and at the very end.
  (response) => response.destroy(),
  (response, { type, frames }, at) => {
    response.writeHead(200, { 'content-type': type })
    const bytes = Buffer.concat(frames.slice(0, 1 + (at % frames.length)))
    response.write(bytes, () => response.destroy())
  },
  (response, { whole }) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': whole.length })
    response.write(whole.slice(0, whole.length / 2), () => response.destroy())
  },
  // It ends too early, without a complaint.
  (response, { type, frames }, at) => {
    response.writeHead(200, { 'content-type': type })
    const bytes = Buffer.concat(frames)
    response.end(bytes.subarray(0, at % bytes.length))
  },
  (response, { whole }, at) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(whole.slice(0, at % whole.length))
  },
  (response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Sign in</html>')
  },
  // Garbage among the frames.
  (response, { type, frames }) => {
    const garbage = Buffer.from('data: {"oh": no\n\n')
    response.writeHead(200, { 'content-type': type })
    response.end(Buffer.concat([...frames.slice(0, 3), garbage, ...frames.slice(3)]))
  },
  (response, { frames }) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).end(Buffer.concat(frames))
  },
  // It begins and says nothing more.
  (response, { type, frames }) => {
    response.writeHead(200, { 'content-type': type })
    response.write(Buffer.concat(frames.slice(0, 3)))
  },
  () => {},
]

// ── clients that do no better ───────────────────────────────────────────────────────────────────

interface Visit {
  readonly url: string
  readonly agent: Agent
  readonly client: Asker
  readonly question: ChatRequest
  readonly streamed: boolean
}

type Behaviour = (visit: Visit) => Promise<void>

function open({ url, agent, client, question, streamed }: Visit, method = 'POST'): ClientRequest {
  const path = client.path(question.model, streamed)
  return request(url + path, { agent, method, headers: { 'content-type': 'application/json' } })
}

function bodyOf({ client, question, streamed }: Visit): string {
  return JSON.stringify(client.body(question, streamed))
}

function answerTo(sent: ClientRequest): Promise<IncomingMessage | undefined> {
  return new Promise((resolve) => {
    sent.on('response', resolve)
    sent.on('error', () => resolve(undefined))
  })
}

async function textOf(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of response) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString('utf8')
}

/** A client that waits for its answer is told how it ended, always. */
const patient: Behaviour = async (visit) => {
  const sent = open(visit)
  const answered = answerTo(sent)
  sent.end(bodyOf(visit))
  const response = await answered
  if (!response) throw new Error('no answer')
  const text = await textOf(response)
  const { statusCode: status = 0 } = response
  if (status >= 400) {
    expect(JSON.parse(text)).toHaveProperty('error')
    expect([400, 404, 429, 502, 503, 504, 529]).toContain(status)
  } else if (visit.streamed) {
    expect(['finish', 'error']).toContain(eventsIn(text, visit.client).at(-1)?.type)
  } else expect(visit.client.readWhole(JSON.parse(text)).error).toBeUndefined()
}

function leaving(ms: number): Behaviour {
  return async (visit) => {
    const sent = open(visit)
    const answered = answerTo(sent)
    sent.end(bodyOf(visit))
    const timer = setTimeout(() => sent.destroy(), ms)
    const response = await answered
    response?.on('error', () => {})
    response?.resume()
    await new Promise<void>((resolve) => {
      if (!response) resolve()
      else response.on('close', () => resolve())
    })
    clearTimeout(timer)
  }
}

function sending(body: string | Uint8Array, status: number, method = 'POST'): Behaviour {
  return async (visit) => {
    const sent = open(visit, method)
    const answered = answerTo(sent)
    sent.end(body)
    const response = await answered
    if (!response) throw new Error('no answer')
    expect(response.statusCode).toBe(status)
    expect(JSON.parse(await textOf(response))).toHaveProperty('error')
  }
}

/** It hangs up in the middle of its own question. */
const halfway: Behaviour = async (visit) => {
  const sent = open(visit)
  const answered = answerTo(sent)
  sent.setHeader('content-length', 100_000)
  sent.write(bodyOf(visit))
  setTimeout(() => sent.destroy(), 3)
  await answered
}

const BEHAVIOURS: readonly Behaviour[] = [
  ...Array<Behaviour>(12).fill(patient),
  leaving(1),
  leaving(8),
  leaving(25),
  sending('{"model": ', 400),
  sending('', 405, 'PUT'),
  sending(Buffer.alloc(300_000, 32), 413),
  halfway,
]

// ── the test ────────────────────────────────────────────────────────────────────────────────────

setFlagsFromString('--expose_gc')
// The flag brings the function, though only to contexts that are made afterwards.
const collectGarbage: () => void = runInNewContext('gc')

/** Bytes in use when everything that can go is gone. */
async function heapInUse(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    collectGarbage()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const { heapUsed, external, arrayBuffers } = process.memoryUsage()
  return heapUsed + external + arrayBuffers
}

test(`${COUNT} faulty requests leave nothing behind`, { timeout: 600_000 }, async () => {
  const mishaps: unknown[] = []
  const note = (mishap: unknown): void => void mishaps.push(mishap)
  for (const event of ['unhandledRejection', 'uncaughtException', 'warning'])
    process.on(event, note)

  let asked = 0
  const upstream = await startRawUpstream((response, { path }) => {
    const prepared = PREPARED.get(path.split('/')[1] ?? '')
    const misdeed = MISDEEDS[asked++ % MISDEEDS.length]
    if (prepared) misdeed?.(response, prepared, asked)
  })
  const sender = createUndiciSend()
  const timeouts = { connectMs: 500, idleMs: 500, totalMs: 2000 }
  const gateway = createGateway(
    {
      providers: servicesAt(upstream.url, { timeouts }),
      models: scriptedModels(),
      limits: { requestBytes: 200_000 },
    },
    { send: sender.send, env: {} },
  )
  const server = await listen(gateway)
  const agent = new Agent({ keepAlive: true, maxSockets: WORKERS })
  const timersBefore = timers()

  let done = 0
  async function work(until: number): Promise<void> {
    while (done < until) {
      const at = done++
      const client = ASKERS[at % ASKERS.length]
      const service = SERVICES[(at * 5 + Math.floor(at / 56)) % SERVICES.length]
      const behave = BEHAVIOURS[Math.floor(at / 7) % BEHAVIOURS.length]
      if (!client || !service || !behave) throw new Error('nobody asks')
      const visit = { url: server.url, agent, client, streamed: at % 3 !== 0 }
      await behave({ ...visit, question: questionFor(service, at % 2 === 0 && client.hasTools) })
    }
  }
  async function workAll(until: number): Promise<number> {
    await Promise.all(Array.from({ length: WORKERS }, () => work(until)))
    await expect.poll(() => gateway.pending(), { timeout: 10_000 }).toBe(0)
    return heapInUse()
  }

  // By then everything is warm that ever will be.
  const early = await workAll(Math.ceil(COUNT / 4))
  const late = await workAll(COUNT)
  expect(mishaps).toEqual([])
  expect((late - early) / MB).toBeLessThan(8)
  expect(asked).toBeGreaterThan(COUNT / 4)

  // The gateway still works, and holds no more connections than it had requests at a time.
  expect((await fetch(`${server.url}/health`)).status).toBe(200)
  expect(upstream.connections()).toBeLessThanOrEqual(WORKERS * 2)
  agent.destroy()
  await sender.close()
  await expect.poll(() => upstream.connections(), { timeout: 10_000 }).toBe(0)
  await server.shutdown(0)
  await upstream.close()
  expect(timers() - timersBefore).toBeLessThanOrEqual(2)
  for (const event of ['unhandledRejection', 'uncaughtException', 'warning'])
    process.off(event, note)
  expect(mishaps).toEqual([])
})

function questionFor(service: ServiceId, hasTools: boolean): ChatRequest {
  return {
    model: `my-${service}`,
    messages: [{ role: 'user', content: 'Tell me a story.' }],
    ...(hasTools && { tools: [{ name: 'get_time', inputSchema: { type: 'object' } }] }),
  }
}

function timers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
}

/**
 * A key is planted in everything that a provider can send, and looked for in everything that a gateway or a client
 * gives out.
 */
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base'
import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/create-client.ts'
import { createFrameReader, writeFrame } from '../../src/client/frames.ts'
import { joinedBytes } from '../../src/client/joined-bytes.ts'
import { replyEvents } from '../../src/client/reply-events.ts'
import type { ChatResponse } from '../../src/core/chat.ts'
import { textOf } from '../../src/core/message.ts'
import { getDialect } from '../../src/dialects/registry.ts'
import { createPacedSource } from '../../src/gateway/demo/paced-source.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import type { UpstreamReply } from '../../src/gateway/http.ts'
import { createLogger, createLogObserver } from '../../src/gateway/observe/log.ts'
import { createMetrics } from '../../src/gateway/observe/metrics.ts'
import { createOtelObserver } from '../../src/gateway/observe/otel.ts'
import { createTrafficLog } from '../../src/gateway/observe/traffic.ts'
import { SERVICES, type ServiceId, servicesAt } from '../support/gateway-services.ts'

const KEY = 'f3a9c1e7b2d84f60a5c3e9d1b7f2a846'
const SETTINGS = { region: 'eu-west-1', accessKeyId: 'id', secretAccessKey: KEY }
const BASE = 'http://models.test'

const CLIENTS = ['openai-chat', 'openai-responses', 'anthropic', 'ollama', 'gemini'] as const
type Client = (typeof CLIENTS)[number]

const ESCAPED = [...KEY].map((one) => `\\u00${one.charCodeAt(0).toString(16)}`).join('')
const PACKED = btoa(`me:${KEY}`)
const TEXT = `The key is ${KEY} or ${PACKED} or ${KEY.toUpperCase()}, so it is.`
const REPLY: ChatResponse = {
  id: KEY,
  model: KEY,
  message: {
    role: 'assistant',
    content: TEXT,
    toolCalls: [{ id: 'c1', name: 'look', arguments: { key: KEY }, origin: 'native' }],
  },
  finishReason: 'tool-calls',
  usage: { inputTokens: 1, outputTokens: 1 },
  issues: [],
}

type Plant = (id: ServiceId) => {
  readonly streamed: boolean
  readonly status?: number
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
  /** In one chunk each; else all together. */
  readonly chunkSize?: number
  readonly thrown?: Error
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const STREAM_TYPES = {
  sse: 'text/event-stream',
  ndjson: 'application/x-ndjson',
  aws: 'application/vnd.amazon.eventstream',
} as const

function wholeBytes(id: ServiceId): Uint8Array {
  return bytesOf(JSON.stringify(getDialect(id).encodeResponse(REPLY)))
}

function streamBytes(id: ServiceId, pieceLength: number, count?: number): Uint8Array {
  const dialect = getDialect(id)
  const encoder = dialect.createStreamEncoder({ usage: true })
  // In base 64, a key is looked for in single strings only.
  const content = pieceLength < KEY.length ? TEXT.replace(PACKED, 'so') : TEXT
  const message = { ...REPLY.message, content }
  const frames = replyEvents({ ...REPLY, message }, pieceLength).flatMap((event) =>
    encoder.push(event),
  )
  return joinedBytes(frames.slice(0, count).map((frame) => writeFrame(dialect.framing, frame)))
}

function errorFrame(id: ServiceId): Uint8Array {
  const dialect = getDialect(id)
  const encoder = dialect.createStreamEncoder({ usage: true })
  const message = `key ${KEY} expired`
  const frames = encoder.push({ type: 'error', error: { message, code: KEY, status: 401 } })
  return joinedBytes(frames.map((frame) => writeFrame(dialect.framing, frame)))
}

const REFUSAL = `{"error":{"message":"bad key ${KEY}","type":"${KEY}","code":"${KEY}"},"message":"${ESCAPED}"}`
const HEADERS = {
  'x-request-id': KEY,
  'request-id': `r-${KEY}`,
  'retry-after': KEY,
  'x-ratelimit-limit-requests': encodeURIComponent(`k=${KEY}`),
  'www-authenticate': `Bearer realm="${KEY}"`,
  location: `https://other.test/?key=${KEY}`,
  [`x-ratelimit-${KEY}`]: '1',
}

const PLANTS: Readonly<Record<string, Plant>> = {
  'a whole reply': (id) => ({ streamed: false, bytes: wholeBytes(id), headers: HEADERS }),
  'a stream': (id) => ({ streamed: true, bytes: streamBytes(id, 1000), headers: HEADERS }),
  'a stream with parts of the key': (id) => ({ streamed: true, bytes: streamBytes(id, 5) }),
  'a stream with parts of the key in small chunks': (id) => ({
    streamed: true,
    bytes: streamBytes(id, 9),
    chunkSize: 37,
  }),
  'an error as the first frame': (id) => ({ streamed: true, bytes: errorFrame(id) }),
  'an error as a later frame': (id) => ({
    streamed: true,
    bytes: joinedBytes([streamBytes(id, 1000, 2), errorFrame(id)]),
  }),
  'a refusal': () => ({ streamed: false, status: 401, bytes: bytesOf(REFUSAL), headers: HEADERS }),
  'a refusal of a stream': () => ({
    streamed: true,
    status: 429,
    type: 'application/json',
    bytes: bytesOf(REFUSAL),
    headers: HEADERS,
  }),
  'a refusal in plain text': () => ({
    streamed: false,
    status: 500,
    type: 'text/plain',
    bytes: bytesOf(`no: ${KEY}`),
  }),
  'an error with status 200': () => ({ streamed: false, bytes: bytesOf(REFUSAL) }),
  'a page': () => ({ streamed: true, type: `text/html; x=${KEY}`, bytes: bytesOf(`<p>${KEY}`) }),
  'a redirect': () => ({ streamed: false, status: 302, bytes: bytesOf(''), headers: HEADERS }),
  'the network layer': () => ({
    streamed: true,
    bytes: bytesOf(''),
    thrown: Object.assign(new Error(`connect failed with ${KEY}`, { cause: new Error(KEY) }), {
      request: { headers: { authorization: KEY } },
    }),
  }),
  'a stream that is cut within the key': (id) => {
    const bytes = streamBytes(id, 1000)
    return { streamed: true, bytes: bytes.subarray(0, textPosition(bytes) + 24) }
  },
}

function textPosition(bytes: Uint8Array): number {
  return new TextDecoder('latin1').decode(bytes).indexOf(`The key is ${KEY}`) + 'The key is '.length
}

function upstreamReply(id: ServiceId, plant: Plant): UpstreamReply {
  const { streamed, status = 200, type, headers, bytes, chunkSize = bytes.length } = plant(id)
  const usual = streamed ? STREAM_TYPES[getDialect(id).framing] : 'application/json'
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += chunkSize) {
    chunks.push(bytes.subarray(at, at + chunkSize))
  }
  return {
    status,
    headers: { 'content-type': type ?? usual, ...headers },
    body: createPacedSource(chunks),
  }
}

function expectNoKey(seen: string): void {
  const plain = seen
    .replace(/\\+u00([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .toLowerCase()
  expect(plain).not.toContain(KEY)
  // Nor the half of it.
  expect(plain).not.toContain(KEY.slice(0, 16))
  expect(seen).not.toContain(PACKED.slice(4, -2))
}

function pathOf(client: Client, streamed: boolean): string {
  const gemini = streamed ? 'streamGenerateContent?alt=sse' : 'generateContent'
  const paths: Readonly<Record<Client, string>> = {
    'openai-chat': '/v1/chat/completions',
    'openai-responses': '/v1/responses',
    anthropic: '/v1/messages',
    ollama: '/api/chat',
    gemini: `/v1beta/models/up%2Fm:${gemini}`,
  }
  return paths[client]
}

const ASKED = {
  messages: [{ role: 'user', content: 'Hello' }],
  tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: {} } }],
  maxTokens: 100,
} as const

/** The text that a program gets to see, put together from its parts. */
function readText(client: Client, bytes: Uint8Array, isStream: boolean): string {
  const dialect = getDialect(client)
  if (!isStream) {
    const body: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return textOf(dialect.decodeResponse(body).message) + JSON.stringify(body)
  }
  const reader = createFrameReader(dialect.framing)
  const decoder = dialect.createStreamDecoder()
  const frames = [...reader.push(bytes), ...reader.end()]
  const last = [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()].at(-1)
  return JSON.stringify(last)
}

async function observed(service: ServiceId, client: Client, plant: Plant): Promise<string> {
  const lines: string[] = []
  const logger = createLogger({
    level: 'debug',
    destination: { write: (line) => lines.push(line) },
  })
  const metrics = createMetrics()
  const traffic = createTrafficLog()
  const exporter = new InMemorySpanExporter()
  const spans = new SimpleSpanProcessor(exporter)
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [spans] })
  const observers = [
    createLogObserver({ logger, payloads: true }),
    metrics,
    traffic,
    createOtelObserver({ tracerProvider }),
  ]
  const { streamed, thrown } = plant(service)
  const up = { ...servicesAt(BASE)[service], apiKey: KEY }
  const own = service === 'bedrock' ? { ...up, apiKey: undefined, settings: SETTINGS } : up
  const gateway = createGateway(
    { demo: false, providers: { up: own }, models: { 'up/m': { chain: ['up/m'], retries: 0 } } },
    {
      env: {},
      observers,
      send: async () => {
        if (thrown) throw thrown
        return upstreamReply(service, plant)
      },
    },
  )
  const request = getDialect(client).encodeRequest({ ...ASKED, model: 'up/m', stream: streamed })
  const response = await gateway.fetch(
    new Request(`http://gateway.test${pathOf(client, streamed)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    }),
  )
  const bytes = new Uint8Array(await response.arrayBuffer())
  const read = response.ok ? readText(client, bytes, streamed) : ''
  await gateway.close()
  const shown = traffic.list().map(({ id }) => traffic.get(id))
  const told = exporter.getFinishedSpans().map((span) => {
    const { name, attributes, status, events } = span
    return { name, attributes, status, events }
  })
  expect(lines).toHaveLength(1)
  expect(shown).toHaveLength(1)
  expect(told).toHaveLength(1)
  return [
    new TextDecoder().decode(bytes),
    read,
    JSON.stringify([...response.headers]),
    ...lines,
    metrics.render(),
    JSON.stringify(shown),
    JSON.stringify(told),
  ].join('\n')
}

describe.each(Object.entries(PLANTS))('a key in %s', (_, plant) => {
  test.each(SERVICES)('of %s is in nothing that the gateway gives out', async (service) => {
    for (const client of CLIENTS) expectNoKey(await observed(service, client, plant))
  })

  test.each(SERVICES)('of %s is in nothing that a client gives out', async (service) => {
    const { streamed, thrown } = plant(service)
    const isBedrock = service === 'bedrock'
    const client = createClient({
      provider: servicesAt(BASE)[service].provider ?? service,
      baseUrl: BASE,
      model: 'm',
      env: {},
      retries: 0,
      ...(isBedrock ? { settings: SETTINGS } : { apiKey: KEY }),
      fetch: async () => {
        if (thrown) throw thrown
        const { status, headers } = upstreamReply(service, plant)
        const { bytes } = plant(service)
        // A body is for statuses that may have one.
        const body = new Uint8Array(bytes)
        return new Response(body, {
          status,
          headers: new Headers(Object.entries(headers).map(([name, value = '']) => [name, value])),
        })
      },
    })
    const request = { ...ASKED, messages: [{ role: 'user', content: 'Hello' }] } as const
    const seen: unknown[] = []
    if (streamed) {
      const stream = client.stream(request)
      for await (const event of stream) seen.push(event)
      await stream.response.catch((error: unknown) => seen.push(...chainOf(error)))
    } else {
      await client.complete(request).then(
        (reply) => seen.push(reply),
        (error: unknown) => seen.push(...chainOf(error)),
      )
    }
    expect(seen.length).toBeGreaterThan(0)
    expectNoKey(JSON.stringify(seen))
  })
})

/** The error and what caused it, with all that they have. */
function chainOf(error: unknown): unknown[] {
  if (!(error instanceof Error)) return error === undefined ? [] : [error]
  const { name, message, stack, cause } = error
  return [{ ...error, name, message, stack }, ...chainOf(cause)]
}

test('a placeholder for a key leaves replies as they are', async () => {
  const reply = {
    choices: [{ index: 0, message: { role: 'assistant', content: 'none, x or ollama' } }],
  }
  const gateway = createGateway(
    {
      demo: false,
      providers: {
        a: { provider: 'openai-compatible', baseUrl: BASE, apiKey: 'none' },
        b: {
          provider: 'openai-compatible',
          baseUrl: BASE,
          apiKey: 'ollama',
          headers: { 'x-a': 'x' },
        },
      },
    },
    {
      env: {},
      send: async () => ({
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: createPacedSource([bytesOf(JSON.stringify(reply))]),
      }),
    },
  )
  for (const model of ['a/m', 'b/m']) {
    const response = await gateway.fetch(
      new Request('http://gateway.test/v1/chat/completions', {
        method: 'POST',
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
      }),
    )
    expect(await response.text()).toContain('none, x or ollama')
  }
})

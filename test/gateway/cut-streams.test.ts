/** Short streams of each API, cut at every byte and written in other ways; asked through both lanes. */
import { describe, expect, test } from 'vitest'
import { createFrameReader, writeFrame } from '../../src/client/frames.ts'
import { joinedBytes } from '../../src/client/joined-bytes.ts'
import { replyEvents } from '../../src/client/reply-events.ts'
import type { ChatEvent, ChatResponse } from '../../src/core/chat.ts'
import { getDialect } from '../../src/dialects/registry.ts'
import { streamSource } from '../../src/gateway/byte-source.ts'
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts'
import { SERVICES, type ServiceId, servicesAt } from '../support/gateway-services.ts'

const CLIENTS = {
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  anthropic: '/v1/messages',
  ollama: '/api/chat',
  gemini: '/v1beta/models/up%2Fm:streamGenerateContent?alt=sse',
} as const
type Client = keyof typeof CLIENTS

const TYPES = {
  sse: 'text/event-stream',
  ndjson: 'application/x-ndjson',
  aws: 'application/vnd.amazon.eventstream',
} as const

const REPLY: ChatResponse = {
  id: 'r1',
  model: 'm',
  message: {
    role: 'assistant',
    content: 'Hi ü.',
    toolCalls: [{ id: 'c1', name: 'look', arguments: { city: 'Oslo' }, origin: 'native' }],
  },
  finishReason: 'tool-calls',
  usage: { inputTokens: 1, outputTokens: 1 },
  issues: [],
}

function streamOf(service: ServiceId): Uint8Array {
  const dialect = getDialect(service)
  const encoder = dialect.createStreamEncoder({ usage: true })
  const frames = replyEvents(REPLY).flatMap((event) => encoder.push(event))
  return joinedBytes(frames.map((frame) => writeFrame(dialect.framing, frame)))
}

type Ending = 'clean' | 'broken'

/** A gateway before a provider that sends these chunks, and the last word about a stream of it. */
function gatewayFor(
  service: ServiceId,
  chunks: () => readonly Uint8Array[],
  ending: Ending,
): Gateway {
  return createGateway(
    {
      demo: false,
      providers: {
        up: {
          ...servicesAt('http://models.test')[service],
          settings: { region: 'eu-west-1', accessKeyId: 'a', secretAccessKey: 'b' },
        },
      },
      models: { 'up/m': { chain: ['up/m'], retries: 0 } },
    },
    {
      env: {},
      send: async () => {
        const left = [...chunks()]
        const stream = new ReadableStream<Uint8Array>({
          pull(controller) {
            const next = left.shift()
            if (next) controller.enqueue(next)
            else if (ending === 'clean') controller.close()
            else controller.error(new Error('reset'))
          },
        })
        const type = TYPES[getDialect(service).framing]
        return { status: 200, headers: { 'content-type': type }, body: streamSource(stream) }
      },
    },
  )
}

async function ask(gateway: Gateway, client: Client): Promise<{ status: number; text: string }> {
  const request = getDialect(client).encodeRequest({
    model: 'up/m',
    stream: true,
    messages: [{ role: 'user', content: 'Hello' }],
    tools: [
      { name: 'look', description: 'Looks.', inputSchema: { type: 'object', properties: {} } },
    ],
    maxTokens: 100,
  })
  const url = `http://gateway.test${CLIENTS[client]}`
  const response = await gateway.fetch(
    new Request(url, { method: 'POST', body: JSON.stringify(request) }),
  )
  return { status: response.status, text: await response.text() }
}

/** The last event that the client reads; each frame must be one that it can read. */
function lastEvent(client: Client, text: string): ChatEvent | undefined {
  const dialect = getDialect(client)
  const reader = createFrameReader(dialect.framing)
  const frames = reader.push(new TextEncoder().encode(text))
  expect(reader.end(), text).toEqual([])
  for (const { data } of frames)
    if (data !== '[DONE]') expect(() => JSON.parse(data), text).not.toThrow()
  if (dialect.framing === 'sse') expect(text).not.toMatch(/^data: *$/m)
  const decoder = dialect.createStreamDecoder()
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()].at(-1)
}

function expectWhole(event: ChatEvent | undefined, where: string): void {
  expect(event?.type, where).toBe('finish')
  if (event?.type !== 'finish') return
  const { content, toolCalls = [] } = event.response.message
  expect(content, where).toBe('Hi ü.')
  expect(
    toolCalls.map(({ name, arguments: args }) => ({ name, args })),
    where,
  ).toEqual([{ name: 'look', args: { city: 'Oslo' } }])
}

describe.each(SERVICES)('%s', (service) => {
  const clients = (['anthropic', service] as const).filter((id): id is Client => id in CLIENTS)

  test.each([...new Set(clients)])(
    'a stream that ends at any byte is whole or fails, for %s',
    async (client) => {
      const bytes = streamOf(service)
      let chunks: readonly Uint8Array[] = []
      const clean = gatewayFor(service, () => chunks, 'clean')
      const broken = gatewayFor(service, () => chunks, 'broken')
      let whole = 0
      // The translate lane is the decoder, whose own tests cut everywhere.
      const step = client === service ? 1 : 7
      for (let left = bytes.length; left >= 0; left -= step) {
        const cut = left
        chunks = cut === 0 ? [] : [bytes.subarray(0, cut)]
        for (const gateway of cut % 7 === 0 ? [clean, broken] : [clean]) {
          const { status, text } = await ask(gateway, client)
          const where = `cut at ${cut}: ${text}`
          if (status !== 200) {
            expect(status, where).toBe(502)
            continue
          }
          const event = lastEvent(client, text)
          if (event?.type === 'error') continue
          expectWhole(event, where)
          whole++
        }
      }
      expect(whole).toBeGreaterThan(0)
    },
    120_000,
  )

  test.runIf(getDialect(service).framing !== 'aws').each([...new Set(clients)])(
    'marks, other line ends and empty frames make no difference, wherever chunks are cut, for %s',
    async (client) => {
      const isSse = getDialect(service).framing === 'sse'
      const text = new TextDecoder().decode(streamOf(service))
      const variants = [
        `\ufeff${text}`,
        text.replaceAll('\n', '\r\n'),
        `\ufeff${text.replaceAll('\n', '\r\n')}`,
        ...(isSse
          ? [text.replaceAll('\n', '\r'), `: hi\n\ndata:\n\n${text}data: \n\n`]
          : [`\n${text}\n`]),
      ]
      for (const variant of variants) {
        const bytes = new TextEncoder().encode(variant)
        for (const size of [1, 2, 3, 64, bytes.length]) {
          const chunks: Uint8Array[] = []
          for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
          const gateway = gatewayFor(service, () => chunks, 'clean')
          const reply = await ask(gateway, client)
          expect(reply.status, reply.text).toBe(200)
          expect(reply.text).not.toContain('\ufeff')
          expectWhole(lastEvent(client, reply.text), `${size}: ${reply.text}`)
        }
      }
    },
    60_000,
  )
})

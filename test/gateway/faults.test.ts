/** What a client sees when the provider fails, in every way that providers do. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { writeFrame } from '../../src/client/frames.ts'
import type { ChatEvent, ChatRequest } from '../../src/core/chat.ts'
import { getDialect } from '../../src/dialects/registry.ts'
import type { ProviderConfig } from '../../src/gateway/config.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { type ListeningGateway, listen } from '../../src/gateway/node.ts'
import { createUndiciSend, type UndiciSend } from '../../src/gateway/undici-send.ts'
import { CONTENT_TYPES, streamBytes } from '../../src/testing/upstream-reply.ts'
import {
  ASKERS,
  type Asker,
  ask,
  askerNamed,
  eventsIn,
  replyIn,
} from '../support/gateway-askers.ts'
import { type RawUpstream, startRawUpstream } from '../support/gateway-raw-upstream.ts'
import {
  SERVICES,
  type ServiceId,
  scriptedModels,
  servicesAt,
} from '../support/gateway-services.ts'

let upstream: RawUpstream
let sender: UndiciSend
let server: ListeningGateway
/** The same with little patience. */
let hasty: ListeningGateway
const unhandled: unknown[] = []
const note = (reason: unknown): void => void unhandled.push(reason)

beforeAll(async () => {
  process.on('unhandledRejection', note)
  upstream = await startRawUpstream()
  sender = createUndiciSend()
  const timeouts = { connectMs: 500, idleMs: 500, totalMs: 1500 }
  server = await listenWith({})
  hasty = await listenWith({ timeouts })
})
afterAll(async () => {
  await Promise.all([server.shutdown(0), hasty.shutdown(0)])
  await sender.close()
  await upstream.close()
  process.off('unhandledRejection', note)
})
afterEach(() => expect(unhandled).toEqual([]))

function listenWith(more: Partial<ProviderConfig>): Promise<ListeningGateway> {
  const config = {
    providers: servicesAt(upstream.url, more),
    models: scriptedModels(),
    limits: { replyBytes: 1024 * 1024 },
  }
  return listen(createGateway(config, { send: sender.send, env: {} }))
}

const STORY = Array.from({ length: 210 }, (_, at) => `Word${at} `).join('')

function reply(text: string) {
  return {
    id: 'reply_1',
    model: 'scripted',
    message: { role: 'assistant', content: text },
    finishReason: 'stop',
    usage: { inputTokens: 12, outputTokens: 7, totalTokens: 19 },
    issues: [],
  } as const
}

function storyFrames(service: ServiceId, text = STORY): Uint8Array[] {
  return streamBytes(getDialect(service), reply(text), 8)
}

function requestFor(service: ServiceId, hasTools = false): ChatRequest {
  return {
    model: `my-${service}`,
    messages: [{ role: 'user', content: 'Tell me a story.' }],
    ...(hasTools && { tools: [{ name: 'get_time', inputSchema: { type: 'object' } }] }),
  }
}

/** The provider sends these bytes of a stream and hangs up on us. */
function dieAfter(service: ServiceId, bytes: Uint8Array): void {
  const { framing } = getDialect(service)
  upstream.answer((response) => {
    response.writeHead(200, { 'content-type': CONTENT_TYPES[framing] })
    response.write(bytes, () => response.destroy())
    if (bytes.length === 0) response.flushHeaders()
  })
}

function textOf(events: readonly ChatEvent[]): string {
  return events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
}

/** Whole frames, the text so far, and one error at the end. */
function expectBreak(text: string, client: Asker): ChatEvent[] {
  const events = eventsIn(text, client)
  const endings = events.filter(({ type }) => type === 'finish' || type === 'error')
  expect(endings.map(({ type }) => type)).toEqual(['error'])
  expect(events.at(-1)?.type).toBe('error')
  expect(STORY.startsWith(textOf(events))).toBe(true)
  return events
}

describe('a provider that dies in the middle', () => {
  const chat = askerNamed('openai-chat')

  test.for([
    ['as it comes', false],
    ['looked through for calls', true],
  ] as const)('at each of 200 chunks of a stream that passes %s', async ([, hasTools]) => {
    const frames = storyFrames('openai-chat')
    for (let count = 1; count <= 200; count++) {
      const sent = Buffer.concat(frames.slice(0, count))
      // Every third time in the middle of the next chunk.
      const half = count % 3 === 0 ? (frames[count]?.subarray(0, 20) ?? sent) : new Uint8Array()
      dieAfter('openai-chat', Buffer.concat([sent, half]))
      const { status, text } = await ask(
        server.url,
        chat,
        requestFor('openai-chat', hasTools),
        true,
      )
      expect(status).toBe(200)
      // What came before is passed on to the byte, but for the name of the model, and then comes one more event.
      const passed = sent.toString().replaceAll('"model":"scripted"', '"model":"my-openai-chat"')
      expect(passed).not.toBe(sent.toString())
      expect(text.startsWith(passed)).toBe(true)
      expect(text.slice(passed.length)).toMatch(/^data: \{"error":\{[^\n]*\}\n\n$/)
      expectBreak(text, chat)
    }
  })

  test('before it has said anything is an error with a status', async () => {
    dieAfter('openai-chat', new Uint8Array())
    const { status, text } = await ask(server.url, chat, requestFor('openai-chat'), true)
    expect(status).toBe(502)
    expect(JSON.parse(text)).toMatchObject({ error: { type: 'server_error', code: 'transport' } })
  })

  const CELLS = ASKERS.flatMap((client) =>
    SERVICES.map((service) => [client.id, service, client] as const),
  )

  test.for(CELLS)('%s client, %s provider', async ([, service, client]) => {
    const frames = storyFrames(service)
    for (const share of [0.02, 0.3, 0.6, 0.97]) {
      const count = Math.max(5, Math.floor(frames.length * share))
      const half = frames[count]?.subarray(0, 7) ?? new Uint8Array()
      for (const bytes of [frames.slice(0, count), [...frames.slice(0, count), half]]) {
        dieAfter(service, Buffer.concat(bytes))
        const { status, text } = await ask(server.url, client, requestFor(service), true)
        expect(status, text).toBe(200)
        const events = expectBreak(text, client)
        expect(textOf(events)).not.toBe('')
        expect(events.filter(({ type }) => type === 'start')).toHaveLength(1)
        expectOneBeginning(text)
      }
    }
  })

  /** The error must not look like the beginning of another reply. */
  function expectOneBeginning(text: string): void {
    for (const word of [
      'event: message_start',
      'event: response.created',
      '"role":"assistant","content":""}',
    ]) {
      const count = text.split(word).length - 1
      if (!text.includes('"done"')) expect(count).toBeLessThanOrEqual(1)
    }
  }

  test('the events of the Responses API keep their numbers', async () => {
    const client = askerNamed('openai-responses')
    dieAfter('openai-responses', Buffer.concat(storyFrames('openai-responses').slice(0, 30)))
    const { text } = await ask(server.url, client, requestFor('openai-responses'), true)
    const events = client.frames(text).map(({ data }) => JSON.parse(data))
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, at) => at))
    expect(events.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { id: 'reply_1', model: 'my-openai-responses', status: 'failed' },
    })
  })
})

describe('a stream that ends too early without a complaint', () => {
  test.for(ASKERS.map((client) => [client.id, client] as const))('%s', async ([, client]) => {
    for (const service of SERVICES) {
      const frames = storyFrames(service)
      upstream.answer((response) => {
        response.writeHead(200, { 'content-type': CONTENT_TYPES[getDialect(service).framing] })
        response.end(Buffer.concat(frames.slice(0, 40)))
      })
      const { text } = await ask(server.url, client, requestFor(service), true)
      expectBreak(text, client)
    }
  })
})

test('a reply that is cut off at any byte never looks complete', async () => {
  for (const service of ['ollama', 'openai-chat', 'anthropic', 'gemini'] as const) {
    const client = askerNamed(service)
    const { framing } = getDialect(service)
    const stream = Buffer.concat(storyFrames(service, 'Hello there.'))
    const whole = Buffer.from(JSON.stringify(getDialect(service).encodeResponse(reply('Hello.'))))
    // Behind this nothing of importance comes.
    const end =
      service === 'openai-chat' ? stream.indexOf('"finish_reason":"stop"') : stream.length - 3
    for (const [bytes, type, length] of [
      [stream, CONTENT_TYPES[framing], end],
      [whole, 'application/json', whole.length - 1],
    ] as const) {
      for (let at = 1; at < length; at += 7) {
        upstream.answer((response) => {
          response.writeHead(200, { 'content-type': type }).end(bytes.subarray(0, at))
        })
        const { status, text } = await ask(server.url, client, requestFor(service, true), true)
        if (status !== 200) expect([502, at]).toEqual([status, at])
        else expect([eventsIn(text, client).at(-1)?.type, at]).toEqual(['error', at])
      }
    }
  }
})

describe('a provider that hangs', () => {
  const ROWS = [
    ['openai-chat', 'openai-chat'],
    ['anthropic', 'anthropic'],
    ['ollama', 'ollama'],
    ['openai-chat', 'anthropic'],
    ['gemini', 'bedrock'],
  ] as const

  test.for(ROWS)('%s client, %s provider: no answer', async ([id, service]) => {
    upstream.answer(() => {})
    const client = askerNamed(id)
    const answers = await Promise.all(
      [false, true].map((streamed) => ask(hasty.url, client, requestFor(service), streamed)),
    )
    for (const { status, text } of answers) {
      expect(status).toBe(504)
      expect(text).toMatch(/within|timed? ?out|timeout/i)
    }
  })

  test.for(ROWS)('%s client, %s provider: no more of the answer', async ([id, service]) => {
    const client = askerNamed(id)
    const frames = storyFrames(service).slice(0, 20)
    upstream.answer((response) => {
      response.writeHead(200, { 'content-type': CONTENT_TYPES[getDialect(service).framing] })
      response.write(Buffer.concat(frames))
    })
    const { text } = await ask(hasty.url, client, requestFor(service), true)
    expectBreak(text, client)
    await expect.poll(() => upstream.connections(), { timeout: 5000 }).toBeLessThan(8)
  })
})

describe('an answer that is none', () => {
  const ROWS = [
    ['openai-chat', 'openai-chat'],
    ['anthropic', 'anthropic'],
    ['openai-responses', 'openai-responses'],
    ['gemini', 'gemini'],
    ['ollama', 'ollama'],
    ['anthropic', 'openai-chat'],
    ['openai-chat', 'cohere'],
  ] as const
  const ANSWERS: Readonly<Record<string, readonly [type: string, body: string]>> = {
    'a page': ['text/html; charset=utf-8', '<html><body>Sign in</body></html>'],
    'JSON that breaks off': ['application/json', '{"choices": [{"mess'],
    'JSON of another kind': ['application/json', '{"hello": "world"}'],
    'a number': ['application/json', '7'],
    text: ['text/plain', 'upstream connect error'],
    nothing: ['application/json', ''],
  }

  test.for(ROWS)('%s client, %s provider', async ([id, service]) => {
    const client = askerNamed(id)
    for (const [name, [type, body]] of Object.entries(ANSWERS)) {
      upstream.answer((response) => {
        response.writeHead(200, { 'content-type': type }).end(body)
      })
      for (const streamed of [false, true]) {
        const { status, text } = await ask(server.url, client, requestFor(service), streamed)
        expect([name, streamed, status, text]).toEqual([name, streamed, 502, text])
        expect(() => JSON.parse(text)).not.toThrow()
      }
    }
  })

  test.for(ROWS)('%s client, %s provider: longer than allowed', async ([id, service]) => {
    const client = askerNamed(id)
    upstream.answer(async (response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      for (let sent = 0; sent < 8 && !response.destroyed; sent++) {
        response.write(Buffer.alloc(256 * 1024, 32))
        await sleep(1)
      }
      response.end()
    })
    for (const streamed of [false, true]) {
      const { status } = await ask(server.url, client, requestFor(service), streamed)
      expect(status).toBe(502)
    }
  })

  test.for(ROWS)('%s client, %s provider: a stream that is too long', async ([id, service]) => {
    const client = askerNamed(id)
    const frames = storyFrames(service, STORY)
    upstream.answer(async (response) => {
      response.writeHead(200, { 'content-type': CONTENT_TYPES[getDialect(service).framing] })
      response.write(Buffer.concat(frames.slice(0, 5)))
      const more = Buffer.concat(
        Array.from({ length: 50 }, () => Buffer.concat(frames.slice(5, 150))),
      )
      for (let count = 0; count < 10 && !response.destroyed; count++) {
        response.write(more)
        await sleep(1)
      }
      response.end()
    })
    const { text } = await ask(server.url, client, requestFor(service), true)
    const last = eventsIn(text, client).at(-1)
    expect(last?.type === 'error' && last.error.message).toMatch(/longer than/)
  })
})

describe('streams that are not quite right', () => {
  const chat = askerNamed('openai-chat')
  const clients = [chat, askerNamed('anthropic')]

  function answerWith(bytes: Uint8Array, type = 'text/event-stream'): void {
    upstream.answer((response) => {
      response.writeHead(200, { 'content-type': type }).end(bytes)
    })
  }

  test.for(clients.map((client) => [client.id, client] as const))(
    'an event of garbage is left out: %s',
    async ([, client]) => {
      const frames = storyFrames('openai-chat')
      for (const garbage of [
        'data: {"choices": [{"del\n\n',
        'data: oops\n\n',
        'data: <html>\n\n',
      ]) {
        answerWith(Buffer.concat([...frames.slice(0, 9), Buffer.from(garbage), ...frames.slice(9)]))
        for (const hasTools of [false, true]) {
          const answer = await ask(server.url, client, requestFor('openai-chat', hasTools), true)
          expect(replyIn(answer, client, true).message.content).toBe(STORY)
          expect(answer.text).not.toContain(garbage)
        }
      }
    },
  )

  test.for(clients.map((client) => [client.id, client] as const))(
    'other line breaks, comments and no spaces: %s',
    async ([, client]) => {
      const text = Buffer.concat(storyFrames('openai-chat')).toString()
      const variants = [
        text.replaceAll('\n', '\r\n'),
        text.replaceAll('data: ', ': a comment\ndata:'),
        text.replaceAll('data: ', 'event: message\nid: 7\ndata: '),
        `\n\n: hello\n\n${text}`,
        // One event in several lines of data.
        text.replaceAll(/,"choices":/g, ',\ndata:\ndata: "choices":'),
      ]
      for (const variant of variants) {
        answerWith(Buffer.from(variant))
        for (const hasTools of [false, true]) {
          const answer = await ask(server.url, client, requestFor('openai-chat', hasTools), true)
          expect(replyIn(answer, client, true).message.content).toBe(STORY)
        }
      }
    },
  )

  test('byte by byte, with characters of many bytes', async () => {
    const story = '“ø” 😀 日本語. '.repeat(3)
    const bytes = Buffer.concat(storyFrames('openai-chat', story))
    upstream.answer(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const byte of bytes) {
        response.write(Uint8Array.of(byte))
        if (byte === 10) await sleep(0)
      }
      response.end()
    })
    for (const client of clients) {
      const answer = await ask(server.url, client, requestFor('openai-chat', true), true)
      expect(replyIn(answer, client, true).message.content).toBe(story)
    }
  })

  test('a whole reply where a stream was asked for', async () => {
    for (const service of SERVICES) {
      answerWith(
        Buffer.from(JSON.stringify(getDialect(service).encodeResponse(reply(STORY)))),
        'application/json',
      )
      for (const client of ASKERS) {
        const answer = await ask(server.url, client, requestFor(service), true)
        expect(replyIn(answer, client, true).message.content).toBe(STORY)
      }
    }
  })

  test('a stream under the name of another type', async () => {
    for (const service of ['openai-chat', 'anthropic', 'gemini', 'ollama'] as const) {
      for (const type of ['text/plain', 'application/octet-stream', 'application/json']) {
        answerWith(Buffer.concat(storyFrames(service)), type)
        for (const client of ASKERS) {
          const answer = await ask(server.url, client, requestFor(service), true)
          expect([client.id, service, type, answer.status]).toEqual([client.id, service, type, 200])
          expect(replyIn(answer, client, true).message.content).toBe(STORY)
        }
      }
    }
  })

  test('one event of several megabytes is too long, and says so', async () => {
    const frame = writeFrame('sse', {
      data: JSON.stringify({ choices: [{ index: 0, delta: { content: 'x'.repeat(2_000_000) } }] }),
    })
    const frames = storyFrames('openai-chat')
    answerWith(Buffer.concat([...frames.slice(0, 5), frame, ...frames.slice(5)]))
    for (const client of clients) {
      const { text } = await ask(server.url, client, requestFor('openai-chat'), true)
      const last = eventsIn(text, client).at(-1)
      expect(last?.type).toBe('error')
    }
  })
})

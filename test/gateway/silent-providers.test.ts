/** Providers that are silent for long before a stream begins: signs of life, errors after them, and patience. */
import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ChatRequest } from '../../src/core/chat.ts'
import { getDialect } from '../../src/dialects/registry.ts'
import type { GatewayConfig } from '../../src/gateway/config.ts'
import { CONTENT_TYPES, streamBytes } from '../../src/testing/upstream-reply.ts'
import { type RunningGateway, startGateway } from '../support/gateway.ts'
import {
  ASKERS,
  type Asker,
  ask,
  askerNamed,
  eventsIn,
  replyIn,
} from '../support/gateway-askers.ts'
import {
  type RawHandler,
  type RawUpstream,
  startRawUpstream,
} from '../support/gateway-raw-upstream.ts'
import { type ServiceId, scriptedModels, servicesAt } from '../support/gateway-services.ts'

/** Soon enough for a test; the providers here wait until the client has heard something. */
const SOON = { firstKeepAliveMs: 20, keepAliveMs: 20 }

let upstream: RawUpstream
let gateway: RunningGateway
/** With the usual times, which no provider here needs. */
let calm: RunningGateway

beforeAll(async () => {
  upstream = await startRawUpstream()
  gateway = await startGateway({
    providers: servicesAt(upstream.url),
    models: {
      ...scriptedModels(),
      chain: { chain: ['openai-chat/first', 'anthropic/second'], retries: 0 },
    },
    limits: SOON,
  })
  calm = await startGateway({ providers: servicesAt(upstream.url), models: scriptedModels() })
})
afterAll(async () => {
  await Promise.all([gateway.close(), calm.close()])
  await upstream.close()
})

const STORY = 'Once upon a time there was. '

function replies(service: ServiceId): RawHandler {
  const reply = {
    id: 'r',
    model: 'm',
    message: { role: 'assistant', content: STORY },
    finishReason: 'stop',
    usage: { inputTokens: 1, outputTokens: 2 },
    issues: [],
  } as const
  const dialect = getDialect(service)
  return (response) => {
    response.writeHead(200, { 'content-type': CONTENT_TYPES[dialect.framing] })
    for (const bytes of streamBytes(dialect, reply)) response.write(bytes)
    response.end()
  }
}

function refuses(status: number, message: string): RawHandler {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message } }))
  }
}

interface Heard {
  readonly status: number
  /** What came before the provider said anything. */
  readonly early: string
  readonly text: string
}

/** Asks for a stream from a provider that is silent until the client has heard `chunks` signs of life. */
async function askSilent(
  client: Asker,
  model: string,
  then: RawHandler,
  chunks = 1,
): Promise<Heard> {
  let release = (): void => {}
  const heard = new Promise<void>((resolve) => {
    release = resolve
  })
  upstream.answer(async (response, request) => {
    await heard
    await then(response, request)
  })
  const request = requestFor(model)
  const response = await fetch(gateway.url + client.path(model, true), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(client.body(request, true)),
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let early = ''
  for (let count = 0; count < chunks; count++) early += (await reader?.read())?.value ?? ''
  release()
  let text = early
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read())
    text += next.value
  return { status: response.status, early, text }
}

function requestFor(model: string): ChatRequest {
  return { model, messages: [{ role: 'user', content: 'Tell me a story.' }] }
}

/** A list of JSON has no place for a sign of life; its head goes out all the same. */
const WITH_SIGNS = ASKERS.filter(({ id }) => id !== 'gemini without alt=sse')
const SIGNS: Readonly<Record<string, RegExp>> = {
  anthropic: /^(?:event: ping\ndata: \{"type": "ping"\}\n\n)+$/,
  ollama:
    /^(?:\{"model":"my-\S+","created_at":"\S+","message":\{"role":"assistant","content":""\},"done":false\}\n)+$/,
  'ollama-generate': /^(?:\{"model":"my-\S+","created_at":"\S+","response":"","done":false\}\n)+$/,
}
const COMMENT = /^(?:: keep-alive\n\n)+$/

const PAIRS = WITH_SIGNS.flatMap((client) =>
  (['openai-chat', 'anthropic', 'ollama'] as const).map((service) => [client.id, service] as const),
)

describe.for(PAIRS)('%s client, %s provider', ([id, service]) => {
  const client = askerNamed(id)

  test('signs of life come before the reply', async () => {
    const { status, early, text } = await askSilent(client, `my-${service}`, replies(service), 2)
    expect(status).toBe(200)
    expect(early).toMatch(SIGNS[id] ?? COMMENT)
    const answer = { status, headers: new Headers(), text }
    expect(replyIn(answer, client, true).message.content).toBe(STORY)
  })

  test('an error after them is a part of the stream', async () => {
    const refusal = refuses(400, 'the roof is on fire')
    const { status, text } = await askSilent(client, `my-${service}`, refusal)
    expect(status).toBe(200)
    const last = eventsIn(text, client).at(-1)
    expect(last).toMatchObject({
      type: 'error',
      error: { message: expect.stringContaining('the roof is on fire') },
    })
  })
})

test('the head of a JSON list goes out without a sign of life, and so does an error in it', async () => {
  const client = askerNamed('gemini without alt=sse')
  const { status, text } = await askSilent(client, 'my-openai-chat', replies('openai-chat'), 0)
  expect(replyIn({ status, headers: new Headers(), text }, client, true).message.content).toBe(
    STORY,
  )
  const failed = await askSilent(client, 'my-openai-chat', refuses(400, 'no roof'), 0)
  expect(failed.status).toBe(200)
  expect(JSON.parse(failed.text)).toMatchObject([
    { error: { message: expect.stringContaining('no roof') } },
  ])
})

test('an error before the first sign of life keeps its status', async () => {
  upstream.answer(refuses(400, 'no story'))
  for (const client of ASKERS) {
    const answer = await ask(calm.url, client, requestFor('my-openai-chat'), true)
    expect(answer.status).toBe(400)
    expect(answer.headers.get('x-toolglot-error')).toBe('bad_request')
  }
})

test.for(['openai-chat', 'anthropic'])(
  'the next of a chain is asked after a sign of life: %s client',
  async (id) => {
    const client = askerNamed(id)
    const { text } = await askSilent(client, 'chain', (response, request) => {
      const isFirst = request.path.startsWith('/openai-chat')
      return (isFirst ? refuses(500, 'broken') : replies('anthropic'))(response, request)
    })
    const answer = { status: 200, headers: new Headers(), text }
    expect(replyIn(answer, client, true).message.content).toBe(STORY)
  },
)

test('a late context overflow is written in the words of the client', async () => {
  const refusal = refuses(
    400,
    'request (41000 tokens) exceeds the available context size (32768 tokens), try increasing it',
  )
  const { text } = await askSilent(askerNamed('anthropic'), 'my-openai-chat', refusal)
  expect(text).toContain('prompt is too long: 41000 tokens > 32768 maximum')
})

test('trailers say who has answered in the end', async () => {
  let release = (): void => {}
  upstream.answer(async (response, request) => {
    await new Promise<void>((resolve) => {
      release = resolve
    })
    await replies('openai-chat')(response, request)
  })
  const trailers = await new Promise<NodeJS.Dict<string>>((resolve, reject) => {
    const outgoing = httpRequest(`${gateway.url}/v1/chat/completions`, { method: 'POST' })
    outgoing.on('error', reject)
    outgoing.on('response', (incoming) => {
      incoming.once('data', () => release())
      incoming.on('end', () => resolve(incoming.trailers))
    })
    outgoing.end(JSON.stringify({ ...requestFor('my-openai-chat'), stream: true }))
  })
  expect(trailers).toMatchObject({
    'x-toolglot-model': 'openai-chat/scripted',
    'x-toolglot-lane': 'pass',
  })
})

test('a client that leaves while it waits ends the request to the provider', async () => {
  const left = new Promise<void>((resolve) => {
    upstream.answer((response) => void response.on('close', () => resolve()))
  })
  const leaving = new AbortController()
  const client = askerNamed('anthropic')
  const response = await fetch(gateway.url + client.path('my-openai-chat', true), {
    method: 'POST',
    body: JSON.stringify(client.body(requestFor('my-openai-chat'), true)),
    signal: leaving.signal,
  })
  expect(response.status).toBe(200)
  leaving.abort()
  await left
  await expect.poll(() => gateway.gateway.pending(), { timeout: 5000 }).toBe(0)
})

// ── servers of one's own ────────────────────────────────────────────────────────────────────────

async function withLocalServer(
  config: (url: string) => GatewayConfig,
  use: (url: string, server: RawUpstream) => Promise<void>,
): Promise<void> {
  const server = await startRawUpstream()
  const own = await startGateway(config(server.url))
  try {
    await use(own.url, server)
  } finally {
    await own.close()
    await server.close()
  }
}

/** How often a reply was asked for. */
function replyRequests({ requests }: RawUpstream): number {
  return requests.filter(({ path }) => path === '/v1/chat/completions').length
}

/** One client of the server's own dialect, one of another. */
const LANES = ['openai-chat', 'anthropic'] as const

describe.for(LANES)('a local server, %s client', (id) => {
  const client = askerNamed(id)

  test.for([true, false])('is not asked again when its time is over; streamed: %s', (streamed) =>
    withLocalServer(
      (url) => ({
        providers: { vllm: { baseUrl: `${url}/v1`, timeouts: { totalMs: 1000 } } },
      }),
      async (url, server) => {
        const left = new Promise<void>((resolve) => {
          server.answer((response, { path }) => {
            if (path === '/v1/models') response.writeHead(404).end()
            else response.on('close', () => resolve())
          })
        })
        const answer = await ask(url, client, requestFor('vllm/qwen3'), streamed)
        expect(answer.status).toBe(504)
        expect(answer.text).toContain(`vllm at ${server.url}/v1; providers.vllm.timeouts.totalMs`)
        expect(replyRequests(server)).toBe(1)
        // The server need not go on.
        await left
      },
    ),
  )

  test('is not asked again when it takes longer than it may to begin', () =>
    withLocalServer(
      (url) => ({
        providers: { vllm: { baseUrl: `${url}/v1`, timeouts: { connectMs: 500 } } },
      }),
      async (url, server) => {
        server.answer((response, { path }) => {
          if (path === '/v1/models') response.writeHead(404).end()
        })
        const answer = await ask(url, client, requestFor('vllm/qwen3'), true)
        expect(answer.status).toBe(504)
        expect(answer.text).toContain('providers.vllm.timeouts.connectMs sets how long to wait')
        expect(replyRequests(server)).toBe(1)
      },
    ))

  test('that is not there is named with its address and the setting', async () => {
    const gone = await startRawUpstream()
    await gone.close()
    const own = await startGateway({ providers: { ollama: { baseUrl: gone.url } } })
    const answer = await ask(own.url, client, requestFor('ollama/qwen3'), true)
    expect(answer.status).toBe(502)
    expect(answer.text).toContain(
      `nothing answers at ${gone.url} (ollama): is the server running? ` +
        'providers.ollama.baseUrl or OLLAMA_HOST sets the address (ECONNREFUSED)',
    )
    await own.close()
  })

  test('with a base URL that lacks the version gets a hint', () =>
    withLocalServer(
      (url) => ({ providers: { mine: { provider: 'openai-compatible', baseUrl: url } } }),
      async (url, server) => {
        server.answer(refuses(404, 'Not Found'))
        const answer = await ask(url, client, requestFor('mine/qwen3'), false)
        expect(answer.status).toBe(404)
        expect(answer.text).toContain(
          `${server.url} is probably meant to be ${server.url}/v1 (providers.mine.baseUrl or OPENAI_COMPATIBLE_BASE_URL)`,
        )
      },
    ))
})

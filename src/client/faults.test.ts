/** What becomes of a request when the provider fails, in every way that the scripted one can. */
import { execFile } from 'node:child_process'
import { getEventListeners } from 'node:events'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ChatEvent } from '../core/chat.ts'
import { allDialects } from '../dialects/registry.ts'
import { allProviders } from '../providers/registry.ts'
import type { Fault } from '../testing/faults.ts'
import { type Reply, startUpstream, type Upstream } from '../testing/upstream.ts'
import type { ChatClient, ClientRequest } from './chat-client.ts'
import { type ClientOptions, createClient } from './create-client.ts'
import { ProviderError, type ProviderErrorCode } from './errors.ts'

let upstream: Upstream
const unhandled: unknown[] = []
const note = (reason: unknown): void => {
  unhandled.push(reason)
}

beforeAll(async () => {
  upstream = await startUpstream()
  process.on('unhandledRejection', note)
})
afterAll(() => {
  process.off('unhandledRejection', note)
  return upstream.close()
})
afterEach(() => expect(unhandled).toEqual([]))

const messages = [{ role: 'user', content: 'Which way to the harbour?' }] as const
const LONG = 'Down the hill, past the old mill, and then along the water to the lighthouse.'
const KEY = 'sk-very-secret-key-4711'

/** A client for each dialect of the registry, through the first provider that speaks it. */
const ROWS = allDialects.map(({ id }) => {
  const speakers = allProviders.filter(({ dialect }) => dialect === id)
  const provider = speakers.find(({ settings }) => !settings) ?? speakers[0]
  return [id, provider?.id ?? 'nobody'] as const
})
type Row = readonly [dialect: string, provider: string]
/** For what is the same in all of them. */
const CHAT: Row = ['openai-chat', 'openai-compatible']

function clientOf([dialect, provider]: Row = CHAT, more: Partial<ClientOptions> = {}): ChatClient {
  return createClient({
    provider,
    model: 'scripted',
    apiKey: KEY,
    baseUrl: `${upstream.url}/${dialect}`,
    env: {},
    retries: { max: 2, baseMs: 1 },
    timeouts: { totalMs: 30_000 },
    ...more,
  })
}

async function errorOf(promise: Promise<unknown>): Promise<ProviderError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ProviderError)
  return error as ProviderError
}

async function collect(events: AsyncIterable<ChatEvent>): Promise<ChatEvent[]> {
  const all: ChatEvent[] = []
  for await (const event of events) all.push(event)
  return all
}

const asked = (): number => upstream.requests.length

/** What comes of a request: the reply, or an error of this kind. */
type Outcome = 'reply' | { readonly code: ProviderErrorCode; readonly retryable: boolean }

interface Case {
  readonly name: string
  /** What the server does, request by request. */
  readonly plays: readonly Reply[]
  readonly options?: Partial<ClientOptions>
  readonly whole: Outcome
  readonly streamed: Outcome
  /** How often a whole reply and a stream are asked for; a stream of which something was seen only once. */
  readonly asked: readonly [whole: number, streamed: number]
  /** True when a stream shows something before it breaks. */
  readonly isSeen?: boolean
}

const REPLY: Reply = { reply: LONG }
const LOST = { code: 'transport', retryable: true } as const
/** The scripted server is on this machine: asked again, it would work on the same request twice. */
const LATE = { code: 'timeout', retryable: false } as const

/** Every fault there is; one without a row is a mistake that the types find. */
const FAULTS: Readonly<Record<Fault['kind'], readonly Case[]>> = {
  status: [
    {
      name: '429 with Retry-After',
      plays: [{ fault: { kind: 'status', status: 429, retryAfter: 0 } }, REPLY],
      whole: 'reply',
      streamed: 'reply',
      asked: [2, 2],
    },
    {
      name: '429 with a wait that is too long',
      plays: [{ fault: { kind: 'status', status: 429, retryAfter: 3600 } }],
      whole: { code: 'rate_limited', retryable: true },
      streamed: { code: 'rate_limited', retryable: true },
      asked: [1, 1],
    },
    {
      name: '500 that passes',
      plays: [
        { fault: { kind: 'status', status: 500 } },
        { fault: { kind: 'status', status: 503 } },
        REPLY,
      ],
      whole: 'reply',
      streamed: 'reply',
      asked: [3, 3],
    },
    {
      name: '500 that stays',
      plays: [{ fault: { kind: 'status', status: 500 } }],
      whole: { code: 'server_error', retryable: true },
      streamed: { code: 'server_error', retryable: true },
      asked: [3, 3],
    },
    {
      name: '401',
      plays: [{ fault: { kind: 'status', status: 401 } }],
      whole: { code: 'unauthorized', retryable: false },
      streamed: { code: 'unauthorized', retryable: false },
      asked: [1, 1],
    },
  ],
  cut: [
    {
      name: 'a connection that breaks',
      plays: [{ fault: { kind: 'cut' }, reply: LONG }],
      whole: LOST,
      streamed: LOST,
      asked: [3, 1],
      isSeen: true,
    },
  ],
  'half-line': [
    {
      name: 'an end in the middle of a line',
      plays: [{ fault: { kind: 'half-line' }, reply: LONG }],
      whole: { code: 'server_error', retryable: true },
      streamed: LOST,
      asked: [3, 1],
      isSeen: true,
    },
  ],
  drip: [
    {
      name: 'a reply that comes byte by byte',
      plays: [{ fault: { kind: 'drip', pauseMs: 1, pieces: 60 }, reply: LONG }],
      whole: 'reply',
      streamed: 'reply',
      asked: [1, 1],
    },
    {
      name: 'a reply that stops coming',
      plays: [{ fault: { kind: 'drip', pauseMs: 1000, pieces: 3 }, reply: LONG }],
      options: { timeouts: { idleMs: 40 }, retries: 0 },
      whole: LATE,
      streamed: LATE,
      asked: [1, 1],
    },
  ],
  html: [
    {
      name: 'a page',
      plays: [{ fault: { kind: 'html' } }],
      whole: { code: 'server_error', retryable: false },
      streamed: { code: 'server_error', retryable: false },
      asked: [1, 1],
    },
  ],
  'wrong-type': ['text/plain', 'application/octet-stream', 'text/event-stream'].map((type) => ({
    name: `a reply that is called ${type}`,
    plays: [{ fault: { kind: 'wrong-type', contentType: type }, reply: LONG }],
    whole: 'reply',
    streamed: 'reply',
    asked: [1, 1],
  })),
  'error-in-stream': [
    {
      name: 'an error inside a stream',
      plays: [{ fault: { kind: 'error-in-stream' }, reply: LONG }],
      // The server streams whatever it is asked for, and that is no whole reply.
      whole: { code: 'server_error', retryable: true },
      streamed: { code: 'overloaded', retryable: true },
      asked: [3, 1],
      isSeen: true,
    },
  ],
  huge: [
    {
      name: 'a huge body',
      plays: [{ fault: { kind: 'huge', bytes: 50_000_000 } }],
      options: { maxBodyBytes: 100_000 },
      whole: { code: 'transport', retryable: false },
      streamed: { code: 'transport', retryable: false },
      asked: [1, 1],
    },
  ],
  'open-end': [
    {
      name: 'a connection that stays open',
      plays: [{ fault: { kind: 'open-end' }, reply: LONG }],
      options: { timeouts: { idleMs: 100 }, retries: 0 },
      // Nothing tells that a whole reply is over but its end.
      whole: LATE,
      streamed: 'reply',
      asked: [1, 1],
    },
  ],
  silence: [
    {
      name: 'no answer at all',
      plays: [{ fault: { kind: 'silence' } }],
      options: { timeouts: { connectMs: 40 } },
      whole: LATE,
      streamed: LATE,
      asked: [1, 1],
    },
  ],
}
const CASES = Object.values(FAULTS).flat()

async function noneLeft(count: () => number): Promise<void> {
  for (let tries = 0; tries < 200 && count() > 0; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  expect(count()).toBe(0)
}

describe.for(ROWS)('%s', (row) => {
  const { signal } = new AbortController()

  it.for(CASES)('whole: $name', async ({ plays, options, whole, asked: [times] }) => {
    upstream.play(...plays)
    const before = asked()
    const reply = clientOf(row, options).complete({ messages }, { signal })
    if (whole === 'reply') expect((await reply).message.content).toBe(LONG)
    else expect(await errorOf(reply)).toMatchObject({ ...whole, provider: row[1] })
    expect(asked() - before).toBe(times)
  })

  it.for(CASES)(
    'streamed: $name',
    async ({ plays, options, streamed, asked: [, times], isSeen }) => {
      upstream.play(...plays)
      const before = asked()
      const stream = clientOf(row, options).stream({ messages }, { signal })
      const events = await collect(stream)
      const last = events.at(-1)
      const text = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
      // One beginning and one end, whatever happens in between.
      expect(events.filter(({ type }) => type === 'start').length).toBeLessThan(2)
      expect(events.filter(({ type }) => type === 'error' || type === 'finish')).toEqual([last])
      expect(LONG.startsWith(text)).toBe(true)
      if (streamed === 'reply') {
        expect(last?.type).toBe('finish')
        expect(text).toBe(LONG)
        expect((await stream.response).message.content).toBe(LONG)
      } else {
        expect(last?.type).toBe('error')
        expect(await errorOf(stream.response)).toMatchObject({ ...streamed, provider: row[1] })
      }
      if (isSeen) {
        expect(text).not.toBe('')
        expect(last).toMatchObject({ error: { partial: { message: { content: text } } } })
      }
      expect(asked() - before).toBe(times)
    },
  )

  it('a caller who gives up in the middle', async () => {
    upstream.play({ fault: { kind: 'drip', pauseMs: 20, pieces: 40 }, reply: LONG })
    const controller = new AbortController()
    const { signal } = controller
    const reason = new Error('enough')
    const client = clientOf(row)
    const whole = client.complete({ messages }, { signal }).catch((error: unknown) => error)
    const stream = client.stream({ messages }, { signal })
    const events: ChatEvent[] = []
    for await (const event of stream) {
      events.push(event)
      if (event.type === 'text-delta') controller.abort(reason)
    }
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'aborted' } })
    await expect(stream.response).rejects.toBe(reason)
    expect(await whole).toBe(reason)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it('a request that cannot be written', async () => {
    const before = asked()
    // As a caller without types passes it: JSON has no such number.
    const broken: ClientRequest = {
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [{ name: 'add', inputSchema: { properties: { a: { description: 1n as never } } } }],
    }
    const stream = clientOf(row).stream(broken, { signal })
    const [only, ...others] = await collect(stream)
    expect(others).toEqual([])
    expect(only).toMatchObject({ type: 'error', error: { message: expect.any(String) } })
    expect(only).not.toHaveProperty('error.code')
    await expect(stream.response).rejects.toBeInstanceOf(TypeError)
    await expect(clientOf(row).complete(broken)).rejects.toBeInstanceOf(TypeError)
    expect(asked()).toBe(before)
  })

  afterEach(async () => {
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    await noneLeft(upstream.pending)
  })
})

it.for(allDialects.filter(({ framing }) => framing === 'sse').map(({ id }) => id))(
  'a stream of %s that is called JSON is a stream all the same',
  async (id) => {
    const fault = { kind: 'wrong-type', contentType: 'application/json' } as const
    upstream.play({ fault, reply: LONG })
    const row = ROWS.find(([dialect]) => dialect === id)
    const { message } = await clientOf(row).stream({ messages }).response
    expect(message.content).toBe(LONG)
  },
)

it('a process ends when its requests have', async () => {
  upstream.play(
    { fault: { kind: 'drip', pauseMs: 5000, pieces: 2 }, reply: LONG },
    { fault: { kind: 'status', status: 500 } },
    { reply: LONG },
  )
  const started = Date.now()
  const script = fileURLToPath(new URL('../../test/support/ask-and-end.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...['--import', 'tsx', script, `${upstream.url}/v1`],
  ])
  expect(stdout.trim()).toBe('timeout, stop, left')
  // Connections are kept for a few seconds; the time-out of a whole request would be ten minutes.
  expect(Date.now() - started).toBeLessThan(30_000)
})

describe('errors', () => {
  it.for([
    [401, undefined, 'unauthorized'],
    [402, undefined, 'quota_exhausted'],
    [404, 'model_not_found', 'not_found'],
    [400, 'context_length_exceeded', 'context_length_exceeded'],
    [400, undefined, 'bad_request'],
    [422, undefined, 'bad_request'],
    [429, 'insufficient_quota', 'quota_exhausted'],
  ] as const)('status %i with code %s is %s, at once', async ([status, code, expected]) => {
    upstream.play({ fault: { kind: 'status', status, ...(code && { code }) } })
    const before = asked()
    const stream = clientOf().stream({ messages })
    const [whole, streamed, events] = [
      await errorOf(clientOf().complete({ messages })),
      await errorOf(stream.response),
      await collect(stream),
    ]
    const fields = { provider: 'openai-compatible', model: 'scripted', requestId: 'req_scripted' }
    expect(whole).toMatchObject({ code: expected, status, retryable: false, ...fields })
    expect(streamed).toMatchObject({ code: expected, status, ...fields })
    expect(events).toMatchObject([{ type: 'error', error: { status } }])
    expect(asked() - before).toBe(2)
  })

  it('passes a wait on that is too long', async () => {
    upstream.play({ fault: { kind: 'status', status: 429, retryAfter: 3600 } })
    const before = asked()
    const error = await errorOf(clientOf().complete({ messages }))
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterMs: 3_600_000, retryable: true })
    expect(asked() - before).toBe(1)
  })

  it('waits as long as it is asked to', async () => {
    upstream.play({ fault: { kind: 'status', status: 429, retryAfter: 1 } }, { reply: LONG })
    const waits: number[] = []
    const client = clientOf(CHAT, {
      random: () => 0,
      onRetry: ({ waitMs }) => waits.push(waitMs),
    })
    await client.complete({ messages })
    expect(waits).toEqual([1000])
  })

  it('gives up when the attempts are used up, and when the time is', async () => {
    upstream.play({ fault: { kind: 'status', status: 500 } })
    const before = asked()
    expect((await errorOf(clientOf().complete({ messages }))).code).toBe('server_error')
    expect(asked() - before).toBe(3)
    const hasty = clientOf(CHAT, {
      retries: { max: 9, baseMs: 10_000 },
      timeouts: { totalMs: 300 },
    })
    expect((await errorOf(hasty.complete({ messages }))).code).toBe('server_error')
    upstream.play({ fault: { kind: 'silence' } })
    const impatient = clientOf(CHAT, { timeouts: { totalMs: 50 } })
    expect(await errorOf(impatient.complete({ messages }))).toMatchObject({
      code: 'timeout',
      retryable: false,
    })
  })

  it('is told when nobody listens at the address', async () => {
    const gone = await startUpstream()
    await gone.close()
    const client = clientOf(CHAT, { baseUrl: gone.url })
    const error = await errorOf(client.complete({ messages }))
    expect(error).toMatchObject({ code: 'transport', retryable: true })
    expect(error.message).toContain('ECONNREFUSED')
  })

  it('is the same when fetch throws at once', async () => {
    const client = clientOf(CHAT, {
      fetch: () => {
        throw new Error('no network here')
      },
      retries: 0,
    })
    expect(await errorOf(client.complete({ messages }))).toMatchObject({
      code: 'transport',
      message: expect.stringContaining('no network here'),
    })
  })

  it('asks a hosted service that lets us wait in vain once more', async () => {
    let asked = 0
    const client = clientOf(CHAT, {
      baseUrl: 'https://api.example.com/v1',
      provider: 'groq',
      fetch: () => {
        asked++
        return new Promise(() => {})
      },
      timeouts: { connectMs: 10 },
    })
    expect(await errorOf(client.complete({ messages }))).toMatchObject({
      code: 'timeout',
      retryable: true,
      message: expect.stringContaining(
        'groq at https://api.example.com/v1; timeouts.connectMs sets how long to wait',
      ),
    })
    expect(asked).toBe(2)
  })

  it('does not hang on a fetch that listens to nobody', async () => {
    const client = clientOf(CHAT, {
      fetch: () => new Promise(() => {}),
      timeouts: { connectMs: 20 },
      retries: 0,
    })
    expect((await errorOf(client.complete({ messages }))).code).toBe('timeout')
    const stuck = new ReadableStream({ start() {} })
    const slow = clientOf(CHAT, {
      fetch: async () => new Response(stuck, { headers: { 'content-type': 'text/event-stream' } }),
      timeouts: { idleMs: 20 },
      retries: 0,
    })
    expect((await errorOf(slow.stream({ messages }).response)).code).toBe('timeout')
  })
})

describe('keys', () => {
  function shown(error: Error): string {
    const cause = error.cause instanceof Error ? shown(error.cause) : String(error.cause)
    return `${error.message}${error.stack}${JSON.stringify(error)}${cause}`
  }

  it('are not in errors, even when the provider repeats them', async () => {
    upstream.play({ fault: { kind: 'status', status: 401, message: `bad key ${KEY}.` } })
    const error = await errorOf(clientOf().complete({ messages }))
    expect(error.message).toBe('status 401: bad key ***.')
    expect(shown(error)).not.toContain(KEY)
    upstream.play({ fault: { kind: 'error-in-stream', message: `bad key ${KEY}` } })
    const stream = clientOf().stream({ messages })
    expect(shown(await errorOf(stream.response))).not.toContain(KEY)
    expect(JSON.stringify(await collect(stream))).not.toContain(KEY)
  })

  it('are not in errors when they came in a header of the caller', async () => {
    upstream.play({ fault: { kind: 'status', status: 401, message: `unknown: ${KEY}` } })
    const client = clientOf(CHAT, {
      apiKey: undefined,
      headers: { Authorization: `Bearer ${KEY}` },
    })
    const error = await errorOf(client.complete({ messages }))
    expect(error.message).toBe('status 401: unknown: ***')
  })

  it('are not in errors when they cannot be sent', async () => {
    const client = clientOf(CHAT, { apiKey: `${KEY}\nx` })
    const error = await client.complete({ messages }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(TypeError)
    expect(shown(error as Error)).not.toContain(KEY)
  })

  it('are not in the causes of errors', async () => {
    const client = clientOf(CHAT, {
      retries: 0,
      fetch: () => Promise.reject(new Error('outer', { cause: new Error(`inner ${KEY}`) })),
    })
    expect(shown(await errorOf(client.complete({ messages })))).not.toContain(KEY)
  })

  it('are asked for by name when they are missing', async () => {
    const client = createClient({ provider: 'openai', model: 'gpt-4.1', env: {} })
    const error = await errorOf(client.complete({ messages }))
    expect(error.code).toBe('unauthorized')
    expect(error.message).toBe('no key for OpenAI: pass apiKey or set OPENAI_API_KEY')
  })
})

describe('the end of a request', () => {
  it('is up to the caller, at any time', async () => {
    upstream.play({ fault: { kind: 'silence' } })
    const reason = new Error('changed my mind')
    const controller = new AbortController()
    const { signal } = controller
    const client = clientOf(CHAT, { timeouts: {} })
    const whole = client.complete({ messages }, { signal }).catch((error: unknown) => error)
    const stream = client.stream({ messages }, { signal })
    const events = collect(stream)
    setTimeout(() => controller.abort(reason), 30)
    expect(await whole).toBe(reason)
    expect(await events).toEqual([
      { type: 'error', error: { message: 'changed my mind', code: 'aborted' } },
    ])
    await expect(stream.response).rejects.toBe(reason)
    await expect(client.complete({ messages }, { signal })).rejects.toBe(reason)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it('may come during a wait', async () => {
    upstream.play({ fault: { kind: 'status', status: 429, retryAfter: 30 } })
    const controller = new AbortController()
    const { signal } = controller
    const whole = clientOf(CHAT, { timeouts: {} }).complete({ messages }, { signal })
    const caught = whole.catch((error: unknown) => error)
    setTimeout(() => controller.abort('enough'), 40)
    expect(await caught).toBe('enough')
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it('leaves no listener and no connection behind', async () => {
    const { signal } = new AbortController()
    upstream.play({ fault: { kind: 'drip', pauseMs: 20, pieces: 40 }, reply: LONG })
    const client = clientOf(CHAT, { timeouts: {} })
    for (let i = 0; i < 5; i++) {
      const stream = client.stream({ messages }, { signal })
      for await (const event of stream) if (event.type === 'text-delta') break
      await expect(stream.response).rejects.toMatchObject({ name: 'AbortError' })
    }
    upstream.play({ reply: LONG })
    await client.complete({ messages }, { signal })
    await client.stream({ messages }, { signal }).response
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    // What is left are connections kept for the next request; they end after some seconds.
    await noneLeft(upstream.connections)
  })
})

/** What becomes of a request when the provider fails, in every way that the scripted one can. */
import { getEventListeners } from 'node:events'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ChatEvent } from '../core/chat.ts'
import { startUpstream, type Upstream } from '../testing/upstream.ts'
import type { ChatClient } from './chat-client.ts'
import { type ClientOptions, createClient } from './create-client.ts'
import { ProviderError } from './errors.ts'

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

const DIALECTS = [
  ['openai-compatible', '/v1'],
  ['anthropic', ''],
  ['ollama', ''],
  ['bedrock', ''],
] as const

function clientOf(
  [provider, path]: readonly [string, string] = DIALECTS[0],
  more: Partial<ClientOptions> = {},
): ChatClient {
  return createClient({
    provider,
    model: 'scripted',
    apiKey: KEY,
    baseUrl: upstream.url + path,
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

describe.for(DIALECTS)('%s', (row) => {
  it('tries again after a status that passes', async () => {
    upstream.play(
      { fault: { kind: 'status', status: 500 } },
      { fault: { kind: 'status', status: 429, retryAfter: 0 } },
      { reply: LONG },
    )
    const before = asked()
    const { message } = await clientOf(row).complete({ messages })
    expect(message.content).toBe(LONG)
    expect(asked() - before).toBe(3)
  })

  it('tries a stream again as long as nothing was seen', async () => {
    upstream.play({ fault: { kind: 'status', status: 503 } }, { reply: LONG })
    const events = await collect(clientOf(row).stream({ messages }))
    expect(events.filter(({ type }) => type === 'start').length).toBeLessThan(2)
    expect(events.at(-1)?.type).toBe('finish')
  })

  it('tells a broken connection, whole and streamed', async () => {
    upstream.play({ fault: { kind: 'cut' }, reply: LONG })
    expect(await errorOf(clientOf(row).complete({ messages }))).toMatchObject({
      code: 'transport',
      retryable: true,
    })
    const stream = clientOf(row).stream({ messages })
    const events = await collect(stream)
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { partial: {} } })
    expect(events.filter(({ type }) => type === 'error' || type === 'finish')).toHaveLength(1)
    expect(await errorOf(stream.response)).toMatchObject({ code: 'transport' })
  })

  it('tells a stream that ends in the middle of a line', async () => {
    upstream.play({ fault: { kind: 'half-line' }, reply: LONG })
    const stream = clientOf(row).stream({ messages })
    const events = await collect(stream)
    const last = events.at(-1)
    expect(last?.type).toBe('error')
    const shown = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
    expect(shown.length).toBeGreaterThan(0)
    expect(LONG.startsWith(shown)).toBe(true)
    expect(last).toMatchObject({ error: { partial: { message: { content: shown } } } })
    expect(await errorOf(stream.response)).toMatchObject({ code: 'transport' })
  })

  it('tells an error inside a stream', async () => {
    upstream.play({ fault: { kind: 'error-in-stream' }, reply: LONG })
    const before = asked()
    const stream = clientOf(row).stream({ messages })
    const events = await collect(stream)
    expect(events.at(-1)?.type).toBe('error')
    // Something was seen, so there is no second attempt.
    expect(asked() - before).toBe(1)
    expect(['overloaded', 'server_error']).toContain((await errorOf(stream.response)).code)
  })

  it('reads a reply that comes byte by byte', async () => {
    upstream.play({ fault: { kind: 'drip', pauseMs: 1, pieces: 60 }, reply: LONG })
    const client = clientOf(row)
    expect((await client.complete({ messages })).message.content).toBe(LONG)
    expect((await client.stream({ messages }).response).message.content).toBe(LONG)
  })

  it('does not wait for a reply that stops coming', async () => {
    upstream.play({ fault: { kind: 'drip', pauseMs: 1000, pieces: 3 }, reply: LONG })
    const client = clientOf(row, { timeouts: { idleMs: 40 }, retries: 0 })
    expect((await errorOf(client.complete({ messages }))).code).toBe('timeout')
    expect((await errorOf(client.stream({ messages }).response)).code).toBe('timeout')
  })

  it('does not wait for an answer that never begins, and asks only once more', async () => {
    upstream.play({ fault: { kind: 'silence' } })
    let retries = 0
    const onRetry = (): void => {
      retries++
    }
    const client = clientOf(row, { timeouts: { connectMs: 40 }, onRetry })
    expect((await errorOf(client.complete({ messages }))).code).toBe('timeout')
    expect((await errorOf(client.stream({ messages }).response)).code).toBe('timeout')
    expect(retries).toBe(2)
  })

  it('does not read more than it should', async () => {
    upstream.play({ fault: { kind: 'huge', bytes: 50_000_000 } })
    const before = asked()
    const client = clientOf(row, { maxBodyBytes: 100_000 })
    const expected = { code: 'transport', retryable: false }
    expect(await errorOf(client.complete({ messages }))).toMatchObject(expected)
    expect(await errorOf(client.stream({ messages }).response)).toMatchObject(expected)
    expect(asked() - before).toBe(2)
  })

  it('tells a page from a reply', async () => {
    upstream.play({ fault: { kind: 'html' } })
    const before = asked()
    const expected = { code: 'server_error', retryable: false, status: 200 }
    const error = await errorOf(clientOf(row).complete({ messages }))
    expect(error).toMatchObject(expected)
    expect(error.message).toContain('base URL')
    expect(await errorOf(clientOf(row).stream({ messages }).response)).toMatchObject(expected)
    expect(asked() - before).toBe(2)
  })
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
    const client = clientOf(DIALECTS[0], {
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
    const hasty = clientOf(DIALECTS[0], {
      retries: { max: 9, baseMs: 10_000 },
      timeouts: { totalMs: 300 },
    })
    expect((await errorOf(hasty.complete({ messages }))).code).toBe('server_error')
    upstream.play({ fault: { kind: 'silence' } })
    const impatient = clientOf(DIALECTS[0], { timeouts: { totalMs: 50 } })
    expect(await errorOf(impatient.complete({ messages }))).toMatchObject({
      code: 'timeout',
      retryable: false,
    })
  })

  it('is told when nobody listens at the address', async () => {
    const gone = await startUpstream()
    await gone.close()
    const client = clientOf(DIALECTS[0], { baseUrl: gone.url })
    const error = await errorOf(client.complete({ messages }))
    expect(error).toMatchObject({ code: 'transport', retryable: true })
    expect(error.message).toContain('ECONNREFUSED')
  })

  it('does not hang on a fetch that listens to nobody', async () => {
    const client = clientOf(DIALECTS[0], {
      fetch: () => new Promise(() => {}),
      timeouts: { connectMs: 20 },
      retries: 0,
    })
    expect((await errorOf(client.complete({ messages }))).code).toBe('timeout')
    const stuck = new ReadableStream({ start() {} })
    const slow = clientOf(DIALECTS[0], {
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

  it('are not in errors when they cannot be sent', async () => {
    const client = clientOf(DIALECTS[0], { apiKey: `${KEY}\nx` })
    const error = await client.complete({ messages }).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(TypeError)
    expect(shown(error as Error)).not.toContain(KEY)
  })

  it('are not in the causes of errors', async () => {
    const client = clientOf(DIALECTS[0], {
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
  async function settled(): Promise<void> {
    for (let tries = 0; tries < 100 && upstream.connections() > 0; tries++) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  it('is up to the caller, at any time', async () => {
    upstream.play({ fault: { kind: 'silence' } })
    const reason = new Error('changed my mind')
    const controller = new AbortController()
    const { signal } = controller
    const client = clientOf(DIALECTS[0], { timeouts: {} })
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
    const whole = clientOf(DIALECTS[0], { timeouts: {} }).complete({ messages }, { signal })
    const caught = whole.catch((error: unknown) => error)
    setTimeout(() => controller.abort('enough'), 40)
    expect(await caught).toBe('enough')
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  it('leaves no listener and no connection behind', async () => {
    const { signal } = new AbortController()
    upstream.play({ fault: { kind: 'drip', pauseMs: 20, pieces: 40 }, reply: LONG })
    const client = clientOf(DIALECTS[0], { timeouts: {} })
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
    await settled()
    expect(upstream.connections()).toBe(0)
  })
})

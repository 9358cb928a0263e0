/** Several keys for one provider: refused and limited ones are left alone, one by one. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ChatClient } from './chat-client.ts'
import { type ClientOptions, createClient } from './create-client.ts'
import { createFallback } from './fallback.ts'

const ONE = 'sk-first-key-0001'
const TWO = 'sk-second-key-0002'
const THREE = 'sk-third-key-0003'
const REQUEST = { messages: [{ role: 'user', content: 'Who is there?' }] } as const

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000, toFake: ['Date', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

type Answer = (key: string) => Response

const refused: Answer = (key) =>
  Response.json({ error: { message: `Incorrect API key provided: ${key}` } }, { status: 401 })
const forbidden: Answer = () => Response.json({ error: { message: 'no access' } }, { status: 403 })
const limited =
  (seconds?: number): Answer =>
  () =>
    Response.json(
      { error: { message: 'slow down' } },
      { status: 429, headers: seconds === undefined ? {} : { 'retry-after': String(seconds) } },
    )
const spent: Answer = () =>
  Response.json({ error: { message: 'no money', code: 'insufficient_quota' } }, { status: 429 })
const failing: Answer = () => Response.json({ error: { message: 'down' } }, { status: 500 })

/** A service that does with each key what the table says, and answers all others. */
function service(
  table: Record<string, Answer>,
  more: Partial<ClientOptions> = {},
): { client: ChatClient; asked: string[] } {
  const asked: string[] = []
  const client = createClient({
    provider: 'openai',
    model: 'gpt-4o',
    apiKey: [ONE, TWO],
    env: {},
    retries: 0,
    fetch: async (_, init) => {
      const key = new Headers(init?.headers).get('authorization')?.replace('Bearer ', '') ?? ''
      asked.push(key)
      const answer = table[key]
      if (answer) return answer(key)
      const isStream = String(init?.body).includes('"stream":true')
      return isStream
        ? streamed()
        : Response.json({ choices: [{ message: said, finish_reason: 'stop' }] })
    },
    ...more,
  })
  return { client, asked }
}

const said = { role: 'assistant', content: 'Nobody.' }

function streamed(): Response {
  const chunk = { choices: [{ index: 0, delta: said, finish_reason: 'stop' }] }
  const headers = { 'content-type': 'text/event-stream' }
  return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, { headers })
}

describe.each([
  ['whole', (client: ChatClient) => client.complete(REQUEST)],
  ['streamed', (client: ChatClient) => client.stream(REQUEST).response],
] as const)('%s', (_, ask) => {
  test.each([
    ['refused', refused],
    ['forbidden', forbidden],
    ['limited', limited(20)],
    ['limited without a time', limited()],
    ['out of money', spent],
  ])('a key that is %s is followed by the next at once, and left alone', async (_name, answer) => {
    const { client, asked } = service({ [ONE]: answer })
    expect((await ask(client)).message.content).toBe('Nobody.')
    expect(asked).toEqual([ONE, TWO])
    await ask(client)
    expect(asked).toEqual([ONE, TWO, TWO])
  })

  test('it is used again when its time is over', async () => {
    const table: Record<string, Answer> = { [ONE]: limited(20) }
    const { client, asked } = service(table)
    await ask(client)
    delete table[ONE]
    vi.advanceTimersByTime(19_000)
    await ask(client)
    vi.advanceTimersByTime(2000)
    await ask(client)
    expect(asked).toEqual([ONE, TWO, TWO, ONE])
  })

  test('other failures are not the fault of the key', async () => {
    const { client, asked } = service({ [ONE]: failing })
    await expect(ask(client)).rejects.toMatchObject({ code: 'server_error' })
    await expect(ask(client)).rejects.toMatchObject({ message: 'status 500: down' })
    expect(asked).toEqual([ONE, ONE])
  })

  test('when no key is left, the error says how many are cooling down, and shows none', async () => {
    const apiKey = [ONE, TWO, THREE]
    const table = { [ONE]: limited(20), [TWO]: refused, [THREE]: limited(5) }
    const { client, asked } = service(table, { apiKey })
    const error: unknown = await ask(client).catch((thrown: unknown) => thrown)
    expect(asked).toEqual([ONE, TWO, THREE])
    // The one that is ready first is worth waiting for.
    expect(error).toMatchObject({
      code: 'rate_limited',
      retryAfterMs: 5000,
      message: expect.stringContaining('3 of 3 keys for OpenAI are cooling down'),
    })
    expect(String(error)).not.toMatch(/sk-/)
  })

  test('when all are cooling down, the one that is ready first is tried', async () => {
    const table: Record<string, Answer> = { [ONE]: limited(20), [TWO]: limited(10) }
    const { client, asked } = service(table)
    await expect(ask(client)).rejects.toMatchObject({ code: 'rate_limited' })
    delete table[TWO]
    await ask(client)
    expect(asked).toEqual([ONE, TWO, TWO])
  })

  test('a key that is refused is not shown by the error', async () => {
    const { client } = service({ [ONE]: refused, [TWO]: refused })
    const error: unknown = await ask(client).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'unauthorized', retryable: false })
    expect(String(error)).toContain('***')
    expect(JSON.stringify(error) + String(error)).not.toContain('sk-')
  })

  test('the circuit of a chain stays closed while a key is left', async () => {
    const table: Record<string, Answer> = { [ONE]: refused }
    const { client, asked } = service(table)
    const other = service({}, { provider: 'groq', apiKey: THREE })
    const chain = createFallback([client, other.client], { retries: 0 })
    await ask(chain)
    expect(chain.health()[0]).toMatchObject({ state: 'ready', failures: 0 })
    expect(other.asked).toEqual([])
    table[TWO] = limited(30)
    await ask(chain)
    expect(asked).toEqual([ONE, TWO, TWO])
    expect(other.asked).toEqual([THREE])
    expect(chain.health()[0]).toMatchObject({ state: 'cooling', cooldownMs: 30_000 })
  })
})

test('with one key everything is as ever', async () => {
  for (const apiKey of [ONE, [ONE]]) {
    const { client, asked } = service({ [ONE]: limited(20) }, { apiKey })
    const error = { code: 'rate_limited', message: 'status 429: slow down', retryAfterMs: 20_000 }
    await expect(client.complete(REQUEST)).rejects.toMatchObject(error)
    expect(asked).toEqual([ONE])
  }
})

test('each request may take the next key', async () => {
  const { client, asked } = service({}, { apiKey: [ONE, TWO, THREE], keyOrder: 'rotate' })
  for (let count = 0; count < 4; count++) await client.complete(REQUEST)
  expect(asked).toEqual([ONE, TWO, THREE, ONE])
})

test('a stream that nobody reads to its end does not keep its key from others', async () => {
  const table: Record<string, Answer> = { [ONE]: limited(5) }
  const { client, asked } = service(table)
  await client.complete(REQUEST)
  delete table[ONE]
  vi.advanceTimersByTime(6000)
  for await (const _ of client.stream(REQUEST)) break
  await client.complete(REQUEST)
  expect(asked).toEqual([ONE, TWO, ONE, ONE])
})

describe('keys in the environment', () => {
  const apiKey = undefined

  test('a variable in the plural has several', async () => {
    const env = { OPENAI_API_KEYS: `${ONE}, ${TWO}`, OPENAI_API_KEY: THREE }
    const { client, asked } = service({ [ONE]: refused }, { apiKey, env })
    await client.complete(REQUEST)
    expect(asked).toEqual([ONE, TWO])
  })

  test('it is read again for each request', async () => {
    const env: Record<string, string> = { OPENAI_API_KEYS: ONE }
    const { client, asked } = service({}, { apiKey, env })
    await client.complete(REQUEST)
    env['OPENAI_API_KEYS'] = TWO
    await client.complete(REQUEST)
    expect(asked).toEqual([ONE, TWO])
  })

  test('a key that is passed comes first', async () => {
    const { client, asked } = service({}, { apiKey: THREE, env: { OPENAI_API_KEYS: ONE } })
    await client.complete(REQUEST)
    expect(asked).toEqual([THREE])
  })
})

test('each key buys its own token', async () => {
  const bought: string[] = []
  const client = createClient({
    provider: 'github-copilot',
    model: 'gpt-4.1',
    apiKey: [ONE, TWO],
    settings: { integrationId: 'tests' },
    env: {},
    retries: 0,
    fetch: async (url, init) => {
      const key = new Headers(init?.headers).get('authorization') ?? ''
      if (String(url).includes('/token')) {
        bought.push(key)
        return Response.json({ token: `bought with ${key}`, expires_at: 9_000 })
      }
      if (key.includes(ONE)) return limited(20)(key)
      return Response.json({ choices: [{ message: said, finish_reason: 'stop' }] })
    },
  })
  await client.complete(REQUEST)
  await client.complete(REQUEST)
  expect(bought).toEqual([`token ${ONE}`, `token ${TWO}`])
})

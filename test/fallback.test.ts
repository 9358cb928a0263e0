/** A chain of real clients before a server that fails. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ChatClient } from '../src/client/chat-client.ts'
import { createClient } from '../src/client/create-client.ts'
import { createFallback } from '../src/client/fallback.ts'
import type { ChatEvent } from '../src/core/chat.ts'
import { startUpstream, type Upstream } from '../src/testing/upstream.ts'

let first: Upstream
let second: Upstream

beforeAll(async () => {
  first = await startUpstream()
  second = await startUpstream()
})
beforeEach(() => {
  first.play({ reply: 'from the first' })
  second.play({ reply: 'from the second' })
})
afterAll(() => Promise.all([first.close(), second.close()]))

function clients(): ChatClient[] {
  const common = { model: 'scripted', apiKey: 'sk-test', env: {} }
  return [
    createClient({ ...common, provider: 'anthropic', baseUrl: first.url }),
    createClient({ ...common, provider: 'openai-compatible', baseUrl: `${second.url}/v1` }),
  ]
}

const REQUEST = { messages: [{ role: 'user', content: 'Who speaks?' }] } as const

async function textOf(events: AsyncIterable<ChatEvent>): Promise<string> {
  const texts: string[] = []
  for await (const event of events) if (event.type === 'text-delta') texts.push(event.text)
  return texts.join('')
}

describe.each([
  ['whole', async (chain: ChatClient) => (await chain.complete(REQUEST)).message.content],
  ['streamed', (chain: ChatClient) => textOf(chain.stream(REQUEST))],
] as const)('%s', (_, ask) => {
  test('a server that is busy is asked three times, and not nine times', async () => {
    first.play({ fault: { kind: 'status', status: 529 } })
    const before = first.requests.length
    const chain = createFallback(clients(), { retries: { max: 2, baseMs: 1 } })
    expect(await ask(chain)).toBe('from the second')
    expect(first.requests.length - before).toBe(3)
    expect(chain.health()).toMatchObject([
      { provider: 'anthropic', state: 'cooling', lastError: { code: 'overloaded', status: 529 } },
      { provider: 'openai-compatible', state: 'ready' },
    ])
    expect(await ask(chain)).toBe('from the second')
    expect(first.requests.length - before).toBe(3)
  })

  test('a wait that is too long is not waited for, and remembered', async () => {
    first.play({ fault: { kind: 'status', status: 429, retryAfter: 90 } })
    const chain = createFallback(clients(), { now: () => 0 })
    expect(await ask(chain)).toBe('from the second')
    expect(chain.health()[0]?.cooldownMs).toBe(90_000)
  })

  test('a request that is too long for one does not cool it down', async () => {
    const message = 'prompt is too long: 210000 tokens > 200000 maximum'
    first.play({ fault: { kind: 'status', status: 400, message } }, { reply: 'short enough' })
    const chain = createFallback(clients())
    expect(await ask(chain)).toBe('from the second')
    expect(await ask(chain)).toBe('short enough')
  })
})

test('an error inside a stream is one before the first word', async () => {
  first.play({ fault: { kind: 'error-in-stream', code: 'overloaded_error' }, reply: '' })
  const chain = createFallback(clients(), { retries: 0 })
  const stream = chain.stream(REQUEST)
  expect(await textOf(stream)).toBe('from the second')
  expect((await stream.response).message.content).toBe('from the second')
})

test('a stream that is cut off behind the first word is not begun again', async () => {
  first.play({ fault: { kind: 'cut' }, reply: 'a long reply of which only a part arrives here' })
  const before = second.requests.length
  const chain = createFallback(clients(), { retries: 0 })
  const stream = chain.stream(REQUEST)
  expect(await textOf(stream)).toMatch(/^a long/)
  await expect(stream.response).rejects.toMatchObject({ code: 'transport' })
  expect(second.requests.length).toBe(before)
  expect(chain.health()[0]).toMatchObject({ state: 'cooling', failures: 1 })
})

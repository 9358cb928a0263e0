/** Two gateways that share a Redis, as behind a load balancer, and go on without it. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { GatewayConfig } from '../../src/gateway/config.ts'
import type { Outcome } from '../../src/gateway/observer.ts'
import { createRedisState } from '../../src/gateway/state/redis-state.ts'
import { type RunningGateway, startGateway } from '../support/gateway.ts'
import { openSocket, postText } from '../support/gateway-raw-client.ts'
import { findRedis, REDIS_MISSING, type RedisServer, startRedis } from '../support/redis.ts'

const program = findRedis()

/** A limit that only both together reach. */
const LIMIT = 6
const FEW = 3
/** Tokens that a few replies use up. */
const BUDGET = 12
const CONFIG: GatewayConfig = {
  keys: [
    { name: 'limited', key: 'sk-limited', requestsPerMinute: LIMIT },
    { name: 'free', key: 'sk-free' },
    { name: 'boss', key: 'sk-boss', admin: true },
    { name: 'free', key: 'sk-same-name' },
    { name: 'few', key: 'sk-few', concurrency: FEW },
    { name: 'poor', key: 'sk-poor', budget: { tokens: BUDGET } },
  ],
}

/** The part of our own page that the test reads. */
interface UsagePage {
  readonly keys: readonly { readonly name: string; readonly spent?: { readonly tokens: number } }[]
}

describe.skipIf(!program && !process.env['CI'])('gateways that share a Redis', () => {
  let redis: RedisServer
  let gateways: readonly RunningGateway[] = []
  const outcomes: Outcome[] = []
  const end = (outcome: Outcome): void => void outcomes.push(outcome)

  beforeAll(async () => {
    if (!program) throw new Error(REDIS_MISSING)
    redis = await startRedis(program)
    const open = async (): Promise<RunningGateway> => {
      const state = await createRedisState({
        url: redis.url,
        commandMs: 2000,
        restMs: 100,
        writeMs: 2000,
      })
      return startGateway(CONFIG, { state, observers: [{ begin: () => ({ end }) }] })
    }
    gateways = [await open(), await open()]
  })
  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()))
    await redis?.remove()
  })

  function post(at: number, key: string, path: string, body: object): Promise<Response> {
    return fetch(`${gateways[at % 2]?.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  }

  const QUESTION = { model: 'demo/echo', messages: [{ role: 'user', content: 'Hello' }] }
  const chat = (at: number, key: string): Promise<Response> =>
    post(at, key, '/v1/chat/completions', QUESTION)

  test('count the requests of a key together', async () => {
    const statuses: number[] = []
    for (let at = 0; at <= LIMIT; at++) statuses.push((await chat(at, 'sk-limited')).status)
    expect(statuses).toEqual([...Array(LIMIT).fill(200), 429])
  })

  test('spend the budget of a key together', async () => {
    const statuses: number[] = []
    const isRefused = (): boolean => statuses.at(-1) === 429
    for (let at = 0; at < 20 && !isRefused(); at++) {
      statuses.push((await chat(at, 'sk-poor')).status)
    }
    expect(isRefused()).toBe(true)
    expect((await chat(statuses.length, 'sk-poor')).status).toBe(429)
    const spent = await Promise.all(
      gateways.map(async ({ url }) => {
        const headers = { authorization: 'Bearer sk-boss' }
        const page = (await (await fetch(`${url}/usage`, { headers })).json()) as UsagePage
        return page.keys.find(({ name }) => name === 'poor')?.spent
      }),
    )
    expect(spent[0]).toEqual(spent[1])
    expect(spent[0]?.tokens).toBeGreaterThanOrEqual(BUDGET)
  })

  test('give back the places of clients that leave one of them', async () => {
    const head = postText('/v1/chat/completions', '{"model": "demo/echo"}', [
      'authorization: Bearer sk-few',
    ]).split('{')[0]
    for (let at = 0; at < 40; at++) {
      const { socket, closed } = await openSocket(gateways[0]?.url ?? '')
      socket.write(head ?? '', () => socket.resetAndDestroy())
      await closed
    }
    // At once at the other one, and not when their leases of 30 s end.
    const asked = (): Promise<Response[]> =>
      Promise.all(Array.from({ length: FEW }, () => chat(1, 'sk-few')))
    await expect
      .poll(async () => (await asked()).map(({ status }) => status), { timeout: 10_000 })
      .toEqual(Array(FEW).fill(200))
  })

  test('know the replies of each other', async () => {
    const first = await post(0, 'sk-free', '/v1/responses', { model: 'demo/echo', input: 'One' })
    const { id } = (await first.json()) as { id: string } // checked by what follows
    const ask = { model: 'demo/echo', input: 'Two', previous_response_id: id }
    expect((await post(1, 'sk-free', '/v1/responses', ask)).status).toBe(200)
  })

  test.for([
    ['/v1/responses', false, 'previous_response_id', /"id":"(resp_\w+)"/],
    ['/v1/responses', true, 'previous_response_id', /"id":"(resp_\w+)"/],
    ['/v1beta/interactions', false, 'previous_interaction_id', /"id":"(v1_\w+)"/],
    ['/v1beta/interactions', true, 'previous_interaction_id', /"id":"(v1_\w+)"/],
  ] as const)('%s, streamed: %s: a reply is known to the other one at once', async (row) => {
    const [path, stream, field, idPattern] = row
    const talk = async (at: number): Promise<number[]> => {
      const statuses: number[] = []
      let id: string | undefined
      for (let turn = 0; turn < 5; turn++) {
        const earlier = id === undefined ? {} : { [field]: id }
        const input = `${turn} ${'x'.repeat(500)}`
        const body = { model: 'demo/echo', input, stream, ...earlier }
        const reply = await post(at + turn, 'sk-free', path, body)
        id = idPattern.exec(await reply.text())?.[1]
        statuses.push(reply.status)
      }
      return statuses
    }
    const all = await Promise.all(Array.from({ length: 10 }, (_, at) => talk(at)))
    expect(all.flat()).toEqual(Array(50).fill(200))
  })

  test('keep nothing of what the client does not want stored', async () => {
    const body = { model: 'demo/echo', input: 'MY-SECRET-QUESTION' }
    const stored = await post(0, 'sk-free', '/v1/responses', body)
    const before = await redis.contents()
    expect(before).toContain('MY-SECRET-QUESTION')
    await redis.command('FLUSHALL')
    const { id } = (await (
      await post(0, 'sk-free', '/v1/responses', { ...body, store: false })
    ).json()) as { id: string } // checked by what follows
    expect(await redis.contents()).toBe('')
    for (const at of [0, 1]) {
      const next = { model: 'demo/echo', input: 'Two', previous_response_id: id }
      const reply = await post(at, 'sk-free', '/v1/responses', next)
      expect({ status: reply.status, body: await reply.json() }).toEqual({
        status: 400,
        body: {
          error: {
            message: `Previous response with id '${id}' not found. Send the whole input instead.`,
            type: 'invalid_request_error',
            param: 'previous_response_id',
            code: 'previous_response_not_found',
          },
        },
      })
    }
    expect(stored.status).toBe(200)
  })

  test('tell nobody what was said to another key', async () => {
    const first = await post(0, 'sk-free', '/v1/responses', { model: 'demo/echo', input: 'One' })
    const { id } = (await first.json()) as { id: string } // checked by what follows
    const ask = { model: 'demo/echo', input: 'Two', previous_response_id: id }
    for (const at of [0, 1]) {
      expect((await post(at, 'sk-same-name', '/v1/responses', ask)).status).toBe(400)
      expect((await post(at, 'sk-free', '/v1/responses', ask)).status).toBe(200)
    }
  })

  test('end a reply without Redis when that does not answer, and say so', async () => {
    redis.freeze()
    onTestFinished(() => redis.thaw())
    const ask = (at: number, more: object): Promise<Response> =>
      post(at, 'sk-free', '/v1/responses', { model: 'demo/echo', input: 'One', ...more })
    const first = await ask(0, { stream: true })
    const text = await first.text()
    const [, id] = /"id":"(resp_\w+)"/.exec(text) ?? []
    expect(text).toContain('response.completed')
    expect(outcomes.at(-1)?.turn).toBe('here')
    expect((await ask(0, { previous_response_id: id })).status).toBe(200)
    const elsewhere = await ask(1, { previous_response_id: id })
    expect([elsewhere.status, elsewhere.headers.get('x-toolglot-error')]).toEqual([
      503,
      'state_unreachable',
    ])
    redis.thaw()
    await expect
      .poll(async () => (await ask(1, { previous_response_id: id })).status, { timeout: 20_000 })
      .toBe(200)
  })

  test('answer while it is gone, and share again when it is back', async () => {
    await redis.kill()
    const alone = await Promise.all([0, 1, 0, 1].map((at) => chat(at, 'sk-free')))
    expect(alone.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const isShared = async (at: number): Promise<unknown> =>
      (await fetch(`${gateways[at]?.url}/ready`)).json()
    await expect.poll(() => isShared(0)).toMatchObject({ status: 'ready', shared: false })
    await redis.start()
    for (const at of [0, 1]) {
      await expect.poll(() => isShared(at), { timeout: 20_000 }).toMatchObject({ shared: true })
    }
    expect((await chat(0, 'sk-free')).status).toBe(200)
  })
})

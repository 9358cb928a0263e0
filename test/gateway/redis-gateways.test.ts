/** Two gateways that share a Redis, as behind a load balancer, and go on without it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { GatewayConfig } from '../../src/gateway/config.ts'
import { createRedisState } from '../../src/gateway/state/redis-state.ts'
import { type RunningGateway, startGateway } from '../support/gateway.ts'
import { findRedis, REDIS_MISSING, type RedisServer, startRedis } from '../support/redis.ts'

const program = findRedis()

/** A limit that only both together reach. */
const LIMIT = 6
const CONFIG: GatewayConfig = {
  keys: [
    { name: 'limited', key: 'sk-limited', requestsPerMinute: LIMIT },
    { name: 'free', key: 'sk-free' },
  ],
}

describe.skipIf(!program && !process.env['CI'])('gateways that share a Redis', () => {
  let redis: RedisServer
  let gateways: readonly RunningGateway[] = []

  beforeAll(async () => {
    if (!program) throw new Error(REDIS_MISSING)
    redis = await startRedis(program)
    const open = async (): Promise<RunningGateway> => {
      const state = await createRedisState({ url: redis.url, commandMs: 2000, restMs: 100 })
      return startGateway(CONFIG, { state })
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

  test('know the replies of each other', async () => {
    const first = await post(0, 'sk-free', '/v1/responses', { model: 'demo/echo', input: 'One' })
    const { id } = (await first.json()) as { id: string } // checked by what follows
    const ask = { model: 'demo/echo', input: 'Two', previous_response_id: id }
    await expect.poll(async () => (await post(1, 'sk-free', '/v1/responses', ask)).status).toBe(200)
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

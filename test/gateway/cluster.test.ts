/**
 * Two gateways with a Redis, before them a load balancer as in `deploy/`: restarts one after the other, turns that
 * go on at the other gateway, limits over both. `npm run cluster` is the same with more of everything.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type BalancerName, freePort, hasBalancer, startBalancer } from '../support/balancer.ts'
import { buildCommand } from '../support/built-command.ts'
import { findRedis, type RedisServer, startRedis } from '../support/redis.ts'
import { type Served, serve, slowStream, textIn } from '../support/served.ts'

/** Follow-up turns of the long run; the short one shows only that it works. */
const WANTED = Number(process.env['TOOLGLOT_CLUSTER_TURNS'] ?? 0)
const IS_LONG = WANTED > 0
const TURNS = IS_LONG ? WANTED : 160
const ROUNDS = IS_LONG ? 3 : 1
const WORKERS = IS_LONG ? 16 : 8
/** Without it, the conversation would be as long as the number of turns. */
const TURNS_EACH = 8

const PER_MINUTE = 100
const AT_A_TIME = 5
const SECRET = 'a-secret-of-the-cluster-test-00001'
const CONFIG = {
  host: '127.0.0.1',
  discover: false,
  log: { level: 'error' },
  keys: [
    { name: 'free', key: 'sk-free' },
    { name: 'limited', key: 'sk-limited', requestsPerMinute: PER_MINUTE },
    { name: 'few', key: 'sk-few', concurrency: AT_A_TIME },
  ],
}

const program = findRedis()

describe.skipIf(!program && !process.env['CI'])('a cluster', { timeout: 3_600_000 }, () => {
  let folder = ''
  let main = ''
  let redis: RedisServer
  let ports: readonly number[] = []
  const running = new Map<number, Served>()

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'toolglot-cluster-'))
    main = await buildCommand(folder)
    redis = await startRedis(program ?? '')
    writeFileSync(join(folder, 'toolglot.config.json'), JSON.stringify(CONFIG))
    ports = [await freePort(), await freePort()]
    await Promise.all(ports.map(startGateway))
  }, 300_000)

  afterAll(async () => {
    for (const { child } of running.values()) child.kill('SIGKILL')
    await redis?.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  async function startGateway(port: number): Promise<void> {
    const env = { TOOLGLOT_REDIS_URL: redis.url, TOOLGLOT_STATE_SECRET: SECRET }
    const served = await serve([main, 'serve', '--port', String(port)], { cwd: folder, env })
    if (served.url === '') throw new Error(`no gateway at ${port}:\n${served.stderr()}`)
    running.set(port, served)
    const until = Date.now() + 30_000
    while (!(await isReady(port))) {
      if (Date.now() > until) throw new Error(`the gateway at ${port} is never ready`)
      await sleep(50)
    }
  }

  async function isReady(port: number): Promise<boolean> {
    const reply = await fetch(`http://127.0.0.1:${port}/ready`)
    const { shared } = (await reply.json()) as { shared: boolean } // the page of the gateway
    return reply.status === 200 && shared
  }

  /** As deployments do: the next one when this one has been ready for a while. */
  async function restart(port: number): Promise<void> {
    const served = running.get(port)
    served?.child.kill('SIGTERM')
    expect(await served?.ended).toBe(0)
    await startGateway(port)
    await sleep(READY_MS)
  }

  async function balancer(name: BalancerName): Promise<string> {
    const hosts = ports.map((port) => `127.0.0.1:${port}`)
    const { url, stop } = await startBalancer(name, hosts, join(folder, `${name}-${count++}`))
    onTestFinished(stop)
    return url
  }

  describe.each(['haproxy', 'nginx'] as const)('before which is %s', (name) => {
    test.skipIf(!hasBalancer(name) && !process.env['CI'])(
      'is restarted under load without an error',
      async () => {
        const url = await balancer(name)
        const results = new Map<string, number>()
        let isOver = false
        const workers = Array.from({ length: WORKERS }, async (_, at) => {
          while (!isOver) {
            const result = await askOnce(url, at % 3 === 0)
            results.set(result, (results.get(result) ?? 0) + 1)
            await sleep(5)
          }
        })
        for (let round = 0; round < ROUNDS; round++) for (const port of ports) await restart(port)
        isOver = true
        await Promise.all(workers)
        report(`${name}: ${2 * ROUNDS} restarts`, Object.fromEntries(results))
        expect([...results.keys()]).toEqual(['ok'])
        expect(results.get('ok')).toBeGreaterThan(20)
      },
    )
  })

  test.skipIf(!hasBalancer('haproxy') && !process.env['CI'])(
    'knows every turn, also while it is restarted',
    async () => {
      const through = await balancer('haproxy')
      const results = new Map<string, number>()
      const waits: number[] = []
      let next = 0
      let isOver = false
      const talk = async (): Promise<void> => {
        while (next < TURNS) {
          const at = next
          next += TURNS_EACH
          await converse(at)
        }
      }
      const converse = async (at: number): Promise<void> => {
        const [path, field, pattern] = APIS[(at / TURNS_EACH) % APIS.length] ?? APIS[0]
        let id: string | undefined
        for (let turn = 0; turn <= TURNS_EACH; turn++) {
          const began = performance.now()
          const reply = await post(through, path, 'sk-free', {
            model: 'demo/echo',
            stream: turn % 2 === 1,
            input: `turn ${turn} of ${at} ${'x'.repeat(turn % 4 === 3 ? 2000 : 20)}`,
            ...(id !== undefined && { [field]: id }),
          })
          const text = await reply.text()
          waits.push(performance.now() - began)
          if (reply.status !== 200) add(results, text.slice(0, 200))
          else if (id !== undefined) add(results, 'known')
          id = pattern.exec(text)?.[1]
          if (id === undefined) return
        }
      }
      const restarts = (async () => {
        let restarted = 0
        while (!isOver) await restart(ports[restarted++ % 2] ?? 0)
        return restarted
      })()
      const began = performance.now()
      await Promise.all(Array.from({ length: WORKERS }, talk))
      isOver = true
      const seconds = Math.round((performance.now() - began) / 1000)
      report(`turns in ${seconds} s, ${await restarts} restarts`, {
        ...Object.fromEntries(results),
        medianMs: quantile(waits, 0.5),
        p99Ms: quantile(waits, 0.99),
      })
      expect(Object.fromEntries(results)).toEqual({ known: TURNS })
    },
  )

  test('lets through as many requests a minute as one gateway would', async () => {
    const began = performance.now()
    const replies = await Promise.all(
      Array.from({ length: 3 * PER_MINUTE }, (_, at) => chat(at, 'sk-limited')),
    )
    const came = replies.filter((status) => status === 200).length
    const seconds = (performance.now() - began) / 1000
    // One comes back every 0.6 s.
    const most = PER_MINUTE + Math.ceil((seconds * PER_MINUTE) / 60)
    report('a minute', { limit: PER_MINUTE, of: replies.length, came, most, seconds })
    expect(came).toBeGreaterThanOrEqual(PER_MINUTE)
    expect(came).toBeLessThanOrEqual(most)
    expect(new Set(replies)).toEqual(new Set([200, 429]))
  })

  test('lets through as many requests at a time as one gateway would, and again when they are over', async () => {
    for (let round = 0; round < (IS_LONG ? 5 : 2); round++) {
      const replies = await Promise.all(
        Array.from({ length: 12 * AT_A_TIME }, (_, at) => {
          return slowStream(urlOf(at), 600, { authorization: 'Bearer sk-few' })
        }),
      )
      const statuses = replies.map(({ status }) => status)
      report('at a time', { limit: AT_A_TIME, came: statuses.filter((one) => one === 200).length })
      expect(statuses.filter((status) => status === 200)).toHaveLength(AT_A_TIME)
      expect(new Set(statuses)).toEqual(new Set([200, 429]))
      await Promise.all(replies.map(({ body }) => body?.cancel()))
      await expect
        .poll(() => redis.command('ZCARD', 'toolglot:in-flight:few'), { timeout: 20_000 })
        .toBe(0)
    }
  })

  const urlOf = (at: number): string => `http://127.0.0.1:${ports[at % 2]}`

  async function chat(at: number, key: string): Promise<number> {
    const reply = await post(urlOf(at), '/v1/chat/completions', key, HELLO)
    await reply.text()
    return reply.status
  }

  async function askOnce(url: string, stream: boolean): Promise<string> {
    try {
      const reply = await post(url, '/v1/chat/completions', 'sk-free', { ...HELLO, stream })
      const text = await reply.text()
      if (reply.status !== 200) return `${reply.status} ${text.slice(0, 100)}`
      return !stream || textIn(text).isComplete ? 'ok' : 'cut off'
    } catch (error) {
      return String(error instanceof Error ? (error.cause ?? error) : error)
    }
  }
})

const HELLO = {
  model: 'demo/echo',
  messages: [{ role: 'user', content: 'Hello there, how are you?' }],
}
const APIS = [
  ['/v1/responses', 'previous_response_id', /"id":"(resp_\w+)"/],
  ['/v1beta/interactions', 'previous_interaction_id', /"id":"(v1_\w+)"/],
] as const
/** Longer than HAProxy takes to ask twice, and than nginx leaves alone whoever refused. */
const READY_MS = 2500
let count = 0

function post(url: string, path: string, key: string, body: object): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

function add(results: Map<string, number>, result: string): void {
  results.set(result, (results.get(result) ?? 0) + 1)
}

function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  return Math.round(sorted[Math.floor(part * (sorted.length - 1))] ?? 0)
}

function report(what: string, figures: object): void {
  if (IS_LONG) console.log(`${what}: ${JSON.stringify(figures)}`)
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

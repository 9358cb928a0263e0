/** State that gateways share, in a real Redis that is killed, frozen and started again. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { ProviderError } from '../../src/client/errors.ts'
import type { CircuitOptions } from '../../src/client/fallback/circuit.ts'
import { createRedisState, type RedisStateOptions } from '../../src/gateway/state/redis-state.ts'
import type { GatewayState } from '../../src/gateway/state.ts'
import { findRedis, REDIS_MISSING, type RedisServer, startRedis } from '../support/redis.ts'

const program = findRedis()
if (!program && !process.env['CI']) console.warn(`${REDIS_MISSING} (these tests are skipped)`)

const BREAKER: CircuitOptions = { cooldownMs: 60_000, maxCooldownMs: 300_000, now: Date.now }
const SECRET = 'a-secret-of-the-tests-for-turns-01'
const OTHER_SECRET = 'another-secret-of-these-tests-0002'
const DOWN = new ProviderError('overloaded', 'too busy')

let prefixes = 0
const rejections: unknown[] = []
const onRejection = (reason: unknown): void => void rejections.push(reason)

describe.skipIf(!program && !process.env['CI'])('state in Redis', () => {
  let server: RedisServer

  beforeAll(async () => {
    if (!program) throw new Error(REDIS_MISSING)
    process.on('unhandledRejection', onRejection)
    server = await startRedis(program)
  })
  afterAll(async () => {
    process.off('unhandledRejection', onRejection)
    await server?.remove()
    expect(rejections).toEqual([])
  })

  async function gateway(options: Partial<RedisStateOptions> = {}): Promise<GatewayState> {
    // More time than usual: these tests are about what is shared, on a machine that may be busy.
    const patience = { commandMs: 5000, restMs: 100 }
    const state = await createRedisState({ url: server.url, ...patience, ...options })
    onTestFinished(() => state.close())
    return state
  }

  async function pair(options: Partial<RedisStateOptions> = {}) {
    const shared = { prefix: `test-${prefixes++}:`, ...options }
    return { ...shared, one: await gateway(shared), other: await gateway(shared) }
  }

  test('a turn that one gateway has seen, another one knows', async () => {
    const { one, other } = await pair()
    await one.turns.set([
      ['call_1', 'first'],
      ['call_2', 'ünï\u0000code'],
    ])
    expect(await other.turns.get(['call_2', 'nobody', 'call_1'])).toEqual([
      'ünï\u0000code',
      undefined,
      'first',
    ])
    expect(await other.turns.get([])).toEqual([])
  })

  test('a long history is found as well', async () => {
    const { one, other } = await pair()
    const names = Array.from({ length: 500 }, (_, i) => `call_${i}`)
    await one.turns.set(names.map((name) => [name, `${name} ${'x'.repeat(1000)}`]))
    const values = await other.turns.get(names)
    expect(values.map((value) => value?.split(' ')[0])).toEqual(names)
  })

  test('turns are forgotten after their time', async () => {
    const { one, other, prefix } = await pair({ ttlMs: 300 })
    await one.turns.set([['call_1', 'first']])
    expect(await other.turns.get(['call_1'])).toEqual(['first'])
    await sleep(350)
    expect(await other.turns.get(['call_1'])).toEqual([undefined])
    expect(await (await gateway({ prefix })).turns.get(['call_1'])).toEqual([undefined])
  })

  test('a turn is found by others once it is said to be kept, however many come at once', async () => {
    const { one, other } = await pair()
    await Promise.all(
      Array.from({ length: 300 }, async (_, at) => {
        const name = `call_${at}`
        expect(await one.turns.set([[name, 'x'.repeat(at * 100)]])).toBe('everywhere')
        expect(await other.turns.get([name])).toEqual(['x'.repeat(at * 100)])
      }),
    )
  })

  test('a copy of a turn does not outlive it', async () => {
    const { one, other } = await pair({ ttlMs: 1500 })
    await one.turns.set([['call_1', 'first']])
    await sleep(700)
    expect(await other.turns.get(['call_1'])).toEqual(['first'])
    await sleep(900)
    expect(await other.turns.get(['call_1'])).toEqual([undefined])
  })

  test('a turn that is too long is kept nowhere, and said to be', async () => {
    const { one, other } = await pair({ maxEntryBytes: 100 })
    const entries = [
      ['short', 'x'],
      ['long', 'x'.repeat(101)],
    ] as const
    expect(await one.turns.set(entries)).toBe('nowhere')
    expect(await one.turns.get(['short', 'long'])).toEqual(['x', undefined])
    expect(await other.turns.get(['short', 'long'])).toEqual(['x', undefined])
  })

  test('with a secret, nothing that was said can be read in Redis', async () => {
    const { one, other } = await pair({ secrets: [SECRET] })
    await one.turns.set([['call_1', 'said in confidence']], { owner: 'anna' })
    expect(await other.turns.get(['call_1'])).toEqual(['said in confidence'])
    const held = await server.contents()
    expect(held).toContain('sealed1.')
    expect(held).not.toContain('confidence')
  })

  test('a secret is replaced while gateways with the old one still run', async () => {
    const prefix = `test-${prefixes++}:`
    const old = await gateway({ prefix, secrets: [SECRET] })
    const between = await gateway({ prefix, secrets: [SECRET, OTHER_SECRET] })
    const next = await gateway({ prefix, secrets: [OTHER_SECRET, SECRET] })
    await old.turns.set([['call_1', 'first']])
    await next.turns.set([['call_2', 'second']])
    expect(await next.turns.get(['call_1'])).toEqual(['first'])
    expect(await between.turns.get(['call_1', 'call_2'])).toEqual(['first', 'second'])
  })

  test('what another secret sealed, or none, or what was moved, is not known', async () => {
    const problems: unknown[] = []
    const prefix = `test-${prefixes++}:`
    const plain = await gateway({ prefix })
    const wrong = await gateway({ prefix, secrets: [OTHER_SECRET] })
    await plain.turns.set([['plain', 'first']])
    await wrong.turns.set([
      ['sealed', 'second'],
      ['moved', 'third'],
    ])
    await server.command('RENAME', `${prefix}turn:moved`, `${prefix}turn:elsewhere`)
    const onProblem = (error: unknown): void => void problems.push(error)
    const right = await gateway({ prefix, secrets: [SECRET], onProblem })
    expect(await right.turns.get(['plain', 'sealed'])).toEqual([undefined, undefined])
    expect(problems.map(String).join()).toContain('stateSecret')
    expect(await plain.turns.get(['sealed'])).toEqual([undefined])
    const same = await gateway({ prefix, secrets: [OTHER_SECRET] })
    expect(await same.turns.get(['elsewhere', 'sealed'])).toEqual([undefined, 'second'])
  })

  test('what was kept while Redis was away is shared when it is back', async () => {
    const { one, other } = await pair({ commandMs: 250, writeMs: 250 })
    await server.kill()
    await until(() => !one.isShared())
    expect(await one.turns.set([['call_1', 'first']])).toBe('here')
    await server.start()
    await until(() => one.isShared() && other.isShared())
    await until(async () => (await other.turns.get(['call_1']))[0] === 'first')
  })

  test('requests of a client are counted together', async () => {
    const { one, other } = await pair()
    const taken = []
    for (const state of [one, other, one, other]) taken.push(await state.limits.take('anna', 3))
    expect(taken.map(({ allowed }) => allowed)).toEqual([true, true, true, false])
    expect(taken.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0])
    expect(taken[3]?.retryAfterMs).toBeGreaterThan(15_000)
    expect(taken[3]?.retryAfterMs).toBeLessThanOrEqual(20_000)
    expect((await other.limits.take('bert', 3)).allowed).toBe(true)
  })

  test('the rate comes back as time goes by', async () => {
    const { one, other } = await pair()
    const perMinute = 599
    const burst = await Promise.all(
      Array.from({ length: 700 }, (_, i) => (i % 2 ? one : other).limits.take('anna', perMinute)),
    )
    const allowed = burst.filter((taken) => taken.allowed).length
    expect(allowed).toBeGreaterThanOrEqual(perMinute)
    // Some have come back meanwhile, about ten a second.
    expect(allowed).toBeLessThan(650)
    let last = await one.limits.take('anna', perMinute)
    while (last.allowed) last = await one.limits.take('anna', perMinute)
    await sleep(last.retryAfterMs + 50)
    expect((await other.limits.take('anna', perMinute)).allowed).toBe(true)
  })

  test('places are shared, and free again for all once they are left', async () => {
    const { one, other } = await pair()
    const leave = await one.limits.enter('anna', 2)
    await other.limits.enter('anna', 2)
    expect(await one.limits.enter('anna', 2)).toBeUndefined()
    expect(await other.limits.enter('anna', 2)).toBeUndefined()
    leave?.()
    leave?.()
    await until(async () => (await other.limits.enter('anna', 2)) !== undefined)
    expect(await one.limits.enter('anna', 2)).toBeUndefined()
  })

  test('the places of a gateway that died come back, those of one that lives do not', async () => {
    const { one, other, prefix } = await pair({ leaseMs: 600 })
    const dead = await createRedisState({ url: server.url, prefix, leaseMs: 600 })
    expect(await one.limits.enter('anna', 2)).toBeDefined()
    expect(await dead.limits.enter('anna', 2)).toBeDefined()
    // It leaves nothing and renews nothing, as if it were killed.
    await dead.close()
    expect(await other.limits.enter('anna', 2)).toBeUndefined()
    await until(async () => (await other.limits.enter('anna', 2)) !== undefined)
    await sleep(1000)
    expect(await other.limits.enter('anna', 2)).toBeUndefined()
  })

  test('a place that is never given back is not renewed when its request is over', async () => {
    const { one, other } = await pair({ leaseMs: 600 })
    let isUnderWay = true
    await one.limits.enter('anna', 1, () => isUnderWay)
    await sleep(1000)
    expect(await other.limits.enter('anna', 1)).toBeUndefined()
    isUnderWay = false
    await until(async () => (await other.limits.enter('anna', 1)) !== undefined)
    expect(await one.limits.enter('anna', 1)).toBeUndefined()
  })

  test('a provider that one gateway has found broken is left alone by all', async () => {
    const { one, other, prefix } = await pair()
    const [here, there] = [one, other].map((state) =>
      state.circuits.circuitFor('openai', 'gpt-5', BREAKER),
    )
    here?.enter().fail(DOWN, 'growing')
    await until(() => there?.health().state === 'cooling')
    expect(there?.health()).toMatchObject({ failures: 1, lastError: { code: 'overloaded' } })
    expect(there?.health().cooldownMs).toBeGreaterThan(50_000)

    const late = await gateway({ prefix })
    const later = late.circuits.circuitFor('openai', 'gpt-5', BREAKER)
    expect(later.health()).toMatchObject({ state: 'cooling', failures: 1 })
    expect(late.circuits.circuitFor('openai', 'gpt-4', BREAKER).health().state).toBe('ready')

    later.reset()
    await until(() => here?.health().state === 'ready' && there?.health().state === 'ready')
    const last = await gateway({ prefix })
    expect(last.circuits.circuitFor('openai', 'gpt-5', BREAKER).health().failures).toBe(0)
  })

  test('when Redis is killed everything goes on, and when it is back it is shared again', async () => {
    const problems: unknown[] = []
    const onProblem = (error: unknown): void => void problems.push(error)
    const { one, other } = await pair({ onProblem, commandMs: 250 })
    await one.turns.set([['call_1', 'first']])
    expect(await other.turns.get(['call_1'])).toEqual(['first'])
    const held = await one.limits.enter('carl', 1)
    expect(held).toBeDefined()

    await server.kill()
    await inTime(async () => {
      expect(await one.turns.get(['call_1', 'call_2'])).toEqual(['first', undefined])
      expect(await other.turns.get(['call_1'])).toEqual(['first'])
      expect(await one.turns.set([['call_2', 'second']])).toBe('here')
      expect(await one.turns.get(['call_2'])).toEqual(['second'])
      expect(await one.limits.take('anna', 1)).toMatchObject({ allowed: true })
      expect(await one.limits.take('anna', 1)).toMatchObject({ allowed: false })
      expect(await one.limits.enter('carl', 1)).toBeUndefined()
      const leave = await one.limits.enter('dora', 1)
      expect(await one.limits.enter('dora', 1)).toBeUndefined()
      leave?.()
      expect(await one.limits.enter('dora', 1)).toBeDefined()
      one.circuits.circuitFor('openai', 'gpt-5', BREAKER).enter().fail(DOWN, 'growing')
    })
    expect([one.isShared(), other.isShared()]).toEqual([false, false])
    expect(problems).toHaveLength(2)
    const there = other.circuits.circuitFor('openai', 'gpt-5', BREAKER)
    expect(there.health().state).toBe('ready')

    await server.start()
    await until(() => one.isShared() && other.isShared())
    // What could not be told is told now, and places that were taken are still taken.
    await until(() => there.health().state === 'cooling')
    await until(async () => (await other.limits.enter('carl', 1)) === undefined)
    expect(await other.turns.set([['call_3', 'third']])).toBe('everywhere')
    expect(await one.turns.get(['call_3'])).toEqual(['third'])
    there.reset()
    const here = one.circuits.circuitFor('openai', 'gpt-5', BREAKER)
    await until(() => here.health().state === 'ready')
  })

  test('a Redis that answers nothing makes one request wait, and not for long', async () => {
    const { one } = await pair({ commandMs: 250, restMs: 60_000 })
    onTestFinished(() => server.thaw())
    server.freeze()
    await inTime(() => one.limits.take('anna', 10))
    expect(one.isShared()).toBe(false)
    const begun = performance.now()
    for (let i = 0; i < 100; i += 1) await one.turns.get([`call_${i}`])
    // At 250 ms each, they would take 25 s.
    expect(performance.now() - begun).toBeLessThan(5000)
  })

  test('a connection on which nothing comes is replaced', async () => {
    const { one } = await pair({ commandMs: 100, restMs: 50 })
    server.freeze()
    onTestFinished(() => server.thaw())
    await one.turns.get(['call_1'])
    await sleep(2000)
    server.thaw()
    await until(() => one.isShared())
  })

  test('a gateway starts without Redis, and finds it later', async () => {
    await server.kill()
    const problems: unknown[] = []
    const state = await gateway({ onProblem: (error) => problems.push(error) })
    expect(state.isShared()).toBe(false)
    expect(problems).toHaveLength(1)
    expect((await state.limits.take('anna', 5)).allowed).toBe(true)
    await server.start()
    await until(() => state.isShared())
  })

  test('what Redis refuses is reported, and done here', async () => {
    const problems: unknown[] = []
    const prefix = 'occupied:'
    const vandal = await gateway({ prefix: `${prefix}rate:` })
    // A turn is a text; where the leases of a client should be, it is in the way.
    await vandal.turns.set([['x', 'not a number']])
    const state = await gateway({ prefix, onProblem: (error) => problems.push(error) })
    await until(async () => {
      await state.limits.take('turn:x', 5)
      return problems.length > 0
    })
    expect((await state.limits.take('turn:x', 500)).allowed).toBe(true)
    expect(state.isShared()).toBe(true)
    expect(problems).toHaveLength(1)
  })

  test('after it is closed nothing is asked and nothing waits', async () => {
    const state = await createRedisState({ url: server.url })
    const circuit = state.circuits.circuitFor('openai', 'gpt-5', BREAKER)
    const leave = await state.limits.enter('anna', 1)
    await state.close()
    await state.close()
    leave?.()
    circuit.enter().fail(DOWN, 'growing')
    expect(await state.turns.set([['call_1', 'first']])).toBe('here')
    expect(await state.turns.get(['call_1'])).toEqual(['first'])
    expect(state.isShared()).toBe(false)
  })

  test('an address that is none is refused without being shown', async () => {
    const wrong = createRedisState({ url: 'http://:secret@localhost' })
    await expect(wrong).rejects.toThrow(/must look like redis:/)
    await expect(wrong).rejects.not.toThrow(/secret/)
  })
})

async function until(test: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 15_000
  while (!(await test())) {
    if (Date.now() > deadline) throw new Error(`it never came true: ${test}`)
    await sleep(20)
  }
}

/** Within a second, which is long enough for the time limits of several questions. */
async function inTime(work: () => Promise<unknown>): Promise<void> {
  const begun = performance.now()
  await work()
  expect(performance.now() - begun).toBeLessThan(1000)
}

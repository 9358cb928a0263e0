import { expect, test } from 'vitest'
import { ProviderError } from '../../client/errors.ts'
import { createMemoryState, type MemoryStateOptions } from './memory-state.ts'

function stateAt(clock: { now: number }, options: MemoryStateOptions = {}) {
  return createMemoryState({ ...options, now: () => clock.now })
}

test('turns are found by name until they are too old', async () => {
  const clock = { now: 0 }
  const { turns } = stateAt(clock, { ttlMs: 1000 })
  turns.set([
    ['a', '1'],
    ['b', '2'],
  ])
  clock.now = 999
  turns.set([['b', 'two']])
  expect(await turns.get(['b', 'none', 'a'])).toEqual(['two', undefined, '1'])
  clock.now = 1000
  expect(await turns.get(['a', 'b'])).toEqual([undefined, 'two'])
})

test('of too many turns, the ones used longest ago are forgotten', async () => {
  const { turns } = createMemoryState({ maxEntries: 3 })
  turns.set(['a', 'b', 'c'].map((name) => [name, name]))
  await turns.get(['a'])
  turns.set([['d', 'd']])
  expect(await turns.get(['a', 'b', 'c', 'd'])).toEqual(['a', undefined, 'c', 'd'])
})

test('turns that take too much memory are forgotten, also when there is only one', async () => {
  const { turns } = createMemoryState({ maxBytes: 100_000 })
  const long = 'x'.repeat(30_000)
  turns.set([
    ['a', long],
    ['b', long],
  ])
  expect(await turns.get(['a', 'b'])).toEqual([undefined, long])
  // Written again, it counts once.
  turns.set([['b', long]])
  turns.set([['c', 'short']])
  expect(await turns.get(['b', 'c'])).toEqual([long, 'short'])
  turns.set([['d', 'x'.repeat(60_000)]])
  expect(await turns.get(['b', 'c', 'd'])).toEqual([undefined, undefined, undefined])
})

test('a minute of requests may come at once, then one after the other', async () => {
  const clock = { now: 5_000_000 }
  const { limits } = stateAt(clock)
  const take = () => limits.take('anna', 3)
  expect(await take()).toEqual({ allowed: true, limit: 3, remaining: 2, retryAfterMs: 0 })
  await take()
  expect(await take()).toMatchObject({ allowed: true, remaining: 0 })
  expect(await take()).toEqual({ allowed: false, limit: 3, remaining: 0, retryAfterMs: 20_000 })
  expect(await limits.take('bert', 3)).toMatchObject({ allowed: true })
  clock.now += 19_000
  expect(await take()).toMatchObject({ allowed: false, retryAfterMs: 1000 })
  clock.now += 1000
  expect(await take()).toMatchObject({ allowed: true, remaining: 0 })
  clock.now += 60_000
  expect(await take()).toMatchObject({ allowed: true, remaining: 2 })
})

test.for([1, 7, 60, 999, 5000])('%i a minute are exactly as many', async (perMinute) => {
  const { limits } = stateAt({ now: 1_800_000_000_000 })
  let allowed = 0
  while ((await limits.take('anna', perMinute)).allowed) allowed += 1
  expect(allowed).toBe(perMinute)
})

test('no requests a minute are none', async () => {
  const { limits } = createMemoryState()
  expect(await limits.take('anna', 0)).toMatchObject({ allowed: false, retryAfterMs: 60_000 })
})

test('a place is free again once it is left, and only once', async () => {
  const { limits } = createMemoryState()
  const leave = await limits.enter('anna', 2)
  await limits.enter('anna', 2)
  expect(await limits.enter('anna', 2)).toBeUndefined()
  expect(await limits.enter('bert', 1)).toBeDefined()
  leave?.()
  leave?.()
  expect(await limits.enter('anna', 2)).toBeDefined()
  expect(await limits.enter('anna', 2)).toBeUndefined()
})

test('all chains share the circuit of a model, with the options given last', () => {
  const { circuits } = createMemoryState()
  const options = { cooldownMs: 1000, maxCooldownMs: 8000, now: () => 0 }
  const circuit = circuits.circuitFor('openai', 'gpt-5', options)
  expect(circuits.circuitFor('azure', 'gpt-5', options)).not.toBe(circuit)
  expect(circuits.circuitFor('openai', 'gpt-5', { ...options, cooldownMs: 3000 })).toBe(circuit)
  circuit.enter().fail(new ProviderError('overloaded', 'busy'), 'growing')
  expect(circuit.health().cooldownMs).toBe(3000)
})

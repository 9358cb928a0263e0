import { expect, test } from 'vitest'
import { ProviderError } from '../../client/errors.ts'
import { createMemoryState, type MemoryStateOptions } from './memory-state.ts'

function stateAt(clock: { now: number }, options: MemoryStateOptions = {}) {
  return createMemoryState({ ...options, now: () => clock.now })
}

test('turns are found by name until they are too old', async () => {
  const clock = { now: 0 }
  const { turns } = stateAt(clock, { ttlMs: 1000 })
  await turns.set([
    ['a', '1'],
    ['b', '2'],
  ])
  clock.now = 999
  await turns.set([['b', 'two']])
  expect(await turns.get(['b', 'none', 'a'])).toEqual(['two', undefined, '1'])
  clock.now = 1000
  expect(await turns.get(['a', 'b'])).toEqual([undefined, 'two'])
})

test('of too many turns, the ones used longest ago are forgotten', async () => {
  const { turns } = createMemoryState({ maxEntries: 3 })
  await turns.set(['a', 'b', 'c'].map((name) => [name, name]))
  await turns.get(['a'])
  await turns.set([['d', 'd']])
  expect(await turns.get(['a', 'b', 'c', 'd'])).toEqual(['a', undefined, 'c', 'd'])
})

test('turns that take too much memory are forgotten', async () => {
  const { turns } = createMemoryState({ maxBytes: 100_000 })
  const long = 'x'.repeat(30_000)
  await turns.set([
    ['a', long],
    ['b', long],
  ])
  expect(await turns.get(['a', 'b'])).toEqual([undefined, long])
  // Written again, it counts once.
  await turns.set([['b', long]])
  await turns.set([['c', 'short']])
  expect(await turns.get(['b', 'c'])).toEqual([long, 'short'])
})

test('a turn that is too long is not kept, and displaces nothing', async () => {
  const { turns } = createMemoryState({ maxBytes: 100_000, maxEntryBytes: 45_000 })
  expect(await turns.set([['a', 'x']])).toBe('everywhere')
  // Too long for the memory, and too long in UTF-8.
  expect(await turns.set([['b', 'x'.repeat(60_000)]])).toBe('nowhere')
  expect(await turns.set([['c', '€'.repeat(15_001)]])).toBe('nowhere')
  expect(await turns.set([['d', '€'.repeat(15_000)]])).toBe('everywhere')
  expect(await turns.get(['a', 'b', 'c'])).toEqual(['x', undefined, undefined])
})

test('one client cannot displace the turns of another', async () => {
  const { turns } = createMemoryState({ maxEntries: 100, maxEntriesEach: 3, maxBytesEach: 20_000 })
  const anna = { owner: 'anna' }
  const bert = { owner: 'bert' }
  await turns.set([['kept', 'of anna']], anna)
  const many = Array.from({ length: 500 }, (_, at) => [`b${at}`, 'of bert'] as const)
  await turns.set(many, bert)
  const names = ['b496', 'b497', 'b498', 'b499', 'kept']
  expect(await turns.get(names)).toEqual([undefined, 'of bert', 'of bert', 'of bert', 'of anna'])
  // What was used last stays, also within the turns of one client.
  await turns.get(['b497'])
  await turns.set([['long', 'x'.repeat(9_000)]], bert)
  expect(await turns.get(['b497', 'b498', 'long'])).toEqual([
    'of bert',
    undefined,
    'x'.repeat(9_000),
  ])
  await turns.set([['longer', 'x'.repeat(9_500)]], bert)
  expect(await turns.get(['b497', 'long', 'kept'])).toEqual([undefined, undefined, 'of anna'])
})

test('without keys, turns may take all the memory that there is', async () => {
  const { turns } = createMemoryState({ maxEntries: 10, maxEntriesEach: 2 })
  const names = Array.from({ length: 10 }, (_, at) => `t${at}`)
  await turns.set(names.map((name) => [name, name]))
  expect(await turns.get(names)).toEqual(names)
})

test('turns of a client can be replaced, forgotten and kept again any number of times', async () => {
  const clock = { now: 0 }
  const { turns } = stateAt(clock, { maxEntriesEach: 2, maxEntries: 4, ttlMs: 10 })
  for (let round = 0; round < 100; round++) {
    const owner = `client ${round % 3}`
    const names = [`${owner} a`, `${owner} b`, `${owner} ${round}`]
    await turns.set(
      names.map((name) => [name, String(round)]),
      { owner },
    )
    expect(await turns.get(names)).toEqual([undefined, String(round), String(round)])
    clock.now += 4
  }
  clock.now += 10
  expect(await turns.get(['client 0 a', 'client 0 b'])).toEqual([undefined, undefined])
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

test('a place that was never given back is free once its request is over', async () => {
  const { limits } = createMemoryState()
  let isUnderWay = true
  await limits.enter('anna', 2, () => isUnderWay)
  await limits.enter('anna', 2)
  expect(await limits.enter('anna', 2)).toBeUndefined()
  isUnderWay = false
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

import { expect, test } from 'vitest'
import { ProviderError } from '../errors.ts'
import { type Circuit, createCircuit } from './circuit.ts'

function circuitAt(clock: { now: number }): Circuit {
  return createCircuit({ cooldownMs: 1000, maxCooldownMs: 8000, now: () => clock.now })
}

function limited(retryAfterMs?: number): ProviderError {
  return new ProviderError('rate_limited', 'slow down', { retryAfterMs })
}

test('what the provider asks for counts the first time, then no less than what has grown', () => {
  const clock = { now: 0 }
  const circuit = circuitAt(clock)
  const times = [50, 50, 5000, undefined].map((asked) => {
    circuit.enter().fail(limited(asked), 'growing')
    const { cooldownMs } = circuit.health()
    clock.now += cooldownMs
    return cooldownMs
  })
  expect(times).toEqual([50, 2000, 5000, 8000])
})

test.for(['growing', 'long'] as const)(
  'nobody is left alone for longer than the longest time, whatever is asked for: %s',
  (cooldown) => {
    const circuit = circuitAt({ now: 0 })
    circuit.enter().fail(limited(1e12), cooldown)
    expect(circuit.health().cooldownMs).toBe(8000)
    const other = circuitAt({ now: 0 })
    other.adopt({ failures: 1, cooldownMs: 1e12 })
    expect(other.health().cooldownMs).toBe(8000)
  },
)

test('the time that is left is in whole milliseconds', () => {
  const clock = { now: 0.25 }
  const circuit = circuitAt(clock)
  circuit.enter().fail(limited(), 'growing')
  clock.now = 1000.125
  expect(circuit.health()).toMatchObject({ state: 'cooling', cooldownMs: 1 })
})

test('a failure that lasts is long, also when it comes late', () => {
  const circuit = circuitAt({ now: 0 })
  const [one, other] = [circuit.enter(), circuit.enter()]
  one.fail(limited(), 'growing')
  other.fail(new ProviderError('unauthorized', 'who are you?'), 'long')
  expect(circuit.health()).toMatchObject({
    failures: 1,
    cooldownMs: 8000,
    lastError: { code: 'unauthorized' },
  })
})

test('a request that cannot be answered says nothing about the client', () => {
  const clock = { now: 0 }
  const circuit = circuitAt(clock)
  const refusal = new ProviderError('bad_request', 'what?')
  circuit.enter().fail(refusal, 'none')
  expect(circuit.health()).toEqual({ state: 'ready', failures: 0, cooldownMs: 0 })
  circuit.enter().fail(limited(), 'growing')
  clock.now = 1000
  const trial = circuit.enter()
  expect(circuit.health().state).toBe('trial')
  trial.fail(refusal, 'none')
  expect(circuit.health()).toMatchObject({ state: 'ready', failures: 1 })
})

test('failures and their end are told, once each', () => {
  const told: (readonly [failures: number, cooldownMs: number])[] = []
  const circuit = createCircuit({
    cooldownMs: 1000,
    maxCooldownMs: 8000,
    now: () => 0,
    onChange: ({ failures, cooldownMs }) => told.push([failures, cooldownMs]),
  })
  circuit.enter().succeed()
  circuit.enter().fail(limited(), 'growing')
  circuit.enter().fail(new ProviderError('bad_request', 'what?'), 'none')
  circuit.reset()
  circuit.reset()
  circuit.adopt({ failures: 3, cooldownMs: 500 })
  circuit.enter().succeed()
  expect(told).toEqual([
    [1, 1000],
    [0, 0],
    [0, 0],
  ])
})

test('what another process knows is added to what is known here', () => {
  const clock = { now: 0 }
  const circuit = circuitAt(clock)
  const before = circuit.enter()
  circuit.adopt({ failures: 2, cooldownMs: 4000, lastError: limited() })
  expect(circuit.health()).toMatchObject({ state: 'cooling', failures: 2, cooldownMs: 4000 })
  // It set out before, and says nothing that is not known.
  before.succeed()
  expect(circuit.health()).toMatchObject({ failures: 2, lastError: { code: 'rate_limited' } })
  circuit.adopt({ failures: 1, cooldownMs: 1000 })
  expect(circuit.health()).toMatchObject({ failures: 2, cooldownMs: 4000 })
  clock.now = 4000
  circuit.enter().fail(limited(), 'growing')
  expect(circuit.health()).toMatchObject({ failures: 3, cooldownMs: 4000 })
  circuit.adopt({ failures: 0, cooldownMs: 0 })
  expect(circuit.health()).toEqual({ state: 'ready', failures: 0, cooldownMs: 0 })
})

/**
 * Several keys for one provider. A key that the provider refuses or limits is left alone for a while, and the
 * request goes out again at once with the next one; only when no key is left does the request fail.
 */
import type { Provider } from '../providers/provider.ts'
import { monotonicNow } from './clock.ts'
import type { ApiKey } from './credentials.ts'
import { type Environment, firstSet } from './endpoint.ts'
import { ProviderError, type ProviderErrorCode } from './errors.ts'
import { type Circuit, createCircuit, type Visit } from './fallback/circuit.ts'
import { policyFor } from './fallback/failure-policy.ts'

/** `first`: always the first key that is not left alone. `rotate`: each request takes the next one. */
export type KeyOrder = 'first' | 'rotate'

export interface KeyPool {
  /** For one request: each key is tried once at most. */
  begin(): KeyRound
}

export interface KeyRound {
  /** The key for the next attempt; the same again unless it has failed. */
  take(): KeyUse
}

/** One attempt with one key. It must be told how the attempt ended. */
export interface KeyUse {
  /** Undefined: there is no pool, and the provider's usual key is used. */
  readonly slot: KeySlot | undefined
  succeed(): void
  /** The attempt was given up, or looks well so far. */
  leave(): void
  fail(error: unknown): KeyVerdict
}

export interface KeySlot {
  readonly source: ApiKey
  readonly circuit: Circuit
}

export type KeyVerdict =
  /** Another key is ready, and the request can be sent again at once. */
  | { readonly again: true }
  /** What the caller gets to know. */
  | { readonly again: false; readonly error: unknown }

export interface KeyPoolOptions {
  /** The name of the provider, for messages. */
  readonly name: string
  /** The keys there are now; none when there is no pool. */
  readonly keys: () => readonly ApiKey[]
  readonly order?: KeyOrder | undefined
  /** The state of a key, which may outlive the pool. */
  readonly circuitOf: (key: ApiKey) => Circuit
}

/** Failures that another key may not have. */
const FAULTS_OF_KEYS: ReadonlySet<ProviderErrorCode> = new Set([
  'unauthorized',
  'rate_limited',
  'quota_exhausted',
])

export function createKeyPool({ name, keys, order, circuitOf }: KeyPoolOptions): KeyPool {
  const slots = new Map<ApiKey, KeySlot>()
  let turn = 0

  function slotOf(source: ApiKey): KeySlot {
    const slot = slots.get(source) ?? { source, circuit: circuitOf(source) }
    slots.set(source, slot)
    return slot
  }

  function begin(): KeyRound {
    const all = [...new Set(keys())].map(slotOf)
    const start = order === 'rotate' && all.length > 0 ? turn++ % all.length : 0
    return roundOf([...all.slice(start), ...all.slice(0, start)], name)
  }

  return { begin }
}

const NO_POOL: KeyUse = {
  slot: undefined,
  succeed() {},
  leave() {},
  fail: (error) => ({ again: false, error }),
}

function roundOf(slots: readonly KeySlot[], name: string): KeyRound {
  const failed = new Set<KeySlot>()
  let current: KeySlot | undefined

  function untried(): readonly KeySlot[] {
    return slots.filter((slot) => !failed.has(slot))
  }

  function failWith(slot: KeySlot, visit: Visit, error: unknown): KeyVerdict {
    if (!isFaultOfKey(error) || slots.length < 2) {
      visit.leave()
      return { again: false, error }
    }
    visit.fail(error, policyFor(error).cooldown)
    failed.add(slot)
    current = undefined
    return untried().some(isReady)
      ? { again: true }
      : { again: false, error: outOf(slots, name, error) }
  }

  return {
    take() {
      const left = untried()
      const slot = current ?? left.find(isReady) ?? soonest(left) ?? soonest(slots)
      if (!slot) return NO_POOL
      current = slot
      const visit = slot.circuit.enter()
      return {
        slot,
        succeed: () => visit.succeed(),
        leave: () => visit.leave(),
        fail: (error) => failWith(slot, visit, error),
      }
    },
  }
}

function isFaultOfKey(error: unknown): error is ProviderError {
  return error instanceof ProviderError && FAULTS_OF_KEYS.has(error.code)
}

function isReady({ circuit }: KeySlot): boolean {
  return circuit.health().state === 'ready'
}

function soonest(slots: readonly KeySlot[]): KeySlot | undefined {
  const byWait = slots.toSorted((one, other) => waitOf(one) - waitOf(other))
  return byWait[0]
}

function waitOf({ circuit }: KeySlot): number {
  return circuit.health().cooldownMs
}

/** No key is left: the error of the one that will be ready first, which is the one worth waiting for. */
function outOf(slots: readonly KeySlot[], name: string, last: ProviderError): ProviderError {
  const { cooldownMs, lastError = last } = soonest(slots)?.circuit.health() ?? { cooldownMs: 0 }
  const cooling = slots.filter(({ circuit }) => circuit.health().state === 'cooling').length
  const seconds = Math.ceil(cooldownMs / 1000)
  const state = `${cooling} of ${slots.length} keys for ${name} are cooling down, the first for another ${seconds} s`
  return new ProviderError(lastError.code, `${lastError.message} (${state})`, {
    ...lastError,
    // Only what the provider itself has asked for is waited for.
    retryAfterMs: lastError.retryAfterMs === undefined ? undefined : cooldownMs,
    cause: lastError,
  })
}

/** Sends with one key after the other, until one works or none is left. */
export async function withKeys<T>(keys: KeyPool, attempt: (key: KeyUse) => Promise<T>): Promise<T> {
  const round = keys.begin()
  while (true) {
    const key = round.take()
    try {
      const value = await attempt(key)
      key.succeed()
      return value
    } catch (thrown) {
      const verdict = key.fail(thrown)
      if (!verdict.again) throw verdict.error
    }
  }
}

const KEY_COOLDOWN_MS = 5_000
const MAX_KEY_COOLDOWN_MS = 300_000

export function createKeyCircuit(): Circuit {
  const limits = { cooldownMs: KEY_COOLDOWN_MS, maxCooldownMs: MAX_KEY_COOLDOWN_MS }
  return createCircuit({ ...limits, now: monotonicNow })
}

/** The keys of a pool, from what was passed or else from the environment, which may change. */
export function pooledKeys(
  { keyVariables }: Provider,
  given: ApiKey | readonly ApiKey[] | undefined,
  env: Environment,
): readonly ApiKey[] {
  if (typeof given === 'string' || typeof given === 'function') return []
  const own = (given ?? []).filter((key) => key !== '')
  return own.length > 0 ? own : keysIn(firstSet(poolVariables(keyVariables), env) ?? '')
}

/** `OPENAI_API_KEYS` besides `OPENAI_API_KEY`: several keys, with commas or spaces between them. */
export function poolVariables(keyVariables: readonly string[]): readonly string[] {
  return keyVariables.map((name) => `${name}S`)
}

function keysIn(list: string): readonly string[] {
  return list.split(/[\s,]+/).filter((key) => key !== '')
}

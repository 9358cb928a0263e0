/** What one gateway remembers by itself. */
import { type Circuit, type CircuitOptions, createCircuit } from '../../client/fallback/circuit.ts'
import { checkKeys, type OptionKeys } from '../../core/check-options.ts'
import { createRecentMap } from '../../core/recent-map.ts'
import type { CircuitBoard, GatewayState, Limiter, TurnStore } from '../state.ts'
import { takeAt } from './request-rate.ts'

export interface MemoryStateOptions {
  /** How many turns are kept. Default 50,000. */
  readonly maxEntries?: number | undefined
  /** How much memory they may take. Default 64 MiB. */
  readonly maxBytes?: number | undefined
  /** How long they are kept. Default a day. */
  readonly ttlMs?: number | undefined
  readonly now?: (() => number) | undefined
}

const KEYS: OptionKeys<MemoryStateOptions> = { maxEntries: 0, maxBytes: 0, ttlMs: 0, now: 0 }

export const DAY_MS = 86_400_000
const MAX_CLIENTS = 100_000
const MAX_CIRCUITS = 10_000
/** What an entry of a map takes besides its texts, roughly. */
const ENTRY_BYTES = 150

export function createMemoryState(options: MemoryStateOptions = {}): GatewayState {
  checkKeys('createMemoryState', options, KEYS, '{ maxEntries: 1000 }')
  const { now = Date.now } = options
  return {
    turns: createTurns(options, now),
    limits: createLimits(now),
    circuits: createCircuits(),
    // Nothing is shared, so nothing can be out of reach.
    isShared: () => true,
    async close() {},
  }
}

interface Turn {
  readonly value: string
  readonly until: number
}

function createTurns(options: MemoryStateOptions, now: () => number): TurnStore {
  const { maxEntries = 50_000, maxBytes = 64 * 1024 * 1024, ttlMs = DAY_MS } = options
  const turns = createRecentMap<Turn>({
    maxEntries,
    maxBytes,
    bytesOf: (name, { value }) => ENTRY_BYTES + 2 * (name.length + value.length),
  })

  function read(name: string): string | undefined {
    const turn = turns.get(name)
    if (!turn) return undefined
    if (turn.until > now()) return turn.value
    turns.delete(name)
    return undefined
  }

  return {
    get: async (names) => names.map(read),
    set(entries) {
      const until = now() + ttlMs
      for (const [name, value] of entries) turns.set(name, { value, until })
      turns.forgetWhile((turn) => turn.until <= now())
    },
  }
}

function createLimits(now: () => number): Limiter {
  const accounts = createRecentMap<number>({ maxEntries: MAX_CLIENTS })
  const inside = new Map<string, number>()

  function leave(who: string): void {
    const left = (inside.get(who) ?? 0) - 1
    if (left > 0) inside.set(who, left)
    else inside.delete(who)
  }

  return {
    async take(who, perMinute) {
      const at = now()
      const { taken, fullUntil } = takeAt(at, accounts.get(who), perMinute)
      accounts.set(who, fullUntil)
      // An empty account is the same as none.
      accounts.forgetWhile((full) => full <= at)
      return taken
    },
    async enter(who, atMost) {
      const count = inside.get(who) ?? 0
      if (count >= atMost) return undefined
      inside.set(who, count + 1)
      return once(() => leave(who))
    },
  }
}

function createCircuits(): CircuitBoard {
  const known = createRecentMap<{ readonly options: CircuitOptions; readonly circuit: Circuit }>({
    maxEntries: MAX_CIRCUITS,
  })
  return {
    // The options given last count, so that a new configuration needs no new circuits.
    circuitFor(provider, model, given) {
      const name = circuitName(provider, model)
      const before = known.get(name)
      if (before) {
        Object.assign(before.options, given)
        return before.circuit
      }
      const options = { ...given }
      const circuit = createCircuit(options)
      known.set(name, { options, circuit })
      return circuit
    },
  }
}

/** Names of providers have no slash. */
export function circuitName(provider: string, model: string): string {
  return `${provider}/${model}`
}

export function once(action: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    action()
  }
}

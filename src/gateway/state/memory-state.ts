/** What one gateway remembers by itself. */
import { monotonicNow } from '../../client/clock.ts'
import { type Circuit, type CircuitOptions, createCircuit } from '../../client/fallback/circuit.ts'
import { checkKeys, type OptionKeys } from '../../core/check-options.ts'
import { createRecentMap } from '../../core/recent-map.ts'
import type { CircuitBoard, GatewayState, Limiter } from '../state.ts'
import { createMemoryLedger } from './memory-ledger.ts'
import { createMemoryTurns, type MemoryTurnsOptions } from './memory-turns.ts'
import { takeAt } from './request-rate.ts'

export interface MemoryStateOptions extends MemoryTurnsOptions {
  /** Milliseconds on a clock that never goes back. Default: `performance.now`. */
  readonly now?: (() => number) | undefined
}

const KEYS: OptionKeys<MemoryStateOptions> = {
  maxEntries: 0,
  maxBytes: 0,
  maxEntriesEach: 0,
  maxBytesEach: 0,
  maxEntryBytes: 0,
  ttlMs: 0,
  now: 0,
}

const MAX_CLIENTS = 100_000
const MAX_CIRCUITS = 10_000
const MAX_CIRCUIT_BYTES = 16 * 1024 * 1024
/** What an entry of a map takes besides its texts, roughly. */
const ENTRY_BYTES = 150

export function createMemoryState(options: MemoryStateOptions = {}): GatewayState {
  checkKeys('createMemoryState', options, KEYS, '{ maxEntries: 1000 }')
  const { now = monotonicNow } = options
  return {
    turns: createMemoryTurns(options, now),
    limits: createLimits(now),
    circuits: createCircuits(),
    ledger: createMemoryLedger(now),
    // Nothing is shared, so nothing can be out of reach.
    isShared: () => true,
    async close() {},
  }
}

function createLimits(now: () => number): Limiter {
  const accounts = createRecentMap<number>({ maxEntries: MAX_CLIENTS })
  /** The requests under way of each client, by what says whether they still are. */
  const inside = new Map<string, Set<{ readonly isUnderWay: () => boolean }>>()

  function leave(who: string, place: { readonly isUnderWay: () => boolean }): void {
    const places = inside.get(who)
    places?.delete(place)
    if (places?.size === 0) inside.delete(who)
  }

  /** Only when there seems to be no room, so that it costs nothing otherwise. */
  function dropLost(who: string): void {
    for (const place of inside.get(who) ?? []) if (!place.isUnderWay()) leave(who, place)
  }

  const count = (who: string): number => inside.get(who)?.size ?? 0

  return {
    async take(who, perMinute) {
      const at = now()
      const { taken, fullUntil } = takeAt(at, accounts.get(who), perMinute)
      accounts.set(who, fullUntil)
      // An empty account is the same as none.
      accounts.forgetWhile((full) => full <= at)
      return taken
    },
    async enter(who, atMost, isUnderWay = () => true) {
      if (count(who) >= atMost) dropLost(who)
      if (count(who) >= atMost) return undefined
      const place = { isUnderWay }
      inside.set(who, (inside.get(who) ?? new Set()).add(place))
      return () => leave(who, place)
    },
  }
}

function createCircuits(): CircuitBoard {
  const known = createRecentMap<{ readonly options: CircuitOptions; readonly circuit: Circuit }>({
    maxEntries: MAX_CIRCUITS,
    maxBytes: MAX_CIRCUIT_BYTES,
    // A circuit keeps the last error, whose message is about as long as a name.
    bytesOf: (name) => 4 * ENTRY_BYTES + 2 * name.length,
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

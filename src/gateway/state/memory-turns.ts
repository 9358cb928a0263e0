/** Turns in the memory of one gateway: bounded for all clients together, and for each of them. */
import { createRecentMap, type RecentMap } from '../../core/recent-map.ts'
import type { Kept, TurnStore } from '../state.ts'
import { isLongerThan, TURN_DEFAULTS } from './turn-limits.ts'

export interface MemoryTurnsOptions {
  /** How many turns are kept. Default 50,000. */
  readonly maxEntries?: number | undefined
  /** How much memory they may take. Default 64 MiB. */
  readonly maxBytes?: number | undefined
  /** How many turns are kept of one client. Default 10,000. */
  readonly maxEntriesEach?: number | undefined
  /** How much memory the turns of one client may take. Default 16 MiB. */
  readonly maxBytesEach?: number | undefined
  /** Longer turns are not kept. Default 1 MiB. */
  readonly maxEntryBytes?: number | undefined
  /** How long turns are kept. Default a day. */
  readonly ttlMs?: number | undefined
}

interface Turn {
  readonly value: string
  readonly until: number
  readonly owner: string
}

const MEBIBYTE = 1024 * 1024
/** What an entry of a map takes besides its texts, roughly. */
const OVERHEAD_BYTES = 150

function bytesOf(name: string, { value }: Turn): number {
  // Strings of Latin letters take half as much; this is the most that they can take.
  return OVERHEAD_BYTES + 2 * (name.length + value.length)
}

export function createMemoryTurns(options: MemoryTurnsOptions, now: () => number): TurnStore {
  const { maxEntries = 50_000, maxBytes = 64 * MEBIBYTE } = options
  const { ttlMs = TURN_DEFAULTS.ttlMs, maxEntryBytes = TURN_DEFAULTS.entryBytes } = options
  const { maxEntriesEach = TURN_DEFAULTS.entriesPerKey } = options
  const { maxBytesEach = TURN_DEFAULTS.bytesPerKey } = options
  /** What each owner has of `turns`, by name; the two are changed together. */
  const owners = new Map<string, RecentMap<number>>()
  const turns = createRecentMap<Turn>({
    maxEntries,
    maxBytes,
    bytesOf,
    onForget(name, { owner }) {
      const own = owners.get(owner)
      own?.delete(name)
      if (own?.size === 0) owners.delete(owner)
    },
  })

  /** Without keys, all clients are one. */
  function boundsOf(owner: string): { readonly maxEntries: number; readonly maxBytes: number } {
    return owner === ''
      ? { maxEntries, maxBytes }
      : { maxEntries: maxEntriesEach, maxBytes: Math.min(maxBytes, maxBytesEach) }
  }

  function ownedBy(owner: string): RecentMap<number> {
    return (
      owners.get(owner) ??
      createRecentMap<number>({
        ...boundsOf(owner),
        bytesOf: (_, bytes) => bytes,
        onForget: (name) => turns.delete(name),
      })
    )
  }

  function put(name: string, turn: Turn): Kept {
    const bytes = bytesOf(name, turn)
    // Nothing else has to go for what would not stay.
    const isTooLong = bytes > boundsOf(turn.owner).maxBytes
    if (isTooLong || isLongerThan(turn.value, maxEntryBytes)) return 'nowhere'
    const own = ownedBy(turn.owner)
    // This may forget an earlier entry of the name, and with its last entry the owner.
    own.set(name, bytes)
    owners.set(turn.owner, own)
    turns.set(name, turn)
    return 'everywhere'
  }

  function find(name: string): Turn | undefined {
    const turn = turns.get(name)
    if (turn && turn.until > now()) {
      owners.get(turn.owner)?.get(name)
      return turn
    }
    turns.delete(name)
    return undefined
  }

  return {
    get: async (names) => names.map((name) => find(name)?.value),
    async set(entries, { owner = '', ttlMs: wanted = ttlMs } = {}) {
      const until = now() + Math.min(ttlMs, wanted)
      const kept = entries.map(([name, value]) => put(name, { value, until, owner }))
      turns.forgetWhile((turn) => turn.until <= now())
      return kept.includes('nowhere') ? 'nowhere' : 'everywhere'
    },
  }
}

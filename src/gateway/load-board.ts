/** How busy and how fast each model of each provider is, whatever chains it is in and however often they are made. */
import { createLoad, type Load } from '../client/fallback/load.ts'
import { createRecentMap } from '../core/recent-map.ts'
import { circuitName } from './state/memory-state.ts'

export interface LoadBoard {
  loadOf(provider: string, model: string): Load
}

/** Names come from clients, and there may be no end of them. */
const MAX_LOADS = 10_000
const MAX_BYTES = 8 * 1024 * 1024
/** What an entry takes besides its name, roughly. */
const ENTRY_BYTES = 400

export function createLoadBoard(now: () => number): LoadBoard {
  const known = createRecentMap<Load>({
    maxEntries: MAX_LOADS,
    maxBytes: MAX_BYTES,
    bytesOf: (name) => ENTRY_BYTES + 2 * name.length,
  })
  return {
    loadOf(provider, model) {
      const name = circuitName(provider, model)
      const load = known.get(name) ?? createLoad(now)
      known.set(name, load)
      return load
    },
  }
}

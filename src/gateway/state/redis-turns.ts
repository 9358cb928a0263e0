/** Turns that any gateway finds. */
import type { TurnStore } from '../state.ts'
import { batchesOf } from './batches.ts'
import type { RedisLink } from './redis-link.ts'

export interface RedisTurnsOptions {
  readonly prefix: string
  readonly ttlMs: number
}

/** How many turns are asked for by one command, so that each is answered within the time limit. */
const BATCH = 50

export function createRedisTurns(
  link: RedisLink,
  local: TurnStore,
  { prefix, ttlMs }: RedisTurnsOptions,
): TurnStore {
  const keyOf = (name: string): string => `${prefix}turn:${name}`

  async function read(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>()
    for (const batch of batchesOf(names, BATCH)) {
      const [answer] = (await link.ask(['MGET', ...batch.map(keyOf)])) ?? []
      if (!Array.isArray(answer)) break
      const values: readonly unknown[] = answer
      batch.forEach((name, at) => {
        const value = values[at]
        if (typeof value === 'string') found.set(name, value)
      })
    }
    return found
  }

  return {
    async get(names) {
      // A conversation asks for the same turns again and again; what is here need not be fetched.
      const here = await local.get(names)
      const missing = names.filter((_, at) => here[at] === undefined)
      const found = await read(missing)
      // Kept here from now on, also for the case that Redis is gone at the next turn.
      if (found.size > 0) local.set([...found])
      return names.map((name, at) => here[at] ?? found.get(name))
    },
    set(entries) {
      local.set(entries)
      if (entries.length === 0) return
      const ttl = String(ttlMs)
      void link.ask(...entries.map(([name, value]) => ['SET', keyOf(name), value, 'PX', ttl]))
    },
  }
}

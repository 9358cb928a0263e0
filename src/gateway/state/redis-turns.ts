/** Turns that any gateway finds. */
import { createRecentMap } from '../../core/recent-map.ts'
import type { Keeping, TurnStore } from '../state.ts'
import { batchesOf } from './batches.ts'
import type { RedisLink } from './redis-link.ts'
import type { Seal } from './seal.ts'
import { isLongerThan } from './turn-limits.ts'

export interface RedisTurnsOptions {
  readonly prefix: string
  readonly ttlMs: number
  readonly maxEntryBytes: number
  /** How long the end of a reply waits for its turn to be written. */
  readonly writeMs: number
  /** Without it, entries are readable in Redis. */
  readonly seal: Seal | undefined
  readonly now: () => number
}

export interface RedisTurns extends TurnStore {
  /** Writes what could not be written while Redis was away. */
  catchUp(): Promise<void>
}

interface Entry {
  readonly name: string
  readonly value: string
  /** Milliseconds since 1970, by the clock of the gateway that wrote it. */
  readonly until: number
}

/** How many turns are asked for by one command, so that each is answered within the time limit. */
const BATCH = 50
/** Entries that wait for Redis to come back; their texts are in memory anyway. */
const MAX_LATE = 10_000

export function createRedisTurns(
  link: RedisLink,
  local: TurnStore,
  options: RedisTurnsOptions,
): RedisTurns {
  const { prefix, ttlMs, maxEntryBytes, writeMs, seal, now } = options
  const late = createRecentMap<{ readonly until: number }>({ maxEntries: MAX_LATE })
  let isCatchingUp = false

  const keyOf = (name: string): string => `${prefix}turn:${name}`

  async function readOne(name: string, text: string): Promise<Entry | undefined> {
    const open = seal ? await seal.open(text, keyOf(name)) : text
    if (open === undefined) {
      link.report(
        new Error('a turn in Redis was not written with one of the secrets of stateSecret'),
      )
    }
    const [, until, value] = /^until (\d+)\n(.*)$/s.exec(open ?? '') ?? []
    if (value === undefined || Number(until) <= now()) return undefined
    return { name, value, until: Number(until) }
  }

  async function read(names: readonly string[]): Promise<readonly Entry[]> {
    const found: (Entry | undefined)[] = []
    for (const batch of batchesOf(names, BATCH)) {
      const [answer] = (await link.ask(['MGET', ...batch.map(keyOf)])) ?? []
      if (!Array.isArray(answer)) break
      const texts: readonly unknown[] = answer
      const entries = batch.map((name, at) => {
        const text = texts[at]
        return typeof text === 'string' ? readOne(name, text) : undefined
      })
      found.push(...(await Promise.all(entries)))
    }
    return found.filter((entry) => entry !== undefined)
  }

  async function commandFor({ name, value, until }: Entry): Promise<string[]> {
    // With its end, so that no copy of it outlives it.
    const text = `until ${until}\n${value}`
    const written = seal ? await seal.seal(text, keyOf(name)) : text
    return ['SET', keyOf(name), written, 'PX', String(Math.max(1, until - now()))]
  }

  /** True once Redis has said that it has all of them. */
  async function write(entries: readonly Entry[]): Promise<boolean> {
    if (!link.isUp()) return false
    const commands = await Promise.all(entries.map(commandFor))
    return (await link.askWithin(writeMs, ...commands)) !== undefined
  }

  async function writeLate(names: readonly string[]): Promise<boolean> {
    const values = await local.get(names)
    const entries = names.flatMap((name, at) => {
      const value = values[at]
      const { until = 0 } = late.get(name) ?? {}
      return value !== undefined && until > now() ? [{ name, value, until }] : []
    })
    if (!(await write(entries))) return false
    for (const name of names) late.delete(name)
    return true
  }

  return {
    async get(names, { owner = '' }: Keeping = {}) {
      // A conversation asks for the same turns again and again; what is here need not be fetched.
      const here = await local.get(names)
      const missing = names.filter((_, at) => here[at] === undefined)
      const entries = await read(missing)
      // Kept here from now on, also for the case that Redis is gone at the next turn.
      for (const { name, value, until } of entries) {
        await local.set([[name, value]], { owner, ttlMs: until - now() })
      }
      const found = new Map(entries.map(({ name, value }) => [name, value]))
      return names.map((name, at) => here[at] ?? found.get(name))
    },

    async set(all, { owner = '', ttlMs: wanted = ttlMs }: Keeping = {}) {
      const entries = all.filter(([, value]) => !isLongerThan(value, maxEntryBytes))
      await local.set(entries, { owner, ttlMs: wanted })
      const until = now() + Math.min(ttlMs, wanted)
      const isWritten =
        entries.length === 0 ||
        (await write(entries.map(([name, value]) => ({ name, value, until }))))
      if (!isWritten) for (const [name] of entries) late.set(name, { until })
      if (entries.length < all.length) return 'nowhere'
      return isWritten ? 'everywhere' : 'here'
    },

    async catchUp() {
      if (isCatchingUp) return
      isCatchingUp = true
      try {
        for (const names of batchesOf([...late.keys()], BATCH)) {
          if (!(await writeLate(names))) break
        }
      } finally {
        isCatchingUp = false
      }
    },
  }
}

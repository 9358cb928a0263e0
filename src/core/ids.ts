/** Ids of tool calls: kept where the provider gave a usable one, made up where it did not. */
import type { CoreOptions } from './options.ts'

const FIRST_SUFFIX = 2

/**
 * `random` is `call_` and 12 lower-case letters and digits, `sequential` is `name_index`. An id that a
 * function repeats gets a suffix; one that is blank is made up at random.
 */
export type IdMintOptions = Pick<CoreOptions, 'ids' | 'random' | 'usedIds' | 'ensureUniqueIds'>

export interface ClaimedId {
  readonly id: string
  /** The id that was refused because the conversation had used it. */
  readonly originalId?: string
}

export interface IdMint {
  /** The given id when it can be kept, a new one otherwise. */
  claim(id: string | undefined, name: string, index: number): ClaimedId
}

/** Gives out ids, none of them twice. */
export function createIdMint({
  ids = 'random',
  random = Math.random,
  usedIds = [],
  ensureUniqueIds = true,
}: IdMintOptions = {}): IdMint {
  /**
   * The ids that are taken, made when there is a call. Each with the number to go on counting from: a source
   * that always says the same would otherwise cost as many probes as there are calls, for every call.
   */
  let taken: Map<string, number> | undefined

  function candidate(name: string, index: number): string {
    if (ids === 'sequential') return `${name}_${index}`
    if (ids === 'random') return randomId(random)
    const id = ids({ name, index })
    return isUsable(id) ? id : randomId(random)
  }

  /** Undefined for an id that is free. */
  function nextOf(id: string): number | undefined {
    if (!taken) {
      taken = new Map()
      for (const other of usedIds) taken.set(other, FIRST_SUFFIX)
    }
    return ensureUniqueIds ? taken.get(id) : undefined
  }

  function take(base: string): string {
    let id = base
    let next = nextOf(base)
    if (next) {
      while (nextOf(id)) id = `${base}_${next++}`
      taken?.set(base, next)
    }
    taken?.set(id, FIRST_SUFFIX)
    return id
  }

  function claim(id: string | undefined, name: string, index: number): ClaimedId {
    if (isUsable(id) && !nextOf(id)) return { id: take(id) }
    const made = take(candidate(name, index))
    return isUsable(id) ? { id: made, originalId: id } : { id: made }
  }

  return { claim }
}

function isUsable(id: unknown): id is string {
  return typeof id === 'string' && id.trim() !== ''
}

function randomId(random: () => number): string {
  return `call_${randomPart(random)}${randomPart(random)}`
}

/** Six letters and digits; the shift is also for sources that leave their range. */
function randomPart(random: () => number): string {
  const bits = (random() * 36 ** 6) >>> 0
  return bits.toString(36).padStart(6, '0').slice(-6)
}

/** Ids of tool calls: kept where the provider gave a usable one, made up where it did not. */
import type { CoreOptions } from './options.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-'
const RANDOM_LENGTH = 12

/**
 * `random` is `call_` and 12 characters of `[A-Za-z0-9_-]`, `sequential` is `name_index`. An id that a
 * function repeats gets a suffix; one that is blank is made up at random.
 */
export interface IdMintOptions extends Pick<CoreOptions, 'ids' | 'random'> {
  /** Ids the conversation has used already. */
  readonly used?: Iterable<string> | undefined
  /** False keeps ids as they come, repeated ones too. Default true. */
  readonly unique?: boolean | undefined
}

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
  used = [],
  unique = true,
}: IdMintOptions = {}): IdMint {
  const taken = new Set(used)
  // Where to go on counting for a candidate that repeats: a source that always says the same
  // would otherwise cost as many probes as there are calls, for every call.
  const suffixes = new Map<string, number>()

  function candidate(name: string, index: number): string {
    if (ids === 'sequential') return `${name}_${index}`
    if (ids === 'random') return randomId(random)
    const id = ids({ name, index })
    return isUsable(id) ? id : randomId(random)
  }

  function take(base: string): string {
    let id = base
    let suffix = suffixes.get(base) ?? 2
    while (unique && taken.has(id)) id = `${base}_${suffix++}`
    if (id !== base) suffixes.set(base, suffix)
    taken.add(id)
    return id
  }

  function claim(id: string | undefined, name: string, index: number): ClaimedId {
    if (isUsable(id) && !(unique && taken.has(id))) return { id: take(id) }
    const made = take(candidate(name, index))
    return isUsable(id) ? { id: made, originalId: id } : { id: made }
  }

  return { claim }
}

function isUsable(id: unknown): id is string {
  return typeof id === 'string' && id.trim() !== ''
}

function randomId(random: () => number): string {
  let id = 'call_'
  // The mask is for sources that leave their range.
  for (let i = 0; i < RANDOM_LENGTH; i++) id += ALPHABET.charAt((random() * 64) & 63)
  return id
}

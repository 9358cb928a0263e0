/** Ids of tool calls: kept where the provider gave a usable one, made up where it did not. */
import type { IdStyle } from './options.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-'
const RANDOM_LENGTH = 12

export interface IdMintOptions {
  /**
   * `random` is `call_` and 12 characters of `[A-Za-z0-9_-]`, `sequential` is `name_index`. An id
   * that a function repeats gets a suffix; one that is blank is made up at random.
   */
  readonly ids?: IdStyle | undefined
  /** Numbers in [0, 1), for reproducible ids. */
  readonly random?: (() => number) | undefined
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
  /** A new id. */
  mint(name: string, index: number): string
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

  function mint(name: string, index: number): string {
    return take(candidate(name, index))
  }

  function claim(id: string | undefined, name: string, index: number): ClaimedId {
    if (!isUsable(id)) return { id: mint(name, index) }
    if (unique && taken.has(id)) return { id: mint(name, index), originalId: id }
    return { id: take(id) }
  }

  return { mint, claim }
}

function isUsable(id: unknown): id is string {
  return typeof id === 'string' && id.trim() !== ''
}

/** Five characters from each number: as many as its first 30 bits can tell. */
function randomId(random: () => number): string {
  let id = 'call_'
  for (let i = 0; i < RANDOM_LENGTH; i += 5) {
    let bits = (random() * 2 ** 30) >>> 0
    for (let k = i; k < Math.min(i + 5, RANDOM_LENGTH); k++) {
      id += ALPHABET.charAt(bits & 63)
      bits >>>= 6
    }
  }
  return id
}

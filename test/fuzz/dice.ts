/** Random choices that depend on a seed only, so that a failed run can be repeated. */
import { randomNumbers } from '../../conformance/chunkings.ts'

export interface Dice {
  /** A whole number in [0, limit). */
  below(limit: number): number
  /** True with this probability. */
  chance(probability: number): boolean
  pick<T>(list: readonly [T, ...T[]]): T
}

export function createDice(seed: string): Dice {
  const random = randomNumbers(seed)
  const below = (limit: number): number => Math.floor(random() * limit)
  return {
    below,
    chance: (probability) => random() < probability,
    // The index is below the length of a list that is not empty.
    pick: <T>(list: readonly [T, ...T[]]): T => list[below(list.length)] as T,
  }
}

/** The list, for {@link Dice.pick}. Throws when it is empty. */
export function filled<T>(list: readonly T[]): readonly [T, ...T[]] {
  const [first, ...rest] = list
  if (first === undefined) throw new Error('nothing to pick from')
  return [first, ...rest]
}

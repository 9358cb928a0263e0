/** Order among the values of a registry, as the values themselves declare it. */
import { InvalidInputError } from './errors.ts'

/** A value that may say which others it comes before. */
interface Ordered {
  readonly id: string
}

/**
 * The values, each before all those that it names; values that say nothing of each other keep their order.
 *
 * @throws InvalidInputError when the declarations contradict each other.
 */
export function declaredOrder<T extends Ordered>(
  values: readonly T[],
  comesBefore: (value: T) => readonly string[] | undefined,
): readonly T[] {
  const waiting = new Map(values.map((value) => [value, predecessorsOf(value)]))
  function predecessorsOf({ id }: T): Set<T> {
    return new Set(values.filter((one) => one.id !== id && comesBefore(one)?.includes(id)))
  }

  const ordered: T[] = []
  while (waiting.size > 0) {
    const next = firstFree(waiting)
    ordered.push(next)
    waiting.delete(next)
    for (const predecessors of waiting.values()) predecessors.delete(next)
  }
  return ordered
}

function firstFree<T extends Ordered>(waiting: ReadonlyMap<T, ReadonlySet<T>>): T {
  for (const [value, predecessors] of waiting) if (predecessors.size === 0) return value
  const ids = [...waiting.keys()].map(({ id }) => id).join(', ')
  throw new InvalidInputError(`these declare that they come before each other: ${ids}`)
}

/**
 * Adds items to the end of a list. A list that is spread into the arguments of `push` may be longer than the
 * stack.
 */
export function append<T>(list: T[], items: readonly T[]): void {
  for (const item of items) list.push(item)
}

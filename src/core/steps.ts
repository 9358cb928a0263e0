/** Long work in steps, for those who want to do something else in between. */

/** Work that stops after each of its steps. */
export type Steps<T> = Generator<void, T, void>

/** A stretch of so many messages, each with a call or a result, takes some ten milliseconds. */
const STRETCH = 2000

/** A list as `flatMap` makes it, in steps of one stretch each. */
export function* flatMapSteps<T, U>(
  items: readonly T[],
  map: (item: T) => readonly U[],
): Steps<U[]> {
  const mapped: U[] = []
  for (const [at, item] of items.entries()) {
    if (at > 0 && at % STRETCH === 0) yield
    for (const one of map(item)) mapped.push(one)
  }
  return mapped
}

/** A list as `map` makes it, in steps of one stretch each. */
export function mapSteps<T, U>(items: readonly T[], map: (item: T) => U): Steps<U[]> {
  return flatMapSteps(items, (item) => [map(item)])
}

/** All steps at once. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** All steps, with a break after each. */
export async function runStepsApart<T>(steps: Steps<T>, pause: () => Promise<void>): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    await pause()
  }
}

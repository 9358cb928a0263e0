/** Long work in steps, for those who want to do something else in between. */

/** Work that stops after each of its steps. */
export type Steps<T> = Generator<void, T, void>

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

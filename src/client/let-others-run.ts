/** Long work is done in parts, so that others have their turn in between. */

/** Resolves when whatever else waits has had its turn. */
export function letOthersRun(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve)
    else setTimeout(resolve, 0)
  })
}

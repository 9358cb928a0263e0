/** Long work is done in parts, so that others have their turn in between. */

/** Bytes of a body. To read, write or send a longer one takes long enough for others to notice. */
export const LONG_BODY: number = 256 * 1024

/** Resolves when whatever else waits has had its turn. */
export function letOthersRun(): Promise<void> {
  return new Promise((resolve) => {
    if (typeof setImmediate === 'function') setImmediate(resolve)
    else setTimeout(resolve, 0)
  })
}

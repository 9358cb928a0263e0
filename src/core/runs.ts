/** Neighbours in a list that belong together. */

/** The list as runs of neighbours, in one pass; `joins` says whether an item goes on with the run before it. */
export function runsOf<T>(
  items: readonly T[],
  joins: (run: readonly T[], item: T) => boolean,
): (readonly T[])[] {
  const runs: T[][] = []
  let run: T[] | undefined
  for (const item of items) {
    if (run && joins(run, item)) {
      run.push(item)
    } else {
      run = [item]
      runs.push(run)
    }
  }
  return runs
}

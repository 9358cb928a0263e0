/** Which calls of a turn may run beside each other. */

export interface CallBatch<Item> {
  readonly isParallel: boolean
  readonly items: readonly Item[]
}

/**
 * Neighbours that are safe form a batch, at most `max` of them; any other call stands alone. The order
 * never changes: a read that stands before a write is done before it. Without `isSafe` nothing is known
 * to be safe, and all calls are one batch, one after another.
 */
export function partition<Item>(
  items: readonly Item[],
  isSafe: ((item: Item) => boolean) | undefined,
  max: number,
): CallBatch<Item>[] {
  if (!isSafe) return items.length === 0 ? [] : [{ isParallel: false, items }]
  const batches: { isParallel: boolean; items: Item[] }[] = []
  for (const item of items) {
    const last = batches.at(-1)
    const isParallel = isSafe(item)
    if (isParallel && last?.isParallel && last.items.length < max) last.items.push(item)
    else batches.push({ isParallel, items: [item] })
  }
  return batches
}

/** Runs a batch; whatever ends first, the results are in the order of the items. */
export async function runBatch<Item, Result>(
  { isParallel, items }: CallBatch<Item>,
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  if (isParallel) return allOf(items.map(run))
  const results: Result[] = []
  for (const item of items) results.push(await run(item))
  return results
}

/** As Promise.all, but nothing is under way any more when it rejects. */
async function allOf<Result>(running: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(running)
  return Promise.all(running)
}

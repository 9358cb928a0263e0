/** Standard output at the pace of whoever reads it. */
import { once } from 'node:events'

/** What a slow reader has not taken yet must not pile up, and one that has gone must be noticed. */
export async function keepPace(): Promise<void> {
  if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain')
}

/** Whole replies in which nothing can begin: they are text, and need not be read to know it. */
import { skipSpace } from './characters.ts'
import { append, createCursor } from './cursor.ts'
import type { CandidateSets } from './grammar.ts'
import { STOP_DEPTH } from './stops.ts'

/** Behind it nothing can follow that would make a marker of the last characters. */
const END = '\n'.repeat(STOP_DEPTH)

/** Stops where the engine would for the first time, if anywhere. */
export function isPlain(reply: string, { start, later }: CandidateSets): boolean {
  const text = reply + END
  const cursor = createCursor(0)
  append(cursor, text)
  // What must stand first is not looked for behind the first character that can be seen.
  const first = Math.min(reply.length, skipSpace(reply, 0)) + 1
  return (
    start.stops.findShort(cursor, 0, first) === first &&
    later.stops.find(cursor, first) === text.length
  )
}

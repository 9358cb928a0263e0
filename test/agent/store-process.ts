/**
 * A process that uses a store until it is done or killed, for the tests of what a kill leaves behind.
 *
 *     store-process.js append <path> <run> <total>    appends until the run has so many records
 *     store-process.js crash <path> <run> <change>    appends once, and dies at a change on disk
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import process from 'node:process'
import type { RunRecord } from '../../src/agent/journal.ts'
import { openStore } from '../../src/agent/sqlite-store.ts'

/** Every call with which the store changes something on disk. */
const CHANGES = [
  'fsyncSync',
  'ftruncateSync',
  'mkdirSync',
  'openSync',
  'renameSync',
  'rmdirSync',
  'rmSync',
  'unlinkSync',
  'writeFileSync',
] as const

const [task, path = '', run = '', number = '0'] = process.argv.slice(2)

const write = fs.writeSync

if (task === 'crash') dieAt(Number(number))
const store = await openStore(path, { waitMs: 60_000 })
let position = (await store.read(run)).length
const end = task === 'crash' ? position + 2 : Number(number)
while (position < end) {
  await store.append(run, recordsFrom(position), position)
  position += 2
  // At once, and not through a stream: what was said before a kill has to arrive.
  write(1, `${position}\n`)
}
await store.close()
write(1, 'done\n')

/** Two at a time, so that half of an append would show; the larger ones fill several pages. */
function recordsFrom(position: number): RunRecord[] {
  return [position, position + 1].map((at) => ({
    type: 'rejected',
    feedback: `${at} ${'x'.repeat((at * 977) % 9000)}`,
  }))
}

function dieAt(last: number): void {
  let seen = 0
  const dies = () => {
    seen += 1
    return seen === last
  }
  for (const name of CHANGES) {
    // The cast: these calls have nothing in common but that they are called.
    const change = fs[name] as (...values: unknown[]) => unknown
    fs[name] = (...values: unknown[]): never =>
      // The cast: each returns what it always did, if it returns.
      (dies() ? process.kill(process.pid, 'SIGKILL') : change(...values)) as never
  }
  // A write that was cut short is worse than one that was never begun.
  fs.writeSync = (file: number, bytes: unknown, ...place: unknown[]): number => {
    const [offset, length, position] = place.map(Number)
    const isLast = dies()
    const size = isLast ? Math.floor((length ?? 0) / 2) : length
    // The cast: SQLite writes bytes.
    const written = write(file, bytes as Uint8Array, offset, size, position)
    if (isLast) process.kill(process.pid, 'SIGKILL')
    return written
  }
  syncBuiltinESMExports()
}

/**
 * Lets processes use a file one after another, also when one is killed while it is its turn.
 *
 * A folder beside the file holds one empty file, the token. Its name says whose turn it is: `free`, or
 * the name of a holder. Every change is one rename of the token, which a file system grants to exactly
 * one of several who try. A holder that is gone is replaced in the same way, so that a kill at any
 * moment leaves neither nobody nor two in charge.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ToolglotError } from '../../core/errors.ts'
import { isHolder, newHolder, pidOf, standingOf } from './holder.ts'

const FREE = 'free'

/** How long a holder that cannot be looked at may keep the token. A turn takes milliseconds. */
const MAX_UNKNOWN_MS = 5000

const MAX_PAUSE_MS = 16

export interface Turn {
  end(): void
}

/** Whom we wait for, and since when. */
interface Watch {
  holder: string
  since: number
}

/** Waits for the turn; rejects with `store_busy` when it takes longer than allowed. */
export async function takeTurn(folder: string, waitMs: number): Promise<Turn> {
  const name = newHolder()
  const start = performance.now()
  const watch: Watch = { holder: '', since: start }
  for (let pause = 1; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
    if (pass(folder, FREE, name) || replace(folder, name, watch)) {
      return { end: () => pass(folder, name, FREE) }
    }
    if (performance.now() - start > waitMs) throw busy(folder, watch)
    // Not all at the same moment again.
    await sleep(pause * (0.5 + Math.random()))
  }
}

/** Takes the place of a holder that is gone. */
function replace(folder: string, name: string, watch: Watch): boolean {
  const holder = currentHolder(folder)
  if (holder === undefined) {
    makeToken(folder)
    return pass(folder, FREE, name)
  }
  const now = performance.now()
  if (holder !== watch.holder) Object.assign(watch, { holder, since: now })
  if (holder === FREE) return false
  const standing = standingOf(holder)
  const isOver = standing === 'unknown' ? now - watch.since > MAX_UNKNOWN_MS : standing === 'gone'
  return isOver && pass(folder, holder, name)
}

/** Renames the token; false when it has another name by now. */
function pass(folder: string, from: string, to: string): boolean {
  try {
    renameSync(join(folder, from), join(folder, to))
    return true
  } catch (error) {
    // Windows refuses while somebody else has it in hand.
    if (isOneOf(error, 'ENOENT', 'EPERM', 'EBUSY')) return false
    throw error
  }
}

function currentHolder(folder: string): string | undefined {
  try {
    return readdirSync(folder).find((name) => name === FREE || isHolder(name))
  } catch (error) {
    if (isOneOf(error, 'ENOENT')) return undefined
    throw error
  }
}

// The folder comes with its token in one step, and only where there is none: a folder with anything
// in it cannot be renamed over.
function makeToken(folder: string): void {
  const draft = `${folder}-${newHolder()}`
  mkdirSync(draft)
  try {
    writeFileSync(join(draft, FREE), '')
    renameSync(draft, folder)
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    if (!isOneOf(error, 'ENOTEMPTY', 'EEXIST', 'EPERM')) throw error
  }
}

function busy(folder: string, { holder }: Watch): ToolglotError {
  const who = isHolder(holder) ? `process ${pidOf(holder)}` : 'another process'
  return new ToolglotError('store_busy', `${who} does not give the store free (see ${folder})`)
}

function isOneOf(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/** How a store comes to its database: kept open, or opened for each use. */
import { lstatSync, mkdirSync, readlinkSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isToolglotError, ToolglotError } from '../../core/errors.ts'
import { thrownMessage } from '../../core/thrown-message.ts'
import type { Database, Driver } from './driver.ts'
import { openFile, refuseOtherKinds } from './store-file.ts'
import { takeTurn } from './turn.ts'

export interface Connection {
  /** Runs work that asks the database and returns; it must not wait for anything. */
  use<T>(work: (database: Database) => T): Promise<T>
  close(): Promise<void>
}

const RETRY_MS = 10

export async function connect(driver: Driver, path: string, waitMs: number): Promise<Connection> {
  const place = await explained(path, async () => findPlace(path))
  const inTurn = <T>(work: () => T) =>
    explained(place, async () => {
      const turn = await takeTurn(`${place}-turn`, waitMs)
      try {
        return work()
      } finally {
        turn.end()
      }
    })
  return driver.locks
    ? keepOpen(await inTurn(() => openFile(driver, place)), place, waitMs, inTurn)
    : await openEachTime(driver, place, inTurn)
}

type InTurn = <T>(work: () => T) => Promise<T>

// The turn keeps processes of another driver away while the files beside the database come and go;
// between opening and closing those files do.
function keepOpen(database: Database, place: string, waitMs: number, inTurn: InTurn): Connection {
  return {
    use: (work) => explained(place, () => persistently(() => work(database), waitMs)),
    close: () => inTurn(() => database.close()),
  }
}

async function openEachTime(driver: Driver, place: string, inTurn: InTurn): Promise<Connection> {
  const use = <T>(work: (database: Database) => T) =>
    inTurn(() => {
      const database = openFile(driver, place)
      try {
        return work(database)
      } finally {
        database.close()
      }
    })
  // What is wrong with the file is to be known now, not at the first record.
  await use(() => undefined)
  return { use, close: async () => undefined }
}

/** Tries again while another process writes; SQLite's own waiting would stop everything else. */
async function persistently<T>(work: () => T, waitMs: number): Promise<T> {
  const start = performance.now()
  for (;;) {
    try {
      return work()
    } catch (error) {
      if (!isLocked(error) || performance.now() - start > waitMs) throw error
    }
    await sleep(RETRY_MS * (0.5 + Math.random()))
  }
}

/** One name for one file, however it was reached: the turn is taken by name. */
function findPlace(path: string): string {
  const place = resolve(path)
  mkdirSync(dirname(place), { recursive: true })
  const found = realPlace(place)
  refuseOtherKinds(found)
  return found
}

function realPlace(place: string): string {
  try {
    return realpathSync(place)
  } catch {
    refuseLink(place)
    return join(realpathSync(dirname(place)), basename(place))
  }
}

/** A new file in the place of a link would part the runs in it from those where the link leads. */
function refuseLink(place: string): void {
  if (!lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink()) return
  const reason = `it is a link to ${readlinkSync(place)}, and nothing is there`
  throw new ToolglotError('store_unavailable', `${place} cannot be used as a store: ${reason}`)
}

async function explained<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isToolglotError(error) ? error : explain(path, error)
  }
}

function explain(path: string, cause: unknown): ToolglotError {
  const reason = thrownMessage(cause)
  if (/not a database|malformed/.test(reason)) {
    return new ToolglotError('store_invalid', `${path} is damaged or no store: ${reason}`, {
      cause,
    })
  }
  const code = isLocked(cause) ? 'store_busy' : 'store_unavailable'
  return new ToolglotError(code, `${path} cannot be used as a store: ${reason}`, { cause })
}

function isLocked(error: unknown): boolean {
  return error instanceof Error && /\bis locked\b/.test(error.message)
}

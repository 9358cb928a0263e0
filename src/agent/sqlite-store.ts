/**
 * Keeps runs in a SQLite database, the default when a path is given: `node:sqlite` where Node has it,
 * else the package `node-sqlite3-wasm`.
 */
import { ToolglotError } from '../core/errors.ts'
import type { RunRecord } from './journal.ts'
import { runConflict } from './run-conflict.ts'
import { type Connection, connect } from './sqlite/connection.ts'
import { type Database, type Driver, transact } from './sqlite/driver.ts'
import { nodeDriver } from './sqlite/node-driver.ts'
import { wasmDriver } from './sqlite/wasm-driver.ts'
import type { RunSummary, Store } from './store.ts'

export interface StoreOptions {
  /** How long to wait while other processes use the file, before `store_busy`. 10 seconds if not given. */
  readonly waitMs?: number
}

const WAIT_MS = 10_000

/**
 * Opens the store in a file and makes the file, and the folders on the way to it, if need be.
 *
 * @example
 * const store = await openStore('runs.db')
 */
export async function openStore(path: string, options: StoreOptions = {}): Promise<Store> {
  return openStoreWith(nodeDriver() ?? (await wasmDriver()), path, options)
}

/** {@link openStore} with a certain build of SQLite. */
export async function openStoreWith(
  driver: Driver,
  path: string,
  { waitMs = WAIT_MS }: StoreOptions = {},
): Promise<Store> {
  return createStore(await connect(driver, path, waitMs))
}

function createStore(connection: Connection): Store {
  let last: Promise<unknown> = Promise.resolve()
  let closed: Promise<void> | undefined

  // In the order of the calls: one that has to wait must not be overtaken by the next.
  function use<T>(work: (database: Database) => T): Promise<T> {
    if (closed) return Promise.reject(new ToolglotError('store_closed', 'the store is closed'))
    const result = last.then(() => connection.use(work))
    last = result.catch(() => undefined)
    return result
  }

  return {
    read: (run) => use((database) => readRecords(database, run)),

    async append(run, records, after) {
      // Before anything is written: what JSON cannot hold throws here.
      const bodies = records.map((record) => JSON.stringify(record))
      await use((database) => appendBodies(database, run, bodies, after))
    },

    list: () => use(listRuns),
    delete: (run) => use((database) => deleteRun(database, run)),

    close() {
      closed ??= last.then(() => connection.close())
      return closed
    },
  }
}

function readRecords(database: Database, run: string): readonly RunRecord[] {
  const rows = database.all(
    'SELECT body FROM records WHERE run = (SELECT number FROM runs WHERE id = ?) ORDER BY position',
    [encodeId(run)],
  )
  // The cast: what is read is what was appended.
  return rows.map(({ body }) => JSON.parse(String(body)) as RunRecord)
}

function appendBodies(
  database: Database,
  run: string,
  bodies: readonly string[],
  after: number,
): void {
  const id = encodeId(run)
  transact(database, () => {
    const [known] = database.all('SELECT number, records FROM runs WHERE id = ?', [id])
    const count = Number(known?.['records'] ?? 0)
    if (count !== after) throw runConflict(run, after, count)
    if (bodies.length === 0) return
    const number = Number(known?.['number'] ?? addRun(database, id))
    for (const [at, body] of bodies.entries()) {
      database.all('INSERT INTO records VALUES (?, ?, ?)', [number, count + at, body])
    }
    const total = count + bodies.length
    const change = 'UPDATE runs SET records = ?, updated_at = ? WHERE number = ?'
    database.all(change, [total, Date.now(), number])
  })
}

function addRun(database: Database, id: string): unknown {
  const insert = 'INSERT INTO runs (id, records, updated_at) VALUES (?, 0, 0) RETURNING number'
  return database.all(insert, [id])[0]?.['number']
}

function listRuns(database: Database): RunSummary[] {
  const rows = database.all('SELECT id, records, updated_at FROM runs ORDER BY updated_at DESC, id')
  return rows.map((row) => ({
    id: decodeId(String(row['id'])),
    records: Number(row['records']),
    updatedAt: Number(row['updated_at']),
  }))
}

function deleteRun(database: Database, run: string): void {
  const id = encodeId(run)
  transact(database, () => {
    database.all('DELETE FROM records WHERE run = (SELECT number FROM runs WHERE id = ?)', [id])
    database.all('DELETE FROM runs WHERE id = ?', [id])
  })
}

// A text in SQLite cannot hold everything that a string can: not the zero character, nor half of a
// surrogate pair. JSON writes them otherwise, and leaves the usual ids as they are.
function encodeId(id: string): string {
  return JSON.stringify(id).slice(1, -1)
}

function decodeId(text: string): string {
  return String(JSON.parse(`"${text}"`))
}

/**
 * SQLite compiled to WebAssembly, for a Node without its own.
 *
 * What the package `node-sqlite3-wasm` lacks decides how it is used here. It locks a file by a folder
 * `<file>.lock`, which a killed process leaves behind; and it never finds that a rollback journal was
 * left by a killed process, so that the database stays half written. A write-ahead log needs no such
 * finding: it is read whenever it is there. Without shared memory SQLite allows one only in exclusive
 * mode, which is what taking turns gives (`turn.ts`).
 */
import { existsSync, rmSync } from 'node:fs'
import { ToolglotError } from '../../core/errors.ts'
import type { Database, Driver } from './driver.ts'

const PACKAGE = 'node-sqlite3-wasm'

type Sqlite = typeof import('node-sqlite3-wasm')

export async function wasmDriver(): Promise<Driver> {
  const sqlite = await load()
  return { locks: false, open: (path) => open(sqlite, path) }
}

async function load(): Promise<Sqlite> {
  try {
    return (await import('node-sqlite3-wasm')).default
  } catch (cause) {
    const message = `this Node has no SQLite: run "npm install ${PACKAGE}", or use Node 22.13 or newer`
    throw new ToolglotError('missing_package', message, { cause })
  }
}

function open(sqlite: Sqlite, path: string): Database {
  refuseOthers(path)
  // It is our turn, so whoever made this folder is gone.
  rmSync(`${path}.lock`, { recursive: true, force: true })
  const database = new sqlite.Database(path)
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL')
  } catch (error) {
    // Its lock would outlive us.
    database.close()
    throw error
  }
  return {
    exec: (sql) => database.exec(sql),
    all: (sql, values = []) => database.all(sql, [...values]),
    close: () => database.close(),
  }
}

/** Files that other builds of SQLite keep beside a database, and that this one does not heed. */
function refuseOthers(path: string): void {
  const found = ['-shm', '-journal'].find((suffix) => existsSync(path + suffix))
  if (found === undefined) return
  const what = `${path}${found} is there, so a process with another SQLite has the store open`
  const advice = 'if it was killed, open the store once with Node 22.13 or newer'
  throw new ToolglotError('store_busy', `${what}; ${advice}`)
}

/** SQLite as it comes with Node 22.13 and newer. */
import process from 'node:process'
import type { Database, Driver, SqlRow, SqlValue } from './driver.ts'

/** The part of `node:sqlite` that is used; the oldest Node we run on has no types for it. */
interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => DatabaseSync
}

interface DatabaseSync {
  exec(sql: string): void
  prepare(sql: string): { all(...values: readonly SqlValue[]): readonly SqlRow[] }
  close(): void
}

/** Undefined where this Node has no SQLite. */
export function nodeDriver(): Driver | undefined {
  // The cast: the types of the oldest Node do not know the module.
  const sqlite = process.getBuiltinModule?.('node:sqlite') as NodeSqlite | undefined
  if (!sqlite) return undefined
  return { locks: true, open: (path) => wrap(new sqlite.DatabaseSync(path)) }
}

function wrap(database: DatabaseSync): Database {
  database.exec('PRAGMA synchronous = FULL')
  return {
    exec: (sql) => database.exec(sql),
    all: (sql, values = []) => database.prepare(sql).all(...values),
    close: () => database.close(),
  }
}

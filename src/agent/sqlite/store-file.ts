/** The database file of a store: made, opened, and recognised as one. */
import { closeSync, fsyncSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { ToolglotError } from '../../core/errors.ts'
import type { Database, Driver } from './driver.ts'

/** `tool` in ASCII: tells a store from the databases of other programs. */
const APPLICATION = 0x746f_6f6c

const VERSION = 1

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  CREATE TABLE runs (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    records INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
  );
  CREATE TABLE records (
    run INTEGER NOT NULL REFERENCES runs (number),
    position INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (run, position)
  );
  PRAGMA application_id = ${APPLICATION};
  PRAGMA user_version = ${VERSION};
`

/** How every file of SQLite begins. */
const FIRST_BYTES = 'SQLite format 3\0'

/** Before anything is put beside it: a path that was given by mistake keeps no trace of us. */
export function refuseOtherKinds(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats && !stats.isFile()) {
    throw new ToolglotError('store_unavailable', `${path} cannot be used as a store: it is no file`)
  }
  if (stats && stats.size > 0 && beginningOf(path) !== FIRST_BYTES) {
    throw new ToolglotError('store_invalid', `${path} is damaged or no store: it is no database`)
  }
}

function beginningOf(path: string): string {
  const bytes = Buffer.alloc(FIRST_BYTES.length)
  const descriptor = openSync(path, 'r')
  try {
    readSync(descriptor, bytes)
  } finally {
    closeSync(descriptor)
  }
  return bytes.toString('latin1')
}

/** Opens the file and makes it first where there is none. Only for who has the turn. */
export function openFile(driver: Driver, path: string): Database {
  if (!hasContent(path)) makeFile(driver, path)
  const database = driver.open(path)
  try {
    check(database, path)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function hasContent(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats !== undefined && (!stats.isFile() || stats.size > 0)
}

// Under another name until it is complete: not every driver recovers from a kill before the file has
// its write-ahead log.
function makeFile(driver: Driver, path: string): void {
  const draft = `${path}-new`
  for (const suffix of ['', '-wal', '-shm', '-journal', '.lock']) {
    rmSync(draft + suffix, { recursive: true, force: true })
  }
  const database = driver.open(draft)
  try {
    database.exec(SCHEMA)
  } finally {
    database.close()
  }
  renameSync(draft, path)
  syncFolder(dirname(path))
}

/** Makes a new name last through a power failure, where the system knows how to. */
function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r')
    fsyncSync(descriptor)
    closeSync(descriptor)
  } catch {
    // Windows cannot open a folder; it needs no such thing either.
  }
}

function check(database: Database, path: string): void {
  const version = pragma(database, 'user_version')
  if (pragma(database, 'application_id') !== APPLICATION) {
    throw new ToolglotError('store_invalid', `${path} is a database of another program`)
  }
  if (typeof version !== 'number' || version > VERSION) {
    const found = `${path} was written by a newer version of Toolglot`
    const detail = `it has version ${version}, and this one reads ${VERSION}`
    throw new ToolglotError('store_version', `${found}: ${detail}`)
  }
  if (pragma(database, 'journal_mode') !== 'wal') {
    throw new ToolglotError('store_invalid', `${path} has lost its write-ahead log (journal_mode)`)
  }
}

function pragma(database: Database, name: string): unknown {
  return database.all(`PRAGMA ${name}`)[0]?.[name]
}

/** The little that a store needs of SQLite, whoever provides it. */
export interface Driver {
  /**
   * Whether processes that have the same file open see each other's locks. Where they do not, they
   * must take turns, and have the file open only while it is theirs.
   */
  readonly locks: boolean
  open(path: string): Database
}

export interface Database {
  exec(sql: string): void
  all(sql: string, values?: readonly SqlValue[]): readonly SqlRow[]
  close(): void
}

export type SqlValue = string | number

export type SqlRow = Readonly<Record<string, unknown>>

/** Runs work that holds as a whole or not at all. */
export function transact<T>(database: Database, work: () => T): T {
  // At once for writing: a reader that turns writer is refused when another writer was faster.
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    undo(database)
    throw error
  }
}

function undo(database: Database): void {
  try {
    database.exec('ROLLBACK')
  } catch {
    // Some errors have ended the transaction already.
  }
}

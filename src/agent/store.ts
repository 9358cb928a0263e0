/** Where the records of runs are kept, so that a run survives its process. */
import type { RunRecord } from './journal.ts'

export interface Store {
  /** All records of a run in the order in which they were appended; empty when there is no such run. */
  read(run: string): Promise<readonly RunRecord[]>
  /**
   * Appends records, all or none, and resolves when they are safe. `after` is how many the run has so
   * far; another number means that another process goes on with the run, and rejects with a
   * ToolglotError `run_conflict`.
   */
  append(run: string, records: readonly RunRecord[], after: number): Promise<void>
  list(): Promise<readonly RunSummary[]>
  delete(run: string): Promise<void>
  close(): Promise<void>
}

export interface RunSummary {
  readonly id: string
  readonly records: number
  /** Milliseconds since 1970. */
  readonly updatedAt: number
}

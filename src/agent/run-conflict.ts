import { ToolglotError } from '../core/errors.ts'

/** The error of an append that does not continue what the store has. */
export function runConflict(run: string, expected: number, found: number): ToolglotError {
  const counts = `the store has ${found} of its records, and ${expected} were expected`
  const message = `run ${JSON.stringify(run)} goes on somewhere else: ${counts}`
  return new ToolglotError('run_conflict', message)
}

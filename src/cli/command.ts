/** The contract of a command, and how it ends. */
import type { Terminal } from './terminal.ts'

export interface Command {
  readonly name: string
  /** One line for the list of commands. */
  readonly summary: string
  readonly help: string
  /** Resolves to the exit code. */
  run(args: readonly string[], terminal: Terminal): Promise<number>
}

export const EXIT_OK = 0
/** `doctor` found no way in which tools work. */
export const EXIT_NO_TOOLS = 1
/** The command line, or a file it names, cannot be used. */
export const EXIT_USAGE = 2
/** `--require-call` was given and there is no call. */
export const EXIT_NO_CALL = 3

/** Something the person at the keyboard can put right: shown as one line, without a stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError' as const
}

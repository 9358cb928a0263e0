/** The contract of a command, and how it ends. */
import type { OptionTable } from './arguments.ts'
import type { Terminal } from './terminal.ts'

export interface Command {
  readonly name: string
  /** One line for the list of commands. */
  readonly summary: string
  readonly help: string
  /** What it understands besides its arguments. */
  readonly options: OptionTable
  /** What options may be given, by their names, for shells that complete a command line. */
  readonly choices?: Readonly<Record<string, Choices>>
  /** The same for its arguments. */
  readonly operands?: Choices
  /** Resolves to the exit code. */
  run(args: readonly string[], terminal: Terminal): Promise<number>
}

/** The name of a file, or one of a few words; a word that ends with `/` goes on. */
export type Choices = 'file' | readonly string[]

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

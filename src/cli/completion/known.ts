/** What completion has to know of a command. */
import type { Choices, Command } from '../command.ts'

export interface Known {
  readonly name: string
  readonly summary: string
  readonly options: readonly KnownOption[]
  readonly operands: Choices
}

export interface KnownOption {
  /** Without the hyphens. */
  readonly name: string
  readonly short?: string | undefined
  /** What follows it; undefined when nothing does. An empty list: anything. */
  readonly values?: Choices | undefined
}

/** Understood before any command. */
export const GLOBAL_OPTIONS = ['--help', '--version', '--no-color'] as const

export function describeCommands(commands: readonly Command[]): Known[] {
  return commands.map(({ name, summary, options, choices = {}, operands = [] }) => ({
    name,
    summary,
    operands,
    options: Object.entries(options).map(([option, { type, short }]) => ({
      name: option,
      short,
      values: type === 'string' ? (choices[option] ?? []) : undefined,
    })),
  }))
}

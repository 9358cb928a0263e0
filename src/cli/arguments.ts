/** Reading the command line: `parseArgs` of Node, with messages for people. */
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { didYouMean } from '../core/nearest.ts'
import { thrownMessage } from '../core/thrown-message.ts'
import { UsageError } from './command.ts'

export type OptionTable = NonNullable<ParseArgsConfig['options']>

/** Understood by every command. */
export const COMMON_OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  'no-color': { type: 'boolean' },
} as const

type Parsed<Options extends OptionTable> = ReturnType<
  typeof parseArgs<{ args: string[]; options: Options; strict: true; allowPositionals: true }>
>

/** Options and positionals; what cannot be understood is a usage error. */
export function readArguments<const Options extends OptionTable>(
  args: readonly string[],
  options: Options,
): Parsed<Options> {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: true })
  } catch (error) {
    throw new UsageError(explain(error, Object.keys(options)))
  }
}

/** The value of an option that allows only a few. */
export function oneOf<const Value extends string>(
  option: string,
  value: string | undefined,
  allowed: readonly Value[],
): Value | undefined {
  if (value === undefined) return undefined
  const found = allowed.find((candidate) => candidate === value)
  if (found !== undefined) return found
  throw new UsageError(
    `${option} cannot be "${value}"${didYouMean(value, allowed)}; it takes ${allowed.join(', ')}`,
  )
}

function explain(error: unknown, names: readonly string[]): string {
  const message = thrownMessage(error)
  const written = /Unknown option '-*([^']*)'/.exec(message)?.[1]
  if (written !== undefined) {
    const long = written.length > 1
    const hint = long
      ? didYouMean(
          `--${written}`,
          names.map((name) => `--${name}`),
        )
      : ''
    return `unknown option ${long ? '--' : '-'}${written}${hint}; --help lists them all`
  }
  return explainValue(message) ?? message.charAt(0).toLowerCase() + message.slice(1)
}

/** An option without the value it wants, or with one that it does not. */
function explainValue(message: string): string | undefined {
  const option = /^Option '(?:-\w, )?(--[\w-]+)/.exec(message)?.[1]
  if (option === undefined) return undefined
  if (message.includes('does not take an argument')) return `${option} takes no value`
  if (message.includes('ambiguous')) {
    return `${option} wants a value, and what follows looks like another option; write ${option}=… if it is one`
  }
  return message.includes('argument missing') ? `${option} wants a value behind it` : undefined
}

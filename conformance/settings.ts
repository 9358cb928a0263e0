/** The command line of a run. */
import { oneOf, readArguments } from '../src/cli/arguments.ts'
import { UsageError } from '../src/cli/command.ts'
import type { Mode } from './run.ts'

export const HELP = `Usage: npm run conformance -- <files or folders…> [options]

Runs cases (JSONL, one case a line) in auto mode and pinned to the protocol named like their format,
whole, with their own chunks and with random chunks, and tells how many are right.

A folder with an index.json holds recorded traffic: replies and streams are read, compared with the
index, written again, cut into pieces and sent through every other dialect; histories are healed for
each dialect and checked.

What is run:
  --format <id,…>       only these formats; of recordings these dialects
  --source <name,…>     only cases of these projects; recordings of these providers
  --strength <which>    strict, partial or all (default all)
  --mode <mode>         auto or pinned (default both)
  --case <id,…>         only these cases, with everything about them
  --chunkings <n>       random chunkings of each case (default 3)
  --seed <text>         what the random chunkings follow from (default: drawn, and printed)

What is told:
  --failures <n>        failures listed in each section (default 20)
  --quiet               the summary only
  --json [file.json]    the report as JSON, to the file or instead of the tables

What is demanded of the cases that are strict and without a policy, in percent:
  --min <n>             calls right in auto mode
  --min-pinned <n>      calls right when pinned
  --min-text <n>        text right, and reasoning right, in each mode

Exit code: 0; 1 below a minimum, when reading in pieces changes a result, or when a recording fails a
check; 2 for a command line or a file that cannot be used.`

export interface Settings {
  readonly help: boolean
  readonly paths: readonly string[]
  readonly modes: readonly Mode[]
  readonly strength: 'strict' | 'partial' | 'all'
  /** Undefined means every one. */
  readonly formats: readonly string[] | undefined
  readonly sources: readonly string[] | undefined
  readonly ids: readonly string[] | undefined
  readonly chunkings: number
  readonly seed: string
  readonly failures: number
  readonly quiet: boolean
  /** A file, or standard output. */
  readonly json: { readonly file: string | undefined } | undefined
  readonly minimums: Minimums
}

/** In percent. */
export interface Minimums {
  readonly calls: number | undefined
  readonly pinned: number | undefined
  readonly text: number | undefined
}

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  format: { type: 'string' },
  source: { type: 'string' },
  strength: { type: 'string' },
  mode: { type: 'string' },
  case: { type: 'string' },
  chunkings: { type: 'string' },
  seed: { type: 'string' },
  failures: { type: 'string' },
  quiet: { type: 'boolean' },
  json: { type: 'string' },
  min: { type: 'string' },
  'min-pinned': { type: 'string' },
  'min-text': { type: 'string' },
} as const

export function readSettings(args: readonly string[]): Settings {
  const { values, positionals } = readArguments(withJsonValue(args), OPTIONS)
  const mode = oneOf('--mode', values.mode, ['auto', 'pinned'])
  return {
    help: values.help ?? false,
    paths: positionals,
    modes: mode ? [mode] : ['auto', 'pinned'],
    strength: oneOf('--strength', values.strength, ['strict', 'partial', 'all']) ?? 'all',
    formats: namesOf(values.format),
    sources: namesOf(values.source),
    ids: namesOf(values.case),
    chunkings: wholeNumber('--chunkings', values.chunkings) ?? 3,
    seed: values.seed ?? String(Math.floor(Math.random() * 1e6)),
    failures: wholeNumber('--failures', values.failures) ?? 20,
    quiet: values.quiet ?? false,
    json: values.json === undefined ? undefined : { file: values.json || undefined },
    minimums: {
      calls: percent('--min', values.min),
      pinned: percent('--min-pinned', values['min-pinned']),
      text: percent('--min-text', values['min-text']),
    },
  }
}

/** `--json` takes what follows only when that is a `.json` file: cases are in `.jsonl` files. */
function withJsonValue(args: readonly string[]): string[] {
  return args.flatMap((arg, index) => {
    if (args[index - 1] === '--json' && isJsonFile(arg)) return []
    if (arg !== '--json') return [arg]
    const next = args[index + 1]
    return [`--json=${isJsonFile(next) ? next : ''}`]
  })
}

function isJsonFile(path: string | undefined): boolean {
  return path?.endsWith('.json') ?? false
}

function namesOf(list: string | undefined): string[] | undefined {
  return list?.split(',').map((name) => name.trim())
}

function wholeNumber(option: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  if (!/^\d{1,9}$/.test(value)) throw new UsageError(`${option} takes a number, not "${value}"`)
  return Number(value)
}

function percent(option: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined
  const number = /^\d+(\.\d+)?%?$/.test(value) ? Number.parseFloat(value) : Number.NaN
  if (number <= 100) return number
  throw new UsageError(`${option} takes a percentage, not "${value}"`)
}

/** `npm run conformance`: reads cases, runs them, tells, and ends with an exit code. */
import { writeFileSync } from 'node:fs'
import { EXIT_OK, EXIT_USAGE, UsageError } from '../src/cli/command.ts'
import { type Case, readCases } from './case.ts'
import { formatDetails } from './details.ts'
import { formatFailures, formatRemarks } from './failures.ts'
import { caseFiles } from './files.ts'
import { jsonReport } from './json-report.ts'
import { shortcomings } from './minimums.ts'
import { runCase } from './run.ts'
import { HELP, readSettings, type Settings } from './settings.ts'
import { formatSections, formatSummary } from './tables.ts'
import type { Ran } from './tally.ts'

const EXIT_FAILED = 1

export interface Outputs {
  print(text: string): void
  warn(text: string): void
  /** Replaces the line on the terminal; absent when there is no terminal. */
  readonly progress?: ((line: string) => void) | undefined
}

export function conformance(args: readonly string[], outputs: Outputs): number {
  try {
    const settings = readSettings(args)
    if (settings.help) {
      outputs.print(HELP)
      return EXIT_OK
    }
    return run(settings, outputs)
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    outputs.warn(`${error.message}\n--help tells how to use this command`)
    return EXIT_USAGE
  }
}

function run(settings: Settings, outputs: Outputs): number {
  const cases = select(caseFiles(settings.paths).flatMap(readCases), settings)
  const start = performance.now()
  const ran = runAll(cases, settings, outputs)
  const seconds = (performance.now() - start) / 1000
  const faults = shortcomings(ran, settings.minimums)
  tell(ran, faults, settings, seconds, outputs)
  return faults.length > 0 ? EXIT_FAILED : EXIT_OK
}

function select(cases: readonly Case[], settings: Settings): Case[] {
  const wanted = (names: readonly string[] | undefined, name: string) =>
    names?.includes(name) ?? true
  const selected = cases.filter(
    ({ id, format, source, strength }) =>
      wanted(settings.ids, id) &&
      wanted(settings.formats, format) &&
      wanted(settings.sources, source) &&
      (settings.strength === 'all' || settings.strength === strength),
  )
  if (selected.length === 0) throw new UsageError('no case is left by the options given')
  return selected
}

function runAll(cases: readonly Case[], settings: Settings, { progress }: Outputs): Ran[] {
  let told = 0
  const ran = cases.map((one, index) => {
    const now = performance.now()
    if (now - told > 100) {
      told = now
      progress?.(`${index}/${cases.length}  ${one.id}`)
    }
    return { case: one, outcomes: runCase(one, settings) }
  })
  progress?.('')
  return ran
}

function tell(
  ran: readonly Ran[],
  faults: readonly string[],
  settings: Settings,
  seconds: number,
  { print }: Outputs,
): void {
  const { json, modes, chunkings, seed } = settings
  if (json) {
    const report = JSON.stringify(jsonReport(ran, faults, settings), null, 2)
    if (json.file === undefined) return print(report)
    writeJson(json.file, report)
  }
  for (const part of bodyOf(ran, settings)) if (part !== '') print(`${part}\n`)
  print(formatSummary(ran, modes))
  print(`${chunkings} random chunkings of each case, seed ${seed}, ${seconds.toFixed(1)} s`)
  for (const fault of faults) print(`FAIL  ${fault}`)
}

function bodyOf(ran: readonly Ran[], { ids, quiet, failures, modes }: Settings): string[] {
  if (ids) return ran.map(formatDetails)
  if (quiet) return []
  return [formatSections(ran, modes), formatFailures(ran, failures), formatRemarks(ran)]
}

function writeJson(file: string, report: string): void {
  try {
    writeFileSync(file, `${report}\n`)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new UsageError(`${file} cannot be written: ${message}`)
  }
}

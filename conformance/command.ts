/** `npm run conformance`: reads cases, runs them, tells, and ends with an exit code. */
import { writeFileSync } from 'node:fs'
import { EXIT_OK, EXIT_USAGE, UsageError } from '../src/cli/command.ts'
import { type Case, readCases } from './case.ts'
import { formatDetails } from './details.ts'
import { formatFailures, formatRemarks } from './failures.ts'
import { findSources } from './files.ts'
import { jsonReport } from './json-report.ts'
import { shortcomings } from './minimums.ts'
import {
  formatRecorded,
  type Recorded,
  recordedShortcomings,
  summarizeRecorded,
} from './recordings/report.ts'
import { runRecordings } from './recordings/run-all.ts'
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
  const sources = findSources(settings.paths)
  const cases = select(sources.cases.flatMap(readCases), settings)
  const start = performance.now()
  const showProgress = createProgress(outputs)
  const ran = cases.map((one, index) => {
    showProgress(`${index}/${cases.length}  ${one.id}`)
    return { case: one, outcomes: runCase(one, settings) }
  })
  const recorded = runRecordings(sources.recordings, settings, showProgress)
  outputs.progress?.('')
  if (ran.length + countRecorded(recorded) === 0) {
    throw new UsageError('no case is left by the options given')
  }
  const seconds = (performance.now() - start) / 1000
  const faults = [...shortcomings(ran, settings.minimums), ...recordedShortcomings(recorded)]
  tell({ ran, recorded, faults, seconds }, settings, outputs)
  return faults.length > 0 ? EXIT_FAILED : EXIT_OK
}

function countRecorded({ outcomes, histories, uncovered }: Recorded): number {
  return outcomes.length + histories.length + uncovered.length
}

/** Told ten times a second: a terminal is slow. */
function createProgress({ progress }: Outputs): (line: string) => void {
  let told = 0
  return (line) => {
    const now = performance.now()
    if (now - told <= 100) return
    told = now
    progress?.(line)
  }
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
  return selected
}

interface Told {
  readonly ran: readonly Ran[]
  readonly recorded: Recorded
  readonly faults: readonly string[]
  readonly seconds: number
}

function tell(told: Told, settings: Settings, { print }: Outputs): void {
  const { ran, recorded, faults, seconds } = told
  const { json, modes, chunkings, seed } = settings
  if (json) {
    const report = JSON.stringify(jsonReport(ran, recorded, faults, settings), null, 2)
    if (json.file === undefined) return print(report)
    writeJson(json.file, report)
  }
  for (const part of bodyOf(told, settings)) if (part !== '') print(`${part}\n`)
  if (ran.length > 0) print(formatSummary(ran, modes))
  for (const part of summarizeRecorded(recorded)) print(part)
  print(`${chunkings} random chunkings of each case, seed ${seed}, ${seconds.toFixed(1)} s`)
  for (const fault of faults) print(`FAIL  ${fault}`)
}

function bodyOf({ ran, recorded }: Told, { ids, quiet, failures, modes }: Settings): string[] {
  if (quiet && !ids) return []
  const cases = ids
    ? ran.map(formatDetails)
    : [formatSections(ran, modes), formatFailures(ran, failures), formatRemarks(ran)]
  return [...cases, ...formatRecorded(recorded, failures)]
}

function writeJson(file: string, report: string): void {
  try {
    writeFileSync(file, `${report}\n`)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new UsageError(`${file} cannot be written: ${message}`)
  }
}

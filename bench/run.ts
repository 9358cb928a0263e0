/**
 * `npm run bench` asks every question; `npm run bench -- whole stream` only these.
 *
 *     --quick     fewer and shorter samples
 *     --json      one JSON document instead of tables
 *     --no-fail   exit code 0 even when a bar is missed
 */
import type { Effort } from './harness.ts'
import { FULL, machine, QUICK, readSink } from './harness.ts'
import type { Report } from './report.ts'
import { formatBar, formatTable, passes } from './report.ts'

type Question = (effort: Effort) => Report

/** Loaded only when asked for. */
const QUESTIONS: Readonly<Record<string, () => Promise<Question>>> = {
  whole: async () => (await import('./whole.ts')).whole,
  stream: async () => (await import('./stream.ts')).stream,
  repair: async () => (await import('./repair.ts')).repair,
  hostile: async () => (await import('./hostile.ts')).hostile,
}

const flags = process.argv.slice(2).filter((argument) => argument.startsWith('--'))
const picked = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const unknown = [
  ...picked.filter((name) => !(name in QUESTIONS)),
  ...flags.filter((flag) => !['--quick', '--json', '--no-fail'].includes(flag)),
]
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. Questions: ${Object.keys(QUESTIONS).join(', ')}.`)
  process.exit(2)
}
if (globalThis.gc === undefined) console.error('Without --expose-gc the figures are noisier.')

const effort = flags.includes('--quick') ? QUICK : FULL
const json = flags.includes('--json')
const reports = new Map<string, Report>()
if (!json) console.log(machine())
for (const [name, find] of Object.entries(QUESTIONS)) {
  if (picked.length > 0 && !picked.includes(name)) continue
  const ask = await find()
  const report = ask(effort)
  reports.set(name, report)
  if (!json) for (const table of report.tables) console.log(`\n${formatTable(table)}`)
}

const bars = [...reports.values()].flatMap((report) => report.bars)
if (json) {
  // Infinity is not JSON: a case that was too slow to measure has no figure.
  const results = Object.fromEntries(reports)
  console.log(JSON.stringify({ machine: machine(), quick: effort === QUICK, results }, null, 2))
} else {
  console.log(`\n${bars.map(formatBar).join('\n')}`)
  console.log(`\n${bars.filter(passes).length} of ${bars.length} bars met (sink ${readSink()})`)
}
if (!(bars.every(passes) || flags.includes('--no-fail'))) process.exitCode = 1

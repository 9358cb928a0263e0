/**
 * `npm run bench` asks every question; `npm run bench -- whole stream` only these;
 * `npm run bench -- results` asks all and writes RESULTS.md; with names, only their sections of it.
 *
 *     --quick     fewer and shorter samples
 *     --json      one JSON document instead of tables
 *     --no-fail   exit code 0 even when a bar is missed
 */
import type { Effort } from './harness.ts'
import { FULL, machine, QUICK, readSink } from './harness.ts'
import type { Report } from './report.ts'
import { formatBar, formatTable, passes } from './report.ts'
import { writeResults, writeSections } from './results.ts'

type Question = (effort: Effort) => Promise<Report>

/** Loaded only when asked for. */
const QUESTIONS: Readonly<Record<string, () => Promise<Question>>> = {
  whole: async () => (await import('./whole.ts')).whole,
  stream: async () => (await import('./stream.ts')).stream,
  growth: async () => (await import('./growth.ts')).growth,
  protocols: async () => (await import('./protocols.ts')).protocols,
  arguments: async () => (await import('./arguments.ts')).argumentStreams,
  peers: async () => (await import('./peers.ts')).peers,
  repair: async () => (await import('./repair.ts')).repair,
  hostile: async () => (await import('./hostile.ts')).hostile,
  dialects: async () => (await import('./dialects.ts')).dialects,
  'rescue-fetch': async () => (await import('./rescue-fetch.ts')).rescueFetches,
  agent: async () => (await import('./agent.ts')).agent,
  gateway: async () => (await import('./gateway.ts')).gateways,
}

const FLAGS = ['--quick', '--json', '--no-fail']
/** Not a question: all of them, kept. */
const RESULTS = 'results'

const words = process.argv.slice(2)
const flags = words.filter((word) => word.startsWith('--'))
const picked = words.filter((word) => !word.startsWith('--'))
const known = [...Object.keys(QUESTIONS), RESULTS, ...FLAGS]
const unknown = words.filter((word) => !known.includes(word))
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. Known: ${known.join(', ')}.`)
  process.exit(2)
}
if (globalThis.gc === undefined) console.error('Without --expose-gc the figures are noisier.')

const everything = picked.every((name) => name === RESULTS)
const effort = flags.includes('--quick') ? QUICK : FULL
const json = flags.includes('--json')
const reports = new Map<string, Report>()
if (!json) console.log(machine())
for (const [name, find] of Object.entries(QUESTIONS)) {
  if (!(everything || picked.includes(name))) continue
  const ask = await find()
  const start = performance.now()
  const report = await ask(effort)
  reports.set(name, report)
  if (json) continue
  for (const table of report.tables) console.log(`\n${formatTable(table)}`)
  console.log(`\n(${name}: ${((performance.now() - start) / 1e3).toFixed(0)} s)`)
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
if (picked.includes(RESULTS)) {
  if (everything) await writeResults(reports, effort === QUICK)
  else await writeSections(reports, effort === QUICK)
}
if (!(bars.every(passes) || flags.includes('--no-fail'))) process.exitCode = 1

/**
 * Timing that stays honest on a shared machine:
 *
 * - contestants of one question run interleaved, round by round, each round in another order, so a
 *   slow minute hits all of them;
 * - young garbage is collected before every sample, outside the clock, and all garbage before a
 *   question; a full collection before each sample would also throw away the optimised code of
 *   short-lived objects, and we would time the compiler;
 * - every contestant is warmed up until its time stops falling, and a sample repeats the work until
 *   it is long enough for the clock;
 * - time spent waiting for a processor, where the system tells it, does not count;
 * - a ratio is the median of the ratios within a round, never a ratio of two bests;
 * - every result is checked once (`expected`) and flows into `sink`, so nothing is optimised away.
 */
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'

export interface Contestant {
  readonly name: string
  /** Does the work once and returns a number that depends on all of it. */
  run(): number
  /** What `run` must return; undefined when there is nothing to check. */
  readonly expected?: number
}

export interface Timing {
  readonly name: string
  /** Median, in nanoseconds for one run. */
  readonly median: number
  /** Samples by round: the same index is the same round for all contestants. */
  readonly samples: readonly number[]
  /** What `run` returned. */
  readonly result: number
  readonly correct: boolean
}

export interface Effort {
  readonly rounds: number
  /** Milliseconds one sample takes at least. */
  readonly sampleMs: number
  readonly warmUpMs: number
}

export const FULL: Effort = { rounds: 15, sampleMs: 8, warmUpMs: 250 }
export const QUICK: Effort = { rounds: 5, sampleMs: 3, warmUpMs: 60 }

let sink = 0

/** Printed at the end of a run: proof that the results were used. */
export function readSink(): number {
  return sink
}

/** Times contestants against each other; the timings come back in the order given. */
export function compare(contestants: readonly Contestant[], effort: Effort): Timing[] {
  globalThis.gc?.()
  const prepared = contestants.map((contestant) => {
    const result = contestant.run()
    const perRun = warmUp(contestant, effort.warmUpMs)
    const repeat = Math.max(1, Math.ceil((effort.sampleMs * 1e6) / perRun))
    return { contestant, repeat, result, samples: [] as number[] }
  })
  for (let round = 0; round < effort.rounds; round++) {
    for (let turn = 0; turn < prepared.length; turn++) {
      const entry = prepared[(round + turn) % prepared.length]
      entry?.samples.push(sample(entry.contestant, entry.repeat))
    }
  }
  return prepared.map(({ contestant, samples, result }) => ({
    name: contestant.name,
    median: median(samples),
    samples,
    result,
    correct: contestant.expected === undefined || contestant.expected === result,
  }))
}

/** How many times longer `a` takes than `b`. */
export function ratio(a: Timing, b: Timing): number {
  return median(a.samples.map((time, round) => time / (b.samples[round] ?? Number.NaN)))
}

/** The fastest of a few cold runs, to find out whether more are affordable. Nanoseconds. */
export function fastestOf(runs: number, run: () => number): number {
  return Math.min(...Array.from({ length: runs }, () => sample({ name: '', run }, 1)))
}

function once(run: () => number): number {
  const start = process.hrtime.bigint()
  sink = (sink + run()) % 1e9
  return Number(process.hrtime.bigint() - start)
}

/** Runs for at least the time given, and on while that still makes it faster. */
function warmUp(contestant: Contestant, milliseconds: number): number {
  let fastest = Number.POSITIVE_INFINITY
  for (let batch = 0; batch < 8; batch++) {
    const before = fastest
    for (let spent = 0; spent < milliseconds * 1e6; ) {
      const time = once(contestant.run)
      spent += time
      fastest = Math.min(fastest, time)
    }
    if (fastest > before * 0.95) break
  }
  return fastest
}

function sample(contestant: Contestant, repeat: number): number {
  globalThis.gc?.({ type: 'minor', execution: 'sync' })
  // The clock runs around both readings: a wait between them and the clock would count as time won.
  const start = process.hrtime.bigint()
  const waited = timeWaited()
  for (let i = 0; i < repeat; i++) sink = (sink + contestant.run()) % 1e9
  const waiting = timeWaited() - waited
  return (Number(process.hrtime.bigint() - start) - waiting) / repeat
}

/** Nanoseconds the main thread was ready to run but did not get a processor; 0 where unknown. */
function timeWaited(): number {
  try {
    return Number(readFileSync('/proc/self/schedstat', 'latin1').split(' ')[1])
  } catch {
    return 0
  }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

export function machine(): string {
  const [cpu] = cpus()
  return `${cpu?.model.trim() ?? 'unknown CPU'}, ${cpus().length} cores, Node ${process.version}, ${process.platform}`
}

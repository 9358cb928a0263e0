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
 * - what takes long gets fewer rounds, so that the slowest contestant does not set the time of all;
 * - every result is checked once (`expected`) and flows into `sink`, so nothing is optimised away.
 */
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'

export interface Contestant {
  readonly name: string
  /** Does the work once and returns a number that depends on all of it. */
  run(): number | Promise<number>
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
  /** Milliseconds all rounds of a comparison may take; three are run in any case. */
  readonly budgetMs: number
}

export const FULL: Effort = { rounds: 15, sampleMs: 8, warmUpMs: 200, budgetMs: 2000 }
export const QUICK: Effort = { rounds: 5, sampleMs: 3, warmUpMs: 40, budgetMs: 300 }

const FEWEST_ROUNDS = 3

let sink = 0

/** Printed at the end of a run: proof that the results were used. */
export function readSink(): number {
  return sink
}

/** Times contestants against each other; the timings come back in the order given. */
export async function compare<const Contestants extends readonly Contestant[]>(
  contestants: Contestants,
  effort: Effort,
): Promise<{ readonly [Index in keyof Contestants]: Timing }> {
  globalThis.gc?.()
  const entries: Entry[] = []
  for (const contestant of contestants) entries.push(await prepare(contestant, effort))
  const roundTime = entries.reduce((sum, { perRun, repeat }) => sum + perRun * repeat, 0)
  const affordable = Math.floor((effort.budgetMs * 1e6) / roundTime)
  const rounds = Math.min(effort.rounds, Math.max(FEWEST_ROUNDS, affordable))
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < entries.length; turn++) {
      const entry = entries[(round + turn) % entries.length]
      entry?.samples.push(await sample(entry.contestant.run, entry.repeat))
    }
  }
  // A mapped tuple type is beyond what `map` can promise: one timing for each contestant.
  return entries.map(toTiming) as { [Index in keyof Contestants]: Timing }
}

interface Entry {
  readonly contestant: Contestant
  /** Nanoseconds one run takes by the look of the warm-up. */
  readonly perRun: number
  readonly repeat: number
  readonly result: number
  readonly samples: number[]
}

async function prepare(contestant: Contestant, effort: Effort): Promise<Entry> {
  const start = ownTime()
  const result = await contestant.run()
  const first = (ownTime() - start) * 1e6
  // What takes longer than the warm-up was compiled while it ran.
  const warm = first > effort.warmUpMs * 1e6
  const perRun = warm ? first : await warmUp(contestant.run, effort.warmUpMs)
  const repeat = Math.max(1, Math.ceil((effort.sampleMs * 1e6) / perRun))
  return { contestant, perRun, repeat, result, samples: [] }
}

function toTiming({ contestant, samples, result }: Entry): Timing {
  const { name, expected } = contestant
  const correct = expected === undefined || expected === result
  return { name, median: median(samples), samples, result, correct }
}

/** How many times longer `a` takes than `b`. */
export function ratio(a: Timing, b: Timing): number {
  return median(a.samples.map((time, round) => time / (b.samples[round] ?? Number.NaN)))
}

/** The fastest of a few cold runs, to find out whether more are affordable. Nanoseconds. */
export async function fastestOf(runs: number, run: Contestant['run']): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY
  for (let i = 0; i < runs; i++) fastest = Math.min(fastest, await sample(run, 1))
  return fastest
}

async function once(run: Contestant['run']): Promise<number> {
  const start = process.hrtime.bigint()
  const result = run()
  sink = (sink + (typeof result === 'number' ? result : await result)) % 1e9
  return Number(process.hrtime.bigint() - start)
}

/** Runs for at least the time given, and on while that still makes it faster. */
async function warmUp(run: Contestant['run'], milliseconds: number): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY
  for (let batch = 0; batch < 8; batch++) {
    const before = fastest
    for (let spent = 0; spent < milliseconds * 1e6; ) {
      const time = await once(run)
      spent += time
      fastest = Math.min(fastest, time)
    }
    if (fastest > before * 0.95) break
  }
  return fastest
}

async function sample(run: Contestant['run'], repeat: number): Promise<number> {
  globalThis.gc?.({ type: 'minor', execution: 'sync' })
  // The clock runs around both readings: a wait between them and the clock would count as time won.
  const start = process.hrtime.bigint()
  const waited = timeWaited()
  for (let i = 0; i < repeat; i++) {
    const result = run()
    // Waiting for a number would cost as much as the fastest contestants.
    sink = (sink + (typeof result === 'number' ? result : await result)) % 1e9
  }
  const waiting = timeWaited() - waited
  return (Number(process.hrtime.bigint() - start) - waiting) / repeat
}

/** Milliseconds on a clock that stands still while the main thread waits for a processor. */
export function ownTime(): number {
  return performance.now() - timeWaited() / 1e6
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

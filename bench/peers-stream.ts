/** Streams in chunks of four characters: how many times as fast are we as packages that do the same? */
import type { ExtractionLibrary, GiveUp } from './extraction-libraries.ts'
import type { Contestant, Effort } from './harness.ts'
import { compare, fastestOf, QUICK, ratio } from './harness.ts'
import type { Input } from './inputs.ts'
import { chunksOf, STREAM_INPUTS, TOOLS } from './inputs.ts'
import type { Peer, Standing } from './peers-standing.ts'
import { load } from './subject.ts'

const { countCalls, countFloorCalls } = await load<typeof import('./streamed.ts')>('./streamed.ts')
const { EXTRACTION_LIBRARIES, foundAll, never, timeLimit } = await load<
  typeof import('./extraction-libraries.ts')
>('./extraction-libraries.ts')

export const CHUNK = 4
const HERMES = { tools: TOOLS, protocols: ['hermes'] } as const
const AUTO = { tools: TOOLS }

export async function peersStream(effort: Effort): Promise<Standing[]> {
  const standings: Standing[] = []
  for (const create of STREAM_INPUTS) {
    const input = create()
    if (effort === QUICK && input.text.length > 5e5) continue
    standings.push(await measure(input, effort))
  }
  return standings
}

interface Attempt {
  readonly library: ExtractionLibrary
  /** Milliseconds after which it was given up, if it was. */
  readonly patience: number
  readonly right: boolean | undefined
  readonly contestant: Contestant
}

async function measure({ name, text }: Input, effort: Effort): Promise<Standing> {
  const chunks = chunksOf(text, CHUNK)
  const patience = await patienceFor(chunks, effort)
  const attempts: Attempt[] = []
  for (const library of EXTRACTION_LIBRARIES) {
    const run = library.stream?.(chunks)
    if (!run) continue
    const limit = library.reference ? patience / 3 : patience
    const found = await run(timeLimit(limit))
    attempts.push({
      library,
      patience: limit,
      right: found && foundAll(found, text),
      contestant: { name: library.name, run: counting(run) },
    })
  }
  const finished = attempts.filter(({ right }) => right !== undefined)
  const [pinned, auto, floor, ...timings] = await compare(
    [
      { name: 'pinned', run: () => countCalls(chunks, HERMES) },
      { name: 'auto', run: () => countCalls(chunks, AUTO) },
      { name: 'floor', run: () => countFloorCalls(chunks) },
      ...finished.map(({ contestant }) => contestant),
    ],
    effort,
  )
  return {
    name,
    size: text.length,
    ours: pinned.median,
    auto: ratio(auto, pinned),
    floor: ratio(floor, pinned),
    peers: attempts.map((attempt) => {
      const timing = timings[finished.indexOf(attempt)]
      const atLeast = (attempt.patience * 1e6) / pinned.median
      return toPeer(attempt, timing ? ratio(timing, pinned) : atLeast)
    }),
  }
}

/** Milliseconds after which a package is given up: it is then surely more than ten times as slow. */
async function patienceFor(chunks: readonly string[], effort: Effort): Promise<number> {
  const ours = await fastestOf(3, () => countCalls(chunks, HERMES))
  return Math.max(effort === QUICK ? 500 : 1000, 15e-6 * ours)
}

function toPeer({ library, right }: Attempt, speed: number): Peer {
  return { ...library, right, speed }
}

function counting(
  run: (giveUp: GiveUp) => ReturnType<ReturnType<NonNullable<ExtractionLibrary['stream']>>>,
): Contestant['run'] {
  return () => {
    const found = run(never)
    return found instanceof Promise
      ? found.then((calls) => calls?.length ?? 0)
      : (found?.length ?? 0)
  }
}

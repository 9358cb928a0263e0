/** How much slower are chunks of four characters than an incremental scan and `JSON.parse`? */
import type { Effort, Timing } from './harness.ts'
import { compare, ratio } from './harness.ts'
import type { Input } from './inputs.ts'
import { chunksOf, STREAM_INPUTS, TOOLS } from './inputs.ts'
import type { Report, Table } from './report.ts'
import { formatRatio, formatTime, timeCell, worstOf } from './report.ts'
import { load } from './subject.ts'

const { countCalls, countFloorCalls, countFloorEvents } =
  await load<typeof import('./streamed.ts')>('./streamed.ts')

const CHUNK = 4

interface Result {
  readonly name: string
  readonly expected: number
  readonly chunks: number
  readonly floor: Timing
  readonly events: Timing
  readonly pinned: Timing
  readonly auto: Timing
}

export async function stream(effort: Effort): Promise<Report> {
  const results: Result[] = []
  for (const create of STREAM_INPUTS) results.push(await measure(create(), effort))
  return {
    tables: [table(results)],
    bars: [
      worstOf(
        'one protocol, streamed, against the streaming floor',
        results.map((r) => ({ name: r.name, value: ratio(r.pinned, r.floor) })),
        3,
      ),
      worstOf(
        'all protocols, streamed, against the streaming floor',
        results.map((r) => ({ name: r.name, value: ratio(r.auto, r.floor) })),
        3,
      ),
      worstOf(
        'all protocols against one, streamed',
        results.map((r) => ({ name: r.name, value: ratio(r.auto, r.pinned) })),
        3,
      ),
      {
        name: 'streams in which another number of calls was found',
        value: results.flatMap((r) => [r.pinned, r.auto]).filter(({ correct }) => !correct).length,
        limit: 0,
        kind: 'max',
      },
    ],
  }
}

async function measure({ name, text, calls: expected }: Input, effort: Effort): Promise<Result> {
  const chunks = chunksOf(text, CHUNK)
  const [floor, events, pinned, auto] = await compare(
    [
      { name: 'floor', run: () => countFloorCalls(chunks), expected },
      { name: 'floor with events', run: () => countFloorEvents(chunks), expected },
      {
        name: 'hermes, tools',
        run: () => countCalls(chunks, { tools: TOOLS, protocols: ['hermes'] }),
        expected,
      },
      { name: 'auto, tools', run: () => countCalls(chunks, { tools: TOOLS }), expected },
    ],
    effort,
  )
  if (!floor.correct) throw new Error(`the floor found ${floor.result} of ${expected} calls`)
  return { name, expected, chunks: chunks.length, floor, events, pinned, auto }
}

function table(results: readonly Result[]): Table {
  return {
    title: `Chunks of ${CHUNK} characters: ratio to the streaming floor`,
    head: [
      ...[
        'input',
        'floor',
        'floor with events',
        'hermes, tools',
        'auto, tools',
        'auto, time a chunk',
      ],
      'auto / hermes',
    ],
    rows: results.map(({ name, expected, chunks, floor, events, pinned, auto }) => [
      name,
      timeCell(floor.median, 1),
      ...[events, pinned, auto].map((timing) =>
        timeCell(
          timing.median,
          ratio(timing, floor),
          timing.correct ? '' : ` ${timing.result}/${expected}!`,
        ),
      ),
      { here: formatTime(auto.median / chunks) },
      formatRatio(ratio(auto, pinned)),
    ]),
  }
}

/** How much slower is a whole text extracted than by two `indexOf` and one `JSON.parse` a call? */
import type { Effort, Timing } from './harness.ts'
import { compare, ratio } from './harness.ts'
import type { Input } from './inputs.ts'
import { TOOLS, WHOLE_INPUTS } from './inputs.ts'
import type { Report, Table } from './report.ts'
import { formatRatio, timeCell, worstOf } from './report.ts'
import { load } from './subject.ts'

const { extract } = await load<typeof import('../src/index.ts')>('../src/index.ts')
const { floorExtract } = await load<typeof import('./floor.ts')>('./floor.ts')

const HERMES = { protocols: ['hermes'] } as const
const HERMES_TOOLS = { ...HERMES, tools: TOOLS }
const AUTO_TOOLS = { tools: TOOLS }

interface Result {
  readonly name: string
  readonly size: number
  readonly expected: number
  readonly floor: Timing
  readonly bare: Timing
  readonly pinned: Timing
  readonly autoBare: Timing
  readonly auto: Timing
}

export async function whole(effort: Effort): Promise<Report> {
  const results: Result[] = []
  for (const create of WHOLE_INPUTS) results.push(await measure(create(), effort))
  const [small, others] = [results.filter(isSmall), results.filter((one) => !isSmall(one))]
  const pinned = (some: readonly Result[]) => againstFloor(some, 'pinned', 'bare')
  const auto = (some: readonly Result[]) => againstFloor(some, 'auto', 'autoBare')
  return {
    tables: [table(results)],
    bars: [
      worstOf('one protocol against the floor', pinned(others), 4),
      worstOf('all protocols against the floor', auto(others), 8),
      // What is done once a text, such as looking up the grammar, weighs more in a short one.
      worstOf('one protocol against the floor, shortest text', pinned(small), 10),
      worstOf('all protocols against the floor, shortest text', auto(small), 10),
      worstOf(
        'all protocols against one',
        results.flatMap((r) => [
          { name: `${r.name}, tools`, value: ratio(r.auto, r.pinned) },
          { name: r.name, value: ratio(r.autoBare, r.bare) },
        ]),
        3,
      ),
      {
        name: 'whole texts in which another number of calls was found',
        value: results
          .flatMap((r) => [r.bare, r.pinned, r.autoBare, r.auto])
          .filter(({ correct }) => !correct).length,
        limit: 0,
        kind: 'max',
      },
    ],
  }
}

type Way = 'bare' | 'pinned' | 'autoBare' | 'auto'

function againstFloor(results: readonly Result[], withTools: Way, without: Way) {
  return results.flatMap((r) => [
    { name: `${r.name}, tools`, value: ratio(r[withTools], r.floor) },
    { name: r.name, value: ratio(r[without], r.floor) },
  ])
}

async function measure({ name, text, calls: expected }: Input, effort: Effort): Promise<Result> {
  const [floor, bare, pinned, autoBare, auto] = await compare(
    [
      { name: 'floor', run: () => floorExtract(text).length, expected },
      { name: 'hermes', run: () => extract(text, HERMES).calls.length, expected },
      { name: 'hermes, tools', run: () => extract(text, HERMES_TOOLS).calls.length, expected },
      { name: 'auto', run: () => extract(text).calls.length, expected },
      { name: 'auto, tools', run: () => extract(text, AUTO_TOOLS).calls.length, expected },
    ],
    effort,
  )
  if (!floor.correct) throw new Error(`the floor found ${floor.result} of ${expected} calls`)
  return { name, size: text.length, expected, floor, bare, pinned, autoBare, auto }
}

function table(results: readonly Result[]): Table {
  return {
    title: 'Whole text: ratio to the floor',
    head: ['input', 'floor', 'hermes', 'hermes, tools', 'auto', 'auto, tools', 'auto / hermes'],
    rows: results.map(({ name, expected, floor, bare, pinned, autoBare, auto }) => [
      name,
      timeCell(floor.median, 1),
      ...[bare, pinned, autoBare, auto].map((timing) =>
        timeCell(
          timing.median,
          ratio(timing, floor),
          timing.correct ? '' : ` ${timing.result}/${expected}!`,
        ),
      ),
      formatRatio(ratio(auto, pinned)),
    ]),
  }
}

const isSmall = ({ size }: Result): boolean => size < 2e3

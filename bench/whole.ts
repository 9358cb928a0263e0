/** How much slower is a whole text extracted than by two `indexOf` and one `JSON.parse` a call? */
import { floorExtract } from './floor.ts'
import type { Effort } from './harness.ts'
import { compare, ratio } from './harness.ts'
import { TOOLS, WHOLE_INPUTS } from './inputs.ts'
import type { Report } from './report.ts'
import { formatRatio, formatTime, worstOf } from './report.ts'
import { load } from './subject.ts'

const { extract } = await load<typeof import('../src/index.ts')>('../src/index.ts')

const HERMES = { protocols: ['hermes'] } as const
const HERMES_TOOLS = { ...HERMES, tools: TOOLS }
const AUTO_TOOLS = { tools: TOOLS }

export function whole(effort: Effort): Report {
  const results = WHOLE_INPUTS.map((create) => {
    const { name, text, calls: expected } = create()
    const [floor, bare, pinned, autoBare, auto] = compare(
      [
        { name: 'floor', run: () => floorExtract(text).length, expected },
        { name: 'hermes', run: () => extract(text, HERMES).calls.length, expected },
        {
          name: 'hermes, tools',
          run: () => extract(text, HERMES_TOOLS).calls.length,
          expected,
        },
        { name: 'auto', run: () => extract(text).calls.length, expected },
        { name: 'auto, tools', run: () => extract(text, AUTO_TOOLS).calls.length, expected },
      ],
      effort,
    )
    if (!(floor && bare && pinned && autoBare && auto)) throw new Error('a contestant is missing')
    return { name, expected, floor, bare, pinned, autoBare, auto }
  })

  return {
    tables: [
      {
        title: 'Whole text (time, ratio to the floor, calls found)',
        head: ['input', 'floor', 'hermes', 'hermes, tools', 'auto', 'auto, tools', 'auto / hermes'],
        rows: results.map(({ name, expected, floor, bare, pinned, autoBare, auto }) => [
          name,
          formatTime(floor.median),
          ...[bare, pinned, autoBare, auto].map((timing) => {
            const found = timing.correct ? '' : ` ${timing.result}/${expected}!`
            return `${formatTime(timing.median)} ${formatRatio(ratio(timing, floor))}${found}`
          }),
          formatRatio(ratio(auto, pinned)),
        ]),
      },
    ],
    bars: [
      worstOf(
        'one protocol, without tools, against the floor',
        results.map((r) => ({ name: r.name, value: ratio(r.bare, r.floor) })),
        4,
      ),
      worstOf(
        'one protocol, with tools, against the floor',
        results.map((r) => ({ name: r.name, value: ratio(r.pinned, r.floor) })),
        4,
      ),
      worstOf(
        'all protocols against the floor',
        results.flatMap((r) => [
          { name: `${r.name}, tools`, value: ratio(r.auto, r.floor) },
          { name: r.name, value: ratio(r.autoBare, r.floor) },
        ]),
        8,
      ),
      worstOf(
        'all protocols against one',
        results.flatMap((r) => [
          { name: `${r.name}, tools`, value: ratio(r.auto, r.pinned) },
          { name: r.name, value: ratio(r.autoBare, r.bare) },
        ]),
        3,
      ),
      {
        name: 'runs that found another number of calls',
        value: results
          .flatMap((r) => [r.bare, r.pinned, r.autoBare, r.auto])
          .filter(({ correct }) => !correct).length,
        limit: 0,
        kind: 'max',
      },
    ],
  }
}

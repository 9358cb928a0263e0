/** Do ordinary texts take ten times as long when they are ten times as long? */
import type { Effort } from './harness.ts'
import { compare, ratio } from './harness.ts'
import { bigCall, chunksOf, proseWithCalls, TOOLS } from './inputs.ts'
import type { Report } from './report.ts'
import { formatRatio, timeCell, worstOf } from './report.ts'
import { load } from './subject.ts'

const { extract } = await load<typeof import('../src/index.ts')>('../src/index.ts')
const { countCalls } = await load<typeof import('./streamed.ts')>('./streamed.ts')

const CHUNK = 4

const TEXTS = [
  { text: 'prose with calls', create: (size: number) => proseWithCalls(size, size / 5e3) },
  { text: 'one big call', create: bigCall },
] as const

const OPTIONS = [
  { options: { tools: TOOLS, protocols: ['hermes'] }, protocols: 'hermes' },
  { options: { tools: TOOLS }, protocols: 'auto' },
] as const

interface Growth {
  readonly name: string
  readonly small: number
  readonly large: number
  readonly value: number
}

export async function growth(effort: Effort): Promise<Report> {
  const measured: Growth[] = []
  for (const { text, create } of TEXTS) {
    const [small, large] = [create(1e5), create(1e6)]
    const chunks = { small: chunksOf(small, CHUNK), large: chunksOf(large, CHUNK) }
    // Sizes are not met to the character.
    const scale = (10 * small.length) / large.length
    for (const { options, protocols } of OPTIONS) {
      const timings = await compare(
        [
          { name: 'small', run: () => extract(small, options).calls.length },
          { name: 'large', run: () => extract(large, options).calls.length },
          { name: 'small', run: () => countCalls(chunks.small, options) },
          { name: 'large', run: () => countCalls(chunks.large, options) },
        ],
        effort,
      )
      const [wholeSmall, wholeLarge, streamSmall, streamLarge] = timings
      measured.push(
        {
          name: `${text}, ${protocols}, whole`,
          small: wholeSmall.median,
          large: wholeLarge.median,
          value: ratio(wholeLarge, wholeSmall) * scale,
        },
        {
          name: `${text}, ${protocols}, ${CHUNK}-character chunks`,
          small: streamSmall.median,
          large: streamLarge.median,
          value: ratio(streamLarge, streamSmall) * scale,
        },
      )
    }
  }
  return {
    tables: [
      {
        title: 'Growth from 100 KB to 1 MB',
        head: ['text', '100 KB', '1 MB', 'growth'],
        rows: measured.map(({ name, small, large, value }) => [
          name,
          timeCell(small),
          timeCell(large),
          formatRatio(value),
        ]),
      },
    ],
    bars: [worstOf('growth for ten times the text', measured, 12)],
  }
}

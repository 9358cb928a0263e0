/** How much more than parsing its frames does it cost to understand a streamed reply? */
import { getDialect } from '../src/dialects/registry.ts'
import type { Effort, Timing } from './harness.ts'
import { compare, ratio } from './harness.ts'
import type { Report, Table } from './report.ts'
import { timeCell, worstOf } from './report.ts'
import { load } from './subject.ts'
import { ARGUMENT, framedBytes, recut, speechOf, WIRE_DIALECTS, wireReply } from './wire-replies.ts'

const { decode, countFrames } = await load<typeof import('./decoded.ts')>('./decoded.ts')

const WORDS = 600
const LARGE = 16_384

interface Result {
  readonly name: string
  readonly frames: number
  readonly floor: Timing
  readonly ours: Timing
}

export async function dialects(effort: Effort): Promise<Report> {
  const results: Result[] = []
  for (const dialect of WIRE_DIALECTS) results.push(...(await measure(dialect, effort)))
  return {
    tables: [table(results)],
    bars: [
      worstOf(
        'a streamed reply, understood, against parsing its frames',
        results.map((r) => ({ name: r.name, value: ratio(r.ours, r.floor) })),
        2,
      ),
      {
        name: 'streamed replies with another text',
        value: results.filter(({ ours }) => !ours.correct).length,
        limit: 0,
        kind: 'max',
      },
    ],
  }
}

async function measure(dialect: (typeof WIRE_DIALECTS)[number], effort: Effort): Promise<Result[]> {
  const { framing } = getDialect(dialect)
  const speech = speechOf(WORDS, ARGUMENT)
  const reply = wireReply(dialect, speech)
  const framed = framedBytes(reply)
  const frames = reply.frames.filter(({ data }) => data.startsWith('{')).length
  const expected = speech.words.join('').length
  const results: Result[] = []
  for (const [name, chunks] of [
    [`${dialect}, a frame at a time`, framed],
    [`${dialect}, 16 KB at a time`, recut(framed, LARGE)],
  ] as const) {
    const [floor, ours] = await compare(
      [
        { name: 'floor', run: () => countFrames(framing, chunks), expected: frames },
        { name: 'ours', run: () => decode(dialect, chunks), expected },
      ],
      effort,
    )
    if (!floor.correct) throw new Error(`the floor saw ${floor.result} of ${frames} frames`)
    results.push({ name, frames, floor, ours })
  }
  return results
}

function table(results: readonly Result[]): Table {
  return {
    title: `Streamed replies of ${WORDS} words and a call: ratio to parsing the frames`,
    head: ['stream', 'floor, a frame', 'decoded'],
    rows: results.map(({ name, frames, floor, ours }) => [
      name,
      timeCell(floor.median / frames, 1),
      timeCell(ours.median / frames, ratio(ours, floor), ours.correct ? '' : ` ${ours.result}!`),
    ]),
  }
}

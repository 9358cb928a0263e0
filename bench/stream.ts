/** How much slower are chunks of four characters than an incremental scan and `JSON.parse`? */
import { FloorStream } from './floor.ts'
import type { Effort } from './harness.ts'
import { compare, ratio } from './harness.ts'
import { chunksOf, STREAM_INPUTS, TOOLS } from './inputs.ts'
import type { Report } from './report.ts'
import { formatRatio, formatTime, worstOf } from './report.ts'
import { load } from './subject.ts'

const { createExtractor } = await load<typeof import('../src/index.ts')>('../src/index.ts')

const CHUNK = 4

export function stream(effort: Effort): Report {
  const results = STREAM_INPUTS.map((create) => {
    const { name, text, calls: expected } = create()
    const chunks = chunksOf(text, CHUNK)
    const [floor, pinned, auto] = compare(
      [
        { name: 'floor', run: () => runFloor(chunks), expected },
        {
          name: 'hermes, tools',
          run: () => runExtractor(chunks, { tools: TOOLS, protocols: ['hermes'] }),
          expected,
        },
        { name: 'auto, tools', run: () => runExtractor(chunks, { tools: TOOLS }), expected },
      ],
      effort,
    )
    if (!(floor && pinned && auto)) throw new Error('a contestant is missing')
    return { name, expected, chunks: chunks.length, floor, pinned, auto }
  })

  return {
    tables: [
      {
        title: `Chunks of ${CHUNK} characters (time, ratio to the floor, time a chunk)`,
        head: ['input', 'floor', 'hermes, tools', 'auto, tools'],
        rows: results.map(({ name, expected, chunks, floor, pinned, auto }) => [
          name,
          formatTime(floor.median),
          ...[pinned, auto].map((timing) => {
            const found = timing.correct ? '' : ` ${timing.result}/${expected}!`
            const each = formatTime(timing.median / chunks)
            return `${formatTime(timing.median)} ${formatRatio(ratio(timing, floor))} ${each}${found}`
          }),
        ]),
      },
    ],
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
      {
        name: 'streams that found another number of calls',
        value: results.flatMap((r) => [r.pinned, r.auto]).filter(({ correct }) => !correct).length,
        limit: 0,
        kind: 'max',
      },
    ],
  }
}

/** Text length goes in so that shown text is not optimised away, and out again to leave the calls. */
function runFloor(chunks: readonly string[]): number {
  const floor = new FloorStream()
  let shown = 0
  for (const chunk of chunks) shown += floor.push(chunk).length
  return shown < 0 ? shown : floor.calls.length
}

function runExtractor(
  chunks: readonly string[],
  options: Parameters<typeof createExtractor>[0],
): number {
  const extractor = createExtractor(options)
  let calls = 0
  for (const chunk of chunks) {
    for (const event of extractor.push(chunk)) if (event.type === 'call-end') calls++
  }
  for (const event of extractor.end()) if (event.type === 'call-end') calls++
  return calls
}

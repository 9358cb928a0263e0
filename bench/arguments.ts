/**
 * Arguments as they stream in: how fast do they come out as deltas, beside JSON parsers that read
 * chunks? All get the same JSON in the same chunks. Ours also gets the markers around it, finds the
 * call, and hands out its arguments piece by piece, with a result that is fitted to the schema; the
 * others are asked for nothing but the value at the root.
 */
import { deepStrictEqual } from 'node:assert'
import type { Contestant, Effort, Timing } from './harness.ts'
import { compare, QUICK, ratio } from './harness.ts'
import type { ArgumentInput } from './inputs.ts'
import { ARGUMENT_INPUTS, chunksOf, TOOLS } from './inputs.ts'
import type { Cell, Report, Table } from './report.ts'
import { formatRatio, timeCell, worstOf } from './report.ts'
import { load } from './subject.ts'

const { createExtractor } = await load<typeof import('../src/index.ts')>('../src/index.ts')
const { JSON_STREAM_LIBRARIES, STREAM_PARSER } = await load<
  typeof import('./json-stream-libraries.ts')
>('./json-stream-libraries.ts')

const CHUNK = 8
/** Without a schema every chunk comes out at once; with one, values that it may convert are held. */
const BARE = { protocols: ['hermes'] } as const
const HERMES = { ...BARE, tools: TOOLS }
const AUTO = { tools: TOOLS }

interface Result {
  readonly name: string
  readonly chunks: number
  /** In how many pieces the arguments come out, without a schema. */
  readonly deltas: number
  readonly peer: Timing
  readonly bare: Timing
  readonly pinned: Timing
  readonly auto: Timing
  /** Undefined: too slow to be run. */
  readonly others: readonly (Timing | undefined)[]
}

export async function argumentStreams(full: Effort): Promise<Report> {
  // With eight contestants a comparison is long enough with less of each.
  const effort = { ...full, rounds: Math.min(full.rounds, 9), warmUpMs: full.warmUpMs / 2 }
  const patience = full === QUICK ? 0.1e9 : 0.6e9
  const results: Result[] = []
  for (const input of ARGUMENT_INPUTS) results.push(await measure(input, effort, patience, results))
  const growth = [
    ...(await measureGrowth('one long string', effort)),
    ...(await measureGrowth('many fields', effort)),
  ]
  return {
    tables: [table(results), growthTable(growth)],
    bars: [
      worstOf(
        'arguments streamed, one protocol, against @streamparser/json',
        results.flatMap((r) => [
          { name: r.name, value: ratio(r.bare, r.peer) },
          { name: `${r.name}, tools`, value: ratio(r.pinned, r.peer) },
        ]),
        1.5,
      ),
      worstOf(
        'arguments streamed, all protocols, against @streamparser/json',
        results.map((r) => ({ name: r.name, value: ratio(r.auto, r.peer) })),
        1.5,
      ),
      worstOf('arguments streamed: growth for ten times the text', growth, 14),
    ],
  }
}

async function measure(
  { name, shape, json, call }: ArgumentInput,
  effort: Effort,
  patience: number,
  earlier: readonly Result[],
): Promise<Result> {
  const chunks = chunksOf(json, CHUNK)
  const reply = ['<tool_call>\n', ...chunks, '\n</tool_call>']
  const deltas = check(reply, BARE, call)
  check(reply, HERMES, call)
  const before = earlier.filter((one) => one.name.endsWith(shape))
  const running = JSON_STREAM_LIBRARIES.filter((_, index) =>
    isAffordable(
      before.map(({ others }) => others[index]?.median),
      patience,
    ),
  )
  const contestants: Contestant[] = running.map(({ name, read }) => ({
    name,
    run: () => read(chunks),
  }))
  const [peer, bare, pinned, auto, ...others] = await compare(
    [
      { name: STREAM_PARSER.name, run: () => STREAM_PARSER.read(chunks) },
      { name: 'hermes', run: () => readDeltas(reply, BARE) },
      { name: 'hermes, tools', run: () => readDeltas(reply, HERMES) },
      { name: 'auto, tools', run: () => readDeltas(reply, AUTO) },
      ...contestants,
    ],
    effort,
  )
  const timings = JSON_STREAM_LIBRARIES.map((library) =>
    others.find((timing) => timing.name === library.name),
  )
  return { name, chunks: chunks.length, deltas, peer, bare, pinned, auto, others: timings }
}

/** Most read all of the text again with every chunk: ten times the text, a hundred times the time. */
function isAffordable(times: readonly (number | undefined)[], patience: number): boolean {
  const [before, last] = [undefined, 0, ...times].slice(-2)
  if (last === undefined) return false
  const growth = before ? Math.min(100, (2 * last) / before) : 100
  return last * growth < patience
}

/** Deltas and result must be the arguments, or the time says nothing. Returns how many deltas came. */
function check(
  reply: readonly string[],
  options: Parameters<typeof createExtractor>[0],
  expected: ArgumentInput['call'],
): number {
  const extractor = createExtractor(options)
  const deltas: string[] = []
  for (const event of [...reply.flatMap((chunk) => extractor.push(chunk)), ...extractor.end()]) {
    if (event.type === 'call-delta') deltas.push(event.argumentsDelta)
  }
  const [call] = extractor.result().calls
  for (const value of [call?.arguments, JSON.parse(deltas.join(''))]) {
    // Through JSON, because ours have no prototype.
    deepStrictEqual(JSON.parse(JSON.stringify(value)), expected.arguments)
  }
  return deltas.length
}

function readDeltas(
  reply: readonly string[],
  options: Parameters<typeof createExtractor>[0],
): number {
  const extractor = createExtractor(options)
  let length = 0
  for (const chunk of reply) {
    for (const event of extractor.push(chunk)) {
      if (event.type === 'call-delta') length += event.argumentsDelta.length
    }
  }
  extractor.end()
  return length
}

interface Growth {
  readonly name: string
  readonly value: number
}

async function measureGrowth(shape: ArgumentInput['shape'], effort: Effort): Promise<Growth[]> {
  const [small, large] = [1e5, 1e6].map((size) => {
    const input = ARGUMENT_INPUTS.find((one) => one.shape === shape && one.size === size)
    if (!input) throw new Error(`no arguments of ${size} characters`)
    return ['<tool_call>\n', ...chunksOf(input.json, CHUNK), '\n</tool_call>']
  }) as [string[], string[]] // `map` forgets that there are two.
  const scale = (10 * small.length) / large.length
  const timings = await compare(
    [
      { name: 'small', run: () => readDeltas(small, HERMES) },
      { name: 'large', run: () => readDeltas(large, HERMES) },
      { name: 'small', run: () => readDeltas(small, AUTO) },
      { name: 'large', run: () => readDeltas(large, AUTO) },
    ],
    effort,
  )
  return [
    { name: `${shape}, hermes`, value: ratio(timings[1], timings[0]) * scale },
    { name: `${shape}, auto`, value: ratio(timings[3], timings[2]) * scale },
  ]
}

function table(results: readonly Result[]): Table {
  return {
    title: `Arguments in chunks of ${CHUNK} characters: ratio to ${STREAM_PARSER.name}`,
    head: [
      'arguments',
      STREAM_PARSER.name,
      'hermes',
      'hermes, tools',
      'auto, tools',
      ...JSON_STREAM_LIBRARIES.map(({ name }) => name),
      'deltas / chunks (hermes)',
    ],
    rows: results.map(({ name, chunks, deltas, peer, bare, pinned, auto, others }) => [
      name,
      timeCell(peer.median, 1),
      ...[bare, pinned, auto, ...others].map(
        (timing): Cell =>
          timing === undefined ? 'not run' : timeCell(timing.median, ratio(timing, peer)),
      ),
      `${deltas} / ${chunks}`,
    ]),
  }
}

function growthTable(growth: readonly Growth[]): Table {
  return {
    title: 'Arguments: growth from 100 KB to 1 MB',
    head: ['arguments', 'growth'],
    rows: growth.map(({ name, value }) => [name, formatRatio(value)]),
  }
}

/** What do all protocols cost beside the one that a text is written in, for each of them? */
import type { Protocol } from '../src/core/protocol.ts'
import type { Effort, Timing } from './harness.ts'
import { compare, QUICK, ratio } from './harness.ts'
import { chunksOf, proseWithCalls, TOOLS } from './inputs.ts'
import type { Report, Table } from './report.ts'
import { formatRatio, timeCell, worstOf } from './report.ts'
import { load } from './subject.ts'

const { allProtocols, extract } = await load<typeof import('../src/index.ts')>('../src/index.ts')
const { countCalls } = await load<typeof import('./streamed.ts')>('./streamed.ts')

const SIZE = 1e4
const CALLS = 5
const CHUNK = 4
const LIMIT = 3

interface Result {
  readonly id: string
  readonly found: { readonly pinned: number; readonly auto: number }
  readonly pinned: Timing
  readonly whole: number
  readonly streamed: number
}

export async function protocols(effort: Effort): Promise<Report> {
  const light = {
    ...effort,
    rounds: 3,
    sampleMs: effort.sampleMs / 2,
    warmUpMs: effort.warmUpMs / 32,
  }
  const close = { ...effort, rounds: 9, warmUpMs: effort.warmUpMs / 2 }
  const results: Result[] = []
  // A sample must do when there is little time.
  const some = allProtocols.filter((_, index) => effort !== QUICK || index % 4 === 0)
  for (const protocol of some) {
    const first = await measure(protocol, light)
    const doubtful = Math.max(first.whole, first.streamed) > LIMIT * 0.9
    results.push(doubtful ? await measure(protocol, close) : first)
  }
  return {
    tables: [table(results, true), table(worst(results), false)],
    bars: [
      worstOf(
        'all protocols against the one of the text',
        results.flatMap(({ id, whole, streamed }) => [
          { name: id, value: whole },
          { name: `${id}, streamed`, value: streamed },
        ]),
        LIMIT,
      ),
    ],
  }
}

async function measure(protocol: Protocol, effort: Effort): Promise<Result> {
  const { id } = protocol
  const text = textFor(protocol)
  const chunks = chunksOf(text, CHUNK)
  const pinnedOptions = { tools: TOOLS, protocols: [id] }
  const autoOptions = { tools: TOOLS }
  const [pinned, auto, pinnedStream, autoStream] = await compare(
    [
      { name: 'pinned', run: () => extract(text, pinnedOptions).calls.length },
      { name: 'auto', run: () => extract(text, autoOptions).calls.length },
      { name: 'pinned, streamed', run: () => countCalls(chunks, pinnedOptions) },
      { name: 'auto, streamed', run: () => countCalls(chunks, autoOptions) },
    ],
    effort,
  )
  return {
    id,
    found: { pinned: pinned.result, auto: auto.result },
    pinned,
    whole: ratio(auto, pinned),
    streamed: ratio(autoStream, pinnedStream),
  }
}

/** Formats that must be the whole reply get one that is nothing but a call. */
function textFor({ id, formatCall }: Protocol): string {
  const text = proseWithCalls(
    SIZE,
    CALLS,
    (name, args) => `\n${formatCall({ name, arguments: args })}\n`,
  )
  const { calls } = extract(text, { tools: TOOLS, protocols: [id] })
  if (calls.length === CALLS) return text
  return formatCall({ name: 'write_file', arguments: { path: 'notes.txt', content: text } })
}

function worst(results: readonly Result[]): Result[] {
  const cost = ({ whole, streamed }: Result) => Math.max(whole, streamed)
  return [...results].sort((a, b) => cost(b) - cost(a)).slice(0, 8)
}

function table(results: readonly Result[], detail: boolean): Table {
  return {
    title: `All protocols beside one, ${SIZE / 1e3} KB with ${CALLS} calls of each protocol${detail ? '' : ': the costliest'}`,
    head: ['protocol', 'alone', 'all, whole', 'all, streamed', 'calls found alone', 'by all'],
    rows: results.map(({ id, found, pinned, whole, streamed }) => [
      id,
      timeCell(pinned.median),
      formatRatio(whole),
      formatRatio(streamed),
      String(found.pinned),
      String(found.auto),
    ]),
    detail,
  }
}

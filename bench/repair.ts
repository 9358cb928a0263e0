/** How fast and how right is broken JSON repaired, beside `JSON.parse` and `jsonrepair`? */
import { jsonrepair } from 'jsonrepair'
import type { Answer, BrokenJson, Outcome } from './broken-json.ts'
import { brokenDocuments, judge, validDocument, weigh } from './broken-json.ts'
import type { Effort, Timing } from './harness.ts'
import { compare, ratio } from './harness.ts'
import type { Report, Table } from './report.ts'
import { formatNumber, formatRatio, timeCell, worstOf } from './report.ts'
import { load } from './subject.ts'

const { repairJson } = await load<typeof import('../src/core/json/repair.ts')>(
  '../src/core/json/repair.ts',
)

const SIZE = 1e4

export async function repair(effort: Effort): Promise<Report> {
  const valid = [await raceValid(1e4, effort), await raceValid(1e5, effort)]
  const outcomes = brokenDocuments(SIZE).map((document) => ({
    ...document,
    ours: judge(document, (text) => ours(text)),
    guided: judge(document, (text) => ours(text, { type: 'object' })),
    peer: judge(document, peer),
  }))
  const broken: (BrokenJson & Race & { readonly ours: Outcome })[] = []
  for (const document of outcomes) {
    if (document.kind === 'valid JSON') continue
    broken.push({ ...document, ...(await race(document, effort)) })
  }
  const count = (side: 'ours' | 'guided' | 'peer', outcome: Outcome): number =>
    outcomes.filter((row) => row[side] === outcome).length

  return {
    tables: [
      {
        title: 'Valid JSON',
        head: ['input', 'JSON.parse', 'repairJson', 'speed beside JSON.parse', 'MB/s'],
        rows: valid.map(({ name, length, floor, ours }) => [
          name,
          timeCell(floor.median),
          timeCell(ours.median),
          formatRatio(1 / ratio(ours, floor)),
          { here: formatNumber((length / ours.median) * 1e3) },
        ]),
      },
      speedTable(broken),
      {
        title: `Correctness (right of ${outcomes.length}: repairJson ${count('ours', 'right')}, jsonrepair ${count('peer', 'right')})`,
        head: ['kind', 'repairJson', 'repairJson, schema', 'jsonrepair'],
        rows: outcomes.map((row) => [row.kind, row.ours, row.guided, row.peer]),
      },
    ],
    bars: [
      worstOf(
        'valid JSON: speed beside JSON.parse',
        valid.map((row) => ({ name: row.name, value: 1 / ratio(row.ours, row.floor) })),
        0.5,
        'min',
      ),
      {
        name: 'broken JSON, all kinds that both answer: times as fast as jsonrepair',
        value: totalSpeed(broken),
        limit: 3,
        kind: 'min',
      },
      worstOf(
        'broken JSON, each kind: times as fast as jsonrepair',
        // To be wrong quickly is no merit.
        broken.flatMap(({ kind, ours, speed }) =>
          speed === undefined || ours !== 'right' ? [] : [{ name: kind, value: speed }],
        ),
        3,
        'min',
      ),
      // As arguments are read: by a schema that says object or array. Without one, JSON in a JSON
      // string is a valid document, a string, and stays one.
      { name: 'kinds repaired rightly', value: count('guided', 'right'), limit: 22, kind: 'min' },
      {
        name: 'kinds silently wrong',
        value: count('guided', 'SILENTLY WRONG'),
        limit: 0,
        kind: 'max',
      },
    ],
  }
}

interface Race {
  readonly time: number
  readonly peerTime: number | undefined
  /** How many times as fast as the peer; undefined when the peer throws. */
  readonly speed: number | undefined
}

/** The time of all kinds together; the easy one, which is valid JSON inside, is left out. */
function totalSpeed(broken: readonly (BrokenJson & Race)[]): number {
  const both = broken.filter(({ kind }) => kind !== 'double-encoded string')
  const sum = (time: (race: Race) => number) => both.reduce((total, one) => total + time(one), 0)
  const ours = sum(({ time, peerTime }) => (peerTime === undefined ? 0 : time))
  return sum(({ peerTime }) => peerTime ?? 0) / ours
}

async function raceValid(
  size: number,
  effort: Effort,
): Promise<{ name: string; length: number; floor: Timing; ours: Timing }> {
  const { text } = validDocument(size)
  const [floor, ours] = await compare(
    [
      { name: 'JSON.parse', run: () => weigh(JSON.parse(text)) },
      { name: 'repairJson', run: () => weigh(repairJson(text).value) },
    ],
    effort,
  )
  return { name: `valid, ${size / 1e3} KB`, length: text.length, floor, ours }
}

async function race({ text }: BrokenJson, effort: Effort): Promise<Race> {
  const light = { ...effort, rounds: Math.min(effort.rounds, 9), warmUpMs: effort.warmUpMs / 2 }
  const contestant = { name: 'repairJson', run: () => weigh(repairJson(text).value) }
  if (peer(text) === undefined) {
    const [alone] = await compare([contestant], light)
    return { time: alone.median, peerTime: undefined, speed: undefined }
  }
  const [ours, theirs] = await compare(
    [contestant, { name: 'jsonrepair', run: () => weigh(JSON.parse(jsonrepair(text))) }],
    light,
  )
  return { time: ours.median, peerTime: theirs.median, speed: ratio(theirs, ours) }
}

function speedTable(broken: readonly (BrokenJson & Race)[]): Table {
  return {
    title: `Broken JSON, ${SIZE / 1e3} KB`,
    head: ['kind', 'repairJson', 'MB/s', 'jsonrepair + JSON.parse', 'times as fast'],
    rows: broken.map(({ kind, text, time, peerTime, speed }) => [
      kind,
      timeCell(time),
      { here: formatNumber((text.length / time) * 1e3) },
      peerTime === undefined ? { here: 'throws' } : timeCell(peerTime),
      speed === undefined ? '–' : formatRatio(speed),
    ]),
  }
}

function ours(text: string, schema?: { readonly type: string }): Answer {
  const { value, complete, repairs } = repairJson(text, schema && { schema })
  return { value, doubtful: !complete || repairs.some(({ risk }) => risk === 'guess') }
}

/** Undefined when it throws, which is an honest answer too. */
function peer(text: string): Answer | undefined {
  try {
    return { value: JSON.parse(jsonrepair(text)), doubtful: false }
  } catch {
    return undefined
  }
}

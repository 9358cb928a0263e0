/** How fast and how right is broken JSON repaired, beside `JSON.parse` and `jsonrepair`? */
import { isDeepStrictEqual } from 'node:util'
import { jsonrepair } from 'jsonrepair'
import type { BrokenJson } from './broken-json.ts'
import { brokenDocuments, validDocument } from './broken-json.ts'
import type { Effort } from './harness.ts'
import { compare, ratio } from './harness.ts'
import type { Report, Table } from './report.ts'
import { formatNumber, formatRatio, formatTime, worstOf } from './report.ts'
import { load } from './subject.ts'

const { repairJson } = await load<typeof import('../src/core/json/repair.ts')>(
  '../src/core/json/repair.ts',
)

const SIZE = 1e4

type Outcome = 'right' | 'reported' | 'SILENTLY WRONG'

export function repair(effort: Effort): Report {
  const valid = [1e4, 1e5].map((size) => {
    const { text } = validDocument(size)
    const [floor, ours] = compare(
      [
        { name: 'JSON.parse', run: () => weigh(JSON.parse(text)) },
        { name: 'repairJson', run: () => weigh(repairJson(text).value) },
      ],
      effort,
    )
    if (!(floor && ours)) throw new Error('a contestant is missing')
    return { name: `valid, ${size / 1e3} KB`, length: text.length, floor, ours }
  })
  const outcomes = brokenDocuments(SIZE).map((document) => ({
    ...document,
    ours: judge(document, (text) => ours(text)),
    guided: judge(document, (text) => ours(text, { type: 'object' })),
    peer: judge(document, peer),
  }))
  const broken = outcomes
    .filter(({ kind }) => kind !== 'valid JSON')
    .map((document) => ({ ...document, ...race(document, effort) }))
  const count = (side: 'ours' | 'guided' | 'peer', outcome: Outcome): number =>
    outcomes.filter((row) => row[side] === outcome).length

  return {
    tables: [
      {
        title: 'Valid JSON',
        head: ['input', 'JSON.parse', 'repairJson', 'speed beside JSON.parse', 'MB/s'],
        rows: valid.map(({ name, length, floor, ours }) => [
          name,
          formatTime(floor.median),
          formatTime(ours.median),
          formatRatio(1 / ratio(ours, floor)),
          formatNumber((length / ours.median) * 1e3),
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

function race({ text }: BrokenJson, effort: Effort): Race {
  const light = { ...effort, rounds: Math.min(effort.rounds, 9), warmUpMs: effort.warmUpMs / 2 }
  const contestant = { name: 'repairJson', run: () => weigh(repairJson(text).value) }
  const answers = peer(text) !== undefined
  const [ours, theirs] = compare(
    answers
      ? [contestant, { name: 'jsonrepair', run: () => weigh(JSON.parse(jsonrepair(text))) }]
      : [contestant],
    light,
  )
  if (!ours) throw new Error('a contestant is missing')
  return {
    time: ours.median,
    peerTime: theirs?.median,
    speed: theirs && ratio(theirs, ours),
  }
}

function speedTable(broken: readonly (BrokenJson & Race)[]): Table {
  return {
    title: `Broken JSON, ${SIZE / 1e3} KB`,
    head: ['kind', 'repairJson', 'MB/s', 'jsonrepair + JSON.parse', 'times as fast'],
    rows: broken.map(({ kind, text, time, peerTime, speed }) => [
      kind,
      formatTime(time),
      formatNumber((text.length / time) * 1e3),
      peerTime === undefined ? 'throws' : formatTime(peerTime),
      speed === undefined ? '–' : formatRatio(speed),
    ]),
  }
}

interface Answer {
  readonly value: unknown
  /** The answer admits that it may not be what was meant. */
  readonly doubtful: boolean
}

function judge(document: BrokenJson, read: (text: string) => Answer | undefined): Outcome {
  const answer = read(document.text)
  if (answer === undefined || answer.value === undefined) return 'reported'
  if (document.accepted.some((value) => isDeepStrictEqual(plain(answer.value), value)))
    return 'right'
  return answer.doubtful ? 'reported' : 'SILENTLY WRONG'
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

/** Without regard to prototypes, which a reader may leave out. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}

function weigh(value: unknown): number {
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 1
}

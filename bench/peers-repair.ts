/** Broken JSON: how many kinds do packages read rightly, and how many times as fast are we? */
import type { BrokenJson, Outcome } from './broken-json.ts'
import { brokenDocuments, judge, weigh } from './broken-json.ts'
import type { Contestant, Effort, Timing } from './harness.ts'
import { compare, median, ratio } from './harness.ts'
import type { JsonLibrary } from './json-libraries.ts'
import type { Table } from './report.ts'
import { formatRatio } from './report.ts'
import { load } from './subject.ts'

const { repairJson } = await load<typeof import('../src/core/json/repair.ts')>(
  '../src/core/json/repair.ts',
)
const { JSON_LIBRARIES } = await load<typeof import('./json-libraries.ts')>('./json-libraries.ts')

const SIZE = 1e4
const OBJECT = { schema: { type: 'object' } } as const

interface Reader {
  readonly name: string
  read(text: string): { readonly value: unknown; readonly doubtful: boolean } | undefined
}

const OURS: Reader = {
  name: 'repairJson',
  read: (text) => {
    const { value, complete, repairs } = repairJson(text, OBJECT)
    return { value, doubtful: !complete || repairs.some(({ risk }) => risk === 'guess') }
  },
}

interface Record {
  readonly name: string
  readonly outcomes: readonly Outcome[]
  /** How many times as long it takes as we do, for each kind that it reads rightly. */
  readonly speeds: readonly number[]
}

export async function peersRepair(effort: Effort): Promise<Table> {
  const documents = brokenDocuments(SIZE)
  const records = [OURS, ...JSON_LIBRARIES.map(toReader)].map(({ name, read }) => ({
    name,
    outcomes: documents.map((document) => judge(document, read)),
    speeds: [] as number[],
  }))
  for (const [kind, document] of documents.entries()) {
    if (document.kind === 'valid JSON') continue
    const able = records.filter(({ outcomes }) => outcomes[kind] === 'right')
    const speeds = await race(document, able, effort)
    for (const [index, { speeds: all }] of able.entries()) all.push(speeds[index] ?? Number.NaN)
  }
  return {
    title: `Broken JSON, ${SIZE / 1e3} KB: packages beside repairJson, on the kinds they read rightly`,
    head: [
      'package',
      `right of ${documents.length}`,
      'silently wrong',
      'takes longer (median)',
      'at least',
      'at most',
    ],
    rows: records.map(toRow),
  }
}

function toReader({ name, parse }: JsonLibrary): Reader {
  return {
    name,
    read: (text) => {
      try {
        return { value: parse(text), doubtful: false }
      } catch {
        return undefined
      }
    },
  }
}

/** The times of those named, in times of ours. */
async function race(
  { text }: BrokenJson,
  able: readonly { readonly name: string }[],
  effort: Effort,
): Promise<number[]> {
  const contestants: Contestant[] = JSON_LIBRARIES.filter((library) =>
    able.some(({ name }) => name === library.name),
  ).map(({ name, parse }) => ({ name, run: () => weigh(parse(text)) }))
  const light = { ...effort, rounds: 5, warmUpMs: effort.warmUpMs / 10, budgetMs: 200 }
  const [ours, ...theirs] = await compare(
    [{ name: OURS.name, run: () => weigh(repairJson(text, OBJECT).value) }, ...contestants],
    light,
  )
  const speedOf = (name: string): number => {
    const timing: Timing | undefined = theirs.find((one) => one.name === name)
    return timing ? ratio(timing, ours) : 1
  }
  return able.map(({ name }) => speedOf(name))
}

function toRow({ name, outcomes, speeds }: Record): string[] {
  const count = (outcome: Outcome) => String(outcomes.filter((one) => one === outcome).length)
  const figures = [median(speeds), Math.min(...speeds), Math.max(...speeds)]
  return [name, count('right'), count('SILENTLY WRONG'), ...figures.map(formatRatio)]
}

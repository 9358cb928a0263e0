/** Does any input make the extractor slow? Growth from 100 KB to 1 MB, and cost beside prose. */
import type { Effort } from './harness.ts'
import { compare, fastestOf, QUICK, ratio } from './harness.ts'
import type { Hostile } from './hostile-inputs.ts'
import { HOSTILE, unfinishedCalls } from './hostile-inputs.ts'
import { chunksOf, proseWithCalls, TOOLS } from './inputs.ts'
import type { Bar, Report, Table } from './report.ts'
import { formatRatio, timeCell, worstOf } from './report.ts'
import { load } from './subject.ts'

const { allProtocols, createExtractor, extract } =
  await load<typeof import('../src/index.ts')>('../src/index.ts')

const CHUNK = 16
const MAX_GROWTH = 12
const MAX_COST = 20
/** Figures beyond this share of a limit are measured again with more care. */
const CLOSE = 0.95
/** For ten times the text: more than noise, less than quadratic. */
const LOOKS_QUADRATIC = 40
/** What is quadratic and costs so much more than prose is not tried with the large text. */
const HOPELESS = 50 * MAX_COST

interface Mode {
  readonly name: string
  readonly cases: readonly (readonly [string, Hostile])[]
  bind(text: string): () => number
}

const CASES = Object.entries(HOSTILE)
/** Chunks take their time, and what a protocol does with a text does not depend on them. */
const ALL_CASES = [...CASES, ...Object.entries(unfinishedCalls(allProtocols))]

const MODES: readonly Mode[] = [
  {
    name: 'whole',
    cases: ALL_CASES,
    bind: (text) => () => weigh(extract(text, { tools: TOOLS })),
  },
  { name: `${CHUNK}-character chunks`, cases: CASES, bind: bindStream },
]

interface Verdict {
  readonly name: string
  readonly small: number
  /** Infinite when it was not tried; the other figures then come from smaller texts. */
  readonly large: number
  readonly growth: number
  /** Cost of a character beside one of prose with calls. */
  readonly cost: number
}

/** The small text and the large one, in characters. */
type Sizes = readonly [small: number, large: number]

export async function hostile(effort: Effort): Promise<Report> {
  const sizes: Sizes = effort === QUICK ? [2e4, 2e5] : [1e5, 1e6]
  const tables: Table[] = []
  const bars: Bar[] = []
  for (const mode of MODES) {
    const verdicts = await judgeAll(mode, sizes, effort)
    tables.push(table(mode, sizes, verdicts), worstTable(mode, sizes, verdicts))
    bars.push(...barsOf(mode, verdicts))
  }
  return { tables, bars }
}

async function judgeAll(mode: Mode, sizes: Sizes, effort: Effort): Promise<Verdict[]> {
  const prose = proseWithCalls(sizes[1], sizes[1] / 2e4)
  const baseline: Baseline = {
    run: mode.bind(prose),
    length: prose.length,
    time: await fastestOf(5, mode.bind(prose)),
  }
  // There are many cases: a first look at all of them, then a close one at those near a limit.
  const close = { ...effort, rounds: 5, warmUpMs: effort.warmUpMs / 8, budgetMs: 500 }
  const verdicts: Verdict[] = []
  for (const [name, create] of effort === QUICK ? CASES : mode.cases) {
    const texts: Texts = {
      tiny: create(sizes[0] / 10),
      small: create(sizes[0]),
      large: create(sizes[1]),
    }
    const first = await glance(name, mode, texts, baseline)
    verdicts.push(isClose(first) ? await measure(name, mode, texts, baseline, close) : first)
  }
  return verdicts
}

/** Prose with calls, beside which the cost of a character is told. */
interface Baseline {
  readonly run: () => number
  readonly length: number
  readonly time: number
}

interface Texts {
  readonly tiny: string
  readonly small: string
  readonly large: string
}

/** Near a limit or beyond it, unless it is hopeless. */
function isClose({ large, growth, cost }: Verdict): boolean {
  if (large === Number.POSITIVE_INFINITY) return false
  return growth > MAX_GROWTH * CLOSE || cost > MAX_COST * CLOSE
}

/** A single run over the large text; what disturbs it makes the figures worse, never better. */
async function glance(name: string, mode: Mode, text: Texts, baseline: Baseline): Promise<Verdict> {
  const tiny = await fastestOf(5, mode.bind(text.tiny))
  const small = await fastestOf(3, mode.bind(text.small))
  const expected = small * 100
  if (small / tiny > LOOKS_QUADRATIC && expected > HOPELESS * baseline.time) {
    return {
      name,
      small,
      large: Number.POSITIVE_INFINITY,
      growth: small / tiny,
      cost: expected / baseline.time,
    }
  }
  const large = await fastestOf(1, mode.bind(text.large))
  return {
    name,
    small,
    large,
    // Sizes are not met to the character, so both figures go by what was really read.
    growth: ((large / small) * 10 * text.small.length) / text.large.length,
    cost: ((large / baseline.time) * baseline.length) / text.large.length,
  }
}

async function measure(
  name: string,
  mode: Mode,
  text: Texts,
  baseline: Baseline,
  effort: Effort,
): Promise<Verdict> {
  const [small, large, prose] = await compare(
    [
      { name: 'small', run: mode.bind(text.small) },
      { name: 'large', run: mode.bind(text.large) },
      { name: 'prose', run: baseline.run },
    ],
    effort,
  )
  return {
    name,
    small: small.median,
    large: large.median,
    growth: (ratio(large, small) * 10 * text.small.length) / text.large.length,
    cost: (ratio(large, prose) * baseline.length) / text.large.length,
  }
}

const headOf = (sizes: Sizes): string[] => [
  'input',
  ...sizes.map((size) => `${size / 1e3} KB`),
  'growth',
  'cost beside prose',
  'verdict',
]

function table(mode: Mode, sizes: Sizes, verdicts: readonly Verdict[]): Table {
  return {
    title: `Hostile input, ${mode.name}`,
    head: headOf(sizes),
    rows: verdicts.map(toRow),
    detail: true,
  }
}

function worstTable(mode: Mode, sizes: Sizes, verdicts: readonly Verdict[]): Table {
  const worst = (figure: 'growth' | 'cost') =>
    [...verdicts].sort((a, b) => b[figure] - a[figure]).slice(0, 5)
  return {
    title: `Hostile input, ${mode.name}: the worst of ${verdicts.length}`,
    head: headOf(sizes),
    rows: [...new Set([...worst('growth'), ...worst('cost')])].map(toRow),
  }
}

function toRow({ name, small, large, growth, cost }: Verdict): Table['rows'][number] {
  return [
    name,
    timeCell(small),
    timeCell(large),
    formatRatio(growth),
    formatRatio(cost),
    growth <= MAX_GROWTH && cost <= MAX_COST ? 'ok' : 'FAIL',
  ]
}

function barsOf(mode: Mode, verdicts: readonly Verdict[]): Bar[] {
  return [
    worstOf(
      `hostile input, ${mode.name}: growth for ten times the text`,
      verdicts.map(({ name, growth }) => ({ name, value: growth })),
      MAX_GROWTH,
    ),
    worstOf(
      `hostile input, ${mode.name}: cost of a character beside prose`,
      verdicts.map(({ name, cost }) => ({ name, value: cost })),
      MAX_COST,
    ),
  ]
}

function bindStream(text: string): () => number {
  const chunks = chunksOf(text, CHUNK)
  return () => {
    const extractor = createExtractor({ tools: TOOLS })
    let events = 0
    for (const chunk of chunks) events += extractor.push(chunk).length
    events += extractor.end().length
    return events + weigh(extractor.result())
  }
}

function weigh({ calls, text, reasoning, issues }: ReturnType<typeof extract>): number {
  return calls.length + text.length + reasoning.length + issues.length
}

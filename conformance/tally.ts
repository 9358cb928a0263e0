/** Counting outcomes. */
import type { Case } from './case.ts'
import type { Mode, Outcome, Verdict } from './run.ts'

export interface Ran {
  readonly case: Case
  readonly outcomes: readonly Outcome[]
}

/** How often something was right among the cases that check it. */
export interface Count {
  readonly right: number
  readonly of: number
}

export interface ModeTally {
  readonly calls: Count
  readonly text: Count
  readonly reasoning: Count
  /** Cases left out of `text` because the reference drops text. */
  readonly dropped: number
}

export interface Tally {
  readonly cases: number
  readonly modes: Partial<Record<Mode, ModeTally>>
}

export function tally(ran: readonly Ran[]): Tally {
  const modes: Partial<Record<Mode, ModeTally>> = {}
  for (const mode of ['auto', 'pinned'] as const) {
    const outcomes = ran.flatMap((one) => one.outcomes.filter((outcome) => outcome.mode === mode))
    if (outcomes.length > 0) modes[mode] = tallyMode(outcomes)
  }
  return { cases: ran.length, modes }
}

function tallyMode(outcomes: readonly Outcome[]): ModeTally {
  return {
    calls: count(outcomes.map(({ calls }) => calls)),
    text: count(outcomes.map(({ text }) => text)),
    reasoning: count(outcomes.map(({ reasoning }) => reasoning)),
    dropped: outcomes.filter(({ text }) => text === 'dropped').length,
  }
}

function count(verdicts: readonly Verdict[]): Count {
  const right = verdicts.filter((verdict) => verdict === 'right').length
  return { right, of: right + verdicts.filter((verdict) => verdict === 'wrong').length }
}

/** In percent; undefined when nothing was checked. */
export function share({ right, of }: Count): number | undefined {
  return of === 0 ? undefined : (100 * right) / of
}

// ── sections ────────────────────────────────────────────────────────────────────────────────────

/** Cases that are told together. */
export interface Section {
  readonly title: string
  readonly ran: readonly Ran[]
  /** The rows of the table a case counts in. */
  readonly keysOf: (one: Case) => readonly string[]
}

/** Facts fully checked, facts checked in part, and choices: never counted together. */
export function sectionsOf(ran: readonly Ran[]): Section[] {
  const byFormat = ({ format, source }: Case) => [`${format}  ${source}`]
  const sections = [
    { title: 'strict, no policy', ran: ran.filter(isHeadline), keysOf: byFormat },
    { title: 'partial, no policy', ran: ran.filter(isPartial), keysOf: byFormat },
    {
      title: 'with a policy',
      ran: ran.filter(hasPolicy),
      keysOf: ({ policies }: Case) => policies,
    },
  ]
  return sections.filter((section) => section.ran.length > 0)
}

/** The cases that state facts and check them fully: what the minimums are about. */
export function isHeadline(one: Ran): boolean {
  return one.case.strength === 'strict' && !hasPolicy(one)
}

function isPartial(one: Ran): boolean {
  return one.case.strength === 'partial' && !hasPolicy(one)
}

function hasPolicy(one: Ran): boolean {
  return one.case.policies.length > 0
}

/** Groups in the order of their keys; a case can be in several groups. */
export function groupBy(
  ran: readonly Ran[],
  keysOf: Section['keysOf'],
): [key: string, group: Ran[]][] {
  const groups = new Map<string, Ran[]>()
  for (const one of ran) {
    for (const key of keysOf(one.case)) {
      const group = groups.get(key)
      if (group) group.push(one)
      else groups.set(key, [one])
    }
  }
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1))
}

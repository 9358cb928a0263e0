/** What went wrong, case by case. */
import { printable } from '../src/cli/terminal.ts'
import type { Case } from './case.ts'
import type { Difference } from './compare.ts'
import type { Mode, Outcome } from './run.ts'
import { type Ran, type Section, sectionsOf } from './tally.ts'

/** Longest value shown. */
const SHOWN = 300

/** A case that failed, with the modes in which it failed in the same way. */
export interface Failure {
  readonly case: Case
  readonly modes: readonly Mode[]
  readonly outcome: Outcome
}

/** Cases whose protocol is missing are told together, not one by one. */
export function failuresOf(ran: readonly Ran[]): Failure[] {
  const failures = ran.flatMap((one) => failuresOfCase(one))
  // Pieces that change the result are worse than an unexpected one.
  const rank = ({ outcome }: Failure) => (outcome.faults.length > 0 ? 0 : 1)
  return failures.sort((one, other) => rank(one) - rank(other))
}

function failuresOfCase({ case: one, outcomes }: Ran): Failure[] {
  const failed = outcomes.filter((outcome) => isFailure(outcome) && !outcome.noProtocol)
  const ways = new Map<string, Failure>()
  for (const outcome of failed) {
    const way = JSON.stringify([wrongParts(outcome), outcome.differences, outcome.faults])
    const modes = [...(ways.get(way)?.modes ?? []), outcome.mode]
    ways.set(way, { case: one, modes, outcome })
  }
  return [...ways.values()]
}

function isFailure(outcome: Outcome): boolean {
  return wrongParts(outcome).length > 0 || outcome.faults.length > 0
}

function wrongParts(outcome: Outcome): string[] {
  return (['calls', 'text', 'reasoning'] as const).filter((part) => outcome[part] === 'wrong')
}

/** The failures of each section, at most `limit` of them. */
export function formatFailures(ran: readonly Ran[], limit: number): string {
  return sectionsOf(ran)
    .flatMap((section) => sectionFailures(section, limit))
    .join('\n\n')
}

function sectionFailures({ title, ran }: Section, limit: number): string[] {
  const failures = failuresOf(ran)
  const shown = failures.slice(0, limit)
  if (shown.length === 0) return []
  const hidden = failures.length - shown.length
  const more = hidden > 0 ? [`… and ${hidden} more; --failures ${failures.length} shows all`] : []
  return [[`Failures, ${title}:`, ...shown.map(formatFailure), ...more].join('\n')]
}

function formatFailure({ case: one, modes, outcome }: Failure): string {
  const what = [...(outcome.faults.length > 0 ? ['stream differs'] : []), ...wrongParts(outcome)]
  const excused = outcome.text === 'dropped'
  const differences = outcome.differences.filter(({ at }) => !(excused && at === 'text'))
  return [
    `${one.id}  ${one.format}  ${modes.join(' and ')}: ${what.join(', ')}`,
    ...outcome.faults.slice(0, 1).map((fault) => `    ! ${shortened(fault)}`),
    ...differences.flatMap(formatDifference),
  ].join('\n')
}

export function formatDifference({ at, expected, got }: Difference): string[] {
  return [`    ${at}`, `      - ${shownValue(expected)}`, `      + ${shownValue(got)}`]
}

function shownValue(value: unknown): string {
  return value === undefined ? 'nothing' : shortened(JSON.stringify(value))
}

function shortened(text: string): string {
  const start = printable(text.slice(0, SHOWN))
  return text.length <= SHOWN ? start : `${start}… (${text.length} characters)`
}

/** What is not counted as right or wrong, or cannot be right: told so that it is not overlooked. */
export function formatRemarks(ran: readonly Ran[]): string {
  const having = (property: (outcome: Outcome) => boolean | undefined) =>
    ran.filter(({ outcomes }) => outcomes.some(property)).map((one) => one.case)
  const dropped = having(({ text }) => text === 'dropped').map(({ id }) => id)
  const unknown = having(({ noProtocol }) => noProtocol).map(({ format }) => format)
  return [
    ...remark('The reference drops text that is kept here', dropped),
    ...remark('No protocol to pin to', [...new Set(unknown)].sort()),
  ].join('\n')
}

function remark(what: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${what} (${names.length}): ${names.join(', ')}`]
}

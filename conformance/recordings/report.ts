/** Telling how recordings and histories fared. */
import { printable } from '../../src/cli/terminal.ts'
import { formatDifference } from '../failures.ts'
import type { HistoryOutcome } from '../histories/run.ts'
import { formatTable } from '../tables.ts'
import type { Count } from '../tally.ts'
import type { Recording } from './recording.ts'
import { CHECKS, type Check, type RecordingOutcome } from './run.ts'

/** All that was done with recorded traffic. */
export interface Recorded {
  readonly outcomes: readonly RecordingOutcome[]
  readonly histories: readonly HistoryOutcome[]
  /** Recordings that nothing reads. */
  readonly uncovered: readonly Recording[]
}

/** Differences shown of one check. */
const SHOWN = 3

export function formatRecorded(recorded: Recorded, failures: number): string[] {
  const { outcomes, histories } = recorded
  return [
    outcomes.length === 0 ? '' : recordingTable(outcomes, true),
    histories.length === 0 ? '' : historyTable(histories, true),
    formatFailures(recorded, failures),
    formatUncovered(recorded),
  ]
}

/** A row for each kind. */
export function summarizeRecorded({ outcomes, histories }: Recorded): string[] {
  return [
    outcomes.length === 0 ? '' : recordingTable(outcomes, false),
    histories.length === 0 ? '' : historyTable(histories, false),
  ].filter((part) => part !== '')
}

/** What keeps a run from passing, in words. */
export function recordedShortcomings({ outcomes, histories }: Recorded): string[] {
  const faulty = outcomes.filter(isFaulty).length
  const refused = histories.filter(isRefused).length
  return [
    ...(faulty > 0 ? [`${faulty} recordings are not read or written as they should be`] : []),
    ...(refused > 0 ? [`${refused} healed histories are refused or change when healed again`] : []),
  ]
}

function isFaulty({ checks }: RecordingOutcome): boolean {
  return CHECKS.some((check) => (checks[check]?.length ?? 0) > 0)
}

function isRefused({ refused, changed }: HistoryOutcome): boolean {
  return refused.length > 0 || changed.length > 0
}

// ── tables ──────────────────────────────────────────────────────────────────────────────────────

function recordingTable(outcomes: readonly RecordingOutcome[], hasRows: boolean): string {
  const row = (title: string, group: readonly RecordingOutcome[]) => [
    title,
    String(group.length),
    ...CHECKS.map((check) => fraction(countCheck(group, check))),
  ]
  return formatTable([
    ['recordings', 'files', ...CHECKS],
    ...(hasRows ? byDialect(outcomes).map(([id, group]) => row(id, group)) : []),
    row('all', outcomes),
  ])
}

function countCheck(outcomes: readonly RecordingOutcome[], check: Check): Count {
  const checked = outcomes.flatMap(({ checks }) => (checks[check] ? [checks[check]] : []))
  return {
    right: checked.filter((differences) => differences.length === 0).length,
    of: checked.length,
  }
}

function historyTable(histories: readonly HistoryOutcome[], hasRows: boolean): string {
  const row = (title: string, group: readonly HistoryOutcome[]) => [
    title,
    String(group.length),
    ...Object.values(countHistories(group)).map(fraction),
  ]
  return formatTable([
    ['histories', 'healed', 'accepted', 'same twice'],
    ...(hasRows ? byDialect(histories).map(([id, group]) => row(id, group)) : []),
    row('all', histories),
  ])
}

function countHistories(histories: readonly HistoryOutcome[]): {
  readonly accepted: Count
  readonly same: Count
} {
  const of = histories.length
  return {
    accepted: { right: histories.filter(({ refused }) => refused.length === 0).length, of },
    same: { right: histories.filter(({ changed }) => changed.length === 0).length, of },
  }
}

function fraction({ right, of }: Count): string {
  return of === 0 ? '' : `${right}/${of}`
}

function byDialect<Outcome extends { readonly dialect: string }>(
  outcomes: readonly Outcome[],
): [dialect: string, group: Outcome[]][] {
  const ids = [...new Set(outcomes.map(({ dialect }) => dialect))].sort()
  return ids.map((id) => [id, outcomes.filter(({ dialect }) => dialect === id)])
}

// ── failures ────────────────────────────────────────────────────────────────────────────────────

function formatFailures({ outcomes, histories }: Recorded, limit: number): string {
  const failures = [
    ...outcomes.filter(isFaulty).map(formatFaulty),
    ...histories.filter(isRefused).map(formatRefused),
  ]
  if (failures.length === 0) return ''
  const hidden = failures.length - limit
  const more = hidden > 0 ? [`… and ${hidden} more; --failures ${failures.length} shows all`] : []
  return ['Failures, recordings:', ...failures.slice(0, limit), ...more].join('\n')
}

function formatFaulty({ recording, dialect, checks }: RecordingOutcome): string {
  const wrong = CHECKS.filter((check) => (checks[check]?.length ?? 0) > 0)
  return [
    `${recording.id}  ${dialect}: ${wrong.join(', ')}`,
    ...wrong.flatMap((check) => checks[check]?.slice(0, SHOWN).flatMap(formatDifference) ?? []),
  ].join('\n')
}

function formatRefused({ recording, dialect, refused, changed }: HistoryOutcome): string {
  return [
    `${recording.id}  for ${dialect}`,
    ...refused.slice(0, SHOWN).map((fault) => `    refused: ${printable(fault)}`),
    ...changed.slice(0, SHOWN).map((change) => `    healed again: ${printable(change)}`),
  ].join('\n')
}

function formatUncovered({ uncovered }: Recorded): string {
  const kinds = [...new Set(uncovered.map(({ dialect }) => dialect))].sort()
  return kinds
    .map((kind) => {
      const ids = uncovered.filter(({ dialect }) => dialect === kind).map(({ id }) => id)
      return `Not covered, ${kind} (${ids.length}): ${ids.join(', ')}`
    })
    .join('\n')
}

// ── JSON ────────────────────────────────────────────────────────────────────────────────────────

export function recordedJson(recorded: Recorded): object {
  const { outcomes, histories, uncovered } = recorded
  return {
    recordings: {
      dialects: byDialect(outcomes).map(([dialect, group]) => ({
        dialect,
        files: group.length,
        ...Object.fromEntries(CHECKS.map((check) => [check, countCheck(group, check)])),
      })),
      failures: outcomes.filter(isFaulty).map(({ recording: { id }, dialect, checks }) => {
        return { id, dialect, checks }
      }),
      uncovered: uncovered.map(({ id, dialect }) => ({ id, dialect })),
    },
    histories: {
      dialects: byDialect(histories).map(([dialect, group]) => ({
        dialect,
        healed: group.length,
        ...countHistories(group),
      })),
      failures: histories
        .filter(isRefused)
        .map(({ recording: { id }, dialect, refused, changed }) => {
          return { id, dialect, refused, changed }
        }),
    },
  }
}

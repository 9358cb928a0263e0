/** The counts of a run as tables. */
import type { Mode } from './run.ts'
import {
  type Count,
  groupBy,
  type ModeTally,
  type Ran,
  type Section,
  sectionsOf,
  share,
  type Tally,
  tally,
} from './tally.ts'

/** A table for each section. */
export function formatSections(ran: readonly Ran[], modes: readonly Mode[]): string {
  return sectionsOf(ran)
    .map((section) => formatSection(section, modes))
    .join('\n\n')
}

function formatSection({ title, ran, keysOf }: Section, modes: readonly Mode[]): string {
  const groups = groupBy(ran, keysOf).map(([key, group]) =>
    row(key, tally(group), modes, formatFraction),
  )
  return formatTable([
    headOf(title, modes),
    ...groups,
    row('all', tally(ran), modes, formatFraction),
  ])
}

/** A row for each section, with percentages. */
export function formatSummary(ran: readonly Ran[], modes: readonly Mode[]): string {
  const rows = sectionsOf(ran).map((section) =>
    row(section.title, tally(section.ran), modes, formatShare),
  )
  return formatTable([headOf('', modes), ...rows])
}

function headOf(title: string, modes: readonly Mode[]): string[] {
  const columns = (mode: Mode) => [`${mode}: calls`, 'text', 'reasoning', 'drops text']
  return [title, 'cases', ...modes.flatMap(columns)]
}

type FormatCount = (count: Count) => string

function row(
  title: string,
  { cases, modes: tallies }: Tally,
  modes: readonly Mode[],
  format: FormatCount,
): string[] {
  return [title, String(cases), ...modes.flatMap((mode) => cells(tallies[mode], format))]
}

function cells(counted: ModeTally | undefined, format: FormatCount): string[] {
  if (!counted) return ['', '', '', '']
  const { calls, text, reasoning, dropped } = counted
  const counts = [calls, text, reasoning].map((count) => (count.of === 0 ? '' : format(count)))
  return [...counts, dropped === 0 ? '' : String(dropped)]
}

function formatFraction({ right, of }: Count): string {
  return `${right}/${of}`
}

function formatShare(count: Count): string {
  return `${formatFraction(count)} ${formatPercent(share(count) ?? 0)}`
}

/** Rounded down: 99.99 % is not all. The tiny addend undoes what binary fractions lose. */
export function formatPercent(part: number): string {
  return `${(Math.floor(part * 100 + 1e-9) / 100).toFixed(2)} %`
}

export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((cells) => cells[column]?.length ?? 0)),
  )
  const aligned = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
  return rows.map((cells) => cells.map(aligned).join('  ').trimEnd()).join('\n')
}

/** What a question answers with, and how that is printed. */

/** A number a part is held to. */
export interface Bar {
  readonly name: string
  readonly value: number
  readonly limit: number
  /** `max`: the value must not pass the limit. `min`: it must reach it. */
  readonly kind: 'max' | 'min'
}

/** Words, or a figure of this machine with what it comes to elsewhere, if anything. */
export type Cell = string | { readonly here: string; readonly anywhere?: string }

export interface Table {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  /** True for tables that are too long for the document. */
  readonly detail?: boolean
}

export interface Report {
  readonly tables: readonly Table[]
  readonly bars: readonly Bar[]
}

export function passes({ value, limit, kind }: Bar): boolean {
  return kind === 'max' ? value <= limit : value >= limit
}

/** The bar of many measurements is the worst of them; its name goes along. */
export function worstOf(
  name: string,
  measured: readonly { readonly name: string; readonly value: number }[],
  limit: number,
  kind: Bar['kind'] = 'max',
): Bar {
  const sign = kind === 'max' ? -1 : 1
  const [worst] = [...measured].sort((a, b) => sign * (a.value - b.value))
  const where = worst === undefined ? '' : ` (worst: ${worst.name.replaceAll('\n', '\\n')})`
  return { name: `${name}${where}`, value: worst?.value ?? Number.NaN, limit, kind }
}

/** For a terminal: all there is. */
export function formatTable({ title, head, rows }: Table): string {
  const texts = rows.map((row) => row.map(showCell))
  const widths = head.map((cell, column) =>
    Math.max(cell.length, ...texts.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
  return [
    title,
    line(head),
    widths.map((width) => '─'.repeat(width)).join('  '),
    ...texts.map(line),
  ].join('\n')
}

/** For a document: without what is true of one machine only. */
export function markdownTable({ title, head, rows }: Table): string {
  const kept = head.flatMap((_, column) =>
    rows.some((row) => portable(row[column] ?? '') !== undefined) ? [column] : [],
  )
  const pick = (cells: readonly Cell[]): string[] =>
    kept.map((column) => portable(cells[column] ?? '') ?? '–')
  return `### ${escapeMarkdown(title)}\n\n${markdownRows(pick(head), rows.map(pick))}`
}

export function markdownRows(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeMarkdown).join(' | ')} |`
  const rule = head.map((_, column) => (column === 0 ? '---' : '--:'))
  return [line(head), `|${rule.join('|')}|`, ...rows.map(line)].join('\n')
}

function showCell(cell: Cell): string {
  if (typeof cell === 'string') return cell
  return cell.anywhere === undefined ? cell.here : `${cell.here} ${cell.anywhere}`
}

function portable(cell: Cell): string | undefined {
  return typeof cell === 'string' ? cell : cell.anywhere
}

function escapeMarkdown(text: string): string {
  return text.replaceAll('\n', '\\n').replaceAll(/[\\`*_[\]<>|~]/g, '\\$&')
}

/** A time, and how many times another it is. */
export function timeCell(nanoseconds: number, ratio?: number, note = ''): Cell {
  const here = formatTime(nanoseconds)
  return ratio === undefined ? { here } : { here, anywhere: `${formatRatio(ratio)}${note}` }
}

export function formatBar(bar: Bar): string {
  const sign = bar.kind === 'max' ? '≤' : '≥'
  return `${passes(bar) ? 'PASS' : 'FAIL'}  ${bar.name}: ${formatNumber(bar.value)} (${sign} ${bar.limit})`
}

export function formatTime(nanoseconds: number): string {
  if (!Number.isFinite(nanoseconds)) return 'not run'
  if (nanoseconds < 1e3) return `${nanoseconds.toFixed(0)} ns`
  if (nanoseconds < 1e6) return `${formatNumber(nanoseconds / 1e3)} µs`
  if (nanoseconds < 1e9) return `${formatNumber(nanoseconds / 1e6)} ms`
  return `${formatNumber(nanoseconds / 1e9)} s`
}

export function formatRatio(value: number): string {
  return Number.isFinite(value) ? `${formatNumber(value)}×` : '–'
}

export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '–'
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}

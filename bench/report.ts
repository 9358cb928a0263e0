/** What a question answers with, and how that is printed. */

/** A number a part is held to. */
export interface Bar {
  readonly name: string
  readonly value: number
  readonly limit: number
  /** `max`: the value must not pass the limit. `min`: it must reach it. */
  readonly kind: 'max' | 'min'
}

export interface Table {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
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

export function formatTable({ title, head, rows }: Table): string {
  const widths = head.map((cell, column) =>
    Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)),
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
    ...rows.map(line),
  ].join('\n')
}

export function formatBar(bar: Bar): string {
  const sign = bar.kind === 'max' ? '≤' : '≥'
  return `${passes(bar) ? 'pass' : 'FAIL'}  ${bar.name}: ${formatNumber(bar.value)} (${sign} ${bar.limit})`
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

/** Numbers with labels, and how Prometheus reads them (text format 0.0.4). */

export interface Registry {
  counter(name: string, help: string, labels?: readonly string[]): Counter
  gauge(name: string, help: string, read: () => number): void
  histogram(
    name: string,
    help: string,
    buckets: readonly number[],
    labels: readonly string[],
  ): Histogram
  render(): string
}

export interface Counter {
  /** The values of the labels, in their order. */
  add(amount: number, ...values: readonly string[]): void
}

export interface Histogram {
  observe(value: number, ...values: readonly string[]): void
}

/** More than that, and no series is added but the one for all others. */
const MAX_SERIES = 500

export function createRegistry(): Registry {
  const renderers: (() => string[])[] = []

  function announce(name: string, help: string, type: string, lines: () => string[]): void {
    const head = [`# HELP ${name} ${escapeHelp(help)}`, `# TYPE ${name} ${type}`]
    renderers.push(() => [...head, ...lines()])
  }

  return {
    counter(name, help, labels = []) {
      const family = createFamily(labels, () => ({ value: 0 }))
      // Without labels there is one series, from the beginning.
      if (labels.length === 0) family.of([])
      announce(name, help, 'counter', () =>
        family.lines((text, { value }) => [`${name}${braced(text)} ${numberText(value)}`]),
      )
      return {
        add(amount, ...values) {
          family.of(values).value += amount
        },
      }
    },

    gauge(name, help, read) {
      announce(name, help, 'gauge', () => [`${name} ${numberText(read())}`])
    },

    histogram(name, help, buckets, labels) {
      const family = createFamily(labels, () => newDistribution(buckets))
      announce(name, help, 'histogram', () =>
        family.lines((text, distribution) => histogramLines(name, text, buckets, distribution)),
      )
      return {
        observe: (value, ...values) => record(family.of(values), buckets, value),
      }
    },

    render: () => `${renderers.flatMap((lines) => lines()).join('\n')}\n`,
  }
}

interface Family<Series> {
  of(values: readonly string[]): Series
  lines(write: (labels: string, series: Series) => readonly string[]): string[]
}

function createFamily<Series>(labels: readonly string[], make: () => Series): Family<Series> {
  const all = new Map<string, { readonly text: string; readonly series: Series }>()
  /** The one used last, which mostly is the next as well. */
  let latest: { readonly values: readonly string[]; readonly series: Series } | undefined

  function add(key: string, values: readonly string[]): Series {
    const text = labels.map((label, at) => `${label}="${escapeValue(values[at] ?? '')}"`).join(',')
    const series = make()
    all.set(key, { text, series })
    return series
  }

  function of(values: readonly string[]): Series {
    if (latest?.values.every((value, at) => value === values[at])) return latest.series
    const series = find(values)
    latest = { values, series }
    return series
  }

  function find(values: readonly string[]): Series {
    const key = values.join('\u0000')
    const known = all.get(key)
    if (known) return known.series
    const others = labels.map(() => OTHER)
    const isFull = all.size >= MAX_SERIES && key !== others.join('\u0000')
    return isFull ? find(others) : add(key, values)
  }

  return {
    of,
    lines: (write) => [...all.values()].flatMap(({ text, series }) => write(text, series)),
  }
}

/** What is not told apart. */
export const OTHER = 'other'

interface Distribution {
  /** Those in each bucket, and not in the ones before; the last are above all buckets. */
  readonly counts: number[]
  sum: number
}

function newDistribution(buckets: readonly number[]): Distribution {
  return { counts: new Array(buckets.length + 1).fill(0), sum: 0 }
}

function record(distribution: Distribution, buckets: readonly number[], value: number): void {
  const found = buckets.findIndex((limit) => value <= limit)
  const at = found === -1 ? buckets.length : found
  distribution.counts[at] = (distribution.counts[at] ?? 0) + 1
  distribution.sum += value
}

function histogramLines(
  name: string,
  labels: string,
  buckets: readonly number[],
  { counts, sum }: Distribution,
): string[] {
  const before = labels === '' ? '' : `${labels},`
  let total = 0
  const lines = [...buckets, Infinity].map((limit, at) => {
    total += counts[at] ?? 0
    return `${name}_bucket{${before}le="${numberText(limit)}"} ${total}`
  })
  return [
    ...lines,
    `${name}_sum${braced(labels)} ${sum}`,
    `${name}_count${braced(labels)} ${total}`,
  ]
}

function braced(labels: string): string {
  return labels === '' ? '' : `{${labels}}`
}

function numberText(value: number): string {
  if (value === Infinity) return '+Inf'
  return value === -Infinity ? '-Inf' : String(value)
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
}

function escapeValue(text: string): string {
  return escapeHelp(text).replaceAll('"', '\\"')
}

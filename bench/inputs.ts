/** Texts to extract from. All are deterministic and flat (no ropes), so every run sees the same. */

import type { JsonObject } from '../src/core/json/value.ts'

export interface Input {
  readonly name: string
  readonly text: string
  readonly calls: number
}

/** Ordinary prose: it has `<`, `{`, `[`, quotes and letters beyond ASCII, as model replies do. */
const SENTENCES = [
  'The harbour was quiet when the survey began, and the first readings came in before noon. ',
  'Where x < y holds, the interval [x, y] is kept; otherwise the pair {x, y} is dropped. ',
  'Müller’s note says “measure twice”, which the crew — all nine of them — found amusing. ',
  'A loop such as for (i = 0; i < n; i++) { sum += a[i] } visits every element once. ',
  'Température moyenne : 17,5 °C; 水温は低い。 Nothing else was unusual that day. ',
  'See the table in section 4.2 for depth, salinity and the time of each sample.\n\n',
  'It costs about 3 % more, but "good enough" is rarely good enough at sea. ',
  'The list [1, 2, 3] and the tag <b> are only there to look like something. ',
  'What is opened with a tag is closed with another, such as </b>, or so they say. ',
]

const CITIES = ['Oslo', 'Bergen', 'Łódź', 'San José', '東京', 'Reykjavík', 'Cork', 'Ålesund']

export const TOOLS = [
  {
    name: 'get_weather',
    inputSchema: {
      type: 'object',
      properties: {
        city: { type: 'string' },
        days: { type: 'integer' },
        hourly: { type: 'boolean' },
        fields: { type: 'array', items: { type: 'string' } },
        note: { type: 'string' },
      },
      required: ['city'],
    },
  },
  {
    name: 'write_file',
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string' },
        content: { type: 'string' },
        rows: { type: 'array', items: { type: 'object' } },
      },
      required: ['path'],
    },
  },
  {
    name: 'search',
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string' }, limit: { type: 'integer' } },
      required: ['query'],
    },
  },
] as const

type WriteCall = (name: string, args: JsonObject) => string

/** Prose of `size` characters with `calls` calls spread evenly over it. */
export function proseWithCalls(size: number, calls: number, write: WriteCall = hermesCall): string {
  const parts: string[] = []
  let length = 0
  let sentence = 0
  for (let call = 0; call < calls; call++) {
    const block = write('get_weather', weatherArguments(call))
    const until = Math.floor((size * (call + 1)) / calls) - block.length
    while (length < until) {
      const next = SENTENCES[sentence++ % SENTENCES.length] ?? ''
      parts.push(next)
      length += next.length
    }
    parts.push(block)
    length += block.length
  }
  return flat(parts)
}

/** One call whose arguments make up nearly all of `size` characters. */
export function bigCall(size: number): string {
  const args = {
    path: 'out/report.txt',
    content: program(size * 0.45),
    rows: measurements(size * 0.45),
  }
  return flat(['Writing it now.\n', hermesCall('write_file', args)])
}

/** Objects that take about `size` characters of JSON. */
function measurements(size: number): unknown[] {
  const rows: unknown[] = []
  for (let length = 0, row = 0; length < size; row++) {
    const entry = {
      id: row,
      city: CITIES[row % CITIES.length],
      depth: row / 8,
      ok: row % 3 === 0,
      note: null,
    }
    rows.push(entry)
    length += JSON.stringify(entry).length + 1
  }
  return rows
}

/**
 * Lines of a script of about `size` characters, with much to escape. Its comments begin with `#`: some
 * packages take two slashes in a string for a comment and then need minutes, and then we would measure only that.
 */
function program(size: number): string {
  const lines: string[] = []
  for (let length = 0, line = 0; length < size; line++) {
    const next = `if (a[${line}] < b) { print("line ${line}\\n") } # ${CITIES[line % CITIES.length]}\n`
    lines.push(next)
    length += next.length
  }
  return lines.join('')
}

/** Arguments of about `size` characters: of a shape that parsers find hard in their own way. */
export interface ArgumentInput {
  readonly name: string
  readonly size: number
  readonly shape: 'one long string' | 'many fields'
  readonly call: { readonly name: string; readonly arguments: unknown }
  /** The call as it stands between the markers. */
  readonly json: string
}

export const ARGUMENT_INPUTS: readonly ArgumentInput[] = [1e3, 1e4, 1e5, 1e6].flatMap((size) => [
  argumentInput(size, 'one long string', { path: 'out/report.txt', content: program(size * 0.9) }),
  argumentInput(size, 'many fields', { path: 'out/rows.json', rows: measurements(size) }),
])

function argumentInput(size: number, shape: ArgumentInput['shape'], args: unknown): ArgumentInput {
  const call = { name: 'write_file', arguments: args }
  const amount = size < 1e6 ? `${size / 1e3} KB` : `${size / 1e6} MB`
  return { name: `${amount}, ${shape}`, size, shape, call, json: flat([JSON.stringify(call)]) }
}

export function chunksOf(text: string, size: number): string[] {
  const chunks: string[] = []
  for (let at = 0; at < text.length; at += size) chunks.push(text.slice(at, at + size))
  return chunks
}

/** Joined to one flat string of exactly the characters given. */
export function flat(parts: readonly string[]): string {
  return Buffer.from(parts.join(''), 'utf16le').toString('utf16le')
}

function hermesCall(name: string, args: unknown): string {
  return `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>\n`
}

function weatherArguments(index: number): JsonObject {
  return {
    city: CITIES[index % CITIES.length] ?? '',
    days: (index % 9) + 1,
    hourly: index % 2 === 0,
    fields: ['temperature', 'wind', 'rain'],
    note: `request ${index}: keep it short, "as always"`,
  }
}

export const WHOLE_INPUTS: readonly (() => Input)[] = [
  () => ({ name: '1 KB, 1 call', text: proseWithCalls(1e3, 1), calls: 1 }),
  () => ({ name: '10 KB, 5 calls', text: proseWithCalls(1e4, 5), calls: 5 }),
  () => ({ name: '100 KB, 20 calls', text: proseWithCalls(1e5, 20), calls: 20 }),
  () => ({ name: '1 MB, 50 calls', text: proseWithCalls(1e6, 50), calls: 50 }),
  () => ({ name: '100 KB, 1 big call', text: bigCall(1e5), calls: 1 }),
  () => ({ name: '1 MB, 1 big call', text: bigCall(1e6), calls: 1 }),
]

export const STREAM_INPUTS: readonly (() => Input)[] = [
  () => ({ name: '10 KB, 5 calls', text: proseWithCalls(1e4, 5), calls: 5 }),
  () => ({ name: '100 KB, 20 calls', text: proseWithCalls(1e5, 20), calls: 20 }),
  () => ({ name: '1 MB, 50 calls', text: proseWithCalls(1e6, 50), calls: 50 }),
  () => ({ name: '10 KB, 1 big call', text: bigCall(1e4), calls: 1 }),
  () => ({ name: '100 KB, 1 big call', text: bigCall(1e5), calls: 1 }),
  () => ({ name: '1 MB, 1 big call', text: bigCall(1e6), calls: 1 }),
]

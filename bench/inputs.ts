/** Texts to extract from. All are deterministic and flat (no ropes), so every run sees the same. */

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
  'The list [1, 2, 3] and the tag <b>bold</b> are only there to look like something. ',
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

/** Prose of `size` characters with `calls` Hermes calls spread evenly over it. */
export function proseWithCalls(size: number, calls: number): string {
  const parts: string[] = []
  let length = 0
  let sentence = 0
  for (let call = 0; call < calls; call++) {
    const block = hermesCall('get_weather', weatherArguments(call))
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
  const rows: unknown[] = []
  for (let length = 0, row = 0; length < size * 0.45; row++) {
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
  let content = ''
  for (let line = 0; content.length < size * 0.45; line++) {
    content += `if (a[${line}] < b) { print("line ${line}\\n") } // ${CITIES[line % CITIES.length]}\n`
  }
  return flat([
    'Writing it now.\n',
    hermesCall('write_file', { path: 'out/report.txt', content, rows }),
  ])
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

function weatherArguments(index: number): unknown {
  return {
    city: CITIES[index % CITIES.length],
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

/** Does any input make the extractor slow? Growth from 100 KB to 1 MB, and cost beside prose. */
import type { Contestant, Effort } from './harness.ts'
import { compare, fastestOf, ratio } from './harness.ts'
import { chunksOf, flat, proseWithCalls, TOOLS } from './inputs.ts'
import type { Bar, Report, Table } from './report.ts'
import { formatRatio, formatTime, worstOf } from './report.ts'
import { load } from './subject.ts'

const { createExtractor, extract } = await load<typeof import('../src/index.ts')>('../src/index.ts')

const SMALL = 1e5
const LARGE = 1e6
const CHUNK = 16
const MAX_GROWTH = 12
const MAX_COST = 20
/** Nanoseconds one run at 1 MB may take by the look of the smaller sizes; beyond, it is not run. */
const PATIENCE = 30e9
/** From 10 KB to 100 KB: more than noise, less than quadratic. */
const LOOKS_QUADRATIC = 40

type Hostile = (size: number) => string

const repeat =
  (unit: string): Hostile =>
  (size) =>
    flat([unit.repeat(Math.ceil(size / unit.length)).slice(0, size)])

/** `inner` fills what `before` and `after` leave of the size. */
const filled =
  (before: string, inner: string, after: string): Hostile =>
  (size) => {
    const count = Math.max(1, Math.floor((size - before.length - after.length) / inner.length))
    return flat([before, inner.repeat(count), after])
  }

/** Calls whose arguments nest a tenth of the size deep: 100,000 levels at 1 MB. */
const nested =
  (open: string, close: string): Hostile =>
  (size) => {
    const depth = Math.floor(size / 10)
    const call = `<tool_call>{"name": "search", "arguments": {"query": ${open.repeat(depth)}1${close.repeat(depth)}}}</tool_call>\n`
    return flat([call.repeat(Math.max(1, Math.round(size / call.length)))])
  }

const CALL = '{"name": "search", "arguments": {"query": '

const CASES: Readonly<Record<string, Hostile>> = {
  '( …': repeat('('),
  '< …': repeat('<'),
  '{ …': repeat('{'),
  '[ …': repeat('['),
  '` …': repeat('`'),
  '~ …': repeat('~'),
  '" …': repeat('"'),
  spaces: repeat(' '),
  'line ends': repeat('\n'),
  'half tags <tool_call': repeat('<tool_call'),
  'open tags <tool_call>': repeat('<tool_call>'),
  'open tag and brace': repeat('<tool_call>{'),
  'open tag, junk, never closed': filled('<tool_call>', 'junk ', ''),
  'open tag, quotes, never closed': filled('<tool_call>{"name": "', '"', ''),
  'a string never closed': filled(`<tool_call>${CALL}"`, 'abcd ', ''),
  'many strings never closed': repeat(`<tool_call>${CALL}"abc\n`),
  'backslashes in a string': filled(`<tool_call>${CALL}"`, '\\\\', '"}}</tool_call>'),
  'backslashes in a string never closed': filled(`<tool_call>${CALL}"`, '\\', ''),
  'quotes in a string': filled(`<tool_call>${CALL}"`, ' "x" ', '"}}</tool_call>'),
  'nested braces, closed': nested('{"a":', '}'),
  'nested brackets, closed': nested('[', ']'),
  'nested braces, unclosed': filled('<tool_call>', '{"a":', ''),
  'nested brackets, unclosed': filled(`<tool_call>${CALL}`, '[', ''),
  'many broken calls': repeat(`<tool_call>${CALL}"a" "limit": }</tool_call>\n`),
  'many calls without closer': repeat(`<tool_call>${CALL}"a"}}`),
  'many calls to an unknown tool': repeat(
    '<tool_call>{"name": "nobody", "arguments": {}}</tool_call>',
  ),
  'many empty calls': repeat('<tool_call></tool_call>'),
  '{"name": …': repeat('{"name":'),
  '{"name": "search", …': repeat('{"name": "search", '),
  '```json { …': repeat('```json\n{'),
  '```json call …': repeat('```json\n{"name": "search", "arguments": {}}\n'),
  '``` …': repeat('```\n'),
  'one backtick a word': repeat('a` '),
  'close tags </tool_call>': repeat('</tool_call>'),
  'spaces in a tag': filled('<tool_call', ' ', ''),
  '~~~tool_call …': repeat('~~~tool_call\n'),
  '~~~tool_call { …': repeat('~~~tool_call\n{\n'),
  '[tool: …': repeat('[tool: '),
  '[tool: search { …': repeat('[tool: search {'),
  '<tool …': repeat('<tool '),
  '<tool name=" …': repeat('<tool name="'),
  '<tool name="search" args=" …': repeat('<tool name="search" args="{'),
  'search( …': repeat('search('),
  'search(" …': repeat('search("\n'),
  '[search( …': repeat('[search('),
  '[TOOL_CALLS] …': repeat('[TOOL_CALLS]'),
  '[TOOL_CALLS] [{ …': repeat('[TOOL_CALLS] [{'),
  '<function=search> …': repeat('<function=search>'),
  '<function=search><parameter= …': repeat('<function=search><parameter=query>'),
  '<invoke name= …': repeat('<invoke name="search">'),
  '<| …': repeat('<|'),
  '<think> …': repeat('<think>'),
  '</think> …': repeat('</think>'),
  '<think></think> …': repeat('<think></think>'),
  '<think> and a call …': repeat(`<think><tool_call>${CALL}"a"}}</tool_call>`),
  'Action: search …': repeat('Action: search\nAction Input: {\n'),
  'quoted calls': repeat(`"<tool_call>${CALL}"a"}}</tool_call>" `),
}

interface Verdict {
  readonly name: string
  readonly mode: string
  readonly small: number
  readonly large: number
  readonly growth: number
  /** Cost of a character beside one of prose with calls. */
  readonly cost: number
}

export function hostile(effort: Effort): Report {
  const prose = proseWithCalls(LARGE, 50)
  const modes: readonly { mode: string; bind: (text: string) => () => number }[] = [
    { mode: 'whole', bind: (text) => () => weigh(extract(text, { tools: TOOLS })) },
    { mode: `${CHUNK}-character chunks`, bind: bindStream },
  ]
  // Fewer rounds than elsewhere: there are many cases, and the limits leave room for noise.
  const light = { ...effort, rounds: Math.min(effort.rounds, 5), warmUpMs: effort.warmUpMs / 4 }
  const verdicts = modes.flatMap(({ mode, bind }) => {
    const baseline: Contestant = { name: 'prose', run: bind(prose) }
    return Object.entries(CASES).map(([name, create]) =>
      judge(name, mode, create, bind, baseline, prose.length, light),
    )
  })
  return {
    tables: modes.map(({ mode }) =>
      table(
        mode,
        verdicts.filter((verdict) => verdict.mode === mode),
      ),
    ),
    bars: modes.flatMap(({ mode }) =>
      bars(
        mode,
        verdicts.filter((verdict) => verdict.mode === mode),
      ),
    ),
  }
}

function judge(
  name: string,
  mode: string,
  create: Hostile,
  bind: (text: string) => () => number,
  baseline: Contestant,
  proseLength: number,
  effort: Effort,
): Verdict {
  const text = { tiny: create(SMALL / 10), small: create(SMALL), large: create(LARGE) }
  const first = fastestOf(2, bind(text.small))
  const growing = first / fastestOf(5, bind(text.tiny)) > LOOKS_QUADRATIC
  if (first * (growing ? 100 : 10) > PATIENCE) {
    return { name, mode, small: first, large: Infinity, growth: Infinity, cost: Infinity }
  }
  const [small, large, prose] = compare(
    [{ name: 'small', run: bind(text.small) }, { name: 'large', run: bind(text.large) }, baseline],
    // Long runs need no repetition to be measurable.
    first > 300e6 ? { ...effort, rounds: 3, warmUpMs: 0.001 } : effort,
  )
  if (!(small && large && prose)) throw new Error('a contestant is missing')
  return {
    name,
    mode,
    small: small.median,
    large: large.median,
    // Sizes are not met to the character, so both figures go by what was really read.
    growth: (ratio(large, small) * 10 * text.small.length) / text.large.length,
    cost: (ratio(large, prose) * proseLength) / text.large.length,
  }
}

function table(mode: string, verdicts: readonly Verdict[]): Table {
  return {
    title: `Hostile input, ${mode}`,
    head: ['input', '100 KB', '1 MB', 'growth', 'cost beside prose', 'verdict'],
    rows: verdicts.map(({ name, small, large, growth, cost }) => [
      name.replaceAll('\n', '\\n'),
      formatTime(small),
      formatTime(large),
      formatRatio(growth),
      formatRatio(cost),
      growth <= MAX_GROWTH && cost <= MAX_COST ? 'ok' : 'FAIL',
    ]),
  }
}

function bars(mode: string, verdicts: readonly Verdict[]): Bar[] {
  return [
    worstOf(
      `hostile input, ${mode}: growth for ten times the text`,
      verdicts.map(({ name, growth }) => ({ name, value: growth })),
      MAX_GROWTH,
    ),
    worstOf(
      `hostile input, ${mode}: cost of a character beside prose`,
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

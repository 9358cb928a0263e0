/** Texts that are made to be slow to read: markers without end, nesting, quotes, half calls. */
import type { Protocol } from '../src/core/protocol.ts'
import { flat } from './inputs.ts'

/** A text of about `size` characters. */
export type Hostile = (size: number) => string

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

export const HOSTILE: Readonly<Record<string, Hostile>> = {
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

/** How calls of a protocol begin, over and over: up to the name, and up to the middle of a call. */
export function unfinishedCalls(protocols: readonly Protocol[]): Record<string, Hostile> {
  const units = new Map<string, string>()
  for (const { id, formatCall } of protocols) {
    const call = formatCall({ name: 'search', arguments: { query: 'tides', limit: 3 } })
    const name = call.slice(0, call.indexOf('search') + 'search'.length)
    // Formats that are variants of one another write the same; once is enough.
    for (const [unit, kind] of [
      [name, 'up to the name'],
      [call.slice(0, call.length >> 1), 'up to the middle'],
    ] as const) {
      if (!units.has(unit)) units.set(unit, `${id}, ${kind}`)
    }
  }
  return Object.fromEntries([...units].map(([unit, name]) => [name, repeat(unit)]))
}

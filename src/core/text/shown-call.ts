/**
 * How calls of declared tools look where none is made: among words, in code, in quotation marks, in a format
 * that is not looked for. They stay text, and an issue says so.
 *
 *     Use get_weather(city="Oslo") for that, or {"name": "get_weather", "arguments": {"city": "Oslo"}}.
 */
import { type Marker, NEED_MORE, NO_MATCH, type ToolTable } from '../protocol.ts'
import { lineEnds } from './followed-calls.ts'
import { followedBy } from './follows.ts'
import { COMMON_KEYS } from './json-calls.ts'
import { type Follows, marker } from './marker.ts'
import { either, literally, oneOf, optional, patternReader, sequence } from './pattern.ts'
import { STOP_DEPTH } from './stops.ts'
import { NAMESPACES } from './tool-names.ts'

const SPACE = '\\s{0,64}'
const QUOTE = `["'“”]`
const NAME_KEYS = [...COMMON_KEYS.name, 'tool_call', 'action']
const ARGUMENT_KEYS = [...COMMON_KEYS.arguments, 'action_input']
interface ShownCall {
  readonly marker: Marker
  /** True where the marker begins with the name of a tool. */
  readonly isName: boolean
}

export function shownCalls(tools: ToolTable): readonly ShownCall[] {
  if (!tools.known) return []
  const names = NAMESPACES.flatMap((space) => tools.names.map((name) => space + name))
  return [
    ...shownJson(tools).map((marker) => ({ marker, isName: false })),
    ...names.flatMap(shownNames).map((marker) => ({ marker, isName: true })),
  ]
}

function key(names: readonly string[]): string {
  return sequence(`${QUOTE}?`, either(...names), `${QUOTE}?`, SPACE, ':', SPACE)
}

/** A key that is not `type`: `"parameters": {"type": …` declares a tool, and so does `"parameters": {}`. */
const OTHER_KEY = oneOf(`[^t"'}]`, sequence('t', oneOf('[^y]', sequence('y', '[^p]'))))
const ARGUMENTS = sequence(
  ...[SPACE, ',', SPACE],
  oneOf(
    sequence(key(ARGUMENT_KEYS.filter((name) => name !== 'parameters')), `[{"'[]`),
    sequence(key(['parameters']), '\\{', SPACE, `["']`, OTHER_KEY),
  ),
)

const OBJECT = patternReader(
  sequence(
    optional('\\[', '\\s{0,16}'),
    '\\{',
    SPACE,
    key(NAME_KEYS),
    QUOTE,
    `(?<name>[^"'“”\\n]{1,128})`,
    QUOTE,
    ARGUMENTS,
  ),
)

/** An object that names a tool and goes on with its arguments, or ends with the reply before them. */
function shownJson(tools: ToolTable): readonly Marker[] {
  const match: Marker['match'] = (text, at, end, last) => {
    const length = OBJECT.match(text, at, end, last)
    if (length === NEED_MORE || (length === NO_MATCH && !last)) return length
    const found = OBJECT.read(text, at, end)
    return found && tools.find(found.groups['name'] ?? '') ? found.length : NO_MATCH
  }
  const letters = [...new Set(NAME_KEYS.join(''))].join('')
  const before = `"'“ \n\r\t`
  const firsts = NAME_KEYS.map((name) => name.charAt(0)).join('')
  return [
    { prefix: ['{', before + firsts, before + letters], match },
    { prefix: ['[', '{ \n\r\t'], match },
  ]
}

const VALUE = oneOf(`["'“{[\\d-]`, either('true', 'false', 'True', 'False', 'None', 'null'))
/** With a name or without: `search(query)` says how a tool is called, and is no call. */
const NAMED_VALUE = sequence('\\w{1,64}', '\\s{0,8}', '[=:]', '\\s{0,8}', VALUE)
const VALUES = oneOf(VALUE, NAMED_VALUE)
const MEMBER = sequence(`${QUOTE}?`, '\\w{1,64}', `${QUOTE}?`, '\\s{0,8}', ':')
const CALLED = patternReader(
  oneOf(
    sequence('\\(', SPACE, VALUES),
    // With a blank between, a number is more likely a remark: `get_weather (2 days)`.
    sequence('[ \\t]{1,4}', '\\(', SPACE, oneOf(`["'“{[]`, NAMED_VALUE)),
    sequence('[ \\t]{0,4}', '\\{', SPACE, MEMBER),
    sequence(QUOTE, ARGUMENTS),
  ),
)
const MARKS = '[ \\t>*-]{0,16}'
/** What follows a name on the next line, where the mark of a quotation keeps formats from being read. */
const CONTINUED = oneOf(
  sequence(
    `(?:["'<>|｜][^\\n]{0,48})?`,
    '\\n',
    '[ \\t]{0,16}',
    '[>*-]',
    '[ \\t]{0,16}',
    '<',
    '[\\w|｜]',
  ),
  sequence('[ \\t]{0,4}', '\\n', MARKS, oneOf('✿', sequence('\\{', '\\s{0,16}', `["']`))),
  sequence('\\s{0,16}', MARKS, literally('Action Input')),
)

/** What may follow a short name: before a blank it is a word like others. */
const NEXT = '({"\'“”<>|｜'

/** Declared tools as functions that are called with values, or without any on a line of their own. */
function shownNames(name: string): readonly Marker[] {
  const prefix = [...name.slice(0, STOP_DEPTH), NEXT].slice(0, STOP_DEPTH)
  return [
    { ...marker(name, isCalled), prefix, boundary: 'word' },
    { ...marker(name, followedBy(CONTINUED)), prefix, boundary: 'word' },
    { ...marker(`${name}()`, lineEnds), boundary: 'line' },
  ]
}

/** The end of the reply may cut off what follows a bracket. */
const isCalled: Follows = (text, at, end, last) => {
  const length = CALLED.match(text, at, end, last)
  if (length === NEED_MORE) return undefined
  if (length > 0) return true
  return last && /^[({]/.test(text.slice(at, end)) && CALLED.read(text, at, end) !== undefined
}

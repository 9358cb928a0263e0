/**
 * Syntax factory: calls as bare JSON, without any marker.
 *
 *     {"name": "get_weather", "arguments": {"city": "Oslo"}}
 *
 * Any JSON looks like this at first, so the text is held only until a key or the name shows that it
 * is data. Data is then passed on as text to its end: an object inside it is data as well.
 */
import { createJsonReader, type JsonReader } from '../json/reader.ts'
import { parseObject } from '../json/strict.ts'
import { isJsonObject } from '../json/value.ts'
import {
  type CallDraft,
  NEED_MORE,
  NO_MATCH,
  type Opener,
  type ReadContext,
  type Reader,
} from '../protocol.ts'
import { isWord, skipSpace } from './characters.ts'
import { endCall } from './json-block.ts'
import {
  CALL_DEPTH,
  type CallKeys,
  createJsonCalls,
  type JsonCall,
  type JsonCalls,
} from './json-calls.ts'

export interface FreeJsonOptions {
  readonly keys: CallKeys
  /** Keys beside those of the call that a call may begin with. */
  readonly otherKeys?: readonly string[]
  /** The opener matches only when this is the first key. */
  readonly firstKey?: string
  /** True when a name alone is a call. */
  readonly bareName?: boolean
  /** Which names can be meant at all, whatever tools there are. */
  accepts?(name: string): boolean
}

/** How far behind a call the next one may stand, separated by a comma or semicolon. */
const NEXT_WINDOW = 64

export function freeJson(options: FreeJsonOptions): readonly Opener[] {
  const { keys } = options
  const known = new Set([
    ...keys.name,
    ...keys.arguments,
    ...keys.id,
    ...keys.wrappers,
    ...(options.otherKeys ?? []),
  ])
  const opener = {
    // A format that is known by its first key goes before those that take any.
    priority: options.firstKey === undefined ? -1 : 0,
    keep: true,
    match: (text: string, at: number, end: number, last: boolean) =>
      matchJson(text, at, end, last, options.firstKey, known),
    open: (context: ReadContext) => readFree(options, known, context),
  }
  const letters = firstLetters(options.firstKey === undefined ? known : [options.firstKey])
  return [
    { ...opener, prefix: ['{', `"' \n\r\t${letters}`] },
    { ...opener, prefix: ['[', '{ \n\r\t'] },
  ]
}

function firstLetters(keys: Iterable<string>): string {
  return [...new Set(Array.from(keys, (key) => key.charAt(0)))].join('')
}

/** A brace with a key behind it, maybe inside brackets. */
function matchJson(
  text: string,
  at: number,
  end: number,
  last: boolean,
  firstKey: string | undefined,
  known: ReadonlySet<string>,
): number {
  let i = at
  if (text.charAt(i) === '[') i = skipSpace(text, i + 1, end)
  if (i === end) return last ? NO_MATCH : NEED_MORE
  if (text.charAt(i) !== '{') return NO_MATCH
  i = skipSpace(text, i + 1, end)
  if (i === end) return last ? NO_MATCH : NEED_MORE
  const quote = text.charAt(i)
  const quoted = quote === '"' || quote === "'"
  if (quoted && firstKey === undefined) return 1
  const key = readKey(text, quoted ? i + 1 : i, end)
  if (key === undefined) return last ? NO_MATCH : NEED_MORE
  return (firstKey === undefined ? known.has(key) : key === firstKey) ? 1 : NO_MATCH
}

/** The word at `at`; undefined when the text ends before the word does. */
function readKey(text: string, at: number, end: number): string | undefined {
  let i = at
  while (i < end && isWord(text.charCodeAt(i))) i++
  return i < end ? text.slice(at, i) : undefined
}

function readFree(
  options: FreeJsonOptions,
  known: ReadonlySet<string>,
  context: ReadContext,
): Reader {
  const reader: { read: Reader['read']; state: Reader['state'] } = { read, state: 'open' }
  let found = 0
  /** True behind a value with calls in it. */
  let ended = false
  /** Calls that count only if nothing else stands behind them; their ends are absolute. */
  const waiting: { call: JsonCall; end: number }[] = []
  const calls = createCalls()
  const json: JsonReader = createReader()

  function settle(): void {
    for (const { call, end } of waiting.splice(0)) {
      endCall(context, call, [], end - context.base())
    }
  }

  function createCalls(): JsonCalls {
    return createJsonCalls(
      { ...context, begin },
      {
        keys: options.keys,
        needsArguments: !options.bareName,
        onFirstKey: (key) => {
          if (!known.has(key)) passOn()
        },
        onRefused: passOn,
        onCall(call, end) {
          const declares = call.described || isSchema(call.json)
          if (declares) call.draft?.retract('the object declares a tool')
          if (declares || (!call.draft && found === 0)) return passOn()
          found++
          waiting.push({ call, end: context.base() + end })
          if (!context.alone) settle()
        },
      },
    )
  }

  /** Nothing in what was passed on as data can be a call any more. */
  function begin(name: string, id?: string): CallDraft | undefined {
    if (reader.state !== 'open' || options.accepts?.(name) === false) return undefined
    return context.begin(name, id)
  }

  function createReader(): JsonReader {
    const { repair, limits, shortcuts } = context
    const { maxDepth } = limits
    return createJsonReader(calls, { repair, maxDepth, watchDepth: CALL_DEPTH, shortcuts })
  }

  /** It is data: what is left of it goes out as text, as long as it is JSON at all. */
  function passOn(): void {
    if (found > 0 || calls.unfinished()?.draft) return
    reader.state = 'passing'
    json.strict()
  }

  function read(text: string, at: number, last: boolean): number {
    const end = ended ? at : readJson(text, at, last)
    return ended && reader.state === 'open' ? readNext(text, end, last) : end
  }

  function readJson(text: string, at: number, last: boolean): number {
    const end = json.read(text, at, last)
    if (json.status === 'open') {
      if (last) stop('truncated-call', 'the reply ends inside a call', text.length)
      return last ? text.length : end
    }
    if (json.status === 'failed') stop('invalid-json', 'the call is not valid JSON', end)
    else if (found === 0) reader.state = 'declined'
    else ended = true
    return end
  }

  function stop(code: 'truncated-call' | 'invalid-json', message: string, end: number): void {
    settle()
    const draft = calls.unfinished()?.draft
    draft?.fail(code, message, end)
    reader.state = draft ? 'done' : 'declined'
  }

  /** A separator before the next call belongs to neither; white space is told as text. */
  function readNext(text: string, at: number, last: boolean): number {
    const window = Math.min(text.length, at + NEXT_WINDOW)
    const final = last || window === at + NEXT_WINDOW
    const separator = skipSpace(text, at, window)
    // A bracket too many is part of the JSON, but one that stands apart is not.
    if (at < window && ']}'.includes(text.charAt(at))) return readNext(text, at + 1, last)
    if (context.alone && separator < window && goesOn(text, at, separator)) return takeBack(at)
    const separated = separator < window && ',;'.includes(text.charAt(separator))
    const next = separated ? skipSpace(text, separator + 1, window) : separator
    if (next === window && !final) return at
    settle()
    reader.state = 'done'
    return separated && next < window && text.charAt(next) === '{' ? next : at
  }

  /** Words on the same line make it a sentence about a call. */
  function takeBack(end: number): number {
    for (const { call } of waiting.splice(0)) call.draft?.retract('the call is part of a sentence')
    reader.state = 'declined'
    return end
  }

  return reader
}

/** True when other text than a call stands at `next`, on the line on which `at` stands. */
function goesOn(text: string, at: number, next: number): boolean {
  return !text.slice(at, next).includes('\n') && !',;{['.includes(text.charAt(next))
}

/** Arguments that are a JSON Schema: the object offers a tool, with its parameters. */
function isSchema(json: string | undefined): boolean {
  if (!json?.includes('"properties"')) return false
  const value = parseObject(json)
  return value?.['type'] === 'object' && isJsonObject(value['properties'])
}

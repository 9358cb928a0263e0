/**
 * Syntax factory: calls as bare JSON, without any marker.
 *
 *     {"name": "get_weather", "arguments": {"city": "Oslo"}}
 *
 * Any JSON looks like this at first, so the text is held only until a key or the name shows that it
 * is data. Data is then passed on as text to its end: an object inside it is data as well.
 */
import { checkObject } from '../caller-input.ts'
import type { Repair } from '../issue.ts'
import { parseObject } from '../json/strict.ts'
import { isJsonObject } from '../json/value.ts'
import type { Opener, ReadContext, Reader } from '../protocol.ts'
import { Call } from './call.ts'
import { skipSpace } from './characters.ts'
import { type CallKeys, createJsonCalls, endCall, type JsonCall, NOT_JSON } from './json-calls.ts'
import { TURN_END } from './marker.ts'
import { literally, oneOf, optional, patternReader, sequence } from './pattern.ts'
import { soleTextParameter } from './plain-schema.ts'
import { createSteps } from './steps.ts'

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

/** What a call that is to be made does not say. */
const OF_RECORDS = /^(?:description|result|output|response|status|expected|version)$/

/** How far behind a call the next one may stand, separated by a comma or semicolon. */
const NEXT_WINDOW = 64

const SPACE = '\\s{0,200}'

export function freeJson(options: FreeJsonOptions): readonly Opener[] {
  checkObject('keys', Object(options).keys, 'the keys of a call, as in { keys: COMMON_KEYS }')
  const { keys, firstKey, otherKeys = [] } = options
  const known = [...keys.name, ...keys.arguments, ...keys.id, ...keys.wrappers, ...otherKeys]
  const bare = (key: string) => sequence(literally(key), '(?=\\W)')
  // Without quotes it must be a key that calls have.
  const key =
    firstKey === undefined
      ? oneOf('["\']', ...known.map(bare))
      : sequence(optional('["\']'), bare(firstKey))
  const opener = {
    // A format that is known by its first key goes before those that take any.
    priority: firstKey === undefined ? -1 : 0,
    keep: true,
    passes: true,
    match: patternReader(sequence(optional('\\[', SPACE), '\\{', SPACE, key)).match,
    open: (context: ReadContext) => readFree(options, known, context),
  }
  return [
    { ...opener, prefix: ['{', `"' \n\r\t${known.join('')}`] },
    { ...opener, prefix: ['[', '{ \n\r\t'] },
  ]
}

function readFree(
  options: FreeJsonOptions,
  known: readonly string[],
  context: ReadContext,
): Reader {
  const reader = createSteps<Reader['state']>(readJson)
  let found = 0
  /** True when an object says what its tool does or did: it declares or records a call. */
  let isRecord = false
  /** True when it calls its arguments an input, which may be text. */
  let hasInput = false
  /** Calls that count only if nothing else stands behind them; their ends are absolute. */
  const waiting: { call: JsonCall; end: number }[] = []
  const json = createJsonCalls(context, {
    keys: options.keys,
    needsArguments: !options.bareName,
    onKey(key, isFirst) {
      isRecord ||= OF_RECORDS.test(key)
      hasInput ||= key.endsWith('input')
      if (isFirst && !known.includes(key)) passOn()
    },
    begin,
    onCall,
  })

  /** Nothing in what was passed on as data can be a call any more. */
  function begin(name: string, id?: string): Call | undefined {
    if (reader.state !== 'open' || options.accepts?.(name) === false) return undefined
    const call = new Call(context, name, id)
    if (!call.draft) passOn()
    return call
  }

  function onCall(said: JsonCall, end: number): void {
    const call = withText(said)
    const draft = call.call?.draft
    const isData = isRecord || isSchema(call.json)
    isRecord = hasInput = false
    if (isData) draft?.retract('the object tells of a tool', end)
    if (isData || (!draft && found === 0)) return passOn()
    found++
    waiting.push({ call, end: context.base() + end })
    if (!context.alone) settle()
  }

  /** Text in place of the arguments is the one argument of a tool that takes one. */
  function withText(call: JsonCall): JsonCall {
    const { name, id, json, raw } = call
    if (!hasInput || name === undefined || json !== undefined || raw === undefined) return call
    const key = soleTextParameter(context.tools.find(name)?.schema)
    if (key === undefined) return call
    const named: Repair = { code: 'named-positional', path: [key], risk: 'guess' }
    const repairs = [...call.repairs, named]
    return { ...call, call: begin(name, id), json: JSON.stringify({ [key]: raw }), repairs }
  }

  function settle(): void {
    for (const { call, end } of waiting.splice(0)) endCall(context, call, end - context.base())
  }

  /** It is data: what is left of it goes out as text, as long as it is JSON at all. */
  function passOn(): void {
    if (found > 0 || json.unfinished()?.call?.draft) return
    reader.state = 'passing'
    json.reader.strict()
  }

  function readJson(text: string, at: number, last: boolean): number {
    const end = json.reader.read(text, at, last)
    const { status } = json.reader
    if (status === 'open' && !last) return end
    if (status !== 'done') return stop(status === 'open', status === 'open' ? text.length : end)
    if (found === 0) reader.state = 'declined'
    else reader.step = readNext
    return end
  }

  function stop(cut: boolean, end: number): number {
    settle()
    const call = json.unfinished()?.call
    reader.state = call?.draft ? 'done' : 'declined'
    if (!call?.draft) return end
    return cut ? call.cutOff(end) : call.fail('invalid-json', NOT_JSON, end)
  }

  /** A separator before the next call belongs to neither; white space is told as text. */
  function readNext(text: string, at: number, last: boolean): number {
    const window = Math.min(text.length, at + NEXT_WINDOW)
    const final = last || window === at + NEXT_WINDOW
    const separator = skipSpace(text, at, window)
    // A bracket too many is part of the JSON, but one that stands apart is not.
    if (at < window && ']}'.includes(text.charAt(at))) return at + 1
    if (context.alone && separator < window) {
      // Whether it is a token that ends the turn, its second character tells.
      if (text.charAt(separator) === '<' && separator + 1 === window && !final) return at
      if (goesOn(text, at, separator)) return takeBack(at)
    }
    const separated = separator < window && ',;'.includes(text.charAt(separator))
    const next = separated ? skipSpace(text, separator + 1, window) : separator
    if (next === window && !final) return at
    settle()
    reader.state = 'done'
    return separated && next < window && text.charAt(next) === '{' ? next : at
  }

  /** Words on the same line make it a sentence about a call. */
  function takeBack(end: number): number {
    for (const { call, end: callEnd } of waiting.splice(0)) {
      call.call?.draft?.retract('the call is part of a sentence', callEnd - context.base())
    }
    return reader.leave('declined', end)
  }

  return reader
}

/** True when other text than a call stands at `next`, on the line on which `at` stands. */
function goesOn(text: string, at: number, next: number): boolean {
  if (text.slice(at, next).includes('\n') || ',;{['.includes(text.charAt(next))) return false
  return !TURN_END.test(text.slice(next, next + 2))
}

/** Arguments that are a JSON Schema: the object offers a tool, with its parameters. */
function isSchema(json: string | undefined): boolean {
  if (!json?.includes('"properties"')) return false
  const value = parseObject(json)
  return value?.['type'] === 'object' && isJsonObject(value['properties'])
}

/**
 * Finds calls in the structure of a JSON value while it is being read: an object with a name and
 * arguments, an array of such objects, or one wrapped in `{"function": …}` or `{"tool_calls": […]}`.
 * Where the name stands before the JSON, the whole value is the arguments.
 */
import type { Repair, RepairCode } from '../issue.ts'
import { readJson } from '../json/read.ts'
import {
  createJsonReader,
  type JsonKind,
  type JsonReader,
  type JsonReaderOptions,
} from '../json/reader.ts'
import { isJsonObject } from '../json/value.ts'
import type { RepairLevel } from '../options.ts'
import type { ReadContext } from '../protocol.ts'
import { type ArgumentSink, createArgumentSink } from './argument-sink.ts'
import type { Call } from './call.ts'

/** The keys of a call. The first of each is the one that is written. */
export interface CallKeys {
  readonly name: readonly string[]
  readonly arguments: readonly string[]
  readonly id: readonly string[]
  /** Keys whose value is a call, or a list of calls. */
  readonly wrappers: readonly string[]
  /** True when any other key before an object names a tool, and the object holds its arguments. */
  readonly named?: boolean
}

export const COMMON_KEYS: CallKeys = {
  name: ['name', 'tool_name', 'tool', 'function', 'function_name', 'recipient_name'],
  arguments: ['arguments', 'parameters', 'args', 'input', 'params', 'tool_input'],
  id: ['id', 'call_id', 'tool_call_id'],
  wrappers: [
    'function',
    'tool',
    'tool_calls',
    'tool_call',
    'function_call',
    'functionCall',
    'tool_uses',
  ],
}

/** Who is called, where the arguments stand alone. Without a name they have to tell. */
export interface Identity {
  readonly name?: string | undefined
  readonly id?: string | undefined
}

/** Levels at which a call can stand: root, list, wrapper, list in a wrapper, and its own keys. */
const CALL_DEPTH = 6

export interface JsonCallsOptions {
  readonly keys: CallKeys
  /** Set when the whole value is the arguments. */
  readonly identity?: Identity | undefined
  /** A call without arguments is none. */
  readonly needsArguments?: boolean | undefined
  /** False: a list is not read as calls. */
  readonly lists?: boolean | undefined
  readonly isCloser?: JsonReaderOptions['isCloser']
  /** Undefined: this is no call. */
  begin(name: string, id?: string): Call | undefined
  /** A call is complete, or has turned out to be none; `end` is the index behind its brace. */
  onCall(call: JsonCall, end: number): void
  /** A key of an object that may be a call. */
  onKey?(key: string, isFirst: boolean): void
}

/** What one object says. */
export interface JsonCall {
  /** True when the object is the whole value and not part of a list or wrapper. */
  readonly whole: boolean
  readonly name: string | undefined
  readonly id: string | undefined
  /** The call under way; undefined when there is no name, or it is no call. */
  readonly call: Call | undefined
  /** The arguments as JSON; undefined when they cannot be used. */
  readonly json: string | undefined
  readonly raw?: string | undefined
  /** Repairs of the arguments, and of what is written around them. */
  readonly repairs: readonly Repair[]
  readonly around?: readonly Repair[]
  readonly streamed?: ReadonlySet<string> | undefined
  /** True when only the end of the reply ended it. */
  readonly cut?: boolean
}

/** An object that may be a call. */
type Frame = { -readonly [Key in keyof JsonCall]: JsonCall[Key] } & {
  /** Depth of its keys. */
  readonly depth: number
  key: string | undefined
  /** True once arguments have begun. */
  given: boolean
  /** True once a wrapper key led to calls of its own. */
  wraps: boolean
  /** What else it says, as JSON by key, as long as there are no arguments. */
  readonly others: Map<string, string>
}

export interface JsonCalls {
  readonly reader: JsonReader
  /** The innermost object that is not complete, when the text ends inside it. */
  unfinished(): JsonCall | undefined
}

/** A value that is taken out: a name, an id or the arguments. */
interface Part {
  readonly role: 'name' | 'id' | 'arguments' | 'other'
  readonly depth: number
  readonly isObject: boolean
  readonly sink: ArgumentSink
}

export function createJsonCalls(context: ReadContext, options: JsonCallsOptions): JsonCalls {
  const { keys, identity } = options
  const frames: Frame[] = []
  /** Depths at which the elements of a list may be calls. */
  const lists = new Set<number>()
  let part: Part | undefined
  /** Repairs of what stands around the arguments. */
  const around: Repair[] = []

  function openFrame(depth: number, { name, id = frames.at(-1)?.id }: Identity = {}): Frame {
    const frame: Frame = {
      whole: depth === 0,
      depth: depth + 1,
      key: undefined,
      name,
      id,
      call: undefined,
      given: false,
      json: undefined,
      raw: undefined,
      repairs: [],
      around: [],
      streamed: undefined,
      wraps: false,
      others: new Map(),
    }
    frames.push(frame)
    return frame
  }

  function valueStart(depth: number, kind: JsonKind): void {
    if (part) return part.sink.valueStart(depth - part.depth, kind)
    const frame = frames.at(-1)
    if (frame && depth === frame.depth) memberStart(frame, depth, kind)
    else if (depth === 0 && identity) takeArguments(openFrame(depth, identity), depth, kind)
    else if (depth > 0 && !lists.has(depth)) return
    else if (kind === 'object') openFrame(depth)
    else if (kind === 'array' && depth === 0 && options.lists !== false) lists.add(1)
  }

  function memberStart(frame: Frame, depth: number, kind: JsonKind): void {
    const { key = '' } = frame
    if (keys.wrappers.includes(key) && (kind === 'object' || kind === 'array')) {
      frame.wraps = true
      if (kind === 'object') openFrame(depth)
      else lists.add(depth + 1)
    } else if (isArguments(frame)) {
      takeArguments(frame, depth, kind)
    } else if (keys.name.includes(key) && kind === 'string' && frame.name === undefined) {
      take('name', depth, kind)
    } else if (keys.id.includes(key) && frame.id === undefined && kind !== 'array') {
      take('id', depth, kind)
    } else if (kind === 'object' && frame.name === undefined && mayName(key)) {
      frame.wraps = true
      takeArguments(openFrame(depth, { name: key }), depth, kind)
    } else if (!frame.given && !options.needsArguments) {
      take('other', depth, kind)
    }
  }

  function isArguments({ key = '', given }: Frame): boolean {
    return keys.arguments.includes(key) && !given
  }

  function mayName(key: string): boolean {
    return keys.named || (!options.needsArguments && context.tools.names.includes(key))
  }

  function takeArguments(frame: Frame, depth: number, kind: JsonKind): void {
    frame.given = true
    if (kind === 'object') begin(frame)
    take('arguments', depth, kind, frame)
  }

  /** Arguments that are an object are told as they come. */
  function take(role: Part['role'], depth: number, kind: JsonKind, frame?: Frame): void {
    const isObject = kind === 'object'
    const sink = createArgumentSink(context, isObject ? frame?.call?.draft : undefined)
    part = { role, depth, isObject, sink }
    sink.valueStart(0, kind)
  }

  function begin(frame: Frame): void {
    if (frame.name !== undefined) frame.call ??= options.begin(frame.name, frame.id)
  }

  function valueEnd(depth: number, end: number): void {
    const frame = frames.at(-1)
    if (part && frame) {
      part.sink.valueEnd(depth - part.depth, end)
      if (depth > part.depth) return
      taken(frame, part)
      part = undefined
    }
    lists.delete(depth + 1)
    if (frame && depth === frame.depth - 1) {
      frames.pop()
      closeFrame(frame, end)
    }
  }

  function taken(frame: Frame, { role, sink, isObject }: Part): void {
    if (role === 'arguments') {
      const {
        json,
        raw,
        repairs = [],
      } = isObject ? { json: sink.json() } : decode(sink.json(), context.repair)
      frame.json = json
      frame.raw = raw
      frame.repairs = [...frame.repairs, ...sink.repairs, ...repairs]
      frame.streamed = sink.streamed
      return
    }
    if (role === 'other') return void frame.others.set(frame.key ?? '', sink.json())
    const value: unknown = JSON.parse(sink.json())
    const isText = typeof value === 'string' || typeof value === 'number'
    if (isText && String(value).trim() !== '') frame[role] = String(value).trim()
  }

  function closeFrame(frame: Frame, end: number): void {
    frame.around = around.splice(0)
    if (frame.wraps && frame.name === undefined) return
    const outer = frames.at(-1)
    // `{"function": {"name": …}, "arguments": …}`: a name, and the rest stands around it.
    if (outer?.depth === frame.depth - 1 && frame.name && !frame.given && !frame.others.size) {
      outer.name = frame.name
      return
    }
    if (!frame.given && !options.needsArguments) frame.json = '{}'
    takeText(frame)
    if (frame.json !== undefined) begin(frame)
    if (!frame.given) takeOthers(frame)
    options.onCall(frame, end)
  }

  /** The text of a tool that takes text may stand where its arguments should. */
  function takeText(frame: Frame): void {
    const { raw } = frame
    if (frame.json || !raw || !context.tools.find(frame.name ?? '')?.freeform) return
    frame.json = JSON.stringify({ input: raw })
    frame.repairs = [...frame.repairs, repaired('named-positional')]
  }

  /** Some models put the arguments beside the name, or under a key of their own. */
  function takeOthers(frame: Frame): void {
    const schema = frame.call?.draft?.schema
    const json = schema === undefined ? undefined : context.fit?.gather(schema, frame.others)
    if (json === undefined) return
    frame.json = json
    frame.repairs = [...frame.repairs, { ...repaired('gathered-arguments'), risk: 'guess' }]
  }

  const sink = {
    text: (piece: string) => part?.sink.text(piece),
    key(depth: number, name: string) {
      if (part) return part.sink.key(depth - part.depth, name)
      const frame = frames.at(-1)
      if (!frame || depth !== frame.depth) return
      options.onKey?.(name, frame.key === undefined)
      frame.key = name
    },
    valueStart,
    valueEnd,
    repair(repair: Repair) {
      // Paths are told from the arguments; the envelope around them is no part of the call.
      if (part?.role === 'arguments') {
        part.sink.repair({ ...repair, path: repair.path.slice(part.depth) })
        return
      }
      const frame = part ? undefined : frames.at(-1)
      const own = { ...repair, path: [] }
      // A value that is missing is reported before it begins.
      if (repair.code === 'added-null' && frame && isArguments(frame)) frame.repairs = [own]
      else around.push(own)
    },
  }

  const { repair, limits } = context
  const reader = createJsonReader(sink, {
    repair,
    maxDepth: limits.maxDepth,
    watchDepth: identity ? 1 : CALL_DEPTH,
    isCloser: options.isCloser,
  })
  return { reader, unfinished: () => frames.at(-1) }
}

type Decoded = Partial<Pick<JsonCall, 'json' | 'raw' | 'repairs'>>

/** Arguments that are not an object: null and blank text mean none, text may spell an object. */
function decode(json: string, repair: RepairLevel): Decoded {
  const value: unknown = JSON.parse(json)
  if (value === null) return { json: '{}' }
  if (typeof value !== 'string') return { raw: json }
  if (!value.trim()) return { json: '{}', raw: value, repairs: [repaired('empty-arguments')] }
  const outer = readJson(value, { repair })
  // Some encode twice.
  const isTwice = repair !== 'off' && typeof outer.value === 'string'
  const inner = isTwice ? readJson(String(outer.value), { repair }) : outer
  if (!inner.complete || !isJsonObject(inner.value)) return { raw: value }
  const repairs = [repaired('decoded-string'), ...inner.repairs]
  return { json: JSON.stringify(inner.value), raw: value, repairs }
}

export function repaired(code: RepairCode): Repair {
  return { code, path: [], risk: 'safe' }
}

export const NOT_JSON = 'the call is not valid JSON'
const NO_OBJECT = 'the arguments are not a JSON object'

/** Ends a call, or says why it cannot be made. */
export function endCall(context: ReadContext, found: JsonCall, end: number): void {
  const { call, name, json, raw, repairs, around = [], streamed, cut = false } = found
  const all = [...around, ...repairs]
  if (call?.draft && isHopeless(all)) call.fail('invalid-json', NOT_JSON, end)
  else if (call && json !== undefined) {
    call.repairs.push(...around)
    call.end({ json, repairs, end, raw, streamed, cut })
  } else if (name !== undefined) context.issue('invalid-arguments', NO_OBJECT, end, name)
  else if (all.some(({ risk }) => risk === 'guess')) context.issue('invalid-json', NOT_JSON, end)
  else context.issue('missing-name', 'the call names no tool', end)
}

/** A bare word without a value was taken for a key: that is prose in braces. */
export function isHopeless(repairs: readonly Repair[]): boolean {
  const bare = repairs.filter(({ code }) => code === 'quoted-key').map(({ path }) => path.join())
  return repairs.some(({ code, path }) => code === 'added-null' && bare.includes(path.join()))
}

/**
 * Finds calls in the structure of a JSON value while it is being read: an object with a name and
 * arguments, an array of such objects, or one wrapped in `{"function": …}` or `{"tool_calls": […]}`.
 */
import type { Repair } from '../issue.ts'
import { readJson } from '../json/read.ts'
import type { JsonKind, JsonSink } from '../json/reader.ts'
import { isJsonObject } from '../json/value.ts'
import type { CallDraft, ReadContext } from '../protocol.ts'
import { type ArgumentStream, createArgumentStream } from './argument-stream.ts'

/** The keys of a call. The first of each is the one that is written. */
export interface CallKeys {
  readonly name: readonly string[]
  readonly arguments: readonly string[]
  readonly id: readonly string[]
  /** Keys whose value is a call, or a list of calls. */
  readonly wrappers: readonly string[]
  /** True when another key before an object names a tool, and the object holds its arguments. */
  readonly named?: boolean
}

export const COMMON_KEYS: CallKeys = {
  name: ['name', 'tool_name', 'tool', 'function'],
  arguments: ['arguments', 'parameters', 'args', 'input', 'params'],
  id: ['id', 'call_id', 'tool_call_id'],
  wrappers: ['function', 'tool_calls', 'tool_call', 'function_call'],
}

/** Levels at which a call can stand: root, list, wrapper, list in a wrapper, and its own keys. */
export const CALL_DEPTH = 6

export interface JsonCallsOptions {
  readonly keys: CallKeys
  /** A call without arguments is none. */
  readonly needsArguments?: boolean
  /** False: a list is not read as calls. */
  readonly lists?: boolean
  /** A call is complete, or has turned out to be none; `end` is the index behind its brace. */
  onCall(call: JsonCall, end: number): void
  /** The name is not one we may call; nothing of this object will be. */
  onRefused?(name: string): void
  /** The first key of an object that may be a call. */
  onFirstKey?(key: string): void
}

/** What one object said. */
export interface JsonCall {
  /** True when the object is the whole value and not part of a list or wrapper. */
  readonly whole: boolean
  readonly name: string | undefined
  /** The call under way; undefined when there is no name or it may not be called. */
  readonly draft: CallDraft | undefined
  /** The arguments as JSON, or why they cannot be used. */
  readonly json: string | undefined
  readonly invalid: boolean
  /** True when it says what the tool does: then it declares one instead of calling it. */
  readonly described: boolean
  readonly raw: string | undefined
  readonly repairs: readonly Repair[]
  readonly streamed: ReadonlySet<string> | undefined
}

/** An object that may be a call. */
interface Frame {
  /** Depth of its keys. */
  readonly depth: number
  key: string | undefined
  name: string | undefined
  id: string | undefined
  draft: CallDraft | undefined
  refused: boolean
  /** `none`: no arguments yet. */
  state: 'none' | 'json' | 'text' | 'ready' | 'invalid'
  json: string | undefined
  raw: string | undefined
  repairs: Repair[]
  stream: ArgumentStream | undefined
  /** True once a wrapper key led to calls of its own. */
  wraps: boolean
  described: boolean
}

export interface JsonCalls extends Required<JsonSink> {
  /** The innermost object that is not complete, when the text ends inside it. */
  unfinished():
    | { readonly name: string | undefined; readonly draft: CallDraft | undefined }
    | undefined
}

export function createJsonCalls(
  context: Pick<ReadContext, 'begin' | 'deltas' | 'fit'>,
  options: JsonCallsOptions,
): JsonCalls {
  const { keys } = options
  const frames: Frame[] = []
  /** Depths at which the elements of a list may be calls. */
  const lists = new Set<number>()
  /** Text of the value being collected: a name, an id or the arguments. */
  let pieces: string[] | undefined
  let collecting: { role: 'name' | 'id' | 'arguments'; depth: number } | undefined
  const pending: Repair[] = []

  function top(): Frame | undefined {
    return frames.at(-1)
  }

  function openFrame(depth: number, name?: string): Frame {
    const frame: Frame = {
      depth: depth + 1,
      key: undefined,
      name,
      id: top()?.id,
      draft: undefined,
      refused: false,
      state: 'none',
      json: undefined,
      raw: undefined,
      repairs: [],
      stream: undefined,
      wraps: false,
      described: false,
    }
    frames.push(frame)
    return frame
  }

  function valueStart(depth: number, kind: JsonKind): void {
    if (collecting) return top()?.stream?.valueStart(depth - collecting.depth, kind)
    const frame = top()
    if (frame && depth === frame.depth) return memberStart(frame, depth, kind)
    const callsHere = depth === 0 || lists.has(depth)
    if (!callsHere) return
    if (kind === 'object') openFrame(depth)
    else if (kind === 'array' && depth === 0 && options.lists !== false) lists.add(1)
  }

  function memberStart(frame: Frame, depth: number, kind: JsonKind): void {
    const { key = '' } = frame
    if (keys.wrappers.includes(key) && (kind === 'object' || kind === 'array')) {
      frame.wraps = true
      if (kind === 'object') openFrame(depth)
      else lists.add(depth + 1)
    } else if (keys.arguments.includes(key) && frame.state === 'none') {
      argumentsStart(frame, depth, kind)
    } else if (keys.name.includes(key) && kind === 'string' && frame.name === undefined) {
      collect('name', depth)
    } else if (keys.id.includes(key) && frame.id === undefined && kind !== 'array') {
      collect('id', depth)
    } else if (keys.named && kind === 'object' && frame.name === undefined) {
      frame.wraps = true
      argumentsStart(openFrame(depth, key), depth, kind)
    }
  }

  function collect(role: 'name' | 'id' | 'arguments', depth: number): void {
    collecting = { role, depth }
    pieces = []
  }

  function argumentsStart(frame: Frame, depth: number, kind: JsonKind): void {
    frame.state = kind === 'object' ? 'json' : 'text'
    if (kind === 'object') beginCall(frame)
    collect('arguments', depth)
    if (kind !== 'object' || !frame.draft || !context.deltas) return
    const { draft } = frame
    frame.stream = createArgumentStream(draft.schema, context.fit, (json) => draft.delta(json))
    frame.stream.valueStart(0, kind)
  }

  function beginCall(frame: Frame): void {
    if (frame.name === undefined || frame.draft || frame.refused) return
    frame.draft = context.begin(frame.name, frame.id)
    frame.refused = frame.draft === undefined
    if (frame.refused) options.onRefused?.(frame.name)
  }

  function key(depth: number, name: string): void {
    if (collecting) return top()?.stream?.key(depth - collecting.depth, name)
    const frame = top()
    if (!frame || depth !== frame.depth) return
    if (frame.key === undefined) options.onFirstKey?.(name)
    frame.key = name
    frame.described ||= name === 'description'
  }

  function text(piece: string): void {
    if (!pieces) return
    pieces.push(piece)
    top()?.stream?.text(piece)
  }

  function valueEnd(depth: number, end: number): void {
    const frame = top()
    if (collecting && frame) {
      frame.stream?.valueEnd(depth - collecting.depth)
      if (depth > collecting.depth) return
      collected(frame, collecting.role)
    }
    lists.delete(depth + 1)
    if (frame && depth === frame.depth - 1) {
      frames.pop()
      closeFrame(frame, end)
    }
  }

  function collected(frame: Frame, role: 'name' | 'id' | 'arguments'): void {
    const json = (pieces ?? []).join('')
    collecting = undefined
    pieces = undefined
    frame.repairs.push(...pending.splice(0))
    if (role === 'arguments') return argumentsEnd(frame, json)
    const value: unknown = JSON.parse(json)
    if (role === 'id') {
      if (typeof value === 'string' || typeof value === 'number') frame.id = String(value)
    } else if (typeof value === 'string' && value.trim() !== '') {
      frame.name = value.trim()
    }
  }

  function argumentsEnd(frame: Frame, json: string): void {
    if (frame.state === 'json') {
      frame.json = json
      frame.state = 'ready'
      return
    }
    const decoded = decodeText(json)
    frame.raw = decoded.raw
    frame.json = decoded.json
    frame.state = decoded.json === undefined ? 'invalid' : 'ready'
    frame.repairs.push(...decoded.repairs)
  }

  function closeFrame(frame: Frame, end: number): void {
    frame.repairs.push(...pending.splice(0))
    if (frame.wraps && frame.name === undefined) return
    if (frame.state === 'ready' || (frame.state === 'none' && !options.needsArguments)) {
      beginCall(frame)
    }
    const none = frame.state === 'none' && !options.needsArguments ? '{}' : undefined
    const call = {
      whole: frame.depth === 1,
      name: frame.name,
      draft: frame.draft,
      json: frame.json ?? none,
      invalid: frame.state === 'invalid',
      described: frame.described,
      raw: frame.raw,
      repairs: frame.repairs,
      streamed: frame.stream?.streamed,
    }
    options.onCall(call, end)
  }

  return {
    text,
    key,
    valueStart,
    valueEnd,
    repair(repair) {
      // Paths are told from the arguments; the envelope around them is no part of the call.
      const inside = collecting?.role === 'arguments' ? repair.path.slice(collecting.depth) : []
      pending.push({ ...repair, path: inside })
    },
    unfinished() {
      const frame = top()
      return frame && { name: frame.name, draft: frame.draft }
    },
  }
}

interface DecodedText {
  readonly json: string | undefined
  readonly raw: string | undefined
  readonly repairs: readonly Repair[]
}

/** Arguments that are not an object: null and blank text mean none, text may spell an object. */
function decodeText(json: string): DecodedText {
  const value: unknown = JSON.parse(json)
  if (value === null) return { json: '{}', raw: undefined, repairs: [] }
  if (typeof value !== 'string') return { json: undefined, raw: json, repairs: [] }
  if (value.trim() === '') {
    return {
      json: '{}',
      raw: value,
      repairs: [{ code: 'empty-arguments', path: [], risk: 'safe' }],
    }
  }
  const outer = readJson(value)
  // Some encode twice.
  const inner = typeof outer.value === 'string' ? readJson(outer.value) : outer
  if (!inner.complete || !isJsonObject(inner.value)) {
    return { json: undefined, raw: value, repairs: [] }
  }
  const decoded: Repair = { code: 'decoded-string', path: [], risk: 'safe' }
  return { json: JSON.stringify(inner.value), raw: value, repairs: [decoded, ...inner.repairs] }
}

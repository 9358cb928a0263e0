/**
 * Which call an entry of `tool_calls` in a chunk belongs to. Servers forget ids, leave out the index, use one index
 * for all calls, or one id for two. Whoever reads such a stream, to decode it or to rewrite it, asks here.
 */
import { parseObject } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'

type Fields = Readonly<Record<string, JsonValue | undefined>>

/** What one entry says. */
export interface CallEntry {
  readonly id: string | undefined
  readonly index: JsonValue | undefined
  readonly name: string
  /** More of the arguments, or of the text that a tool of the kind `custom` takes. */
  readonly json: string | undefined
  readonly isText: boolean
}

/** A call as far as it has arrived. */
export interface TrackedCall {
  readonly key: string | undefined
  readonly index: JsonValue | undefined
  /** Empty until it has come: some servers send the name after the id. */
  name: string
  readonly chunks: string[]
  isText: boolean
}

export function entryOf(delta: JsonObject): CallEntry {
  const { id, index, function: part, custom } = delta as Fields
  const isText = isJsonObject(custom)
  const inner = isText ? custom : part
  const { name, arguments: args, input } = (isJsonObject(inner) ? inner : {}) as Fields
  const json = isText ? input : isJsonObject(args) ? JSON.stringify(args) : args
  return {
    id: typeof id === 'string' && id !== '' ? id : undefined,
    index: index ?? undefined,
    name: typeof name === 'string' ? name : '',
    json: typeof json === 'string' ? json : undefined,
    isText,
  }
}

/** By id, else by index, else the last one; undefined when the entry begins a call. */
export function findCall<T extends TrackedCall>(
  calls: readonly T[],
  { id, index, name, json }: CallEntry,
): T | undefined {
  const isAt = (call: T): boolean => index === undefined || call.index === index
  if (id !== undefined) {
    const known = calls.findLast((call) => call.key === id && isAt(call))
    // One id at two indexes is two calls, if the second has a name.
    if (known || name !== '') return known
    return (
      calls.find((call) => call.key === id) ??
      calls.findLast((call) => call.key === undefined && isAt(call))
    )
  }
  const found = calls.findLast(isAt)
  if (!found?.name || name === '') return found
  const isNext = index === undefined || name !== found.name || isOver(found, json)
  return isNext ? undefined : found
}

/** The call that an entry begins. */
export function beginCall({ id, index, isText }: CallEntry): TrackedCall {
  return { key: id, index, name: '', chunks: [], isText }
}

/** Adds what an entry says to the call that it belongs to. */
export function growCall(call: TrackedCall, { name, json, isText }: CallEntry): void {
  call.isText ||= isText
  call.name ||= name
  if (json !== undefined) call.chunks.push(json)
}

/** True when the arguments of a call are complete, and others begin. */
function isOver({ chunks, isText }: TrackedCall, json = ''): boolean {
  return !isText && json.startsWith('{') && parseObject(chunks.join('')) !== undefined
}

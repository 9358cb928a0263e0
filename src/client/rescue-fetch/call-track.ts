/**
 * The calls of one streamed choice: which piece belongs to which, and under what index. Servers forget
 * ids, leave out the index, or use one for two calls.
 */
import { parseObject } from '../../core/json/strict.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { CallIds } from './call-ids.ts'
import type { NativeCall, TurnCalls } from './turn-calls.ts'

export interface CallTrack {
  /** False for a piece that has nothing, of no call that has begun. */
  isMeant(piece: JsonObject): boolean
  /** A piece of a call with the index, and at its beginning the id, that it must have. */
  readonly fix: (piece: JsonObject) => JsonObject
  /** More of the arguments of the call that this is a piece of. */
  grow(piece: JsonObject, json: string): void
  /** Another call, which was found in the text. */
  add(id: string): { readonly index: number }
  hasCalls(): boolean
}

interface Tracked {
  /** The index that the server gave it. */
  readonly given: number | undefined
  readonly id: string | undefined
  readonly index: number
  /** Of the server's own calls: what has come of it. */
  readonly native: (NativeCall & { name: string; arguments: string }) | undefined
}

export function createCallTrack(ids: CallIds, turn: TurnCalls): CallTrack {
  const calls: Tracked[] = []

  /** The given index unless another call has it. */
  function free(given: number | undefined): number {
    const isTaken = calls.some(({ index }) => index === given)
    if (given !== undefined && !isTaken) return given
    return calls.reduce((next, { index }) => Math.max(next, index + 1), 0)
  }

  function add(id: string): Tracked {
    const call = { given: undefined, id, index: free(undefined), native: undefined }
    calls.push(call)
    return call
  }

  /** By id, else by index, else the last one. An index may come again with another id, or for all calls. */
  function find({ id, index, name, json }: CallParts): Tracked | undefined {
    const own = calls.filter(({ native }) => native)
    if (id !== undefined) return own.find((call) => call.id === id)
    const found = index === undefined ? own.at(-1) : own.findLast(({ given }) => given === index)
    if (!found?.native?.name || name === '') return found
    const isNext = index === undefined || name !== found.native.name || isOver(found.native, json)
    return isNext ? undefined : found
  }

  function fix(piece: JsonObject): JsonObject {
    const parts = partsOf(piece)
    const { id, index, name, json } = parts
    const known = find(parts)
    if (known) {
      tell(known, name, json)
      return known.index === index ? piece : { ...piece, index: known.index }
    }
    const native = { name, arguments: json }
    const call = { given: index, id, index: free(index), native }
    calls.push(call)
    turn.addNative(native)
    if (id !== undefined) ids.note(id)
    if (id !== undefined && call.index === index) return piece
    return { ...piece, index: call.index, id: id ?? ids.fit(undefined) }
  }

  function grow(piece: JsonObject, json: string): void {
    const known = find({ ...partsOf(piece), name: '' })
    if (known) tell(known, '', json)
  }

  return {
    fix,
    grow,
    add,
    isMeant: (piece) => !isNothing(piece) || find(partsOf(piece)) !== undefined,
    // What never got a name is no call.
    hasCalls: () => calls.some(({ native }) => native?.name !== ''),
  }
}

/** True for a call of which nothing is there: some servers send one with every reply. */
export function isNothing({ id, function: part }: JsonObject): boolean {
  return [id, ...Object.values(isJsonObject(part) ? part : {})].every(
    (value) => (value ?? '') === '',
  )
}

/** True when the arguments of a call are whole, and others begin. */
function isOver({ arguments: whole }: { readonly arguments: string }, json: string): boolean {
  return json.startsWith('{') && parseObject(whole) !== undefined
}

function tell({ native }: Tracked, name: string, json: string): void {
  if (!native) return
  native.name ||= name
  native.arguments += json
}

interface CallParts {
  readonly id: string | undefined
  readonly index: number | undefined
  readonly name: string
  readonly json: string
}

function partsOf(piece: JsonObject): CallParts {
  const { id, index, function: part } = piece as Record<string, JsonValue | undefined>
  const fields = isJsonObject(part) ? part : {}
  const { name, arguments: json } = fields as Record<string, JsonValue | undefined>
  return {
    id: typeof id === 'string' && id !== '' ? id : undefined,
    index: typeof index === 'number' ? index : undefined,
    name: typeof name === 'string' ? name : '',
    json: typeof json === 'string' ? json : '',
  }
}

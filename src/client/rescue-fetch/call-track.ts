/**
 * The calls of one streamed choice on their way to the client: each entry with the index and the id that it must
 * have there. Which call an entry belongs to is for the dialect to say.
 */
import { parseObject } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject } from '../../core/json/value.ts'
import {
  beginCall,
  type CallEntry,
  entryOf,
  findCall,
  growCall,
  type TrackedCall,
} from '../../dialects/openai-chat/call-track.ts'
import type { CallIds } from './call-ids.ts'
import type { NativeCall, TurnCalls } from './turn-calls.ts'

export interface CallTrack {
  /** False for an entry that has nothing, of no call that has begun. */
  isMeant(entry: JsonObject): boolean
  /**
   * What is passed on of an entry, with the index and the id that it must have: mostly the entry itself, none while
   * its call may be one that was found in the text.
   */
  readonly fix: (entry: JsonObject) => readonly JsonObject[]
  /** No more entries will come: what was held back. */
  release(): readonly JsonObject[]
  /** More of the arguments of the call that this is an entry of. */
  grow(entry: JsonObject, json: string): void
  /** Another call, which was found in the text. */
  add(): { readonly index: number }
  hasCalls(): boolean
}

/** A call of the server's own. */
interface OwnCall extends TrackedCall {
  /** The index under which it is passed on, once it is. */
  place: number | undefined
  readonly id: string
  /** Its first entry, while all of it is held back. */
  held: JsonObject | undefined
}

export function createCallTrack(ids: CallIds, turn: TurnCalls): CallTrack {
  const calls: OwnCall[] = []
  const places = new Set<number>()
  let next = 0
  let hasFound = false

  /** The given index unless another call has it. */
  function take(given?: unknown): number {
    const isFree = typeof given === 'number' && !places.has(given)
    const place = isFree ? given : next
    places.add(place)
    next = Math.max(next, place + 1)
    return place
  }

  function begin(entry: CallEntry, delta: JsonObject): OwnCall {
    const isTaken = entry.id === undefined || calls.some(({ id }) => id === entry.id)
    const id = isTaken ? ids.fit(undefined) : (entry.id ?? '')
    ids.note(id)
    const held = turn.mayRepeat(entry) ? delta : undefined
    const call: OwnCall = { ...beginCall(entry), place: undefined, id, held }
    calls.push(call)
    if (!held) pass(call, entry.index)
    return call
  }

  /** From here on the call is passed on. */
  function pass(call: OwnCall, index?: unknown): number {
    const place = take(index)
    call.place = place
    turn.addNative(asNative(call))
    return place
  }

  function fix(delta: JsonObject): readonly JsonObject[] {
    const entry = entryOf(delta)
    const known = findCall(calls, entry)
    const call = known ?? begin(entry, delta)
    growCall(call, entry)
    if (call.held) return settle(call, call.held)
    // A call that was found in the text: it is not passed on again.
    if (call.place === undefined) return []
    const isPlaced = call.place === entry.index
    // An id is needed where the call begins, and must be the same where it is repeated.
    const isNamed = entry.id === call.id || (known !== undefined && entry.id === undefined)
    if (isPlaced && isNamed) return [delta]
    return [{ ...delta, index: call.place, ...(!isNamed && { id: call.id }) }]
  }

  /** Whether a call is the same is known when its arguments are complete. */
  function settle(call: OwnCall, held: JsonObject): readonly JsonObject[] {
    const native = asNative(call)
    if (!isComplete(native)) return []
    call.held = undefined
    return turn.isRescued(native) ? [] : [whole(call, held)]
  }

  function whole(call: OwnCall, { function: part, ...entry }: JsonObject): JsonObject {
    const { id, name, chunks } = call
    const fields = part !== undefined && isJsonObject(part) ? part : {}
    const said = { ...fields, name, arguments: chunks.join('') }
    return { ...entry, index: pass(call, entry['index']), id, function: said }
  }

  function release(): readonly JsonObject[] {
    return calls.flatMap((call) => {
      const { held } = call
      call.held = undefined
      return held ? [whole(call, held)] : []
    })
  }

  function grow(delta: JsonObject, json: string): void {
    const entry = { ...entryOf(delta), name: '', json }
    const known = findCall(calls, entry)
    if (known) growCall(known, entry)
  }

  return {
    fix,
    release,
    grow,
    add() {
      hasFound = true
      return { index: take() }
    },
    isMeant: (delta) => !isNothing(delta) || findCall(calls, entryOf(delta)) !== undefined,
    // What never got a name is no call.
    hasCalls: () => hasFound || calls.some(({ name, place }) => name !== '' && place !== undefined),
  }
}

function isComplete({ arguments: args }: NativeCall): boolean {
  const json = String(args)
  return json.trimEnd().endsWith('}') && parseObject(json) !== undefined
}

/** As it is once there is all of it. */
function asNative(call: OwnCall): NativeCall {
  return {
    get name() {
      return call.name
    },
    get arguments() {
      return call.chunks.join('')
    },
  }
}

/** True for a call of which nothing is there: some servers send one with every reply. */
export function isNothing({ id, function: part }: JsonObject): boolean {
  return [id, ...Object.values(isJsonObject(part) ? part : {})].every(
    (value) => (value ?? '') === '',
  )
}

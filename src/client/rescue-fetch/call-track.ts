/**
 * The calls of one streamed choice: which piece belongs to which, and under what index. Servers forget
 * ids, leave out the index, or use one for two calls.
 */
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import { isJsonObject } from '../../core/json/value.ts'
import type { CallIds } from './call-ids.ts'

export interface CallTrack {
  /** A piece of a call with the index, and at its beginning the id, that it must have. */
  readonly fix: (piece: JsonObject) => JsonObject
  /** Another call, which was found in the text. */
  add(id: string): { readonly index: number }
  hasCalls(): boolean
}

interface Tracked {
  /** The index that the server gave it. */
  readonly given: number | undefined
  readonly id: string | undefined
  readonly index: number
  /** Found in the text: nothing of the server's own belongs to it. */
  readonly isRescued: boolean
}

export function createCallTrack(ids: CallIds): CallTrack {
  const calls: Tracked[] = []

  /** The given index unless another call has it. */
  function free(given: number | undefined): number {
    const isTaken = calls.some(({ index }) => index === given)
    if (given !== undefined && !isTaken) return given
    return calls.reduce((next, { index }) => Math.max(next, index + 1), 0)
  }

  function add(id: string): Tracked {
    const call = { given: undefined, id, index: free(undefined), isRescued: true }
    calls.push(call)
    return call
  }

  /** By id, else by index, else the last one. An index may come again with another id. */
  function find(id: string | undefined, given: number | undefined, isNamed: boolean) {
    const own = calls.filter(({ isRescued }) => !isRescued)
    if (id !== undefined) return own.find((call) => call.id === id)
    if (given !== undefined) return own.findLast((call) => call.given === given)
    return isNamed ? undefined : own.at(-1)
  }

  function fix(piece: JsonObject): JsonObject {
    const { id, index, function: part } = piece as Record<string, JsonValue | undefined>
    const name = isJsonObject(part) && typeof part['name'] === 'string' ? part['name'] : ''
    const key = typeof id === 'string' && id !== '' ? id : undefined
    const given = typeof index === 'number' ? index : undefined
    const known = find(key, given, name !== '')
    if (known) return known.index === given ? piece : { ...piece, index: known.index }
    const call = { given, id: key, index: free(given), isRescued: false }
    calls.push(call)
    if (key !== undefined) ids.note(key)
    if (key !== undefined && call.index === given) return piece
    return { ...piece, index: call.index, id: key ?? ids.fit(undefined) }
  }

  return { fix, add, hasCalls: () => calls.length > 0 }
}

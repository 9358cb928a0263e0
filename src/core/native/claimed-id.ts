/**
 * Ids for native calls. An id that was made up must come out the same when the same reply is read again: its
 * calls are read first, the assistant message is written later, and the results have to fit both.
 */
import type { ClaimedId, IdMint } from '../ids.ts'
import { isJsonObject } from '../json/value.ts'
import type { NativeCall } from './call.ts'

const madeUp = new WeakMap<object, string>()

/** The id that the call was given before, unless `fresh`; else its own when it can be kept, or a new one. */
export function claimId(
  mint: IdMint,
  { id, raw }: NativeCall,
  name: string,
  index: number,
  fresh = true,
): ClaimedId {
  if (!isJsonObject(raw)) return mint.claim(id, name, index)
  const remembered = fresh ? undefined : madeUp.get(raw)
  if (remembered === undefined) {
    const claimed = mint.claim(id, name, index)
    if (claimed.id === id) madeUp.delete(raw)
    else madeUp.set(raw, claimed.id)
    return claimed
  }
  const { id: claimed } = mint.claim(remembered, name, index)
  madeUp.set(raw, claimed)
  // The id of before was never the model's.
  return id === undefined || id.trim() === '' ? { id: claimed } : { id: claimed, originalId: id }
}

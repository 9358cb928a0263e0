/** Arguments that were begun and of which nothing is left. */
import type { Repair, RepairCode } from '../issue.ts'
import { parseObject } from '../json/strict.ts'
import type { JsonObject } from '../json/value.ts'

export const ARGUMENTS_LOST = 'the arguments were begun, but nothing of them can be read'

/** Repairs that fill a gap, or leave one. */
const FILLED: ReadonlySet<RepairCode> = new Set(['added-bracket', 'added-null', 'dropped-ellipsis'])

/**
 * True when repairs made up all there is: an empty object, or one whose every value was missing. A call with
 * such arguments is one that nobody asked for. `repairs` are those of the arguments alone.
 */
export function isLost(args: JsonObject | string, repairs: readonly Repair[]): boolean {
  if (!repairs.some(({ code }) => FILLED.has(code))) return false
  const added = new Set(repairs.filter(isAddedMember).map(({ path }) => path[0]))
  const value = typeof args === 'string' ? parseObject(args) : args
  return Object.keys(value ?? {}).every((key) => added.has(key))
}

function isAddedMember({ code, path }: Repair): boolean {
  return code === 'added-null' && path.length === 1
}

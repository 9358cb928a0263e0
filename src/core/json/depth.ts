/** How deeply a value is nested. */
import { isJsonObject, type JsonValue } from './value.ts'

/** Stops at the limit, so that neither depth nor a cycle can exhaust the stack. */
export function isWithinDepth(value: JsonValue, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (depth === 0) return false
  const items = isJsonObject(value) ? Object.values(value) : value
  return items.every((item) => isWithinDepth(item, depth - 1))
}

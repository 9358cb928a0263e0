import type { JsonValue } from '../json/value.ts'
import { isJsonObject } from '../json/value.ts'

/** True when two JSON values are the same; the order of keys does not matter. */
export function equalJson(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false
    return one.every((item, at) => equalJson(item, other[at]))
  }
  return isJsonObject(one) && isJsonObject(other) && equalEntries(one, other)
}

function equalEntries(
  one: Readonly<Record<string, JsonValue>>,
  other: Readonly<Record<string, JsonValue>>,
): boolean {
  const keys = Object.keys(one)
  if (keys.length !== Object.keys(other).length) return false
  return keys.every((key) => Object.hasOwn(other, key) && equalJson(one[key], other[key]))
}

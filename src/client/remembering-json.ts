/**
 * A function of JSON that is computed once for values that say the same, as long as they are few. They are
 * found again by comparing, which takes less than to write each one down as the key of a map.
 */
import { isWithinDepth } from '../core/json/depth.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'

export interface RememberingLimits {
  readonly maxEntries: number
  /** Of all of them together, as JSON text: nothing is ever compared with more than that. */
  readonly maxLength: number
}

/** Deeper ones are not kept, for comparing goes as deep as both of two values. */
const MAX_DEPTH = 64
/** One that takes more than this part of the length would push out too many others. */
const LARGEST_PART = 1 / 8

interface Entry<Value> {
  readonly json: JsonValue
  readonly length: number
  readonly value: Value
}

/** The values are not copied; they must not change. */
export function rememberingJson<Value>(
  compute: (json: JsonValue) => Value,
  { maxEntries, maxLength }: RememberingLimits,
): (json: JsonValue) => Value {
  /** The one used last comes first. */
  let known: readonly Entry<Value>[] = []

  function add(json: JsonValue, value: Value): void {
    if (!isWithinDepth(json, MAX_DEPTH)) return
    const { length } = JSON.stringify(json)
    if (length > maxLength * LARGEST_PART) return
    let left = maxLength
    known = [{ json, length, value }, ...known].slice(0, maxEntries).filter((one) => {
      left -= one.length
      return left >= 0
    })
  }

  return (json) => {
    const found = known.find((one) => isSame(one.json, json))
    if (!found) {
      const value = compute(json)
      add(json, value)
      return value
    }
    if (found !== known[0]) known = [found, ...known.filter((one) => one !== found)]
    return found.value
  }
}

/** Like `equalJson`, but nothing is made on the way: it runs with every request. */
function isSame(one: JsonValue | undefined, other: JsonValue | undefined): boolean {
  if (one === other) return true
  if (Array.isArray(one)) return Array.isArray(other) && isSameList(one, other)
  return isJsonObject(one) && isJsonObject(other) && isSameObject(one, other)
}

function isSameList(one: readonly JsonValue[], other: readonly JsonValue[]): boolean {
  if (one.length !== other.length) return false
  for (let i = 0; i < one.length; i++) if (!isSame(one[i], other[i])) return false
  return true
}

function isSameObject(one: JsonObject, other: JsonObject): boolean {
  for (const key in other) if (!Object.hasOwn(one, key)) return false
  for (const key in one) {
    if (!Object.hasOwn(other, key) || !isSame(one[key], other[key])) return false
  }
  return true
}

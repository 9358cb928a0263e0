/** JSON values as texts that are the same for equal values, so that sets and maps can look for them. */
import { isJsonObject, type JsonValue } from '../json/value.ts'

/**
 * The text of a value, with the keys of objects in order. Undefined for a value of more than `mostValues`
 * values, itself and all levels included: what is that long equals none of those it is looked for among.
 */
export function canonicalText(
  value: JsonValue,
  mostValues: number = Number.POSITIVE_INFINITY,
): string | undefined {
  let left = mostValues

  function write(part: JsonValue): string {
    left -= 1
    if (left < 0) return ''
    if (Array.isArray(part)) return `[${part.map(write).join()}]`
    if (!isJsonObject(part)) return JSON.stringify(part)
    // The cast: the keys are its own.
    const entries = Object.keys(part)
      .sort()
      .map((key) => `${JSON.stringify(key)}:${write(part[key] as JsonValue)}`)
    return `{${entries.join()}}`
  }

  const text = write(value)
  return left < 0 ? undefined : text
}

/** How many values there are in a value, itself included. */
export function countValues(value: JsonValue): number {
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce<number>((sum, part) => sum + countValues(part), 1)
}

/** The values without those that equal an earlier one. */
export function distinctJson<Value extends JsonValue>(values: readonly Value[]): Value[] {
  const seen = new Set<string | undefined>()
  return values.filter((value) => {
    const { size } = seen
    return seen.add(canonicalText(value)).size > size
  })
}

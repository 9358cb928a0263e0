import type { JsonObject, JsonValue } from '../json/value.ts'
import { isJsonObject } from '../json/value.ts'
import type { JsonSchema } from '../model.ts'
import { type Alternative, alternativesOf, isOfType, typeOf } from './resolve.ts'

/** Far deeper than arguments go, and shallow enough for a value that contains itself. */
const MAX_DEPTH = 12

/**
 * A cheap yes for the common case: a value that fits and has no unknown keys. A no only means that
 * it takes a closer look, which measures four times as slow because it keeps books.
 */
export function conforms(
  value: JsonValue,
  schema: JsonSchema,
  root: JsonSchema,
  depth: number,
): boolean {
  if (schema === true) return true
  const alternatives = alternativesOf(schema, root)
  if (typeof value !== 'object' || value === null) return conformsToAny(value, alternatives)
  const [only] = alternatives
  // Which of several objects is meant takes the closer look.
  if (!only || alternatives.length > 1 || depth > MAX_DEPTH || only.members) return false
  if (!isOfType(typeOf(value), only.type)) return false
  if (isJsonObject(value)) return conformsInside(value, only, root, depth)
  return value.every((item, at) => conforms(item, only.prefix[at] ?? only.items, root, depth + 1))
}

function conformsToAny(value: JsonValue, alternatives: readonly Alternative[]): boolean {
  const type = typeOf(value)
  for (const wanted of alternatives) {
    if (isOfType(type, wanted.type) && (!wanted.members || wanted.members.includes(value)))
      return true
  }
  return false
}

function conformsInside(
  object: JsonObject,
  wanted: Alternative,
  root: JsonSchema,
  depth: number,
): boolean {
  for (const key of Object.keys(object)) {
    const property = wanted.properties.get(key)
    const value = object[key]
    if (property === undefined || value === undefined) return false
    if (!conforms(value, property, root, depth + 1)) return false
  }
  return true
}

/** The names that a schema declares for the properties of the one object it describes. */
import type { JsonSchema } from '../model.ts'
import { type Alternative, alternativesOf, isOfType } from './resolve.ts'
import { namesLike } from './spelling.ts'

/**
 * The declared name that a key spells, exactly or in another case; undefined when there is none or
 * more than one.
 */
export function findProperty(schema: JsonSchema, key: string): string | undefined {
  const object = soleObject(schema)
  if (!object) return undefined
  if (object.properties.has(key)) return key
  const [name, ...others] = namesLike(key, object)
  return others.length === 0 ? name : undefined
}

/** In this spelling. */
export function isDeclared(schema: JsonSchema, key: string): boolean {
  return findProperty(schema, key) === key
}

/** Undefined when the schema describes several objects, or none. */
export function soleObject(schema: JsonSchema): Alternative | undefined {
  const objects = alternativesOf(schema, schema).filter(({ type }) => isOfType('object', type))
  return objects.length === 1 ? objects[0] : undefined
}

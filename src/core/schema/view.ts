/** A schema seen from one place in the arguments, for values that are read part by part. */
import type { JsonPath } from '../issue.ts'
import type { JsonSchema } from '../model.ts'
import type { SchemaView } from '../options.ts'
import { type Alternative, alternativesOf } from './resolve.ts'
import { namesLike } from './spelling.ts'
import { isUntyped, typeAt } from './typed-text.ts'

export function viewSchema(
  schema: JsonSchema,
  root: JsonSchema = schema,
  path: JsonPath = [],
): SchemaView | undefined {
  if (isUntyped(schema, root)) return undefined
  const alternatives = alternativesOf(schema, root)

  /** What all alternatives say about the part behind `step`. */
  function part(
    step: string | number,
    find: (alternative: Alternative) => JsonSchema | undefined,
  ): SchemaView | undefined {
    const found = new Set(alternatives.map(find).filter((one) => one !== undefined))
    const [only = true] = found
    return viewSchema(found.size > 1 ? { anyOf: [...found] } : only, root, [...path, step])
  }

  return {
    accepts: (type) => alternatives.some((one) => one.type === type),
    property: (key) => part(key, (one) => propertyOf(one, key)),
    item: (at) => part(at, (one) => (one.type === 'array' ? itemOf(one, at) : undefined)),
    read: (raw) => typeAt(raw, schema, root, path),
  }
}

function propertyOf(alternative: Alternative, key: string): JsonSchema | undefined {
  const { properties, patterned, additional } = alternative
  const declared = properties.get(key)
  if (declared !== undefined) return declared
  const [name = '', ...others] = namesLike(key, alternative)
  if (name !== '' && others.length === 0) return properties.get(name)
  return patterned ? undefined : additional || undefined
}

function itemOf({ prefix, items }: Alternative, at: number): JsonSchema {
  return prefix[at] ?? items
}

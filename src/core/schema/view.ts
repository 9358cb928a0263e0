/** A schema seen from one place in the arguments, for values that are read part by part. */
import type { JsonPath } from '../issue.ts'
import type { JsonSchema } from '../model.ts'
import type { SchemaView } from '../options.ts'
import { createPatterns, type Patterns } from './pattern.ts'
import { type Alternative, alternativesOf, anyOf, undeclared } from './resolve.ts'
import { namesLike } from './spelling.ts'
import { isUntyped, typeText } from './typed-text.ts'

export function viewSchema(
  schema: JsonSchema,
  root: JsonSchema = schema,
  path: JsonPath = [],
  patterns: Patterns = createPatterns(),
): SchemaView | undefined {
  if (isUntyped(schema, root)) return undefined
  const alternatives = alternativesOf(schema, root)

  /** What the alternatives say about the part behind `step`. */
  function part(
    step: string | number,
    find: (alternative: Alternative) => JsonSchema | undefined,
  ): SchemaView | undefined {
    return viewSchema(anyOf(alternatives.map(find)) ?? true, root, [...path, step], patterns)
  }

  return {
    accepts: (type) => alternatives.some((one) => one.type === type),
    property: (key) => part(key, (one) => propertyOf(one, key, patterns)),
    item: (at) =>
      part(at, ({ type, prefix, items }) => (type === 'array' ? (prefix[at] ?? items) : undefined)),
    read: (raw) => typeText(raw, schema, root, path),
  }
}

function propertyOf(
  alternative: Alternative,
  key: string,
  patterns: Patterns,
): JsonSchema | undefined {
  const { properties } = alternative
  const declared = properties.get(key)
  if (declared !== undefined) return declared
  const [name = '', ...others] = namesLike(key, alternative)
  const meant = others.length === 0 ? properties.get(name) : undefined
  return meant ?? (undeclared(key, alternative, patterns) || undefined)
}

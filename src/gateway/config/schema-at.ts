/** What a schema says about one place in a value. */
import type { JsonPath } from '../../core/issue.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { findDefinition, schemaList } from '../../core/schema/resolve.ts'

/** The schemas that may hold at a path, every alternative by itself. */
export function schemasAt(root: JsonObject, path: JsonPath): readonly JsonObject[] {
  let schemas = alternatives(root, root)
  for (const step of path) {
    schemas = schemas.flatMap((schema) => alternatives(inside(schema, step), root))
  }
  return schemas
}

function inside(schema: JsonObject, step: string | number): JsonValue | undefined {
  if (typeof step === 'number') return schema['items']
  const { properties } = schema
  if (isJsonObject(properties) && Object.hasOwn(properties, step)) return properties[step]
  return schema['additionalProperties']
}

function alternatives(schema: JsonValue | undefined, root: JsonObject): JsonObject[] {
  if (!isJsonObject(schema)) return []
  const { $ref, anyOf } = schema
  const parts = [
    ...(typeof $ref === 'string' ? [findDefinition($ref, root)] : []),
    ...schemaList(anyOf),
  ]
  return [schema, ...parts.flatMap((part) => alternatives(part, root))]
}

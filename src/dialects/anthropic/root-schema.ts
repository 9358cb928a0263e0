/** The schema of a tool's arguments. */
import type { JsonObject } from '../../core/json/value.ts'
import type { JsonSchema } from '../../core/model.ts'
import { schemaObject } from '../tool-definition.ts'

/** Its root must say that it is an object. Keys keep their order, for the sake of the cache. */
export function rootSchema(schema: JsonSchema): JsonObject {
  const root = schemaObject(schema)
  return root['type'] === undefined ? { type: 'object', ...root } : root
}

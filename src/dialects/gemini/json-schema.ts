/**
 * JSON Schema as Google's clients write it: in fields for JSON Schema they send types in upper case, `nullable`, and
 * counts as text, as if these were fields for Gemini's own schemas. Everything else in such a schema stays as it is.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { COUNTS, MAX_DEPTH, raiseEnum, raiseSchema, withNull } from './raise.ts'

const TYPES: ReadonlySet<JsonValue> = new Set([
  ...['STRING', 'NUMBER', 'INTEGER', 'BOOLEAN', 'ARRAY', 'OBJECT', 'NULL'],
])

/** Keywords whose value is a schema or a list of schemas. */
const INNER: ReadonlySet<string> = new Set([
  ...['items', 'prefixItems', 'contains', 'additionalProperties', 'propertyNames'],
  ...['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else'],
  ...['unevaluatedItems', 'unevaluatedProperties'],
])
/** Keywords whose value has schemas by name. */
const NAMED: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'],
])

/** The schema in the field for Gemini's own, or in the one for JSON Schema. */
export function decodeSchema(
  own: JsonValue | undefined,
  jsonSchema: JsonValue | undefined,
): JsonObject | undefined {
  if (isJsonObject(own)) return raiseSchema(own)
  return isJsonObject(jsonSchema) ? plainSchema(jsonSchema) : undefined
}

export function plainSchema(schema: JsonObject, depth = 0): JsonObject {
  if (depth > MAX_DEPTH) return schema
  const fields = mapFields(schema, (key, value) => plainField(key, value, depth))
  const { nullable, ...rest } = fields as Record<string, JsonValue | undefined>
  // Without it no field was taken away.
  const plain = nullable === undefined ? fields : (rest as JsonObject)
  return withNull(raiseEnum(plain), nullable === true)
}

function plainField(key: string, value: JsonValue, depth: number): JsonValue {
  if (key === 'type') return Array.isArray(value) ? value.map(plainType) : plainType(value)
  if (COUNTS.has(key) && typeof value === 'string') return Number(value)
  const inner = (one: JsonValue): JsonValue =>
    isJsonObject(one) ? plainSchema(one, depth + 1) : one
  if (INNER.has(key)) return Array.isArray(value) ? value.map(inner) : inner(value)
  return NAMED.has(key) && isJsonObject(value) ? mapFields(value, (_, one) => inner(one)) : value
}

function plainType(type: JsonValue): JsonValue {
  return TYPES.has(type) ? String(type).toLowerCase() : type
}

function mapFields(
  object: JsonObject,
  change: (key: string, value: JsonValue) => JsonValue,
): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(key, value)]))
}

/** Gemini's schemas as JSON Schema: types in lower case, `null` as a type, numbers as numbers. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { camelKeys } from './candidate.ts'

/** Counts that Google's own clients write as text. */
export const COUNTS: ReadonlySet<string> = new Set([
  ...['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'],
])

export const MAX_DEPTH = 64

export function raiseSchema(schema: JsonObject, depth = 0): JsonObject {
  if (depth > MAX_DEPTH) return {}
  const { nullable, ...rest } = camelKeys(schema)
  const entries = Object.entries(rest).map(([key, value]) => [key, raiseField(key, value, depth)])
  return withNull(raiseEnum(Object.fromEntries(entries)), nullable === true)
}

function raiseField(key: string, value: JsonValue, depth: number): JsonValue {
  if (key === 'type' && typeof value === 'string') return value.toLowerCase()
  if (COUNTS.has(key) && typeof value === 'string') return Number(value)
  if (key === 'properties' && isJsonObject(value)) {
    const members = Object.entries(value).map(([name, one]) => [name, raiseValue(one, depth)])
    return Object.fromEntries(members)
  }
  if (key === 'anyOf' && Array.isArray(value)) return value.map((one) => raiseValue(one, depth))
  return key === 'items' ? raiseValue(value, depth) : value
}

function raiseValue(value: JsonValue, depth: number): JsonValue {
  return isJsonObject(value) ? raiseSchema(value, depth + 1) : value
}

/** `format: "enum"` says that there is a list, and numbers in it are written as text. */
export function raiseEnum(schema: JsonObject): JsonObject {
  const { format, enum: members, type } = schema as Record<string, JsonValue | undefined>
  if (format !== 'enum' || !Array.isArray(members)) return schema
  const { format: _, ...rest } = schema
  const isNumber = type === 'integer' || type === 'number'
  return isNumber ? { ...rest, enum: members.map(Number) } : rest
}

export function withNull(schema: JsonObject, isNullable: boolean): JsonObject {
  const { type, anyOf, enum: members } = schema as Record<string, JsonValue | undefined>
  if (!isNullable) return schema
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: 'null' }] }
  const types = Array.isArray(type) ? type : typeof type === 'string' ? [type] : []
  if (types.length === 0 || types.includes('null')) return schema
  const allowed = Array.isArray(members) ? { enum: [...members, null] } : {}
  return { ...schema, type: [...types, 'null'], ...allowed }
}

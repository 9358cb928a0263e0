/** Tool definitions on their way into a request, alike in all dialects. */
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import type { JsonSchema, Tool } from '../core/model.ts'
import { normalizeTools } from '../core/schema/tool.ts'

const DESCRIPTION_LENGTH = 140
const NESTED_DESCRIPTION_LENGTH = 60

// Their members are schemas, whatever they are called: a property may be named `description`.
const SCHEMA_MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
])
// Data, not schemas.
const LITERALS: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'required'])

/** How a dialect writes definitions. */
export interface ToolEncoding {
  /** True for a definition in the dialect's form, built-in tools of the provider included. */
  readonly isEncoded: (tool: JsonObject) => boolean
  readonly encode: (tool: Tool) => JsonObject
  readonly compact: (encoded: JsonObject) => JsonObject
}

/**
 * Encodes definitions one by one; those that are in the dialect's form already stay the objects
 * they are, so that what only the provider knows survives.
 */
export function encodeTools(
  tools: readonly unknown[],
  encoding: ToolEncoding,
  compact = false,
): JsonObject[] {
  const encoded = tools.flatMap((tool) =>
    isJsonObject(tool) && encoding.isEncoded(tool)
      ? [tool]
      : normalizeTools([tool]).map(encoding.encode),
  )
  return compact ? encoded.map(encoding.compact) : encoded
}

/** A schema as the object that requests want; `true` and `false` are schemas, too. */
export function schemaObject(schema: JsonSchema): JsonObject {
  return isJsonObject(schema) ? schema : { type: 'object' }
}

/** The same definition with descriptions cut short; its structure stays. */
export function compactDefinition(definition: JsonObject, schemaKey: string): JsonObject {
  return mapValues(definition, (value, key) => {
    if (key === 'description') return cut(value, DESCRIPTION_LENGTH)
    return key === schemaKey && isJsonObject(value) ? compactSchema(value) : value
  })
}

/** The same schema without these keys, at any depth. */
export function schemaWithout(schema: JsonObject, keys: readonly string[]): JsonObject {
  const cleaned = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(cleaned)
    return isJsonObject(value) ? schemaWithout(value, keys) : value
  }
  const kept = Object.entries(schema).filter(([key]) => !keys.includes(key))
  return mapValues(Object.fromEntries(kept), (value, key) => {
    if (SCHEMA_MAPS.has(key) && isJsonObject(value)) return mapValues(value, cleaned)
    return LITERALS.has(key) ? value : cleaned(value)
  })
}

function compactSchema(schema: JsonObject): JsonObject {
  return mapValues(schema, (value, key) => {
    if (key === 'description') return cut(value, NESTED_DESCRIPTION_LENGTH)
    if (SCHEMA_MAPS.has(key) && isJsonObject(value)) return mapValues(value, compactValue)
    return LITERALS.has(key) ? value : compactValue(value)
  })
}

function compactValue(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(compactValue)
  return isJsonObject(value) ? compactSchema(value) : value
}

function mapValues(
  object: JsonObject,
  change: (value: JsonValue, key: string) => JsonValue,
): JsonObject {
  const entries = Object.entries(object)
  return Object.fromEntries(entries.map(([key, value]) => [key, change(value, key)]))
}

function cut<T>(value: T, length: number): T | string {
  if (typeof value !== 'string') return value
  const characters = Array.from(value)
  return characters.length > length ? `${characters.slice(0, length).join('')}…` : value
}

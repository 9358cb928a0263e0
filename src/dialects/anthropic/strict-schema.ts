/**
 * JSON Schema in the subset that Anthropic can hold a model to. Objects are closed, `oneOf` becomes
 * `anyOf`, and what cannot be enforced is said in the description instead, where the model reads it.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'

const SCHEMA_MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions'])
const KEPT: ReadonlySet<string> = new Set(
  'type title description enum const default required $ref $schema'.split(' '),
)
const FORMATS: ReadonlySet<JsonValue> = new Set(
  'date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' '),
)
// They say nothing that a model could keep to, or the opposite of what will be enforced.
const UNTOLD: ReadonlySet<string> = new Set(['additionalProperties', '$id', '$comment'])

/** Told where something can no longer be enforced, and what. */
export type Loss = (path: string, key: string) => void

export function strictSchema(schema: JsonValue, lost: Loss, path = ''): JsonObject {
  if (!isJsonObject(schema)) {
    if (schema === false) lost(path, 'false')
    return {}
  }
  const strict: JsonObject = {}
  const told: string[] = []
  for (const [key, value] of Object.entries(besideReference(schema))) {
    const kept = lower(key, value, lost, `${path}/${key}`)
    if (kept !== undefined) {
      strict[key === 'oneOf' ? 'anyOf' : key] ??= kept
    } else if (key !== 'additionalProperties' || value !== false) {
      if (!UNTOLD.has(key)) told.push(`${key}: ${JSON.stringify(value)}`)
      lost(path, key)
    }
  }
  if (isObjectSchema(schema)) strict['additionalProperties'] = false
  if (told.length > 0) strict['description'] = describe(schema['description'], told)
  return strict
}

/** Nothing but definitions may stand beside a reference. */
function besideReference(schema: JsonObject): JsonObject {
  if (typeof schema['$ref'] !== 'string') return schema
  const entries = Object.entries(schema)
  return Object.fromEntries(entries.filter(([key]) => /^(?:\$ref|\$defs|definitions)$/.test(key)))
}

/** What a keyword becomes; undefined when it cannot stay. */
function lower(key: string, value: JsonValue, lost: Loss, path: string): JsonValue | undefined {
  const inner = (schema: JsonValue, at: string | number) =>
    strictSchema(schema, lost, `${path}/${at}`)
  if (SCHEMA_MAPS.has(key) && isJsonObject(value)) {
    const entries = Object.entries(value)
    return Object.fromEntries(entries.map(([name, schema]) => [name, inner(schema, name)]))
  }
  if (/^(?:any|all|one)Of$/.test(key)) return Array.isArray(value) ? value.map(inner) : undefined
  if (key === 'items') return Array.isArray(value) ? undefined : strictSchema(value, lost, path)
  if (key === 'format') return FORMATS.has(value) ? value : undefined
  if (key === 'minItems') return value === 0 || value === 1 ? value : undefined
  return KEPT.has(key) ? value : undefined
}

function isObjectSchema({ type, properties, $ref: ref }: Partial<JsonObject>): boolean {
  if (ref !== undefined) return false
  if (type === undefined) return isJsonObject(properties)
  return type === 'object' || (Array.isArray(type) && type.includes('object'))
}

function describe(description: JsonValue | undefined, told: readonly string[]): string {
  const constraints = `{${told.join(', ')}}`
  const said = typeof description === 'string' ? description : ''
  return said === '' ? constraints : `${said}\n\n${constraints}`
}

/** A configuration as it can be shown: with everything that has a default, and without secrets. */
import { HIDDEN } from '../../client/secret-mask.ts'
import type { JsonPath } from '../../core/issue.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { configSchema } from '../../gateway/config/schema.ts'
import { schemasAt } from '../../gateway/config/schema-at.ts'
import type { ServerConfig } from '../../gateway/config/server-config.ts'

export function effectiveConfig(config: ServerConfig): JsonValue {
  // A configuration is plain data; what is not set is left out.
  return shown(JSON.parse(JSON.stringify(config)), [], configSchema())
}

/** The schema marks what is secret as `writeOnly`. */
function shown(value: JsonValue, path: JsonPath, schema: JsonObject): JsonValue {
  const isSecret = schemasAt(schema, path).some(({ writeOnly }) => writeOnly === true)
  if (isSecret) return hidden(value)
  if (Array.isArray(value)) return value.map((item, at) => shown(item, [...path, at], schema))
  if (!isJsonObject(value)) return value
  return mapped(value, (item, name) => shown(item, [...path, name], schema))
}

/** Names are no secrets. */
function hidden(value: JsonValue): JsonValue {
  return isJsonObject(value) ? mapped(value, hidden) : HIDDEN
}

function mapped(
  object: JsonObject,
  change: (value: JsonValue, name: string) => JsonValue,
): JsonObject {
  const entries = Object.entries(object).map(([name, value]) => [name, change(value, name)])
  return Object.fromEntries(entries)
}

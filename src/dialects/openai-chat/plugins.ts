/** Plugins of OpenRouter, which clients also send to services that have none. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'

/** True for the plugin that repairs replies which must be JSON. */
export function isHealing(plugin: JsonValue): boolean {
  return isJsonObject(plugin) && plugin['id'] === 'response-healing' && plugin['enabled'] !== false
}

/** The body without that plugin; the body itself when there is none. */
export function withoutHealing(body: JsonObject): JsonObject {
  const { plugins, ...rest } = body as Record<string, JsonValue | undefined>
  if (!Array.isArray(plugins)) return body
  const others = plugins.filter(
    (plugin) => !isJsonObject(plugin) || plugin['id'] !== 'response-healing',
  )
  if (others.length === plugins.length) return body
  return others.length > 0 ? { ...body, plugins: others } : (rest as JsonObject)
}

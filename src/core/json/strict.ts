/** `JSON.parse` that answers undefined instead of throwing. */
import { isJsonObject, type JsonObject, type JsonValue } from './value.ts'

export function parseStrict(text: string): JsonValue | undefined {
  try {
    // The only thing JSON.parse returns is JSON.
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

/** The object that the text spells; undefined for any other value. */
export function parseObject(text: string): JsonObject | undefined {
  const value = parseStrict(text)
  return isJsonObject(value) ? value : undefined
}

/** `JSON.parse` that answers undefined instead of throwing. */
import { isJsonObject, type JsonObject, type JsonValue } from './value.ts'

export function parseStrict(text: string): JsonValue | undefined {
  // To fail costs more than to read most texts: the error comes with a stack.
  if (!looksRight(text.trim())) return undefined
  try {
    // The only thing JSON.parse returns is JSON.
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

const LAST: Readonly<Record<string, string>> = { '{': '}', '[': ']', '"': '"' }
const SCALAR = /^(?:-?\d[\d.eE+-]*|true|false|null)$/

/** Whether both ends are those of JSON. */
function looksRight(text: string): boolean {
  const last = LAST[text.charAt(0)]
  return last === undefined ? SCALAR.test(text) : text.endsWith(last)
}

/** The object that the text spells; undefined for any other value. */
export function parseObject(text: string): JsonObject | undefined {
  const value = parseStrict(text)
  return isJsonObject(value) ? value : undefined
}

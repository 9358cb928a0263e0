/** `JSON.parse` that answers undefined instead of throwing. */
import { isTooDeep, MAX_JSON_DEPTH } from './depth.ts'
import { isJsonObject, type JsonObject, type JsonValue } from './value.ts'

/** The value of a JSON text; undefined for any other text, and for one that nests too deeply to be walked. */
export function parseStrict(
  text: string,
  { depth = MAX_JSON_DEPTH }: { readonly depth?: number } = {},
): JsonValue | undefined {
  // To fail costs more than to read most texts: the error comes with a stack.
  if (!looksRight(text.trim()) || isTooDeep(text, depth)) return undefined
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

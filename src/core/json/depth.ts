/** How deeply a value is nested. */
import { JsonMeasure } from './measure.ts'
import { isJsonObject, type JsonValue } from './value.ts'

/**
 * JSON that nests deeper is not read: code that walks a value calls itself for each level, and the stack
 * ends. Arguments of calls nest 512 levels by default; the rest is for the request or reply around them.
 */
export const MAX_JSON_DEPTH = 640

/** What a text that nests too deeply is called in messages. */
export const TOO_DEEP: string = `JSON that nests deeper than ${MAX_JSON_DEPTH} levels`

/** Stops at the limit, so that neither depth nor a cycle can exhaust the stack. */
export function isWithinDepth(value: JsonValue, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (depth === 0) return false
  const items = isJsonObject(value) ? Object.values(value) : value
  return items.every((item) => isWithinDepth(item, depth - 1))
}

/** True when a JSON text nests deeper than so many levels. One pass, and none over short texts. */
export function isTooDeep(text: string, depth: number = MAX_JSON_DEPTH): boolean {
  // Each level takes two brackets.
  if (text.length <= 2 * depth) return false
  return new JsonMeasure(text, { depth }).read() === 'depth'
}

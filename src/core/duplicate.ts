/** Calls that say what an earlier one has said. */
import type { JsonObject } from './json/value.ts'
import type { ToolCall } from './model.ts'
import type { CoreOptions } from './options.ts'
import { equalJson } from './schema/equal.ts'

export function isDuplicate(
  name: string,
  args: JsonObject,
  calls: readonly ToolCall[],
  dedupe: CoreOptions['dedupe'],
): boolean {
  if (!dedupe) return false
  const earlier = dedupe === 'adjacent' ? calls.slice(-1) : calls
  return earlier.some((call) => call.name === name && equalJson(call.arguments, args))
}

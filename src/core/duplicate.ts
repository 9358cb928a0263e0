/** Calls that say what an earlier one has said. */
import { isJsonObject, type JsonObject } from './json/value.ts'
import type { ToolCall } from './model.ts'
import type { CoreOptions } from './options.ts'

export function isDuplicate(
  name: string,
  args: JsonObject,
  calls: readonly ToolCall[],
  dedupe: CoreOptions['dedupe'],
): boolean {
  if (!dedupe) return false
  const earlier = dedupe === 'adjacent' ? calls.slice(-1) : calls
  const said = ordered(args)
  return earlier.some((call) => call.name === name && ordered(call.arguments) === said)
}

/** As text in which the order of keys does not matter: less code than comparing, and only on demand. */
function ordered(args: JsonObject): string {
  return JSON.stringify(args, (_, value: unknown) =>
    isJsonObject(value) ? Object.fromEntries(Object.entries(value).sort()) : value,
  )
}

/** Counts that clients of the Responses API expect, in replies of services that leave out what they do not count. */
import { parseStrict } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject } from '../../core/json/value.ts'

const DETAILS: Readonly<Record<string, JsonObject>> = {
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 0 },
}

/** A reply with all counts; the same object when it has them, or none at all. */
export function withFullUsage(reply: JsonObject): JsonObject {
  const { usage } = reply
  if (!isJsonObject(usage)) return reply
  const missing = Object.entries(DETAILS).flatMap(([name, none]) => {
    const given = usage[name]
    const own = isJsonObject(given) ? given : {}
    return Object.keys(none).every((key) => key in own)
      ? []
      : [[name, { ...none, ...own }] as const]
  })
  if (missing.length === 0) return reply
  return { ...reply, usage: { ...usage, ...Object.fromEntries(missing) } }
}

const LAST_EVENT = /"response\.(?:completed|incomplete|failed)"/
const decoder = new TextDecoder()
const encoder = new TextEncoder()

/** Frames of which the last one has all counts; the same bytes where nothing is missing. */
export function framesWithFullUsage(bytes: Uint8Array): Uint8Array {
  const text = decoder.decode(bytes)
  if (!LAST_EVENT.test(text)) return bytes
  const lines = text.split('\n').map((line) => {
    if (!line.startsWith('data:')) return line
    const data = line.slice('data:'.length)
    const full = dataWithFullUsage(data)
    return full === data ? line : `data: ${full}`
  })
  const full = lines.join('\n')
  return full === text ? bytes : encoder.encode(full)
}

/** The data of one event with all counts; the same text where nothing is missing. */
export function dataWithFullUsage(data: string): string {
  if (!LAST_EVENT.test(data)) return data
  const event = parseStrict(data)
  const response = isJsonObject(event) ? event['response'] : undefined
  if (!isJsonObject(event) || !isJsonObject(response)) return data
  const full = withFullUsage(response)
  return full === response ? data : JSON.stringify({ ...event, response: full })
}

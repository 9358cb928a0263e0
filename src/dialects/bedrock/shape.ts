/** What tells a body of Converse from those of other dialects. */
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import { objectsIn } from '../history-call.ts'
import { blocksOf } from './response.ts'

export function shapeOf(body: JsonObject): 'request' | 'response' | undefined {
  const { messages } = body as Record<string, JsonValue | undefined>
  if (!Array.isArray(messages)) return blocksOf(body) ? 'response' : undefined
  return isRequest(body) ? 'request' : undefined
}

const OWN_FIELDS = [
  ...['inferenceConfig', 'toolConfig', 'additionalModelRequestFields', 'outputConfig'],
  ...['requestMetadata', 'serviceTier', 'performanceConfig', 'guardrailConfig'],
] as const

/** Settings of its own, or blocks without a type. */
function isRequest(body: JsonObject): boolean {
  if (OWN_FIELDS.some((field) => field in body)) return true
  const blocks = objectsIn(body['messages']).flatMap(({ content }) => objectsIn(content))
  return blocks.length > 0 && blocks.every((block) => !('type' in block))
}

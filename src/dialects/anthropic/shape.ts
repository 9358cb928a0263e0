/** What tells a body of Anthropic from those of other dialects. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { objectsIn } from '../history-call.ts'

const OWN_BLOCKS: ReadonlySet<JsonValue | undefined> = new Set(
  'tool_use tool_result thinking redacted_thinking document server_tool_use'.split(' '),
)

export function shapeOf(body: JsonObject): 'request' | 'response' | undefined {
  const { content, messages } = body as Record<string, JsonValue | undefined>
  if (Array.isArray(messages)) return isRequest(body) ? 'request' : undefined
  const isReply = body['type'] === 'message' || body['role'] === 'assistant' || 'usage' in body
  return Array.isArray(content) && isReply ? 'response' : undefined
}

/** A system prompt of its own, tools with an `input_schema`, or blocks that nobody else has. */
function isRequest({ system, tools, messages }: Partial<JsonObject>): boolean {
  const blocks = objectsIn(messages).flatMap(({ content }) => objectsIn(content))
  return (
    typeof system === 'string' ||
    objectsIn(system).some(({ type }) => type === 'text') ||
    objectsIn(tools).some((tool) => isJsonObject(tool['input_schema'])) ||
    blocks.some((block) => OWN_BLOCKS.has(block['type']) || isJsonObject(block['source']))
  )
}

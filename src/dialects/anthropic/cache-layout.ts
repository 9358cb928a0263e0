/** Where a request is marked for the cache when its sender only says that he wants it. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { CACHE_MARKER } from '../anthropic-cache.ts'
import { objectsIn } from '../history-call.ts'
import { isBlankText, textBlock } from './content.ts'

/** True when the sender has placed markers, or asked Anthropic to. */
export function hasCacheMarkers(body: JsonObject): boolean {
  const { system, tools, messages } = body as Record<string, JsonValue | undefined>
  const contents = objectsIn(messages).flatMap(({ content }) => objectsIn(content))
  return [body, ...objectsIn(system), ...objectsIn(tools), ...contents].some((block) =>
    isJsonObject(block['cache_control']),
  )
}

/**
 * The body with a marker behind the tools, behind the system prompt and behind the last two messages:
 * the last is where the next request goes on, the one before is where this one did.
 */
export function markForCache<T extends JsonObject>(body: T): T {
  const { system, tools, messages } = body as Record<string, JsonValue | undefined>
  const list = objectsIn(messages)
  const marked = [...list.slice(0, -2), ...list.slice(-2).map(markMessage)]
  return {
    ...body,
    ...(system !== undefined && { system: markLast(system) }),
    ...(tools !== undefined && { tools: markLast(tools) }),
    messages: marked,
  }
}

function markMessage(message: JsonObject): JsonObject {
  return { ...message, content: markLast(message['content'] ?? '') }
}

/** Thinking and blank text cannot be marked: the block before them is. */
function markLast(content: JsonValue): JsonObject[] {
  const blocks = typeof content === 'string' ? [textBlock(content)] : objectsIn(content)
  const at = blocks.findLastIndex((block) => !isBlankText(block) && !isThinking(block))
  return blocks.map((block, index) => (index === at ? { ...block, ...CACHE_MARKER } : block))
}

function isThinking({ type }: JsonObject): boolean {
  return type === 'thinking' || type === 'redacted_thinking'
}

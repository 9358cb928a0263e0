/** Marks for the cache: blocks of their own, behind what is to be kept. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { isClaude } from '../anthropic/claude-version.ts'
import { objectsIn } from '../history-call.ts'

export const CACHE_POINT: JsonObject = { cachePoint: { type: 'default' } }

/** True when the sender has placed marks himself. */
export function hasCachePoints(body: JsonObject): boolean {
  const { system, toolConfig, messages } = body as Record<string, JsonValue | undefined>
  const tools = isJsonObject(toolConfig) ? objectsIn(toolConfig['tools']) : []
  const contents = objectsIn(messages).flatMap(({ content }) => objectsIn(content))
  return [...objectsIn(system), ...tools, ...contents].some((block) => 'cachePoint' in block)
}

/** Other models than these refuse the marks. */
export function takesCachePoints(model: string): boolean {
  return isClaude(model) || isNova(model)
}

function isNova(model: string): boolean {
  return model.includes('amazon.nova')
}

/**
 * The body with a mark behind the tools, behind the system prompt and behind the last two messages, four
 * at most. Nova has none among its tools.
 */
export function addCachePoints(body: JsonObject, model: string): JsonObject {
  const { system, toolConfig, messages } = body as Record<string, JsonValue | undefined>
  const list = objectsIn(messages)
  const marked = [...list.slice(0, -2), ...list.slice(-2).map(markMessage)]
  return {
    ...body,
    ...(system !== undefined && { system: [...objectsIn(system), CACHE_POINT] }),
    ...(isJsonObject(toolConfig) && !isNova(model) && { toolConfig: markTools(toolConfig) }),
    messages: marked,
  }
}

function markTools(config: JsonObject): JsonObject {
  return { ...config, tools: [...objectsIn(config['tools']), CACHE_POINT] }
}

function markMessage(message: JsonObject): JsonObject {
  return { ...message, content: [...objectsIn(message['content']), CACHE_POINT] }
}

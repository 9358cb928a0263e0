/**
 * Cache markers of Anthropic requests. The API refuses a request with more than four; a marker
 * covers everything before it, so the earliest are the ones that can go.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'

export const MAX_CACHE_MARKERS = 4

/** What makes a block a breakpoint. */
export const CACHE_MARKER: { readonly cache_control: JsonObject } = {
  cache_control: { type: 'ephemeral' },
}

/** The parts of a request that may carry markers; `system` may be plain text. */
export interface CacheableRequest {
  readonly system?: string | readonly JsonObject[]
  readonly tools?: readonly JsonObject[]
  readonly messages?: readonly JsonObject[]
}

/** The blocks with at most `max` markers, the last ones. Nothing else changes. */
export function limitCacheMarkers(blocks: readonly JsonObject[], max: number): JsonObject[] {
  return dropEarliest(blocks, countMarkers(blocks) - max)
}

/**
 * The request with at most `max` markers. Those of the system prompt go first, then those of tools
 * but one, then those of messages; the last tool's is kept as long as possible, because tools stand
 * before everything else and change the least.
 */
export function budgetCacheMarkers<T extends CacheableRequest>(
  request: T,
  max: number = MAX_CACHE_MARKERS,
): T {
  const { system, tools = [], messages = [] } = request
  const blocks = typeof system === 'object' ? system : []
  const inSystem = countMarkers(blocks)
  const inTools = countMarkers(tools)
  const inMessages = countInMessages(messages)

  let excess = Math.max(0, inSystem + inTools + inMessages - max)
  const take = (available: number): number => {
    const taken = Math.min(excess, Math.max(0, available))
    excess -= taken
    return taken
  }
  const fromSystem = take(inSystem)
  const fromTools = take(inTools - 1)
  const fromMessages = take(inMessages)
  const lastTool = take(inTools - fromTools)

  return {
    ...request,
    ...(typeof system === 'object' && { system: dropEarliest(blocks, fromSystem) }),
    ...(request.tools && { tools: dropEarliest(tools, fromTools + lastTool) }),
    ...(request.messages && { messages: dropFromMessages(messages, fromMessages) }),
  }
}

function isMarked(block: JsonValue): block is JsonObject {
  return isJsonObject(block) && isJsonObject(block['cache_control'])
}

function countMarkers(blocks: readonly JsonValue[]): number {
  return blocks.filter(isMarked).length
}

function dropEarliest<T extends JsonValue>(
  blocks: readonly T[],
  count: number,
): (T | JsonObject)[] {
  let left = count
  return blocks.map((block) => (isMarked(block) && left-- > 0 ? unmark(block) : block))
}

function unmark({ cache_control: _, ...block }: JsonObject): JsonObject {
  return block
}

function countInMessages(messages: readonly JsonObject[]): number {
  return messages.reduce((sum, message) => sum + countMarkers(blocksOf(message)), 0)
}

function dropFromMessages(messages: readonly JsonObject[], count: number): JsonObject[] {
  let left = count
  return messages.map((message) => {
    const blocks = blocksOf(message)
    const dropped = Math.min(left, countMarkers(blocks))
    if (dropped === 0) return message
    left -= dropped
    return { ...message, content: dropEarliest(blocks, dropped) }
  })
}

function blocksOf({ content }: JsonObject): readonly JsonValue[] {
  return Array.isArray(content) ? content : []
}

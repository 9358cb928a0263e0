/**
 * Anthropic Messages, spoken by Claude and by several compatible services.
 *
 *     {"role": "assistant", "content": [
 *      {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {"city": "Oslo"}}]}
 *     {"role": "user", "content": [
 *      {"type": "tool_result", "tool_use_id": "toolu_1", "content": "4 °C"}]}
 *
 * Arguments are an object; all results of a turn belong in one user message.
 *
 * @see https://platform.claude.com/docs/en/api/messages
 */

import type { Dialect, FormatAssistantOptions, IdRule, ServiceFeature } from '../core/dialect.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import type { ToolResult } from '../core/model.ts'
import { assistantBlocks } from './anthropic/assistant.ts'
import { withoutAttribution } from './anthropic/attribution.ts'
import { isBlankText, textBlock } from './anthropic/content.ts'
import { fitRequest } from './anthropic/fit.ts'
import { decodingSteps, encodeRequest, SETTINGS } from './anthropic/request.ts'
import { decodeResponse, encodeResponse, isResponse, usageIn } from './anthropic/response.ts'
import { encodeResult } from './anthropic/results.ts'
import { shapeOf } from './anthropic/shape.ts'
import { createStreamDecoder } from './anthropic/stream-reader.ts'
import { createStreamEncoder } from './anthropic/stream-writer.ts'
import { withoutThoughts } from './anthropic/thinking.ts'
import { withoutToolSearch } from './anthropic/tool-search.ts'
import { formatToolChoice, formatTools } from './anthropic/tools.ts'
import { CACHE_MARKER } from './anthropic-cache.ts'
import { fittingIds } from './history/reply-ids.ts'
import { formatOpenaiMessage } from './openai-chat.ts'
import { requestDecoders } from './request-decoders.ts'
import { tellingLoss } from './stream-loss.ts'
import { argumentsObject, parseWireCalls, readReply } from './wire-call.ts'

export { budgetCacheMarkers, limitCacheMarkers } from './anthropic-cache.ts'

const CALL_ID: IdRule = { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64, prefix: 'toolu_' }

export const anthropic: Dialect<'anthropic'> = {
  id: 'anthropic',
  aliases: ['claude'],
  settings: SETTINGS,
  rules: {
    field: 'messages',
    systemField: 'system',
    resultsInOrder: true,
    needsTools: true,
    callId: CALL_ID,
    toolName: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 128 },
    startsWithUser: true,
  },

  formatTools,
  formatToolChoice,
  parseToolCalls: parseWireCalls,
  formatToolResult: (result) => userMessage([result]),
  formatToolResults: (results) => (results.length > 0 ? [userMessage(results)] : []),

  formatAssistantMessage: (response, options = {}) =>
    options.shape === 'native'
      ? formatNativeMessage(response, options)
      : formatOpenaiMessage(response, options),

  shapeOf,
  withoutFeatures,
  forgetThoughts: assistantBlocks.forgetThoughts,
  withoutThoughts,
  resembles: ['cohere', 'openai-chat'],
  framing: 'sse',
  encodeRequest,
  fitRequest,
  ...requestDecoders(decodingSteps),
  ...fittingIds(CALL_ID, encodeResponse, tellingLoss('anthropic', createStreamEncoder)),
  decodeResponse,
  usageIn,
  createStreamDecoder,
}

function withoutFeatures(body: JsonObject, lacks: readonly ServiceFeature[]): JsonObject {
  const plain = lacks.includes('attribution') ? withoutAttribution(body) : body
  return lacks.includes('tool-search') ? withoutToolSearch(plain) : plain
}

/**
 * The system prompt as text blocks. With `cache`, a plain text is marked for caching; blocks keep
 * the marks they have.
 */
export function formatSystem(
  system: string | readonly (string | JsonObject)[] | undefined,
  { cache = false }: { readonly cache?: boolean } = {},
): JsonObject[] {
  if (typeof system === 'string') return systemBlocks(system, cache)
  return (system ?? []).flatMap((block) =>
    typeof block === 'string' ? systemBlocks(block, cache) : [block],
  )
}

function systemBlocks(text: string, cache: boolean): JsonObject[] {
  return text === '' ? [] : [{ ...textBlock(text), ...(cache && CACHE_MARKER) }]
}

function userMessage(results: readonly ToolResult[]): JsonObject {
  return { role: 'user', content: results.map(encodeResult) }
}

/** The reply as content blocks. Anthropic's own go back as they are: thinking is signed. */
function formatNativeMessage(
  response: unknown,
  { textJoiner = '' }: FormatAssistantOptions,
): JsonObject {
  const { calls, texts } = readReply(response)
  const ids = new Map(calls.map(({ native, id }) => [native.raw, id]))
  const own = isJsonObject(response) && isResponse(response) ? response['content'] : undefined
  if (Array.isArray(own)) {
    const blocks = own.filter((block) => !isBlankText(block))
    const content = blocks.map((block) => {
      const id = ids.get(block)
      return isJsonObject(block) && id !== undefined ? { ...block, id } : block
    })
    return { role: 'assistant', content }
  }
  const uses = calls.map((call): JsonObject => {
    return { type: 'tool_use', id: call.id, name: call.name, input: argumentsObject(call) }
  })
  const text = texts.join(textJoiner)
  return { role: 'assistant', content: [...(text === '' ? [] : [textBlock(text)]), ...uses] }
}

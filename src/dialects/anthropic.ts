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

import type {
  Dialect,
  FormatAssistantOptions,
  FormatWireToolsOptions,
  ToolChoice,
  Usage,
} from '../core/dialect.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import type { Part, Tool, ToolResult } from '../core/model.ts'
import { errorPrefix } from '../core/result-text.ts'
import { CACHE_MARKER } from './anthropic-cache.ts'
import { decodeReply, readCounts } from './chat-response.ts'
import { formatOpenaiMessage } from './openai-chat.ts'
import {
  compactDefinition,
  encodeTools,
  schemaObject,
  type ToolEncoding,
} from './tool-definition.ts'
import { argumentsObject, parseWireCalls, readReply } from './wire-call.ts'

export { budgetCacheMarkers, limitCacheMarkers } from './anthropic-cache.ts'

export const anthropic: Dialect<'anthropic'> = {
  id: 'anthropic',
  aliases: ['claude'],
  formatTools,
  formatToolChoice,
  parseToolCalls: parseWireCalls,
  formatToolResult: (result) => userMessage([result]),
  formatToolResults: (results) => (results.length > 0 ? [userMessage(results)] : []),

  formatAssistantMessage: (response, options = {}) =>
    options.shape === 'native'
      ? formatNativeMessage(response, options)
      : formatOpenaiMessage(response, options),

  decodeResponse: (body, options) => decodeReply(body, { ...options, isResponse, readUsage }),
}

/**
 * The system prompt as text blocks. With `cache`, a plain text is marked for caching; blocks keep
 * the marks they have.
 */
export function formatSystem(
  system: string | readonly (string | JsonObject)[] | undefined,
  { cache = false }: { readonly cache?: boolean } = {},
): JsonObject[] {
  if (typeof system === 'string') return textBlocks([system], cache)
  return (system ?? []).flatMap((block) =>
    typeof block === 'string' ? textBlocks([block], cache) : [block],
  )
}

function formatTools(
  tools: readonly unknown[],
  { cache = false, compact = false }: FormatWireToolsOptions = {},
): JsonObject[] {
  const encoded = encodeTools(tools, anthropicTools, compact)
  const last = encoded.at(-1)
  return cache && last ? [...encoded.slice(0, -1), { ...last, ...CACHE_MARKER }] : encoded
}

const anthropicTools: ToolEncoding = {
  isEncoded: isAnthropicTool,
  encode: encodeTool,
  compact: (tool) => compactDefinition(tool, 'input_schema'),
}

function encodeTool({ name, description, inputSchema, strict }: Tool): JsonObject {
  return {
    name,
    ...(description !== undefined && { description }),
    // The root of a schema must say that it is an object.
    input_schema: { type: 'object', ...schemaObject(inputSchema) },
    ...(strict !== undefined && { strict }),
  }
}

// Tools that Anthropic runs itself have a versioned type and no schema.
function isAnthropicTool(tool: JsonObject): boolean {
  const { type, name, input_schema: schema } = tool as Record<string, unknown>
  if (typeof name !== 'string') return false
  return isJsonObject(schema) || (typeof type === 'string' && /_\d{8}$/.test(type))
}

function formatToolChoice(choice: ToolChoice): JsonObject {
  if (typeof choice !== 'string') return { tool_choice: { type: 'tool', name: choice.name } }
  return { tool_choice: { type: choice === 'required' ? 'any' : choice } }
}

function userMessage(results: readonly ToolResult[]): JsonObject {
  return { role: 'user', content: results.map(resultBlock) }
}

function resultBlock(result: ToolResult): JsonObject {
  const { callId, content, isError, errorCode } = result
  // `is_error` says that it failed; only the code needs words.
  const prefix = errorCode ? errorPrefix(result) : ''
  return {
    type: 'tool_result',
    tool_use_id: callId,
    ...(isError && { is_error: true }),
    content:
      typeof content === 'string'
        ? prefix + content
        : [...textBlocks([prefix.trimEnd()], false), ...content.map(partBlock)],
  }
}

function partBlock(part: Part): JsonObject {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const source: JsonObject =
    part.data === undefined
      ? { type: 'url', url: part.url ?? '' }
      : {
          type: 'base64',
          media_type: part.mediaType ?? 'application/octet-stream',
          data: part.data,
        }
  return { type: part.type === 'image' ? 'image' : 'document', source }
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
    const blocks = own.filter((block) => !isEmptyText(block))
    const content = blocks.map((block) => {
      const id = ids.get(block)
      return isJsonObject(block) && id !== undefined ? { ...block, id } : block
    })
    return { role: 'assistant', content }
  }
  const uses = calls.map((call): JsonObject => {
    return { type: 'tool_use', id: call.id, name: call.name, input: argumentsObject(call) }
  })
  return { role: 'assistant', content: [...textBlocks([texts.join(textJoiner)], false), ...uses] }
}

// The API refuses empty text blocks, its own replies' included.
function textBlocks(texts: readonly string[], cache: boolean): JsonObject[] {
  return texts
    .filter((text) => text !== '')
    .map((text) => ({ type: 'text', text, ...(cache && CACHE_MARKER) }))
}

function isEmptyText(block: unknown): boolean {
  return isJsonObject(block) && block['type'] === 'text' && block['text'] === ''
}

function isResponse(body: JsonObject): boolean {
  return Array.isArray(body['content'])
}

/** Anthropic counts what came from the cache, or went into it, beside the input. */
function readUsage({ usage }: JsonObject): Usage {
  const counts = readCounts(usage, {
    inputTokens: ['input_tokens'],
    outputTokens: ['output_tokens'],
    cacheReadTokens: ['cache_read_input_tokens'],
    cacheWriteTokens: ['cache_creation_input_tokens'],
    reasoningTokens: ['output_tokens_details', 'thinking_tokens'],
  })
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = counts
  if (inputTokens === undefined) return counts
  const input = inputTokens + cacheReadTokens + cacheWriteTokens
  return { ...counts, inputTokens: input, totalTokens: input + (outputTokens ?? 0) }
}

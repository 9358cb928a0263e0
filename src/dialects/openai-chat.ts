/**
 * OpenAI Chat Completions, spoken by most services and by every local server.
 *
 *     {"role": "assistant", "content": null, "tool_calls": [{"id": "call_1", "type": "function",
 *      "function": {"name": "get_weather", "arguments": "{\"city\": \"Oslo\"}"}}]}
 *     {"role": "tool", "tool_call_id": "call_1", "content": "4 °C"}
 *
 * Arguments are JSON text; a failed tool has no mark of its own and is told apart by a prefix.
 *
 * @see https://platform.openai.com/docs/api-reference/chat
 */

import type { Dialect, FormatAssistantOptions, Usage } from '../core/dialect.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import type { Tool, ToolResult } from '../core/model.ts'
import { errorPrefix } from '../core/result-text.ts'
import { decodeReply, readCounts } from './chat-response.ts'
import {
  compactDefinition,
  encodeTools,
  schemaObject,
  type ToolEncoding,
} from './tool-definition.ts'
import { resultText } from './tool-result.ts'
import { parseWireCalls, type ReadCall, readReply } from './wire-call.ts'

export const openaiChat: Dialect<'openai-chat'> = {
  id: 'openai-chat',
  aliases: ['openai', 'openrouter', 'openai-compatible'],

  formatTools: (tools, { compact } = {}) => encodeTools(tools, openaiTools, compact),

  formatToolChoice: (choice) => ({
    tool_choice:
      typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } },
  }),

  parseToolCalls: parseWireCalls,
  formatToolResult,
  formatToolResults: (results) => results.map(formatToolResult),
  formatAssistantMessage: formatOpenaiMessage,

  decodeResponse: (body, options) =>
    decodeReply(body, { ...options, isResponse, readUsage: readOpenaiUsage }),
}

/** The form of definitions that OpenAI, Ollama and all compatible servers share. */
export const openaiTools: ToolEncoding = {
  isEncoded: isOpenaiTool,
  encode: encodeTool,
  compact: (tool) =>
    isJsonObject(tool['function'])
      ? { ...tool, function: compactDefinition(tool['function'], 'parameters') }
      : tool,
}

function encodeTool({ name, description, inputSchema, strict }: Tool): JsonObject {
  return {
    type: 'function',
    function: {
      name,
      ...(description !== undefined && { description }),
      parameters: schemaObject(inputSchema),
      ...(strict !== undefined && { strict }),
    },
  }
}

// Custom tools take text, so they have no schema that could be missing.
function isOpenaiTool(tool: JsonObject): boolean {
  const { type, function: definition, custom } = tool as Record<string, unknown>
  if (type === 'custom') return isJsonObject(custom)
  if (type !== 'function' || !isJsonObject(definition)) return false
  return typeof definition['name'] === 'string' && isJsonObject(definition['parameters'])
}

/** The assistant message every compatible server takes. */
export function formatOpenaiMessage(
  response: unknown,
  { shape, textJoiner = '' }: FormatAssistantOptions = {},
): JsonObject {
  const { calls, texts } = readReply(response)
  const text = texts.join(textJoiner)
  return {
    role: 'assistant',
    // Null is allowed beside calls only.
    content: text === '' && calls.length > 0 ? null : text,
    ...(calls.length > 0 && {
      tool_calls: calls.map((call) => encodeCall(call, shape === 'native')),
    }),
  }
}

// Flat calls, without `type`, make llama.cpp answer with an internal error.
function encodeCall(
  { id, name, arguments: args, native }: ReadCall,
  withExtra: boolean,
): JsonObject {
  // Gemini's compatible endpoint wants its thought signatures back from here.
  const extra = withExtra ? native.provider?.['extra_content'] : undefined
  return {
    id,
    type: 'function',
    function: { name, arguments: args },
    ...(extra !== undefined && { extra_content: extra }),
  }
}

function formatToolResult(result: ToolResult): JsonObject {
  const content = errorPrefix(result) + resultText(result)
  return { role: 'tool', tool_call_id: result.callId, content }
}

function isResponse(body: JsonObject): boolean {
  const { choices } = body as { choices?: unknown }
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined
  return isJsonObject(first) && isJsonObject(first['message'])
}

function readOpenaiUsage({ usage }: JsonObject): Usage {
  return readCounts(usage, {
    inputTokens: ['prompt_tokens'],
    outputTokens: ['completion_tokens'],
    totalTokens: ['total_tokens'],
    cacheReadTokens: ['prompt_tokens_details', 'cached_tokens'],
    cacheWriteTokens: ['prompt_tokens_details', 'cache_write_tokens'],
    reasoningTokens: ['completion_tokens_details', 'reasoning_tokens'],
  })
}

/**
 * Ollama's own chat API (`/api/chat`; its `/v1` is `openai-chat`).
 *
 *     {"message": {"role": "assistant", "content": "", "tool_calls": [
 *      {"function": {"name": "get_weather", "arguments": {"city": "Oslo"}}}]}, "done_reason": "stop"}
 *     {"role": "tool", "tool_name": "get_weather", "content": "4 °C"}
 *
 * Arguments are an object, calls need not have an id, and results go by the tool's name.
 *
 * @see https://docs.ollama.com/api/chat
 */

import type { Dialect, FormatAssistantOptions, Usage } from '../core/dialect.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import type { Part, ToolResult } from '../core/model.ts'
import { errorPrefix } from '../core/result-text.ts'
import { decodeReply, readCounts } from './chat-response.ts'
import { formatOpenaiMessage, openaiTools } from './openai-chat.ts'
import { encodeTools } from './tool-definition.ts'
import { resultText } from './tool-result.ts'
import { argumentsObject, parseWireCalls, readReply } from './wire-call.ts'

export const ollama: Dialect<'ollama'> = {
  id: 'ollama',
  aliases: [],

  formatTools: (tools, { compact } = {}) => encodeTools(tools, openaiTools, compact),

  // The API has no field for it: whoever sends the request leaves the tools out instead.
  formatToolChoice: () => ({}),

  parseToolCalls: parseWireCalls,
  formatToolResult,
  formatToolResults: (results) => results.map(formatToolResult),

  formatAssistantMessage: (response, options = {}) =>
    options.shape === 'native'
      ? formatNativeMessage(response, options)
      : formatOpenaiMessage(response, options),

  decodeResponse: (body, options) => decodeReply(body, { ...options, isResponse, readUsage }),
}

function formatNativeMessage(
  response: unknown,
  { textJoiner = '' }: FormatAssistantOptions,
): JsonObject {
  const { calls, texts, reasoning } = readReply(response)
  return {
    role: 'assistant',
    content: texts.join(textJoiner),
    ...(reasoning !== '' && { thinking: reasoning }),
    ...(calls.length > 0 && {
      tool_calls: calls.map((call) => ({
        // Older servers know no ids; one they did not send would mean nothing to them.
        ...(call.native.id !== undefined && { id: call.id }),
        function: { name: call.name, arguments: argumentsObject(call) },
      })),
    }),
  }
}

function formatToolResult(result: ToolResult): JsonObject {
  const { name, callId, content } = result
  const parts = typeof content === 'string' ? [] : content
  const images = parts.flatMap((part) => imageData(part) ?? [])
  const rest = { content: parts.filter((part) => imageData(part) === undefined) }
  return {
    role: 'tool',
    // Newer servers also know ids, which are better than nothing.
    ...(name === undefined ? { tool_call_id: callId } : { tool_name: name }),
    content: errorPrefix(result) + resultText(typeof content === 'string' ? result : rest),
    ...(images.length > 0 && { images }),
  }
}

function imageData(part: Part): string | undefined {
  return part.type === 'image' ? part.data : undefined
}

function isResponse(body: JsonObject): boolean {
  return isJsonObject(body['message'])
}

function readUsage(body: JsonObject): Usage {
  const { inputTokens, outputTokens } = readCounts(body, {
    inputTokens: ['prompt_eval_count'],
    outputTokens: ['eval_count'],
  })
  if (inputTokens === undefined && outputTokens === undefined) return {}
  // Ollama leaves out what is zero.
  const [input, output] = [inputTokens ?? 0, outputTokens ?? 0]
  return { inputTokens: input, outputTokens: output, totalTokens: input + output }
}

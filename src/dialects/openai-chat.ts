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

import type { Dialect, FormatAssistantOptions, IdRule } from '../core/dialect.ts'
import type { JsonObject } from '../core/json/value.ts'
import { fittingIds } from './history/reply-ids.ts'
import { fitRequest } from './openai-chat/fit.ts'
import { encodeResult } from './openai-chat/messages.ts'
import { decodingSteps, encodeRequest } from './openai-chat/request.ts'
import {
  decodeResponse,
  encodeResponse,
  reasoningFieldIn,
  usageIn,
} from './openai-chat/response.ts'
import { SETTINGS } from './openai-chat/settings.ts'
import { createStreamDecoder, createStreamEncoder } from './openai-chat/stream.ts'
import { encodeChoice, openaiTools, toolKindsIn } from './openai-chat/tools.ts'
import { requestDecoders } from './request-decoders.ts'
import { tellingLoss } from './stream-loss.ts'
import { encodeTools } from './tool-definition.ts'
import { parseWireCalls, type ReadCall, readReply } from './wire-call.ts'

/** Longer ones are refused by some of OpenAI's own routes. */
const CALL_ID: IdRule = { pattern: /^[\w.:-]+$/, maxLength: 40 }

export const openaiChat: Dialect<'openai-chat'> = {
  id: 'openai-chat',
  aliases: ['openai', 'chat-completions'],

  formatTools: (tools, { compact } = {}) => encodeTools(tools, openaiTools, compact),
  formatToolChoice: encodeChoice,
  parseToolCalls: parseWireCalls,
  formatToolResult: encodeResult,
  formatToolResults: (results) => results.map(encodeResult),
  formatAssistantMessage: formatOpenaiMessage,

  shapeOf({ messages, choices }) {
    if (Array.isArray(choices)) return 'response'
    return Array.isArray(messages) ? 'request' : undefined
  },
  settings: SETTINGS,
  rules: {
    field: 'messages',
    roles: ['developer'],
    callId: CALL_ID,
    toolName: { pattern: /^[\w-]+$/, maxLength: 64 },
    toolKinds: ['custom'],
  },
  framing: 'sse',
  encodeRequest,
  fitRequest,
  ...requestDecoders(decodingSteps),
  toolKindsIn,
  ...fittingIds(
    CALL_ID,
    encodeResponse,
    tellingLoss('openai-chat', createStreamEncoder, { isTextOnly: true }),
  ),
  decodeResponse,
  usageIn,
  reasoningFieldIn,
  createStreamDecoder,
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
      tool_calls: calls.map((call) => encodeReadCall(call, shape === 'native')),
    }),
  }
}

// Flat calls, without `type`, make llama.cpp answer with an internal error.
function encodeReadCall(
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

/**
 * Mistral's chat API: OpenAI's form, but strict about it.
 *
 *     {"role": "assistant", "content": "", "tool_calls": [{"id": "gSIMJiOkT",
 *      "function": {"name": "get_weather", "arguments": "{\"city\": \"Oslo\"}"}}]}
 *     {"role": "tool", "tool_call_id": "gSIMJiOkT", "name": "get_weather", "content": "4 °C"}
 *
 * Ids are nine letters and digits, unknown fields are refused, and thoughts are chunks of the content:
 * `{"type": "thinking", "thinking": [{"type": "text", "text": "…"}]}`.
 *
 * @see https://docs.mistral.ai/api
 */

import type { Dialect, FormatAssistantOptions, IdRule } from '../core/dialect.ts'
import type { JsonObject } from '../core/json/value.ts'
import { fittingIds } from './history/reply-ids.ts'
import { objectsIn } from './history-call.ts'
import { encodeResult, hasThinkingChunks } from './mistral/messages.ts'
import { decodingSteps, encodeRequest, formatToolChoice, SETTINGS } from './mistral/request.ts'
import { decodeResponse, encodeResponse, messageOf, usageIn } from './mistral/response.ts'
import { createStreamDecoder, createStreamEncoder } from './mistral/stream.ts'
import { openaiTools } from './openai-chat/tools.ts'
import { formatOpenaiMessage } from './openai-chat.ts'
import { requestDecoders } from './request-decoders.ts'
import { tellingLoss } from './stream-loss.ts'
import { encodeTools } from './tool-definition.ts'
import { parseWireCalls } from './wire-call.ts'

const NINE = /^[a-zA-Z0-9]{9}$/

const CALL_ID: IdRule = { pattern: NINE, length: 9 }

export const mistral: Dialect<'mistral'> = {
  id: 'mistral',
  aliases: ['mistralai'],

  formatTools: (tools, { compact } = {}) => encodeTools(tools, openaiTools, compact),
  formatToolChoice,
  parseToolCalls: parseWireCalls,
  formatToolResult: encodeResult,
  formatToolResults: (results) => results.map(encodeResult),
  formatAssistantMessage: (response, options = {}) =>
    options.shape === 'native'
      ? formatNativeMessage(response, options)
      : formatOpenaiMessage(response, options),

  resembles: ['openai-chat'],
  shapeOf(body) {
    if (Array.isArray(body['messages'])) return isRequest(body) ? 'request' : undefined
    return isResponse(body) ? 'response' : undefined
  },
  settings: SETTINGS,
  rules: {
    field: 'messages',
    callId: CALL_ID,
    toolName: { pattern: /^[\w-]+$/, maxLength: 64 },
    alternates: true,
    startsWithUser: true,
    bridgeAfterResults: true,
  },
  framing: 'sse',
  encodeRequest,
  ...requestDecoders(decodingSteps),
  ...fittingIds(
    CALL_ID,
    encodeResponse,
    tellingLoss('mistral', createStreamEncoder, { isTextOnly: true }),
  ),
  decodeResponse,
  usageIn,
  createStreamDecoder,
}

/** Thoughts go back in the chunks they came in; `null` for no text is refused. */
function formatNativeMessage(response: unknown, options: FormatAssistantOptions): JsonObject {
  const message = formatOpenaiMessage(response, { textJoiner: options.textJoiner ?? '' })
  const own = messageOf(response)
  const content = own && hasThinkingChunks(own) ? own['content'] : message['content']
  return { ...message, content: content ?? '' }
}

const REQUEST_KEYS = ['random_seed', 'safe_prompt', 'prompt_mode'] as const

function isRequest(body: JsonObject): boolean {
  if (body['tool_choice'] === 'any' || REQUEST_KEYS.some((key) => key in body)) return true
  return objectsIn(body['messages']).some(
    (message) => 'prefix' in message || hasThinkingChunks(message),
  )
}

function isResponse(body: JsonObject): boolean {
  const message = messageOf(body)
  return message !== undefined && (hasThinkingChunks(message) || hasBareCalls(message))
}

/** Others also have ids of nine letters, but not calls without a type. */
function hasBareCalls({ tool_calls: calls }: JsonObject): boolean {
  return objectsIn(calls).some(
    ({ id, type }) => type === undefined && typeof id === 'string' && NINE.test(id),
  )
}

/**
 * Cohere's chat API, version 2.
 *
 *     {"role": "assistant", "tool_plan": "I will look.", "tool_calls": [{"id": "get_weather_e8p4",
 *      "type": "function", "function": {"name": "get_weather", "arguments": "{\"city\": \"Oslo\"}"}}]}
 *     {"role": "tool", "tool_call_id": "get_weather_e8p4", "content": "4 °C"}
 *
 * What a model says before it calls is its plan. A call without arguments says `null`. Streams have
 * events with names, in which `tool_calls` is one call and no list.
 *
 * @see https://docs.cohere.com/reference/chat
 */

import type { Dialect, IdRule } from '../core/dialect.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import { withPlanAsText } from './cohere/assistant.ts'
import { decodingSteps, encodeRequest, formatToolChoice, SETTINGS } from './cohere/request.ts'
import { decodeResponse, encodeResponse } from './cohere/response.ts'
import { encodeResult } from './cohere/results.ts'
import { readEvents } from './cohere/stream-reader.ts'
import { createStreamEncoder } from './cohere/stream-writer.ts'
import { fittingIds } from './history/reply-ids.ts'
import { objectsIn } from './history-call.ts'
import { openaiTools } from './openai-chat/tools.ts'
import { formatOpenaiMessage } from './openai-chat.ts'
import { requestDecoders } from './request-decoders.ts'
import { createDecoder } from './stream-decoder.ts'
import { tellingLoss } from './stream-loss.ts'
import { encodeTools } from './tool-definition.ts'
import { parseWireCalls } from './wire-call.ts'

const CALL_ID: IdRule = { pattern: /^[\w.:-]+$/, maxLength: 64 }

export const cohere: Dialect<'cohere'> = {
  id: 'cohere',
  aliases: ['cohere-v2'],

  formatTools: (tools, { compact } = {}) => encodeTools(tools, openaiTools, compact),
  formatToolChoice,
  parseToolCalls: parseWireCalls,
  formatToolResult: encodeResult,
  formatToolResults: (results) => results.map(encodeResult),
  formatAssistantMessage: (response, options = {}) => {
    const message = formatOpenaiMessage(withText(response), options)
    return options.shape === 'native' ? nativeMessage(message, response) : message
  },

  resembles: ['openai-chat'],
  shapeOf(body) {
    if (isJsonObject(body['message'])) return isReply(body) ? 'response' : undefined
    return Array.isArray(body['messages']) && isRequest(body) ? 'request' : undefined
  },
  settings: SETTINGS,
  rules: {
    field: 'messages',
    callId: CALL_ID,
    toolName: { pattern: /^[a-zA-Z_][\w-]*$/, maxLength: 64 },
  },
  framing: 'sse',
  encodeRequest,
  ...requestDecoders(decodingSteps),
  ...fittingIds(
    CALL_ID,
    encodeResponse,
    tellingLoss('cohere', createStreamEncoder, { isTextOnly: true }),
  ),
  decodeResponse,
  createStreamDecoder: (options) => createDecoder(readEvents, decodeResponse, options),
}

function withText(response: unknown): unknown {
  if (!isJsonObject(response)) return response
  const { message } = response
  if (isJsonObject(message)) return { ...response, message: withPlanAsText(message) }
  return withPlanAsText(response)
}

/** Text beside calls is the plan; thoughts go back in the blocks they came in. */
function nativeMessage({ content, tool_calls: calls }: JsonObject, response: unknown): JsonObject {
  const own = isJsonObject(response) ? (response['message'] ?? response) : undefined
  const blocks = isJsonObject(own) ? objectsIn(own['content']) : []
  const thoughts = blocks.filter(({ type }) => type === 'thinking')
  if (!calls) {
    return { role: 'assistant', content: thoughts.length > 0 ? blocks : (content ?? '') }
  }
  return {
    role: 'assistant',
    ...(thoughts.length > 0 && { content: thoughts }),
    ...(content && { tool_plan: content }),
    tool_calls: calls,
  }
}

const REQUEST_KEYS = [
  ...['p', 'k', 'strict_tools', 'safety_mode', 'citation_options', 'documents', 'stop_sequences'],
] as const
const CHOICES: ReadonlySet<unknown> = new Set(['REQUIRED', 'NONE'])

function isReply(body: JsonObject): boolean {
  return typeof body['finish_reason'] === 'string'
}

function isRequest(body: JsonObject): boolean {
  if (CHOICES.has(body['tool_choice']) || REQUEST_KEYS.some((key) => key in body)) return true
  const { thinking, response_format: format } = body as Partial<JsonObject>
  if (isJsonObject(thinking) && 'token_budget' in thinking) return true
  if (isJsonObject(format) && format['type'] === 'json_object' && 'json_schema' in format)
    return true
  return objectsIn(body['messages']).some(
    ({ role, content, tool_plan: plan }) =>
      plan !== undefined || (role === 'tool' && objectsIn(content).some((one) => one['document'])),
  )
}

/**
 * Ollama's own chat API (`/api/chat`; its `/v1` is `openai-chat`).
 *
 *     {"message": {"role": "assistant", "content": "", "tool_calls": [
 *      {"function": {"name": "get_weather", "arguments": {"city": "Oslo"}}}]}, "done_reason": "stop"}
 *     {"role": "tool", "tool_name": "get_weather", "content": "4 °C"}
 *
 * Arguments are an object, calls need not have an id, and results go by the tool's name. Streams are
 * lines of JSON, and the server streams unless it is told not to.
 *
 * @see https://docs.ollama.com/api/chat
 */

import type { Dialect, FormatAssistantOptions } from '../core/dialect.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import { objectsIn } from './history-call.ts'
import { fitRequest } from './ollama/fit.ts'
import { encodeResult } from './ollama/messages.ts'
import { decodingSteps, encodeRequest, SETTINGS } from './ollama/request.ts'
import { decodeResponse, encodeResponse } from './ollama/response.ts'
import { createStreamDecoder, createStreamEncoder } from './ollama/stream.ts'
import { openaiTools } from './openai-chat/tools.ts'
import { formatOpenaiMessage } from './openai-chat.ts'
import { requestDecoders } from './request-decoders.ts'
import { tellingLoss } from './stream-loss.ts'
import { encodeTools } from './tool-definition.ts'
import { argumentsObject, parseWireCalls, readReply } from './wire-call.ts'

export const ollama: Dialect<'ollama'> = {
  id: 'ollama',
  aliases: [],

  formatTools: (tools, { compact } = {}) => encodeTools(tools, openaiTools, compact),

  // The API has no field for it: whoever sends the request leaves the tools out instead.
  formatToolChoice: () => ({}),

  parseToolCalls: parseWireCalls,
  formatToolResult: encodeResult,
  formatToolResults: (results) => results.map(encodeResult),

  formatAssistantMessage: (response, options = {}) =>
    options.shape === 'native'
      ? formatNativeMessage(response, options)
      : formatOpenaiMessage(response, options),

  resembles: ['openai-chat'],
  shapeOf(body) {
    if (isJsonObject(body['message'])) return isReply(body) ? 'response' : undefined
    return Array.isArray(body['messages']) && isRequest(body) ? 'request' : undefined
  },
  settings: SETTINGS,
  rules: { field: 'messages', resultsInOrder: true },
  framing: 'ndjson',
  encodeRequest,
  fitRequest,
  ...requestDecoders(decodingSteps),
  encodeResponse,
  decodeResponse,
  createStreamDecoder,
  createStreamEncoder: tellingLoss('ollama', createStreamEncoder),
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

const REPLY_KEYS = ['done', 'done_reason', 'eval_count', 'created_at'] as const
const REQUEST_KEYS = ['options', 'keep_alive', 'think', 'format'] as const

function isReply(body: JsonObject): boolean {
  return REPLY_KEYS.some((key) => key in body)
}

function isRequest(body: JsonObject): boolean {
  return REQUEST_KEYS.some((key) => key in body) || objectsIn(body['messages']).some(isOwnMessage)
}

function isOwnMessage(message: JsonObject): boolean {
  if ('tool_name' in message || typeof message['thinking'] === 'string') return true
  const { images, tool_calls: calls } = message
  const hasObject = objectsIn(calls).some(
    ({ function: named }) => isJsonObject(named) && isJsonObject(named['arguments']),
  )
  return Array.isArray(images) || hasObject
}

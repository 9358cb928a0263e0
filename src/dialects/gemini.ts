/**
 * Google Gemini `generateContent`, on the Gemini API and on Vertex.
 *
 *     {"role": "model", "parts": [{"functionCall": {"name": "get_weather", "args": {"city": "Oslo"}},
 *      "thoughtSignature": "EqUC…"}]}
 *     {"role": "user", "parts": [{"functionResponse": {"name": "get_weather",
 *      "response": {"output": "4 °C"}}}]}
 *
 * Arguments are an object. Calls mostly have no id: results answer them by name and position. Newer
 * models sign a part of each turn and refuse the turn when the signature does not come back on that
 * part. The model is named in the URL, not in the body, and so is the wish for a stream.
 *
 * @see https://ai.google.dev/api/generate-content
 */
import type { Dialect, FormatAssistantOptions } from '../core/dialect.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import { candidateOf } from './gemini/candidate.ts'
import { decodingSteps, encodeRequest, SETTINGS } from './gemini/request.ts'
import { decodeResponse, encodeResponse } from './gemini/response.ts'
import { encodeResult } from './gemini/results.ts'
import { createStreamDecoder, createStreamEncoder } from './gemini/stream.ts'
import { encodeChoice, formatTools } from './gemini/tools.ts'
import { objectsIn } from './history-call.ts'
import { formatOpenaiMessage } from './openai-chat.ts'
import { requestDecoders } from './request-decoders.ts'
import { tellingLoss } from './stream-loss.ts'
import { argumentsObject, nativeTurn, parseWireCalls, type TurnForm } from './wire-call.ts'

export const gemini: Dialect<'gemini'> = {
  id: 'gemini',
  aliases: ['google'],

  formatTools,
  formatToolChoice: (choice) => encodeChoice(choice),
  parseToolCalls: parseWireCalls,
  formatToolResult: (result) => ({ role: 'user', parts: [encodeResult(result)] }),
  formatToolResults: (results) =>
    results.length === 0 ? [] : [{ role: 'user', parts: results.map((one) => encodeResult(one)) }],
  formatAssistantMessage: (response, options = {}) =>
    options.shape === 'native'
      ? formatNativeMessage(response, options)
      : formatOpenaiMessage(response, options),

  shapeOf(body) {
    if (Array.isArray(body['contents'])) return 'request'
    const isReply = Array.isArray(body['candidates']) || isJsonObject(body['promptFeedback'])
    return isReply ? 'response' : undefined
  },
  settings: SETTINGS,
  rules: {
    field: 'contents',
    systemField: 'systemInstruction',
    messageKey: 'parts',
    toolName: { pattern: /^[a-zA-Z_][\w.:-]*$/, maxLength: 128 },
    alternates: true,
    resultsInOrder: true,
    startsWithUser: true,
    systemOnTop: true,
  },
  framing: 'sse',
  encodeRequest,
  ...requestDecoders(decodingSteps),
  encodeResponse,
  decodeResponse,
  createStreamDecoder,
  createStreamEncoder: tellingLoss('gemini', createStreamEncoder),
}

/** The reply as a turn of the model. */
function formatNativeMessage(
  response: unknown,
  { textJoiner }: FormatAssistantOptions,
): JsonObject {
  const content = isJsonObject(response) ? candidateOf(response)?.['content'] : undefined
  const own = isJsonObject(content) ? objectsIn(content['parts']) : []
  return { role: 'model', parts: nativeTurn(response, own, TURN, textJoiner) }
}

const TURN: TurnForm = {
  text: (text) => ({ text }),
  call: (call) => ({ functionCall: { name: call.name, args: argumentsObject(call) } }),
}

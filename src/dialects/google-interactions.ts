/**
 * Google's Interactions API, which takes the place of `generateContent` for Gemini and its agents.
 *
 *     {"type": "user_input", "content": [{"type": "text", "text": "Is it cold in Oslo?"}]}
 *     {"type": "thought", "signature": "CiRlMjQ4…", "summary": [{"type": "text", "text": "I will look."}]}
 *     {"type": "function_call", "id": "8f1d", "name": "get_weather", "arguments": {"city": "Oslo"}}
 *     {"type": "function_result", "call_id": "8f1d", "name": "get_weather", "result": "4 °C"}
 *     {"type": "model_output", "content": [{"type": "text", "text": "It is."}]}
 *
 * A conversation is a list of steps, and a reply is the steps that follow. Thoughts come back as they were
 * signed. A service may keep the conversation itself: then only what is new is sent, with
 * `previous_interaction_id`.
 *
 * @see https://ai.google.dev/gemini-api/docs/interactions
 */
import type { Dialect, FormatAssistantOptions } from '../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import { decodingSteps, encodeRequest, SETTINGS } from './google-interactions/request.ts'
import { decodeResponse, encodeResponse } from './google-interactions/response.ts'
import { encodeResult } from './google-interactions/results.ts'
import { createStreamDecoder } from './google-interactions/stream-reader.ts'
import { createStreamEncoder } from './google-interactions/stream-writer.ts'
import { formatToolChoice, interactionTools } from './google-interactions/tools.ts'
import { objectsIn } from './history-call.ts'
import { formatOpenaiMessage } from './openai-chat.ts'
import { requestDecoders } from './request-decoders.ts'
import { tellingLoss } from './stream-loss.ts'
import { encodeTools } from './tool-definition.ts'
import { argumentsObject, nativeTurn, parseWireCalls, type TurnForm } from './wire-call.ts'

/** Steps that no other dialect has. */
const STEP_TYPES = ['user_input', 'model_output', 'thought', 'function_result'] as const

export const googleInteractions: Dialect<'google-interactions'> = {
  id: 'google-interactions',
  aliases: ['interactions', 'gemini-interactions'],

  formatTools: (tools, { compact } = {}) => encodeTools(tools, interactionTools, compact),
  formatToolChoice,
  parseToolCalls: parseWireCalls,
  formatToolResult: encodeResult,
  formatToolResults: (results) => results.map(encodeResult),
  formatAssistantMessage: (response, options = {}) =>
    options.shape === 'native'
      ? formatNativeMessage(response, options)
      : formatOpenaiMessage(response, options),

  resembles: ['openai-responses'],
  shapeOf(body) {
    if (Array.isArray(body['steps']) || body['object'] === 'interaction') return 'response'
    return 'input' in body && isRequest(body) ? 'request' : undefined
  },
  settings: SETTINGS,
  rules: {
    field: 'input',
    systemField: 'system_instruction',
    messageTypes: STEP_TYPES,
    toolName: { pattern: /^[a-zA-Z_][\w.:-]*$/, maxLength: 128 },
    startsWithUser: true,
    systemOnTop: true,
  },
  framing: 'sse',
  encodeRequest,
  ...requestDecoders(decodingSteps),
  encodeResponse,
  decodeResponse,
  createStreamDecoder,
  createStreamEncoder: tellingLoss('google-interactions', createStreamEncoder),
}

const REQUEST_KEYS = ['system_instruction', 'generation_config', 'previous_interaction_id'] as const
const CONTENT_TYPES = ['text', 'image', 'audio', 'video', 'document'] as const
const INPUT_TYPES: ReadonlySet<JsonValue | undefined> = new Set([...STEP_TYPES, ...CONTENT_TYPES])

/** A mere text as input is a request of the Responses API as well, which is what most clients mean. */
function isRequest(body: JsonObject): boolean {
  if (REQUEST_KEYS.some((key) => key in body)) return true
  const { input } = body
  return [...objectsIn(input), ...objectsIn([input])].some(({ type }) => INPUT_TYPES.has(type))
}

/** A turn is several steps; they are the `steps` of the object and go into the next `input`. */
function formatNativeMessage(
  response: unknown,
  { textJoiner }: FormatAssistantOptions,
): JsonObject {
  const own = isJsonObject(response) ? objectsIn(response['steps']) : []
  return { steps: nativeTurn(response, own, TURN, textJoiner) }
}

const TURN: TurnForm = {
  text: (text) => ({ type: 'model_output', content: [{ type: 'text', text }] }),
  call: (call) => ({
    type: 'function_call',
    id: call.id,
    name: call.name,
    arguments: argumentsObject(call),
  }),
}

/**
 * OpenAI Responses, spoken by OpenAI, Azure, xAI, LM Studio and others.
 *
 *     {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAA…"}
 *     {"type": "function_call", "call_id": "call_1", "name": "get_weather", "arguments": "{\"city\": \"Oslo\"}"}
 *     {"type": "function_call_output", "call_id": "call_1", "output": "4 °C"}
 *
 * A turn is a run of items, and their order matters: reasoning must stand before what it led to. The
 * call is named by `call_id`; `id` names the item. A failed tool has no mark of its own.
 *
 * @see https://platform.openai.com/docs/api-reference/responses
 */
import type { Dialect, FormatAssistantOptions, IdRule } from '../core/dialect.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import { fittingIds } from './history/reply-ids.ts'
import { objectsIn } from './history-call.ts'
import { formatOpenaiMessage } from './openai-chat.ts'
import { withClientCalls } from './openai-responses/client-call.ts'
import { definitionsIn, toolKindsIn } from './openai-responses/declared-tools.ts'
import { fitRequest } from './openai-responses/fit.ts'
import { decodingSteps, encodeRequest, SETTINGS } from './openai-responses/request.ts'
import { decodeResponse, encodeResponse, usageIn } from './openai-responses/response.ts'
import { encodeResult } from './openai-responses/result.ts'
import { createStreamDecoder } from './openai-responses/stream-reader.ts'
import { createStreamEncoder } from './openai-responses/stream-writer.ts'
import { encodeChoice, responsesTools } from './openai-responses/tools.ts'
import { requestDecoders } from './request-decoders.ts'
import { tellingLoss } from './stream-loss.ts'
import { encodeTools } from './tool-definition.ts'
import { nativeTurn, parseWireCalls, type TurnForm } from './wire-call.ts'

const CALL_ID: IdRule = { pattern: /^[\w.:-]+$/, maxLength: 64 }

export const openaiResponses: Dialect<'openai-responses'> = {
  id: 'openai-responses',
  aliases: ['responses', 'open-responses'],

  formatTools: (tools, { compact } = {}) => encodeTools(tools, responsesTools, compact),
  formatToolChoice: encodeChoice,
  parseToolCalls: (response, options) => parseWireCalls(withClientCalls(response), options),
  formatToolResult: (result) => encodeResult(result),
  formatToolResults: (results) => results.map((result) => encodeResult(result)),
  formatAssistantMessage: (response, options = {}) =>
    options.shape === 'native'
      ? formatNativeMessage(response, options)
      : formatOpenaiMessage(withClientCalls(response), options),

  shapeOf({ input, output }) {
    if (Array.isArray(output)) return 'response'
    return typeof input === 'string' || Array.isArray(input) ? 'request' : undefined
  },
  settings: SETTINGS,
  rules: {
    field: 'input',
    systemField: 'instructions',
    messageKey: 'type',
    callId: CALL_ID,
    toolName: { pattern: /^[\w-]+$/, maxLength: 64 },
    toolKinds: ['custom', 'namespace', 'tool_search', 'additional_tools'],
  },
  framing: 'sse',
  encodeRequest,
  fitRequest,
  ...requestDecoders(decodingSteps),
  toolsIn: definitionsIn,
  toolKindsIn,
  ...fittingIds(
    CALL_ID,
    encodeResponse,
    tellingLoss('openai-responses', createStreamEncoder, { isTextOnly: true }),
  ),
  decodeResponse,
  usageIn,
  createStreamDecoder,
}

/** A turn is several items; they are the `output` of the object and go into the next `input`. */
function formatNativeMessage(
  response: unknown,
  { textJoiner }: FormatAssistantOptions,
): JsonObject {
  const own = isJsonObject(response) ? objectsIn(response['output']) : []
  return { output: nativeTurn(response, own, TURN, textJoiner) }
}

const TURN: TurnForm = {
  text: (text) => ({ role: 'assistant', content: text }),
  call: ({ id, name, arguments: args }) => ({
    type: 'function_call',
    call_id: id,
    name,
    arguments: args,
  }),
}

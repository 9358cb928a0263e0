/**
 * Converse of AWS Bedrock, one form for all models there.
 *
 *     {"role": "assistant", "content": [
 *      {"toolUse": {"toolUseId": "tooluse_1", "name": "get_weather", "input": {"city": "Oslo"}}}]}
 *     {"role": "user", "content": [
 *      {"toolResult": {"toolUseId": "tooluse_1", "content": [{"text": "4 °C"}]}}]}
 *
 * Arguments are an object; all results of a turn belong in one user message. The model is named in the
 * address, and streams come in binary frames (`bedrock/event-stream.ts`).
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html
 */

import type { Dialect, FormatAssistantOptions, IdRule } from '../core/dialect.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import type { ToolResult } from '../core/model.ts'
import { assistantBlocks } from './bedrock/assistant.ts'
import { isBlankText } from './bedrock/content.ts'
import { decodingSteps, encodeRequest, SETTINGS } from './bedrock/request.ts'
import { blocksOf, decodeResponse, encodeResponse } from './bedrock/response.ts'
import { encodeResult } from './bedrock/results.ts'
import { shapeOf } from './bedrock/shape.ts'
import { createStreamDecoder } from './bedrock/stream-reader.ts'
import { createStreamEncoder } from './bedrock/stream-writer.ts'
import { formatToolChoice, formatTools } from './bedrock/tools.ts'
import { fittingIds } from './history/reply-ids.ts'
import { formatOpenaiMessage } from './openai-chat.ts'
import { requestDecoders } from './request-decoders.ts'
import { tellingLoss } from './stream-loss.ts'
import { argumentsObject, parseWireCalls, readReply } from './wire-call.ts'

const CALL_ID: IdRule = { pattern: /^[a-zA-Z0-9_.:-]+$/, maxLength: 64, prefix: 'tooluse_' }

export const bedrock: Dialect<'bedrock'> = {
  id: 'bedrock',
  aliases: ['bedrock-converse', 'converse'],
  settings: SETTINGS,
  rules: {
    field: 'messages',
    systemField: 'system',
    callId: CALL_ID,
    toolName: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 },
    alternates: true,
    startsWithUser: true,
    systemOnTop: true,
    resultsInOrder: true,
  },

  formatTools,
  formatToolChoice,
  parseToolCalls: parseWireCalls,
  formatToolResult: (result) => userMessage([result]),
  formatToolResults: (results) => (results.length > 0 ? [userMessage(results)] : []),

  formatAssistantMessage: (response, options = {}) =>
    options.shape === 'native'
      ? formatNativeMessage(response, options)
      : formatOpenaiMessage(response, options),

  shapeOf,
  forgetThoughts: assistantBlocks.forgetThoughts,
  resembles: ['openai-chat'],
  framing: 'aws',
  encodeRequest,
  ...requestDecoders(decodingSteps),
  ...fittingIds(CALL_ID, encodeResponse, tellingLoss('bedrock', createStreamEncoder)),
  decodeResponse,
  createStreamDecoder,
}

function userMessage(results: readonly ToolResult[]): JsonObject {
  return { role: 'user', content: results.map((result) => encodeResult(result)) }
}

/** The reply as content blocks. Those of Converse go back as they are: reasoning is signed. */
function formatNativeMessage(
  response: unknown,
  { textJoiner = '' }: FormatAssistantOptions,
): JsonObject {
  const { calls, texts } = readReply(response)
  const ids = new Map(calls.map(({ native, id }) => [native.raw, id]))
  const own = blocksOf(response)?.filter((block) => !isBlankText(block))
  if (own) {
    const content = own.map((block) => {
      const { toolUse } = block as { toolUse?: JsonObject }
      const toolUseId = ids.get(block)
      return isJsonObject(toolUse) && toolUseId !== undefined
        ? { toolUse: { ...toolUse, toolUseId } }
        : block
    })
    return { role: 'assistant', content }
  }
  const text = texts.join(textJoiner)
  const uses = calls.map((call): JsonObject => {
    return { toolUse: { toolUseId: call.id, name: call.name, input: argumentsObject(call) } }
  })
  return { role: 'assistant', content: [...(text.trim() === '' ? [] : [{ text }]), ...uses] }
}

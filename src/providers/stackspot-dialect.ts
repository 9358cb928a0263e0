/**
 * What StackSpot's agents speak: the whole conversation as one text, and a text back.
 *
 *     {"streaming": false, "user_prompt": "…"}
 *     {"message": "…", "stop_reason": "stop", "tokens": {"user": 120, "enrichment": 0, "output": 18}}
 */
import type { ChatRequest, ChatResponse, Usage } from '../core/chat.ts'
import type { CodecOptions } from '../core/dialect.ts'
import { finishReasonOf } from '../core/finish-reason.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import type { Message } from '../core/model.ts'
import { formatResultText } from '../core/result-text.ts'
import { openaiChat } from '../dialects/openai-chat.ts'
import { encodeFields, reportLeftOut, settingName } from '../dialects/request-fields.ts'
import type { ProviderDialect } from './provider.ts'

export const stackspotDialect: ProviderDialect = {
  id: 'stackspot',
  rules: { field: 'messages' },
  framing: 'sse',
  encodeRequest,
  decodeResponse,
  // There are no streams; whoever wraps the service in one mostly speaks like everybody else.
  createStreamDecoder: openaiChat.createStreamDecoder,
}

function encodeRequest(request: ChatRequest, { report }: CodecOptions = {}): JsonObject {
  encodeFields(request, {}, { dialect: 'StackSpot', report })
  for (const key of ['reasoning', 'responseFormat', 'cache'] as const) {
    if (request[key] !== undefined) reportLeftOut(settingName(key), 'StackSpot', { report })
  }
  return {
    streaming: false,
    user_prompt: writePrompt(request.messages),
    stackspot_knowledge: false,
    return_ks_in_response: false,
    ...request.extra?.['stackspot'],
  }
}

/** A single message is the text itself; a conversation says who speaks. */
function writePrompt(messages: readonly Message[]): string {
  const system = messages.filter(({ role }) => role === 'system').map(textOf)
  const turns = messages.filter(({ role }) => role !== 'system')
  const spoken =
    turns.length === 1
      ? turns.map(textOf)
      : turns.map((turn) => `${turn.role === 'assistant' ? 'Assistant' : 'User'}: ${textOf(turn)}`)
  return [...system, ...spoken].join('\n\n')
}

function textOf({ content, toolResults = [] }: Message): string {
  return [
    ...(content.length > 0 ? [formatResultText({ content })] : []),
    ...toolResults.map(formatResultText),
  ].join('\n')
}

function decodeResponse(body: unknown): ChatResponse {
  const { message, stop_reason: word, tokens } = fieldsOf(body)
  const isReply = typeof message === 'string'
  const finishReason = finishReasonOf(word, false) ?? (isReply ? 'stop' : 'error')
  const issue = {
    code: 'invalid-response',
    message: 'the body has no message, so it is no reply of StackSpot',
  } as const
  return {
    message: { role: 'assistant', content: isReply ? message : '' },
    finishReason,
    ...(typeof word === 'string' && { stopReason: word }),
    usage: readUsage(fieldsOf(tokens)),
    issues: isReply ? [] : [issue],
    ...(!isReply && { error: issue }),
  }
}

function readUsage({ user, enrichment = 0, output }: Fields): Usage {
  if (typeof user !== 'number' || typeof output !== 'number') return {}
  const inputTokens = user + (typeof enrichment === 'number' ? enrichment : 0)
  return { inputTokens, outputTokens: output, totalTokens: inputTokens + output }
}

type Fields = Readonly<Record<string, JsonValue | undefined>>

function fieldsOf(value: unknown): Fields {
  return isJsonObject(value) ? value : {}
}

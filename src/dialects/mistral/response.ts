/** Replies in Mistral's form, both ways. */
import type { ChatResponse, Usage } from '../../core/chat.ts'
import type { CodecOptions, DecodeResponseOptions } from '../../core/dialect.ts'
import { parseStrict } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { decodeReply } from '../chat-response.ts'
import { objectsIn } from '../history-call.ts'
import { unknownIn } from '../openai-chat/response.ts'
import { encodeUsage, otherCounts, readUsage } from '../openai-chat/usage.ts'
import { replyFields } from '../request-fields.ts'
import { type StopWords, stopWord } from '../stop-word.ts'
import { encodeReply, keepChunks } from './messages.ts'

const DIALECT = 'mistral'
const KNOWN: ReadonlySet<string> = new Set(['id', 'object', 'model', 'choices', 'usage'])

export function decodeResponse(body: unknown, options: DecodeResponseOptions = {}): ChatResponse {
  const value = typeof body === 'string' ? parseStrict(body) : body
  // The texts between references are one text.
  const { textJoiner = '' } = options
  const response = decodeReply(value, { ...options, textJoiner, isResponse, readUsage })
  const message = messageOf(value)
  if (!isJsonObject(value) || !message) return response
  const counts = otherCounts(value)
  const own = {
    ...unknownIn(value, KNOWN),
    ...(Object.keys(counts).length > 0 && { usage: counts }),
  }
  return {
    ...response,
    message: keepChunks(response.message, message['content']),
    ...(Object.keys(own).length > 0 && { extra: { [DIALECT]: own } }),
  }
}

export function usageIn(body: JsonObject): Usage | undefined {
  return isResponse(body) ? readUsage(body) : undefined
}

function isResponse(body: JsonObject): boolean {
  return messageOf(body) !== undefined
}

export function messageOf(body: unknown): JsonObject | undefined {
  const choices = isJsonObject(body) ? body['choices'] : undefined
  const message: JsonValue | undefined = objectsIn(choices)[0]?.['message']
  return isJsonObject(message) ? message : undefined
}

export const STOP_WORDS: StopWords = {
  byReason: {
    stop: 'stop',
    'tool-calls': 'tool_calls',
    length: 'length',
    // There is no word for it; `error` at least does not claim that all was said.
    'content-filter': 'error',
    error: 'error',
  },
  others: ['model_length'],
}

export function encodeResponse(response: ChatResponse, options?: CodecOptions): JsonObject {
  const { id = '', model = '', message, usage } = response
  const { usage: counts, ...own } = replyFields(DIALECT, response, options, { isTextOnly: true })
  const choice = {
    index: 0,
    message: encodeReply(message),
    finish_reason: stopWord(response, STOP_WORDS),
  }
  return {
    id,
    object: 'chat.completion',
    created: 0,
    model,
    choices: [choice],
    ...encodeUsage(usage, counts),
    ...own,
  }
}

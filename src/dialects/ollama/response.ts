/** Replies in Ollama's form, both ways. */
import type { ChatResponse, Usage } from '../../core/chat.ts'
import type { CodecOptions, DecodeResponseOptions } from '../../core/dialect.ts'
import { parseStrict } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Message } from '../../core/model.ts'
import { decodeReply, readCounts } from '../chat-response.ts'
import { extraFields, replyFields } from '../request-fields.ts'
import { type StopWords, stopWord } from '../stop-word.ts'
import { decodeContent } from './images.ts'
import { encodeAssistant } from './messages.ts'

const DIALECT = 'ollama'
const KNOWN: ReadonlySet<string> = new Set([
  ...['id', 'model', 'message', 'done', 'done_reason', 'prompt_eval_count', 'eval_count'],
])

export function decodeResponse(body: unknown, options?: DecodeResponseOptions): ChatResponse {
  const value = typeof body === 'string' ? parseStrict(body) : body
  const response = decodeReply(value, { ...options, isResponse, readUsage })
  if (!isJsonObject(value) || !isResponse(value)) return response
  const { message } = response
  return {
    ...response,
    message: { ...message, ...pictured(value['message']) },
    ...extraFields(DIALECT, value, KNOWN),
  }
}

/** Text beside pictures; there is nothing to add where there are none. */
function pictured(message: JsonValue | undefined): Partial<Message> {
  const hasImages = isJsonObject(message) && Array.isArray(message['images'])
  return hasImages ? { content: decodeContent(message) } : {}
}

function isResponse(body: JsonObject): boolean {
  return isJsonObject(body['message'])
}

function readUsage(body: JsonObject): Usage {
  const { inputTokens, outputTokens } = readCounts(body, {
    inputTokens: ['prompt_eval_count'],
    outputTokens: ['eval_count'],
  })
  if (inputTokens === undefined && outputTokens === undefined) return {}
  // Ollama leaves out what is zero.
  const [input, output] = [inputTokens ?? 0, outputTokens ?? 0]
  return { inputTokens: input, outputTokens: output, totalTokens: input + output }
}

/** There is no word for calls, nor for a reply that failed. */
const STOP_WORDS: StopWords = {
  byReason: {
    stop: 'stop',
    'tool-calls': 'stop',
    length: 'length',
    'content-filter': 'stop',
    error: 'stop',
  },
  others: ['load', 'unload'],
}

export function encodeResponse(response: ChatResponse, options?: CodecOptions): JsonObject {
  return {
    model: response.model ?? '',
    created_at: timeOf(0),
    message: encodeAssistant(response.message, options),
    ...encodeEnd(response),
    ...replyFields(DIALECT, response, options),
  }
}

/** The fields that only the last line of a stream has. */
export function encodeEnd(response: ChatResponse): JsonObject {
  const { inputTokens, outputTokens } = response.usage
  return {
    done: true,
    done_reason: stopWord(response, STOP_WORDS),
    ...(inputTokens !== undefined && { prompt_eval_count: inputTokens }),
    ...(outputTokens !== undefined && { eval_count: outputTokens }),
  }
}

export function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

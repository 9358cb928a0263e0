/** Replies in Anthropic's form, both ways. */
import type { ChatResponse, Usage } from '../../core/chat.ts'
import type { CodecOptions, DecodeResponseOptions } from '../../core/dialect.ts'
import { parseStrict } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { decodeReply, readCounts } from '../chat-response.ts'
import { extraFields, replyFields } from '../request-fields.ts'
import { type StopWords, stopWord } from '../stop-word.ts'
import { assistantBlocks, contentBlocks } from './assistant.ts'

const DIALECT = 'anthropic'
const KNOWN: ReadonlySet<string> = new Set(
  'id type role model content stop_reason usage'.split(' '),
)

export function decodeResponse(body: unknown, options?: DecodeResponseOptions): ChatResponse {
  const value = typeof body === 'string' ? parseStrict(body) : body
  const response = decodeReply(value, { ...options, isResponse, readUsage })
  if (!isJsonObject(value) || !isResponse(value)) return response
  const { content, usage } = value as Record<string, JsonValue | undefined>
  const unknown = extraFields(DIALECT, withoutNulls(value), KNOWN).extra?.[DIALECT]
  const counts = isJsonObject(usage) ? otherCounts(usage) : {}
  const extra: JsonObject = {
    ...unknown,
    ...(Object.keys(counts).length > 0 && { usage: counts }),
  }
  return {
    ...response,
    message: assistantBlocks.keep(contentBlocks(content).map(withObject), response.message),
    ...(Object.keys(extra).length > 0 && { extra: { [DIALECT]: extra } }),
  }
}

export function usageIn(body: JsonObject): Usage | undefined {
  return Array.isArray(body['content']) ? readUsage(body) : undefined
}

export function isResponse(body: JsonObject): boolean {
  return Array.isArray(body['content']) || body['type'] === 'message'
}

/** A stream brings the input of a call as text; it goes back as an object. */
function withObject(block: JsonObject): JsonObject {
  const { type, input } = block as Record<string, JsonValue | undefined>
  if (type !== 'tool_use' || typeof input !== 'string') return block
  const value = input.trim() === '' ? {} : parseStrict(input)
  return { ...block, input: isJsonObject(value) ? value : { rawInvalidInput: input } }
}

function withoutNulls(body: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
}

const COUNTS = {
  inputTokens: ['input_tokens'],
  outputTokens: ['output_tokens'],
  cacheReadTokens: ['cache_read_input_tokens'],
  cacheWriteTokens: ['cache_creation_input_tokens'],
  reasoningTokens: ['output_tokens_details', 'thinking_tokens'],
} as const
const COUNT_KEYS: ReadonlySet<string> = new Set(Object.values(COUNTS).map(([key]) => key))

/** Anthropic counts what came from the cache, or went into it, beside the input. */
function readUsage({ usage }: JsonObject): Usage {
  const counts = readCounts(usage, COUNTS)
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = counts
  if (inputTokens === undefined) return counts
  const input = inputTokens + cacheReadTokens + cacheWriteTokens
  return { ...counts, inputTokens: input, totalTokens: input + (outputTokens ?? 0) }
}

function otherCounts(usage: JsonObject): JsonObject {
  const others = Object.entries(usage).filter(([key]) => !COUNT_KEYS.has(key))
  return Object.fromEntries(others)
}

export function encodeResponse(response: ChatResponse, options?: CodecOptions): JsonObject {
  const { id = '', model = '', message } = response
  const { usage, ...own } = replyFields(DIALECT, response, options)
  return {
    id,
    type: 'message',
    role: 'assistant',
    model,
    content: assistantBlocks.encodeReply(message),
    stop_reason: stopWord(response, STOP_WORDS),
    stop_sequence: null,
    usage: { ...encodeUsage(response.usage), ...(isJsonObject(usage) && usage) },
    ...own,
  }
}

export const STOP_WORDS: StopWords = {
  byReason: {
    stop: 'end_turn',
    'tool-calls': 'tool_use',
    length: 'max_tokens',
    'content-filter': 'refusal',
    // There is no word for it: a reply that failed is over.
    error: 'end_turn',
  },
  others: ['stop_sequence', 'pause_turn', 'model_context_window_exceeded', 'compaction'],
}

export function encodeUsage(usage: Usage): JsonObject {
  const { inputTokens = 0, outputTokens = 0, reasoningTokens } = usage
  const { cacheReadTokens, cacheWriteTokens } = usage
  return {
    input_tokens: Math.max(0, inputTokens - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0)),
    ...(cacheWriteTokens !== undefined && { cache_creation_input_tokens: cacheWriteTokens }),
    ...(cacheReadTokens !== undefined && { cache_read_input_tokens: cacheReadTokens }),
    output_tokens: outputTokens,
    ...(reasoningTokens !== undefined && {
      output_tokens_details: { thinking_tokens: reasoningTokens },
    }),
  }
}

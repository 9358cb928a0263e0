/** Replies in the form of Converse, both ways. */
import type { ChatResponse, Usage } from '../../core/chat.ts'
import type { CodecOptions, DecodeResponseOptions } from '../../core/dialect.ts'
import { parseStrict } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { countAt, decodeReply, readCounts } from '../chat-response.ts'
import { objectsIn } from '../history-call.ts'
import { extraFields, replyFields } from '../request-fields.ts'
import { type StopWords, stopWord } from '../stop-word.ts'
import { assistantBlocks, kindOf, said } from './assistant.ts'

const DIALECT = 'bedrock'
const KNOWN: ReadonlySet<string> = new Set(['output', 'stopReason', 'usage', '$metadata'])

export function decodeResponse(body: unknown, options?: DecodeResponseOptions): ChatResponse {
  const value = typeof body === 'string' ? parseStrict(body) : body
  const blocks = blocksOf(value)
  if (!isJsonObject(value) || !blocks) return decodeReply(undefined, { ...options, ...READING })
  const content = blocks.filter((block) => kindOf(block) !== 'foreign').map(said)
  const ours = { ...value, output: { message: { role: 'assistant', content } } }
  const response = decodeReply(ours, { ...options, ...READING })
  const { usage } = value
  const counts = isJsonObject(usage) ? otherCounts(usage) : {}
  const extra: JsonObject = {
    ...extraFields(DIALECT, value, KNOWN).extra?.[DIALECT],
    ...(Object.keys(counts).length > 0 && { usage: counts }),
  }
  return {
    ...response,
    message: assistantBlocks.keep(blocks.map(withObject), response.message),
    ...(Object.keys(extra).length > 0 && { extra: { [DIALECT]: extra } }),
  }
}

/** The content of the reply, where there is one. */
export function blocksOf(body: unknown): JsonObject[] | undefined {
  const output = isJsonObject(body) ? body['output'] : undefined
  const message = isJsonObject(output) ? output['message'] : undefined
  return isJsonObject(message) ? objectsIn(message['content']) : undefined
}

/** A stream brings the input of a call as text; it goes back as an object. */
function withObject(block: JsonObject): JsonObject {
  const { toolUse } = block as Record<string, JsonValue | undefined>
  if (!isJsonObject(toolUse) || typeof toolUse['input'] !== 'string') return block
  const text = toolUse['input']
  const value = text.trim() === '' ? {} : parseStrict(text)
  return { toolUse: { ...toolUse, input: isJsonObject(value) ? value : { rawInvalidInput: text } } }
}

const COUNTS = {
  inputTokens: ['inputTokens'],
  outputTokens: ['outputTokens'],
  cacheReadTokens: ['cacheReadInputTokens'],
  cacheWriteTokens: ['cacheWriteInputTokens'],
} as const
const COUNT_KEYS: ReadonlySet<string> = new Set([
  ...Object.values(COUNTS).map(([key]) => key),
  'totalTokens',
])

/** What came from the cache, or went into it, is counted beside the input. */
function readUsage({ usage }: JsonObject): Usage {
  const counts = readCounts(usage, COUNTS)
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = counts
  if (inputTokens === undefined) return counts
  const input = inputTokens + cacheReadTokens + cacheWriteTokens
  const told = countAt(usage, ['totalTokens'])
  return { ...counts, inputTokens: input, totalTokens: told ?? input + (outputTokens ?? 0) }
}

const READING = { isResponse: (body: JsonObject) => blocksOf(body) !== undefined, readUsage }

function otherCounts(usage: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(usage).filter(([key]) => !COUNT_KEYS.has(key)))
}

export function encodeResponse(response: ChatResponse, options?: CodecOptions): JsonObject {
  const { usage, ...own } = replyFields(DIALECT, response, options)
  const counts = { ...encodeUsage(response.usage), ...(isJsonObject(usage) && usage) }
  const content = assistantBlocks.encodeReply(response.message)
  return {
    output: { message: { role: 'assistant', content } },
    stopReason: stopWord(response, STOP_WORDS),
    ...(Object.keys(counts).length > 0 && { usage: counts }),
    ...own,
  }
}

export const STOP_WORDS: StopWords = {
  byReason: {
    stop: 'end_turn',
    'tool-calls': 'tool_use',
    length: 'max_tokens',
    'content-filter': 'content_filtered',
    error: 'malformed_model_output',
  },
  others:
    'stop_sequence guardrail_intervened malformed_tool_use model_context_window_exceeded'.split(
      ' ',
    ),
}

export function encodeUsage(usage: Usage): JsonObject {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage
  if (inputTokens === undefined && outputTokens === undefined) return {}
  const cached = (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0)
  return {
    inputTokens: Math.max(0, (inputTokens ?? 0) - cached),
    outputTokens: outputTokens ?? 0,
    totalTokens: usage.totalTokens ?? (inputTokens ?? 0) + (outputTokens ?? 0),
    ...(cacheReadTokens !== undefined && { cacheReadInputTokens: cacheReadTokens }),
    ...(cacheWriteTokens !== undefined && { cacheWriteInputTokens: cacheWriteTokens }),
  }
}

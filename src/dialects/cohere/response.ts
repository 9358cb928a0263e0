/** Replies in Cohere's form, both ways. */
import type { ChatResponse, Usage } from '../../core/chat.ts'
import type { CodecOptions, DecodeResponseOptions } from '../../core/dialect.ts'
import { parseStrict } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject } from '../../core/json/value.ts'
import { decodeReply, readCounts } from '../chat-response.ts'
import { extraFields, replyFields } from '../request-fields.ts'
import { type StopWords, stopWord } from '../stop-word.ts'
import { encodeReply, keepWords, withPlanAsText } from './assistant.ts'

const DIALECT = 'cohere'
const KNOWN: ReadonlySet<string> = new Set(['id', 'message', 'finish_reason', 'usage'])

export function decodeResponse(body: unknown, options: DecodeResponseOptions = {}): ChatResponse {
  const value = typeof body === 'string' ? parseStrict(body) : body
  const message = isJsonObject(value) ? value['message'] : undefined
  const { textJoiner = '' } = options
  const read = { ...options, textJoiner, isResponse, readUsage }
  if (!isJsonObject(value) || !isJsonObject(message)) return decodeReply(value, read)
  const response = decodeReply({ ...value, message: withPlanAsText(message) }, read)
  const unknown = extraFields(DIALECT, value, KNOWN).extra?.[DIALECT] ?? {}
  const billed = isJsonObject(value['usage']) ? value['usage']['billed_units'] : undefined
  const extra = { ...unknown, ...(billed !== undefined && { billed_units: billed }) }
  return {
    ...response,
    message: keepWords(response.message, message),
    ...(Object.keys(extra).length > 0 && { extra: { [DIALECT]: extra } }),
  }
}

function isResponse(body: JsonObject): boolean {
  return isJsonObject(body['message'])
}

/** What the model read and wrote; what is billed leaves out the prompts of Cohere's own. */
function readUsage({ usage }: JsonObject): Usage {
  const cached = readCounts(usage, { cacheReadTokens: ['cached_tokens'] })
  const [tokens] = ['tokens', 'billed_units']
    .map((kind) =>
      readCounts(usage, {
        inputTokens: [kind, 'input_tokens'],
        outputTokens: [kind, 'output_tokens'],
      }),
    )
    .filter((counts) => Object.keys(counts).length > 0)
  if (!tokens) return cached
  const { inputTokens = 0, outputTokens = 0 } = tokens
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, ...cached }
}

const STOP_WORDS: StopWords = {
  byReason: {
    stop: 'COMPLETE',
    'tool-calls': 'TOOL_CALL',
    length: 'MAX_TOKENS',
    // There is no word for it; this one at least does not claim that all was said.
    'content-filter': 'ERROR',
    error: 'ERROR',
  },
  others: ['STOP_SEQUENCE', 'TIMEOUT'],
}

export function encodeResponse(response: ChatResponse, options?: CodecOptions): JsonObject {
  const { billed_units: _, ...own } = replyFields(DIALECT, response, options, { isTextOnly: true })
  return {
    id: response.id ?? '',
    message: encodeReply(response.message),
    ...encodeEnd(response),
    ...own,
  }
}

/** How a reply ended and what it cost. */
export function encodeEnd(response: ChatResponse): JsonObject {
  const { inputTokens, outputTokens, cacheReadTokens } = response.usage
  const finish = { finish_reason: stopWord(response, STOP_WORDS) }
  if (inputTokens === undefined && outputTokens === undefined) return finish
  const tokens = { input_tokens: inputTokens ?? 0, output_tokens: outputTokens ?? 0 }
  return {
    ...finish,
    usage: {
      billed_units: response.extra?.[DIALECT]?.['billed_units'] ?? tokens,
      tokens,
      ...(cacheReadTokens !== undefined && { cached_tokens: cacheReadTokens }),
    },
  }
}

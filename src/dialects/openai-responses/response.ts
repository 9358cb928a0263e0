/** Replies of the Responses API, both ways. */
import type { ChatResponse, Usage } from '../../core/chat.ts'
import type { CodecOptions, DecodeResponseOptions } from '../../core/dialect.ts'
import { parseStrict } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Message } from '../../core/model.ts'
import { equalJson } from '../../core/schema/equal.ts'
import { countsBeside, decodeReply, readCounts } from '../chat-response.ts'
import { objectsIn } from '../history-call.ts'
import { summed, withReasoning } from '../openai-chat/usage.ts'
import { extraFields, replyFields } from '../request-fields.ts'
import { type StopWords, stopWord } from '../stop-word.ts'
import { withClientCalls } from './client-call.ts'
import { spokenText } from './content.ts'
import { encodeCall, keepItems, kept, rebuildTurn } from './items.ts'

const DIALECT = 'openai-responses'
const KNOWN: ReadonlySet<string> = new Set([
  ...['id', 'object', 'model', 'output', 'usage', 'status', 'incomplete_details'],
])

export function decodeResponse(given: unknown, options?: DecodeResponseOptions): ChatResponse {
  const value = typeof given === 'string' ? parseStrict(given) : given
  const body = isJsonObject(value) ? withoutDefaults(value) : {}
  const reply = decodeReply(withClientCalls(body), { ...options, isResponse, readUsage })
  if (reply.error?.code === 'invalid-response') return reply
  const { message } = reply
  const counts = countsBeside(body['usage'], COUNT_KEYS)
  const own = {
    ...extraFields(DIALECT, body, KNOWN).extra?.[DIALECT],
    ...(Object.keys(counts).length > 0 && { usage: counts }),
  }
  return {
    ...reply,
    message: { ...message, ...keepItems(objectsIn(body['output']), rebuildTurn(message)) },
    ...(Object.keys(own).length > 0 && { extra: { [DIALECT]: own } }),
  }
}

/** Fields that say something whatever they say: a reply may be none yet. */
const MEANT: ReadonlySet<string> = new Set(['output', 'status'])

/** Names that are empty are none, and what every reply says of itself need not be kept. */
function withoutDefaults(body: JsonObject): JsonObject {
  const entries = Object.entries(body).filter(
    ([key, value]) => MEANT.has(key) || !equalJson(value, DEFAULTS[key]),
  )
  return Object.fromEntries(entries)
}

export function usageIn(body: JsonObject): Usage | undefined {
  return isResponse(body) ? readUsage(body) : undefined
}

function isResponse(body: JsonObject): boolean {
  return Array.isArray(body['output'])
}

const COUNTS = {
  inputTokens: ['input_tokens'],
  outputTokens: ['output_tokens'],
  totalTokens: ['total_tokens'],
  cacheReadTokens: ['input_tokens_details', 'cached_tokens'],
  cacheWriteTokens: ['input_tokens_details', 'cache_write_tokens'],
  reasoningTokens: ['output_tokens_details', 'reasoning_tokens'],
} as const
const COUNT_KEYS: ReadonlySet<string> = new Set(
  Object.values(COUNTS).map((path) => path.at(-1) ?? ''),
)

function readUsage({ usage }: JsonObject): Usage {
  return withReasoning(summed(readCounts(usage, COUNTS)))
}

export function encodeResponse(response: ChatResponse, options?: CodecOptions): JsonObject {
  const { id = '', model = '', message } = response
  const { usage: counts, ...own } = replyFields(DIALECT, response, options, { isTextOnly: true })
  return {
    ...responseHead(id, model),
    ...encodeStatus(response),
    output: kept(message) ?? outputItems(message, id),
    ...encodeUsage(response.usage, counts),
    ...own,
  }
}

/** The fields that clients expect of every reply, finished or not. */
export function responseHead(id: string, model: string, created = 0): JsonObject {
  return {
    id,
    object: 'response',
    created_at: created,
    status: 'in_progress',
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model,
    output: [],
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: 'auto',
    tools: [],
    top_p: null,
  }
}

const DEFAULTS = responseHead('', '')

const REASONS: Readonly<Record<string, string>> = {
  length: 'max_output_tokens',
  'content-filter': 'content_filter',
}

const STOP_WORDS: StopWords = {
  byReason: {
    stop: 'completed',
    'tool-calls': 'completed',
    length: 'incomplete',
    'content-filter': 'incomplete',
    error: 'failed',
  },
  others: ['cancelled', 'queued', 'in_progress'],
}

function encodeStatus(response: ChatResponse): JsonObject {
  const reason = REASONS[response.finishReason]
  return {
    status: stopWord(response, STOP_WORDS),
    ...(reason !== undefined && { incomplete_details: { reason } }),
  }
}

/** What the message says as items of a reply. */
function outputItems(message: Message, id: string): JsonObject[] {
  const { content, toolCalls = [], reasoning } = message
  const text = spokenText(content)
  const items: JsonObject[] = [
    ...(reasoning === undefined ? [] : [reasoningItem(reasoning)]),
    ...(text.trim() === '' && toolCalls.length > 0 ? [] : [messageItem(text)]),
    ...toolCalls.map((call) => ({ ...encodeCall(call), status: 'completed' })),
  ]
  const nameItem = itemNames(id)
  return items.map((item) => ({ ...item, id: nameItem(item['type']) }))
}

const PREFIXES: Readonly<Record<string, string>> = {
  reasoning: 'rs',
  message: 'msg',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  tool_search_call: 'tsc',
}

/** What the id of an item of this type begins with. */
export function itemPrefix(type: unknown): string {
  return PREFIXES[String(type)] ?? 'item'
}

/**
 * Ids for the items of a reply, one after the other. Those of each type are counted apart: in a stream there
 * may be messages between calls, and the ids must be those of the whole reply.
 */
export function itemNames(responseId: string): (type: unknown) => string {
  const counts = new Map<string, number>()
  return (type) => {
    const prefix = itemPrefix(type)
    const count = counts.get(prefix) ?? 0
    counts.set(prefix, count + 1)
    return `${prefix}_${responseId.replace(/^resp_/, '')}_${count}`
  }
}

export function reasoningItem(text: string): JsonObject {
  return { type: 'reasoning', summary: [{ type: 'summary_text', text }] }
}

export function messageItem(text: string): JsonObject {
  return { type: 'message', status: 'completed', role: 'assistant', content: [textPart(text)] }
}

export function textPart(text: string): JsonObject {
  return { type: 'output_text', text, annotations: [] }
}

/**
 * The counts that clients of the API read in every reply; a service that does not count them has none. Tokens written to
 * the cache are left out when nobody counted them, so that a reply of an older service is written as it came. `others`
 * are counts that only the service of the reply has.
 */
function encodeUsage(usage: Usage, others: JsonValue | undefined): JsonObject {
  const { inputTokens, outputTokens } = usage
  if (inputTokens === undefined && outputTokens === undefined) return {}
  const { cacheReadTokens = 0, cacheWriteTokens, reasoningTokens = 0 } = usage
  const own = isJsonObject(others) ? others : {}
  const { input_tokens_details: ownInput, output_tokens_details: ownOutput, ...rest } = own
  return {
    usage: {
      input_tokens: inputTokens ?? 0,
      input_tokens_details: {
        cached_tokens: cacheReadTokens,
        ...(cacheWriteTokens !== undefined && { cache_write_tokens: cacheWriteTokens }),
        ...(isJsonObject(ownInput) && ownInput),
      },
      output_tokens: outputTokens ?? 0,
      output_tokens_details: {
        reasoning_tokens: reasoningTokens,
        ...(isJsonObject(ownOutput) && ownOutput),
      },
      total_tokens: usage.totalTokens ?? (inputTokens ?? 0) + (outputTokens ?? 0),
      ...rest,
    },
  }
}

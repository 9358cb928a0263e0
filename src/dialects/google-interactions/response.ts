/** Replies of the Interactions API, both ways. */
import type { ChatResponse, Usage } from '../../core/chat.ts'
import type { CodecOptions, DecodeResponseOptions } from '../../core/dialect.ts'
import { parseStrict } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject } from '../../core/json/value.ts'
import type { Message } from '../../core/model.ts'
import { countAt, decodeReply, readCounts } from '../chat-response.ts'
import { objectsIn } from '../history-call.ts'
import { extraFields, replyFields } from '../request-fields.ts'
import { type StopWords, stopWord } from '../stop-word.ts'
import { assistantSteps, decodeSpoken, signatureOf } from './steps.ts'

const DIALECT = 'google-interactions'
const KNOWN: ReadonlySet<string> = new Set([
  ...['id', 'object', 'model', 'status', 'steps', 'usage'],
])

export function decodeResponse(given: unknown, options?: DecodeResponseOptions): ChatResponse {
  const value = typeof given === 'string' ? parseStrict(given) : given
  const body = isJsonObject(value) ? value : {}
  const reply = decodeReply(withThoughts(body), { ...options, isResponse, readUsage })
  if (reply.error?.code === 'invalid-response') return reply
  const steps = objectsIn(body['steps'])
  const spoken = decodeSpoken(steps)
  const message = { ...signed(reply.message, steps), ...(spoken && { content: spoken }) }
  const own = { ...extraFields(DIALECT, body, KNOWN).extra?.[DIALECT], ...ownUsage(body) }
  return {
    ...reply,
    message: assistantSteps.keep(steps, message),
    ...(Object.keys(own).length > 0 && { extra: { [DIALECT]: own } }),
  }
}

/** The pieces of a summary are one text, as they are in a stream. */
function withThoughts(body: JsonObject): JsonObject {
  if (!Array.isArray(body['steps'])) return body
  const steps = objectsIn(body['steps']).map((step) => {
    const pieces = step['type'] === 'thought' ? objectsIn(step['summary']) : []
    if (pieces.length < 2) return step
    const words = pieces.map(({ text }) => (typeof text === 'string' ? text : '')).join('')
    return { ...step, summary: [{ type: 'text', text: words }] }
  })
  return { ...body, steps }
}

/** The calls with their signatures, which nothing but this dialect has on them. */
function signed(message: Message, steps: readonly JsonObject[]): Message {
  const { toolCalls } = message
  if (!toolCalls) return message
  const signatures = new Map(steps.map((step) => [step['id'], signatureOf(step)]))
  const withOwn = toolCalls.map((call) => {
    const { signature } = signatures.get(call.originalId ?? call.id) ?? {}
    return signature === undefined ? call : { ...call, provider: { ...call.provider, signature } }
  })
  return { ...message, toolCalls: withOwn }
}

/** Where nothing was said there may be no steps. */
function isResponse({ steps, object }: JsonObject): boolean {
  return Array.isArray(steps) || object === 'interaction'
}

const COUNTS: Readonly<Record<string, keyof Usage>> = {
  total_input_tokens: 'inputTokens',
  total_output_tokens: 'outputTokens',
  total_tokens: 'totalTokens',
  total_cached_tokens: 'cacheReadTokens',
  total_thought_tokens: 'reasoningTokens',
}

/** What the service counts besides. */
function ownUsage({ usage }: JsonObject): JsonObject {
  if (!isJsonObject(usage)) return {}
  const others = Object.entries(usage).filter(([key]) => COUNTS[key] === undefined)
  return others.length > 0 ? { usage: Object.fromEntries(others) } : {}
}

/** Thoughts are counted beside the answer, and what the service's own tools read beside the input. */
function readUsage({ usage }: JsonObject): Usage {
  const paths = Object.entries(COUNTS).map(([field, count]) => [count, [field]])
  const { inputTokens, outputTokens, ...counts } = readCounts(usage, Object.fromEntries(paths))
  const { reasoningTokens } = counts
  const ownTools = toolTokens(usage)
  return {
    ...counts,
    ...(inputTokens !== undefined && { inputTokens: inputTokens + ownTools }),
    ...((outputTokens ?? reasoningTokens) !== undefined && {
      outputTokens: (outputTokens ?? 0) + (reasoningTokens ?? 0),
    }),
  }
}

function toolTokens(usage: JsonObject[string] | undefined): number {
  return countAt(usage, ['total_tool_use_tokens']) ?? 0
}

const STOP_WORDS: StopWords = {
  byReason: {
    stop: 'completed',
    'tool-calls': 'requires_action',
    length: 'incomplete',
    // There is no word for it; this one at least does not claim that all was said.
    'content-filter': 'incomplete',
    error: 'failed',
  },
  others: ['budget_exceeded', 'cancelled', 'in_progress', 'queued', 'requires_continuation'],
}

export function encodeResponse(response: ChatResponse, options?: CodecOptions): JsonObject {
  const { usage: _, ...own } = replyFields(DIALECT, response, options)
  const { status, ...end } = encodeEnd(response)
  return {
    id: response.id ?? '',
    status: status ?? null,
    ...end,
    steps: assistantSteps.encodeReply(response.message),
    object: 'interaction',
    model: response.model ?? '',
    ...own,
  }
}

/** How a reply ended and what it cost. */
export function encodeEnd(response: ChatResponse): JsonObject {
  const others = response.extra?.[DIALECT]?.['usage']
  const usage = { ...encodeUsage(response.usage, others), ...(isJsonObject(others) && others) }
  return {
    status: stopWord(response, STOP_WORDS),
    ...(Object.keys(usage).length > 0 && { usage }),
  }
}

function encodeUsage(usage: Usage, others: JsonObject[string] | undefined): JsonObject {
  const { inputTokens, outputTokens, reasoningTokens = 0 } = usage
  const counts: JsonObject = {}
  for (const [field, key] of Object.entries(COUNTS)) {
    const count = usage[key]
    if (count !== undefined) counts[field] = count
  }
  if (inputTokens === undefined && outputTokens === undefined) return counts
  return {
    ...counts,
    total_input_tokens: (inputTokens ?? 0) - toolTokens(others),
    total_output_tokens: (outputTokens ?? 0) - reasoningTokens,
    total_tokens: usage.totalTokens ?? (inputTokens ?? 0) + (outputTokens ?? 0),
  }
}

/** Replies in Gemini's form, both ways. */
import type { ChatResponse, Extra, Usage } from '../../core/chat.ts'
import type { CodecOptions, DecodeResponseOptions } from '../../core/dialect.ts'
import { parseStrict } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Message } from '../../core/model.ts'
import { countAt, decodeReply, readCounts } from '../chat-response.ts'
import { keepContent, keptBlocks } from '../kept-content.ts'
import { replyFields } from '../request-fields.ts'
import { type StopWords, stopWord } from '../stop-word.ts'
import { camelKeys, candidateOf, objectAt, partsOf } from './candidate.ts'
import { decodeSpoken, encodeCall, encodeContent } from './parts.ts'
import { kept, rebuildModelTurn } from './turns.ts'

const DIALECT = 'gemini'
const BODY_KEYS: ReadonlySet<string> = new Set([
  ...['candidates', 'usageMetadata', 'modelVersion', 'responseId'],
])
const CANDIDATE_KEYS: ReadonlySet<string> = new Set(['content', 'finishReason', 'index'])

/** `ids` are those that a stream has given to its calls, since most have none of their own. */
export function decodeResponse(
  given: unknown,
  options: DecodeResponseOptions = {},
  ids: readonly string[] = [],
): ChatResponse {
  const value = typeof given === 'string' ? parseStrict(given) : given
  const body = isJsonObject(value) ? camelKeys(value) : {}
  const parts = partsOf(objectAt(candidateOf(body), 'content'))
  const reply = decodeReply(standard(body, withIds(parts, ids)), {
    // The parts are pieces of one text.
    textJoiner: '',
    ...options,
    isResponse,
    readUsage,
  })
  if (reply.error?.code === 'invalid-response') return reply
  const spoken = decodeSpoken(parts)
  const content = typeof spoken === 'string' ? {} : { content: spoken }
  return {
    ...reply,
    message: { ...reply.message, ...content, ...keepParts(reply.message, parts) },
    ...extraOf(body),
  }
}

/** The body as all readers know it: one candidate, or none when the prompt was refused. */
function standard(body: JsonObject, parts: readonly JsonObject[]): JsonObject {
  const { responseId: id, modelVersion: model, candidates: _, ...rest } = body
  const candidate = candidateOf(body)
  const one = candidate && { ...candidate, content: { role: 'model', parts: [...parts] } }
  const isBlocked = !one && isJsonObject(body['promptFeedback'])
  return {
    ...rest,
    ...(id !== undefined && { id }),
    ...(model !== undefined && { model }),
    ...('candidates' in body && !isBlocked && { candidates: one ? [one] : [] }),
  }
}

function withIds(parts: readonly JsonObject[], ids: readonly string[]): JsonObject[] {
  let at = 0
  return parts.map((part) => {
    const call = objectAt(part, 'functionCall')
    const id = call && ids[at++]
    return call && id !== undefined ? { ...part, functionCall: { ...call, id } } : part
  })
}

function isResponse(body: JsonObject): boolean {
  return Array.isArray(body['candidates']) || isJsonObject(body['promptFeedback'])
}

function keepParts(message: Message, parts: readonly JsonObject[]): { readonly extra?: Extra } {
  return keepContent(DIALECT, parts, rebuildModelTurn(message))
}

/** What the reply says about itself beside its content. */
function extraOf(body: JsonObject): { readonly extra?: Extra } {
  const rest = without(body, BODY_KEYS)
  const about = without(candidateOf(body) ?? {}, CANDIDATE_KEYS)
  const usage = without(objectAt(body, 'usageMetadata') ?? {}, COUNT_KEYS)
  const own = {
    ...rest,
    ...(Object.keys(about).length > 0 && { candidate: about }),
    ...(Object.keys(usage).length > 0 && { usageMetadata: usage }),
  }
  return Object.keys(own).length > 0 ? { extra: { [DIALECT]: own } } : {}
}

function without(object: JsonObject, keys: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key]) => !keys.has(key)))
}

const COUNT_KEYS: ReadonlySet<string> = new Set([
  ...['promptTokenCount', 'candidatesTokenCount', 'thoughtsTokenCount', 'totalTokenCount'],
  'cachedContentTokenCount',
])

/** Thoughts are counted beside the answer, and what the service's own tools read beside the input. */
function readUsage(body: JsonObject): Usage {
  const usageMetadata = objectAt(body, 'usageMetadata')
  const { inputTokens, outputTokens, ...counts } = readCounts(usageMetadata, {
    inputTokens: ['promptTokenCount'],
    outputTokens: ['candidatesTokenCount'],
    totalTokens: ['totalTokenCount'],
    cacheReadTokens: ['cachedContentTokenCount'],
    reasoningTokens: ['thoughtsTokenCount'],
  })
  const { reasoningTokens } = counts
  const input = sum(inputTokens, toolTokens(usageMetadata))
  const output = sum(outputTokens, reasoningTokens)
  return {
    ...counts,
    ...(input !== undefined && { inputTokens: input }),
    ...(output !== undefined && { outputTokens: output }),
  }
}

function toolTokens(usageMetadata: JsonValue | undefined): number | undefined {
  return countAt(usageMetadata, ['toolUsePromptTokenCount'])
}

export function encodeResponse(response: ChatResponse, options?: CodecOptions): JsonObject {
  const own = replyFields(DIALECT, response, options)
  const { candidate: _, usageMetadata: __, ...fields } = own
  return {
    ...(!isRefused(response) && { candidates: [encodeCandidate(response)] }),
    ...encodeUsage(response),
    ...encodeHead(response),
    ...fields,
  }
}

/** True when the prompt was refused, so that there is no answer. */
export function isRefused({ message, extra }: ChatResponse): boolean {
  const feedback = objectAt(extra?.[DIALECT], 'promptFeedback')
  const isEmpty = message.content === '' && !message.toolCalls
  return feedback?.['blockReason'] !== undefined && isEmpty
}

function encodeCandidate(response: ChatResponse): JsonObject {
  return {
    content: { role: 'model', parts: encodeParts(response.message) },
    finishReason: finishWord(response),
    index: 0,
    ...objectAt(response.extra?.[DIALECT], 'candidate'),
  }
}

/** The fields that name a reply. */
export function encodeHead({ id, model }: Pick<ChatResponse, 'id' | 'model'>): JsonObject {
  return {
    ...(model !== undefined && { modelVersion: model }),
    ...(id !== undefined && { responseId: id }),
  }
}

/** Parts with the ids that the calls have with us, for the client to answer by. */
function encodeParts(message: Message): JsonObject[] {
  const { content, toolCalls = [], reasoning } = message
  const own = kept(message)
  if (own)
    return withIds(
      own,
      toolCalls.map(({ id }) => id),
    )
  return [
    ...(reasoning === undefined ? [] : [{ text: reasoning, thought: true }]),
    ...encodeContent(content),
    ...toolCalls.map((call) => encodeCall(call, { id: call.id })),
  ]
}

/** The signature of a text at the end: a stream cannot tell it where it stands. */
export function lastSignature(message: Message): JsonValue | undefined {
  const last = keptBlocks(DIALECT, message).at(-1)
  return last && 'text' in last ? last['thoughtSignature'] : undefined
}

const WORDS: StopWords = {
  byReason: {
    stop: 'STOP',
    'tool-calls': 'STOP',
    length: 'MAX_TOKENS',
    'content-filter': 'SAFETY',
    error: 'OTHER',
  },
  others: [
    ...['RECITATION', 'LANGUAGE', 'BLOCKLIST', 'SPII', 'PROHIBITED_CONTENT', 'IMAGE_SAFETY'],
    ...['IMAGE_RECITATION', 'IMAGE_PROHIBITED_CONTENT', 'IMAGE_OTHER', 'NO_IMAGE'],
    ...['MALFORMED_FUNCTION_CALL', 'MALFORMED_RESPONSE', 'MISSING_THOUGHT_SIGNATURE'],
    ...['UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS'],
  ],
}

export function finishWord(response: ChatResponse): string {
  return stopWord(response, WORDS)
}

export function encodeUsage({ usage, extra }: ChatResponse): JsonObject {
  const { inputTokens, outputTokens, totalTokens, cacheReadTokens, reasoningTokens } = usage
  const own = objectAt(extra?.[DIALECT], 'usageMetadata')
  const counts = {
    promptTokenCount: less(inputTokens, toolTokens(own)),
    candidatesTokenCount: less(outputTokens, reasoningTokens),
    totalTokenCount: totalTokens ?? sum(inputTokens, outputTokens),
    cachedContentTokenCount: cacheReadTokens,
    thoughtsTokenCount: reasoningTokens,
  }
  const known = Object.entries(counts).filter(([, count]) => count !== undefined)
  const told = { ...Object.fromEntries(known), ...own }
  return Object.keys(told).length > 0 ? { usageMetadata: told as JsonObject } : {}
}

/** Undefined when neither was counted. */
function sum(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined && other === undefined) return undefined
  return (one ?? 0) + (other ?? 0)
}

function less(whole: number | undefined, part = 0): number | undefined {
  return whole === undefined ? undefined : whole - part
}

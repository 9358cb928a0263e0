/** Requests in Anthropic's form, both ways. */

import type { ChatRequest, ResponseFormat } from '../../core/chat.ts'
import type { DecodeRequestOptions, EncodeOptions, SettingFields } from '../../core/dialect.ts'
import { InvalidInputError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Steps } from '../../core/steps.ts'
import { budgetCacheMarkers, MAX_CACHE_MARKERS } from '../anthropic-cache.ts'
import { objectsIn } from '../history-call.ts'
import {
  encodeFields,
  extraFields,
  mergedFields,
  ownRequestFields,
  reportLeftOut,
  takeSettings,
} from '../request-fields.ts'
import { hasCacheMarkers, markForCache } from './cache-layout.ts'
import { defaultMaxTokens } from './claude-version.ts'
import { decodeConversation, encodeConversation } from './messages.ts'
import { limitSampling } from './sampling.ts'
import { strictSchema } from './strict-schema.ts'
import {
  asksForThinking,
  encodeThinking,
  takeThinking,
  withoutLooseThinking,
  withoutVainThinking,
} from './thinking.ts'
import { decodeChoice, decodeTools, encodeRequestTools } from './tools.ts'

const DIALECT = 'anthropic'
export const SETTINGS: SettingFields = {
  maxTokens: 'max_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  topK: 'top_k',
  stop: 'stop_sequences',
  reasoning: 'thinking',
  parallelToolCalls: 'tool_choice.disable_parallel_tool_use',
  user: 'metadata.user_id',
  serviceTier: 'service_tier',
}

const KNOWN: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'system', 'tools', 'tool_choice', 'stream'],
  ...['output_config', 'output_format'],
])

export function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): JsonObject {
  const { model, stream, cache } = request
  const { tools, ...own } = ownRequestFields(DIALECT, request.extra, options)
  const thinking = encodeThinking(request, options)
  const body = {
    model,
    ...encodeLimit(request, { ...thinking, ...own }, options),
    ...encodeConversation(request, options),
    ...encodeSettings(request, asksForThinking(thinking), options),
    ...encodeRequestTools(request, objectsIn(tools), options),
    ...(stream !== undefined && { stream }),
    ...options.quirks?.fields,
  }
  const output = mergedFields(thinking, encodeFormat(request.responseFormat, options))
  const whole = withoutLooseThinking(mergedFields(mergedFields(body, output), own))
  const thoughtful = withoutVainThinking(whole, options)
  const marked = cache && !hasCacheMarkers(thoughtful) ? markForCache(thoughtful) : thoughtful
  return budgetCacheMarkers(marked, markersLeft(marked))
}

/** A marker on the request itself is one that Anthropic places, and counts. */
function markersLeft({ cache_control: automatic }: Partial<JsonObject>): number {
  return isJsonObject(automatic) ? MAX_CACHE_MARKERS - 1 : MAX_CACHE_MARKERS
}

/** The API insists on a limit, which counts thinking, too. */
function encodeLimit(
  { maxTokens, model }: ChatRequest,
  { thinking, max_tokens: kept }: Partial<JsonObject>,
  { report }: EncodeOptions,
): JsonObject {
  if (maxTokens !== undefined || kept !== undefined) return { max_tokens: maxTokens ?? kept ?? 0 }
  const budget = isJsonObject(thinking) ? thinking['budget_tokens'] : 0
  const limit = defaultMaxTokens(model) + (typeof budget === 'number' ? budget : 0)
  const message = `${DIALECT} requires \`max_tokens\`; ${limit} was added`
  report?.({ code: 'added-field', message })
  return { max_tokens: limit }
}

/** Anthropic's words for how a request is scheduled. */
const TIERS: ReadonlyMap<string, string> = new Map([
  ['auto', 'auto'],
  ['default', 'standard_only'],
])

function encodeSettings(request: ChatRequest, thinks: boolean, options: EncodeOptions): JsonObject {
  const { maxTokens: _, parallelToolCalls: __, stop, serviceTier, ...settings } = request
  const said = stop?.filter((text) => text.trim() !== '')
  if (said && stop && said.length < stop.length) {
    const message = 'white space alone cannot end a reply'
    options.report?.({ code: 'not-expressible', message })
  }
  const tier = serviceTier && TIERS.get(serviceTier)
  if (serviceTier && !tier) reportLeftOut(`service_tier: ${serviceTier}`, DIALECT, options)
  const wanted = { ...settings, ...(said && { stop: said }), ...(tier && { serviceTier: tier }) }
  const fields = encodeFields(wanted, SETTINGS, { ...options, dialect: DIALECT })
  const names = { topP: 'top_p', topK: 'top_k' }
  return limitSampling(fields, { model: request.model, thinks, ...names }, options)
}

function encodeFormat(format: ResponseFormat | undefined, { report }: EncodeOptions): JsonObject {
  if (format?.type === 'json') {
    const message = 'Anthropic has JSON replies only with a schema'
    report?.({ code: 'not-expressible', message })
  }
  if (format?.type !== 'json-schema') return {}
  const lost = (path: string, key: string): void =>
    report?.({ code: 'not-expressible', message: `a reply cannot be held to ${key} (${path})` })
  const schema = strictSchema(format.schema, lost)
  return { output_config: { format: { type: 'json_schema', schema } } }
}

export function* decodingSteps(
  body: unknown,
  options: DecodeRequestOptions = {},
): Steps<ChatRequest> {
  if (!isJsonObject(body) || !Array.isArray(body['messages'])) {
    throw new InvalidInputError('a request to Anthropic has a list of messages; this body has none')
  }
  const { model, stream } = body as Record<string, JsonValue | undefined>
  const { tools, own, lookup } = decodeTools(body)
  const { reasoning, rest: thoughtless } = takeThinking(body, options)
  const { settings, rest } = takeSettings(thoughtless, FIELDS, options)
  const { format, others } = decodeOutput(rest)
  const unknown = extraFields(DIALECT, rest, KNOWN).extra?.[DIALECT]
  const extra: JsonObject = { ...unknown, ...others, ...(own.length > 0 && { tools: [...own] }) }
  return {
    model: typeof model === 'string' ? model : '',
    messages: yield* decodeConversation(body, lookup),
    ...settings,
    ...(settings.serviceTier && { serviceTier: tierOf(settings.serviceTier) }),
    ...(reasoning && { reasoning }),
    ...(tools.length > 0 && { tools }),
    ...decodeChoice(body['tool_choice']),
    ...(format && { responseFormat: format }),
    ...(typeof stream === 'boolean' && { stream }),
    ...(hasCacheMarkers(body) && { cache: true }),
    ...(Object.keys(extra).length > 0 && { extra: { [DIALECT]: extra } }),
  }
}

/** The switch for parallel calls is part of the choice among tools. */
const { parallelToolCalls: _, ...FIELDS } = SETTINGS

function tierOf(word: string): string {
  return [...TIERS].find(([, theirs]) => theirs === word)?.[0] ?? word
}

function decodeOutput({ output_config: config, output_format: older }: Partial<JsonObject>): {
  readonly format?: ResponseFormat
  readonly others?: JsonObject
} {
  const { format = older, ...rest } = isJsonObject(config) ? config : { format: older }
  const others =
    Object.keys(rest).length > 0 ? { others: { output_config: rest as JsonObject } } : {}
  if (!isJsonObject(format) || format['type'] !== 'json_schema') return others
  const schema = format['schema']
  return {
    ...others,
    format: { type: 'json-schema', schema: isJsonObject(schema) ? schema : true },
  }
}

/** Requests in Anthropic's form, both ways. */

import type { ChatRequest, ResponseFormat } from '../../core/chat.ts'
import type { CodecOptions, EncodeOptions } from '../../core/dialect.ts'
import { InvalidInputError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { budgetCacheMarkers, MAX_CACHE_MARKERS } from '../anthropic-cache.ts'
import { objectsIn } from '../history-call.ts'
import { decodeFields, encodeFields, extraFields, ownFields } from '../request-fields.ts'
import { hasCacheMarkers, markForCache } from './cache-layout.ts'
import { defaultMaxTokens } from './claude-version.ts'
import { decodeConversation, encodeConversation } from './messages.ts'
import { limitSampling } from './sampling.ts'
import { strictSchema } from './strict-schema.ts'
import { withoutVainThinking } from './thinking.ts'
import { decodeChoice, decodeTools, encodeRequestTools } from './tools.ts'

const DIALECT = 'anthropic'
const FIELDS = {
  maxTokens: 'max_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  stop: 'stop_sequences',
} as const

const KNOWN: ReadonlySet<string> = new Set([
  ...Object.values(FIELDS),
  ...['model', 'messages', 'system', 'tools', 'tool_choice', 'stream'],
  ...['output_config', 'output_format'],
])

export function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): JsonObject {
  const { model, messages, stream, cache } = request
  const { tools, output_config: output, ...own } = ownFields(DIALECT, request.extra, options)
  const body = {
    model,
    max_tokens: replyLimit(request, own),
    ...encodeConversation(messages, model, options),
    ...encodeSettings(request, options),
    ...encodeRequestTools(request, objectsIn(tools), options),
    ...encodeOutput(request.responseFormat, output, options),
    ...(stream !== undefined && { stream }),
    ...options.quirks?.fields,
    ...own,
  }
  const thinking = withoutVainThinking(body, options)
  const marked = cache && !hasCacheMarkers(thinking) ? markForCache(thinking) : thinking
  return budgetCacheMarkers(marked, markersLeft(marked))
}

/** A marker on the request itself is one that Anthropic places, and counts. */
function markersLeft({ cache_control: automatic }: Partial<JsonObject>): number {
  return isJsonObject(automatic) ? MAX_CACHE_MARKERS - 1 : MAX_CACHE_MARKERS
}

/** The limit counts thinking, too. */
function replyLimit({ maxTokens, model }: ChatRequest, { thinking }: Partial<JsonObject>): number {
  const budget = isJsonObject(thinking) ? thinking['budget_tokens'] : 0
  return maxTokens ?? defaultMaxTokens(model) + (typeof budget === 'number' ? budget : 0)
}

function encodeSettings(request: ChatRequest, options: EncodeOptions): JsonObject {
  const { parallelToolCalls: _, stop, ...settings } = request
  const said = stop?.filter((text) => text.trim() !== '')
  if (said && stop && said.length < stop.length) {
    const message = 'white space alone cannot end a reply'
    options.report?.({ code: 'not-expressible', message })
  }
  const fields = encodeFields({ ...settings, ...(said && { stop: said }) }, FIELDS, options)
  return limitSampling(fields, request.model, FIELDS.topP, options)
}

/** A form for the reply stands beside other wishes about it. */
function encodeOutput(
  format: ResponseFormat | undefined,
  own: JsonValue | undefined,
  { report }: EncodeOptions,
): JsonObject {
  const others = isJsonObject(own) ? own : {}
  if (format?.type === 'json') {
    const message = 'Anthropic has JSON replies only with a schema'
    report?.({ code: 'not-expressible', message })
  }
  if (format?.type !== 'json-schema') return own === undefined ? {} : { output_config: others }
  const lost = (path: string, key: string): void =>
    report?.({ code: 'not-expressible', message: `a reply cannot be held to ${key} (${path})` })
  const schema = strictSchema(format.schema, lost)
  return { output_config: { ...others, format: { type: 'json_schema', schema } } }
}

export function decodeRequest(body: unknown, _options?: CodecOptions): ChatRequest {
  if (!isJsonObject(body) || !Array.isArray(body['messages'])) {
    throw new InvalidInputError('a request to Anthropic has a list of messages; this body has none')
  }
  const { model, stream } = body as Record<string, JsonValue | undefined>
  const { tools, own } = decodeTools(body['tools'])
  const { format, others } = decodeOutput(body)
  const unknown = extraFields(DIALECT, body, KNOWN).extra?.[DIALECT]
  const extra: JsonObject = { ...unknown, ...others, ...(own.length > 0 && { tools: [...own] }) }
  return {
    model: typeof model === 'string' ? model : '',
    messages: decodeConversation(body),
    ...decodeFields(body, FIELDS),
    ...(tools.length > 0 && { tools }),
    ...decodeChoice(body['tool_choice']),
    ...(format && { responseFormat: format }),
    ...(typeof stream === 'boolean' && { stream }),
    ...(hasCacheMarkers(body) && { cache: true }),
    ...(Object.keys(extra).length > 0 && { extra: { [DIALECT]: extra } }),
  }
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

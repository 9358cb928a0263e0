/** Requests in the form of Converse, both ways. The model and whether to stream are in the address. */

import type { ChatRequest, ResponseFormat } from '../../core/chat.ts'
import type { CodecOptions, EncodeOptions } from '../../core/dialect.ts'
import { InvalidInputError } from '../../core/errors.ts'
import { parseObject } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { isClaude } from '../anthropic/claude-version.ts'
import { limitSampling } from '../anthropic/sampling.ts'
import { strictSchema } from '../anthropic/strict-schema.ts'
import { objectsIn } from '../history-call.ts'
import { decodeFields, encodeFields, extraFields, ownFields } from '../request-fields.ts'
import { addCachePoints, hasCachePoints, takesCachePoints } from './cache-points.ts'
import { decodeConversation, encodeConversation } from './messages.ts'
import { decodeTools, encodeRequestTools } from './tools.ts'

const DIALECT = 'bedrock'
const FIELDS = {
  maxTokens: 'maxTokens',
  temperature: 'temperature',
  topP: 'topP',
  stop: 'stopSequences',
} as const
const SETTINGS: ReadonlySet<string> = new Set(Object.values(FIELDS))
const KNOWN: ReadonlySet<string> = new Set(
  'modelId messages system inferenceConfig toolConfig outputConfig'.split(' '),
)

export function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): JsonObject {
  const { toolConfig, inferenceConfig, ...own } = ownFields(DIALECT, request.extra, options)
  const ownTools = isJsonObject(toolConfig) ? objectsIn(toolConfig['tools']) : []
  const body: JsonObject = {
    ...encodeConversation(request.messages, options),
    ...encodeSettings(request, inferenceConfig, options),
    ...encodeRequestTools(request, ownTools, options),
    ...encodeFormat(request.responseFormat, options),
    ...options.quirks?.fields,
    ...own,
  }
  return encodeCache(request, limitCalls(request, body, options), options)
}

function encodeSettings(
  { parallelToolCalls: _, ...request }: ChatRequest,
  own: JsonValue | undefined,
  options: EncodeOptions,
): JsonObject {
  const encoded = encodeFields(request, FIELDS, options)
  const fields = limitSampling(encoded, request.model, FIELDS.topP, options)
  const settings = { ...fields, ...(isJsonObject(own) && own) }
  return Object.keys(settings).length > 0 ? { inferenceConfig: settings } : {}
}

function encodeFormat(format: ResponseFormat | undefined, { report }: EncodeOptions): JsonObject {
  if (format === undefined || format.type === 'text') return {}
  const tell = (message: string): void => report?.({ code: 'not-expressible', message })
  if (format.type === 'json') {
    tell('Converse has JSON replies only with a schema')
    return {}
  }
  const lost = (path: string, key: string): void =>
    tell(`a reply cannot be held to ${key} (${path})`)
  const { name = 'reply', schema } = format
  const jsonSchema = { name, schema: JSON.stringify(strictSchema(schema, lost)) }
  return { outputConfig: { textFormat: { type: 'json_schema', structure: { jsonSchema } } } }
}

/** Converse has no switch for parallel calls; Claude's own goes through to it. */
function limitCalls(request: ChatRequest, body: JsonObject, options: EncodeOptions): JsonObject {
  const { toolConfig, additionalModelRequestFields: others } = body as Partial<JsonObject>
  if (request.parallelToolCalls !== false || !isJsonObject(toolConfig)) return body
  if (!isClaude(request.model) || options.quirks?.parallel === false) {
    const message = 'the model has no switch for parallel calls'
    options.report?.({ code: 'not-expressible', message })
    return body
  }
  const { toolChoice, ...config } = toolConfig as Record<string, JsonValue>
  const fields = isJsonObject(others) ? others : {}
  const choice = { ...claudeChoice(toolChoice), disable_parallel_tool_use: true }
  return {
    ...body,
    toolConfig: config,
    additionalModelRequestFields: { ...fields, tool_choice: choice },
  }
}

function claudeChoice(choice: JsonValue | undefined): JsonObject {
  const { any, tool } = (isJsonObject(choice) ? choice : {}) as Partial<JsonObject>
  if (isJsonObject(tool)) return { type: 'tool', ...tool }
  return { type: any === undefined ? 'auto' : 'any' }
}

function encodeCache(
  { cache, model }: ChatRequest,
  body: JsonObject,
  { report }: EncodeOptions,
): JsonObject {
  if (!cache || hasCachePoints(body)) return body
  if (takesCachePoints(model)) return addCachePoints(body, model)
  report?.({ code: 'not-expressible', message: 'the model has no cache that can be asked for' })
  return body
}

export function decodeRequest(body: unknown, _options?: CodecOptions): ChatRequest {
  if (!isJsonObject(body) || !Array.isArray(body['messages'])) {
    throw new InvalidInputError('a request to Converse has a list of messages; this body has none')
  }
  const { modelId, inferenceConfig } = body as Record<string, JsonValue | undefined>
  const settings = isJsonObject(inferenceConfig) ? inferenceConfig : {}
  const { tools, own, toolChoice } = decodeTools(body['toolConfig'])
  const otherSettings = extraFields(DIALECT, settings, SETTINGS).extra?.[DIALECT]
  const extra: JsonObject = {
    ...extraFields(DIALECT, body, KNOWN).extra?.[DIALECT],
    ...(otherSettings && { inferenceConfig: otherSettings }),
    ...(own.length > 0 && { toolConfig: { tools: [...own] } }),
  }
  return {
    model: typeof modelId === 'string' ? modelId : '',
    messages: decodeConversation(body),
    ...decodeFields(settings, FIELDS),
    ...(tools.length > 0 && { tools }),
    ...(toolChoice !== undefined && { toolChoice }),
    ...decodeFormat(body['outputConfig']),
    ...(hasCachePoints(body) && { cache: true }),
    ...(Object.keys(extra).length > 0 && { extra: { [DIALECT]: extra } }),
  }
}

function decodeFormat(config: JsonValue | undefined): { readonly responseFormat?: ResponseFormat } {
  const path = ['textFormat', 'structure', 'jsonSchema']
  const described = path.reduce<JsonValue | undefined>(
    (inner, step) => (isJsonObject(inner) ? inner[step] : undefined),
    config,
  )
  if (!isJsonObject(described)) return {}
  const { name, schema } = described as Record<string, JsonValue | undefined>
  const read = typeof schema === 'string' ? parseObject(schema) : undefined
  return {
    responseFormat: {
      type: 'json-schema',
      schema: read ?? true,
      ...(typeof name === 'string' && { name }),
    },
  }
}

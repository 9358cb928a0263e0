/** Requests in the form of Converse, both ways. The model and whether to stream are in the address. */

import type { ChatRequest, ResponseFormat } from '../../core/chat.ts'
import type { DecodeRequestOptions, EncodeOptions, SettingFields } from '../../core/dialect.ts'
import { InvalidInputError } from '../../core/errors.ts'
import { parseObject } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Message } from '../../core/model.ts'
import type { Steps } from '../../core/steps.ts'
import { isClaude } from '../anthropic/claude-version.ts'
import { limitSampling } from '../anthropic/sampling.ts'
import { strictSchema } from '../anthropic/strict-schema.ts'
import { asksForThinking } from '../anthropic/thinking.ts'
import { decodeChoice } from '../anthropic/tools.ts'
import { withoutMarks } from '../cache-marks.ts'
import { objectsIn } from '../history-call.ts'
import {
  encodeFields,
  extraFields,
  mergedFields,
  ownRequestFields,
  takeSettings,
  valueAt,
  withoutPlaces,
} from '../request-fields.ts'
import { addCachePoints, hasCachePoints, takesCachePoints } from './cache-points.ts'
import { decodeConversation, encodeConversation } from './messages.ts'
import { encodeReasoning, MODEL_FIELDS, takeReasoning, withoutVainThinking } from './reasoning.ts'
import { decodeTools, encodeRequestTools } from './tools.ts'

const DIALECT = 'bedrock'
export const SETTINGS: SettingFields = {
  maxTokens: 'inferenceConfig.maxTokens',
  temperature: 'inferenceConfig.temperature',
  topP: 'inferenceConfig.topP',
  topK: 'additionalModelRequestFields.top_k',
  stop: 'inferenceConfig.stopSequences',
  reasoning: 'additionalModelRequestFields.thinking',
  parallelToolCalls: 'additionalModelRequestFields.tool_choice.disable_parallel_tool_use',
  metadata: 'requestMetadata',
  serviceTier: 'serviceTier.type',
}

/** Amazon's models have it elsewhere. */
const NOVA_TOP_K = 'additionalModelRequestFields.inferenceConfig.topK'

const KNOWN: ReadonlySet<string> = new Set(
  'modelId messages system toolConfig outputConfig'.split(' '),
)

export function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): JsonObject {
  const { toolConfig, ...own } = ownRequestFields(DIALECT, request.extra, options)
  const ownTools = isJsonObject(toolConfig) ? objectsIn(toolConfig['tools']) : []
  const body: JsonObject = {
    ...encodeConversation(markable(request), options),
    ...encodeSettings(request, options),
    ...encodeRequestTools(request, ownTools, options),
    ...encodeFormat(request.responseFormat, options),
    ...options.quirks?.fields,
  }
  const whole = withoutVainThinking(mergedFields(body, own), options)
  return encodeCache(request, limitCalls(request, whole, options), options)
}

/** Models without a cache that can be asked for refuse marks; a list of messages is for any model. */
function markable({ messages, model }: ChatRequest): readonly Message[] {
  return model === '' || takesCachePoints(model) ? messages : withoutMarks(messages)
}

/** The usual tier has no name here. */
function encodeSettings(request: ChatRequest, options: EncodeOptions): JsonObject {
  const { parallelToolCalls: _, serviceTier, ...settings } = request
  const wanted = { ...settings, ...(serviceTier && serviceTier !== 'auto' && { serviceTier }) }
  const fields = { ...SETTINGS, ...(/nova/.test(request.model) && { topK: NOVA_TOP_K }) }
  const encoded = encodeFields(wanted, fields, { ...options, dialect: DIALECT })
  const thinking = encodeReasoning(request, options)
  const { inferenceConfig, [MODEL_FIELDS]: model, ...rest } = encoded as Partial<JsonObject>
  const sampling = {
    ...(isJsonObject(inferenceConfig) && inferenceConfig),
    ...(isJsonObject(model) && model),
  }
  const limits = { model: request.model, thinks: asksForThinking(thinking), topP: 'topP' }
  const {
    top_k: topK,
    inferenceConfig: nova,
    ...config
  } = limitSampling(sampling, { ...limits, topK: 'top_k' }, options) as Partial<JsonObject>
  const modelFields = {
    ...thinking,
    ...(topK !== undefined && { top_k: topK }),
    ...(nova !== undefined && { inferenceConfig: nova }),
  }
  return {
    ...(Object.keys(config).length > 0 && { inferenceConfig: config as JsonObject }),
    ...(Object.keys(modelFields).length > 0 && { [MODEL_FIELDS]: modelFields }),
    ...(rest as JsonObject),
  }
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

export function* decodingSteps(
  body: unknown,
  options: DecodeRequestOptions = {},
): Steps<ChatRequest> {
  if (!isJsonObject(body) || !Array.isArray(body['messages'])) {
    throw new InvalidInputError('a request to Converse has a list of messages; this body has none')
  }
  const { modelId } = body as Record<string, JsonValue | undefined>
  const { tools, own, toolChoice } = decodeTools(body['toolConfig'])
  const choice = takeChoice(body, options)
  const { reasoning, rest: others } = takeReasoning(choice.rest, options)
  const nova = takeSettings(others, { topK: NOVA_TOP_K }, options)
  const { settings, rest } = takeSettings(nova.rest, FIELDS, options)
  const extra: JsonObject = {
    ...extraFields(DIALECT, rest, KNOWN).extra?.[DIALECT],
    ...(own.length > 0 && { toolConfig: { tools: [...own] } }),
  }
  return {
    model: typeof modelId === 'string' ? modelId : '',
    messages: yield* decodeConversation(body),
    ...nova.settings,
    ...settings,
    ...(reasoning && { reasoning }),
    ...(tools.length > 0 && { tools }),
    ...(toolChoice !== undefined && { toolChoice }),
    ...choice.settings,
    ...decodeFormat(body['outputConfig']),
    ...(hasCachePoints(body) && { cache: true }),
    ...(Object.keys(extra).length > 0 && { extra: { [DIALECT]: extra } }),
  }
}

/** The switch for parallel calls is part of Claude's own choice among tools. */
const { parallelToolCalls: _, ...FIELDS } = SETTINGS
const CHOICE = 'additionalModelRequestFields.tool_choice'

function takeChoice(
  body: JsonObject,
  { settings }: DecodeRequestOptions,
): { readonly settings: Partial<ChatRequest>; readonly rest: JsonObject } {
  const single = valueAt(body, `${CHOICE}.disable_parallel_tool_use`)
  if (settings === 'keep' || typeof single !== 'boolean') return { settings: {}, rest: body }
  return {
    settings: { ...decodeChoice(valueAt(body, CHOICE)), parallelToolCalls: !single },
    rest: withoutPlaces(body, [CHOICE]),
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

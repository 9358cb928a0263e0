/** Requests in Gemini's form, both ways. */

import type { ChatRequest, ResponseFormat } from '../../core/chat.ts'
import type { DecodeRequestOptions, EncodeOptions, SettingFields } from '../../core/dialect.ts'
import { InvalidInputError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Steps } from '../../core/steps.ts'
import {
  encodeFields,
  extraFields,
  mergedFields,
  ownRequestFields,
  reportNoCache,
  takeSettings,
} from '../request-fields.ts'
import { camelKeys, objectAt } from './candidate.ts'
import { decodeSchema } from './json-schema.ts'
import { lowerSchema } from './schema.ts'
import { encodeThinking, takeThinking } from './thinking.ts'
import { decodeToolFields, encodeToolFields, teller } from './tools.ts'
import { decodeTurns, encodeTurns } from './turns.ts'

const DIALECT = 'gemini'
export const SETTINGS: SettingFields = {
  maxTokens: 'generationConfig.maxOutputTokens',
  temperature: 'generationConfig.temperature',
  topP: 'generationConfig.topP',
  topK: 'generationConfig.topK',
  seed: 'generationConfig.seed',
  presencePenalty: 'generationConfig.presencePenalty',
  frequencyPenalty: 'generationConfig.frequencyPenalty',
  n: 'generationConfig.candidateCount',
  stop: 'generationConfig.stopSequences',
  reasoning: 'generationConfig.thinkingConfig',
}

const FORMAT: readonly string[] = ['responseMimeType', 'responseSchema', 'responseJsonSchema']
const KNOWN: ReadonlySet<string> = new Set([
  ...['model', 'contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig'],
])

export function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): JsonObject {
  const own = ownRequestFields(DIALECT, request.extra, options)
  if (!('cachedContent' in own)) reportNoCache(request, options)
  const { tools: _, toolConfig: __, generationConfig: ___, ...fields } = own
  const encoded = encodeFields(request, SETTINGS, { ...options, dialect: DIALECT })
  const config = mergedFields(
    {
      ...objectAt(encoded, 'generationConfig'),
      ...encodeThinking(request.reasoning, request.model, options),
      ...encodeFormat(request.responseFormat, options),
    },
    objectAt(own, 'generationConfig') ?? {},
  )
  return {
    ...encodeTurns(request.messages, request.model, options),
    ...encodeToolFields(request, own, options),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
    ...options.quirks?.fields,
    ...fields,
  }
}

function encodeFormat(format: ResponseFormat | undefined, options: EncodeOptions): JsonObject {
  if (!format) return {}
  if (format.type === 'text') return { responseMimeType: 'text/plain' }
  const json = { responseMimeType: 'application/json' }
  if (format.type === 'json') return json
  const { schema } = format
  if (options.quirks?.jsonSchema) {
    return { ...json, responseJsonSchema: isJsonObject(schema) ? schema : {} }
  }
  return {
    ...json,
    responseSchema: lowerSchema(schema, teller('the format of the reply', options)),
  }
}

export function* decodingSteps(
  given: unknown,
  options: DecodeRequestOptions = {},
): Steps<ChatRequest> {
  const body = isJsonObject(given) ? withCamelConfig(camelKeys(given)) : undefined
  if (!body || !Array.isArray(body['contents'])) {
    throw new InvalidInputError('a request to Gemini has a list of contents; this body has none')
  }
  const { settings: offer, rest: ownTools } = decodeToolFields(body)
  const format = decodeFormat(objectAt(body, 'generationConfig') ?? {})
  const { reasoning, rest: others } = takeThinking(body, options)
  const { settings, rest } = takeSettings(others, SETTINGS, options)
  const config = objectAt(rest, 'generationConfig') ?? {}
  const { extra: configExtra } = extraFields(
    'generationConfig',
    config,
    new Set(format ? FORMAT : []),
  )
  const { extra } = extraFields(DIALECT, rest, KNOWN)
  const own = { ...extra?.[DIALECT], ...ownTools, ...configExtra }
  const { model } = body as { model?: JsonValue }
  return {
    model: typeof model === 'string' ? model.replace(/^models\//, '') : '',
    messages: yield* decodeTurns(body['systemInstruction'], body['contents']),
    ...settings,
    ...(reasoning && { reasoning }),
    ...offer,
    ...(format && { responseFormat: format }),
    ...(Object.keys(own).length > 0 && { extra: { [DIALECT]: own } }),
  }
}

function withCamelConfig(body: JsonObject): JsonObject {
  const config = objectAt(body, 'generationConfig')
  if (!config) return body
  const thinkingConfig = objectAt(config, 'thinkingConfig')
  return { ...body, generationConfig: { ...config, ...(thinkingConfig && { thinkingConfig }) } }
}

/** Undefined for formats that nobody else has, such as a choice among words. */
function decodeFormat(config: JsonObject): ResponseFormat | undefined {
  const { responseMimeType, responseSchema, responseJsonSchema } = config as Record<
    string,
    JsonValue | undefined
  >
  if (responseMimeType === 'text/plain') return { type: 'text' }
  if (responseMimeType !== 'application/json') return undefined
  const schema = decodeSchema(responseSchema, responseJsonSchema)
  return schema ? { type: 'json-schema', schema } : { type: 'json' }
}

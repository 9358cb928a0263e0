/** Requests in Gemini's form, both ways. */

import type { ChatRequest, ResponseFormat } from '../../core/chat.ts'
import type { CodecOptions, EncodeOptions } from '../../core/dialect.ts'
import { InvalidInputError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import {
  decodeFields,
  encodeFields,
  extraFields,
  ownFields,
  reportNoCache,
} from '../request-fields.ts'
import { camelKeys, objectAt } from './candidate.ts'
import { raiseSchema } from './raise.ts'
import { lowerSchema } from './schema.ts'
import { decodeToolFields, encodeToolFields, teller } from './tools.ts'
import { decodeTurns, encodeTurns } from './turns.ts'

const FIELDS = {
  maxTokens: 'maxOutputTokens',
  temperature: 'temperature',
  topP: 'topP',
  stop: 'stopSequences',
} as const

const CONFIG: ReadonlySet<string> = new Set(Object.values(FIELDS))
const FORMAT: readonly string[] = ['responseMimeType', 'responseSchema', 'responseJsonSchema']
const KNOWN: ReadonlySet<string> = new Set([
  ...['model', 'contents', 'systemInstruction', 'tools', 'toolConfig', 'generationConfig'],
])

export function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): JsonObject {
  const own = ownFields('gemini', request.extra, options)
  if (!('cachedContent' in own)) reportNoCache(request, options)
  const { tools: _, toolConfig: __, generationConfig: ___, ...fields } = own
  const config = {
    ...encodeFields(withoutDefaults(request), FIELDS, options),
    ...encodeFormat(request.responseFormat, options),
    ...objectAt(own, 'generationConfig'),
  }
  return {
    ...encodeTurns(request.messages, request.model, options),
    ...encodeToolFields(request, own, options),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
    ...options.quirks?.fields,
    ...fields,
  }
}

/** Several calls in a reply are what Gemini allows anyway, and there is no switch. */
function withoutDefaults({ parallelToolCalls, ...request }: ChatRequest): ChatRequest {
  return parallelToolCalls === false ? { ...request, parallelToolCalls } : request
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

export function decodeRequest(given: unknown, _options?: CodecOptions): ChatRequest {
  const body = isJsonObject(given) ? camelKeys(given) : undefined
  if (!body || !Array.isArray(body['contents'])) {
    throw new InvalidInputError('a request to Gemini has a list of contents; this body has none')
  }
  const config = objectAt(body, 'generationConfig') ?? {}
  const { settings, rest } = decodeToolFields(body)
  const format = decodeFormat(config)
  const known = format ? new Set([...CONFIG, ...FORMAT]) : CONFIG
  const { extra: configExtra } = extraFields('generationConfig', config, known)
  const { extra } = extraFields('gemini', body, KNOWN)
  const own = { ...extra?.['gemini'], ...rest, ...configExtra }
  const { model } = body as { model?: JsonValue }
  return {
    model: typeof model === 'string' ? model.replace(/^models\//, '') : '',
    messages: decodeTurns(body['systemInstruction'], body['contents']),
    ...decodeFields(config, FIELDS),
    ...settings,
    ...(format && { responseFormat: format }),
    ...(Object.keys(own).length > 0 && { extra: { gemini: own } }),
  }
}

/** Undefined for formats that nobody else has, such as a choice among words. */
function decodeFormat(config: JsonObject): ResponseFormat | undefined {
  const { responseMimeType, responseSchema, responseJsonSchema } = config as Record<
    string,
    JsonValue | undefined
  >
  if (responseMimeType === 'text/plain') return { type: 'text' }
  if (responseMimeType !== 'application/json') return undefined
  const schema = isJsonObject(responseSchema) ? raiseSchema(responseSchema) : responseJsonSchema
  return isJsonObject(schema) ? { type: 'json-schema', schema } : { type: 'json' }
}

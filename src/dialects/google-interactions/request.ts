/** Requests to the Interactions API, both ways. */
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
import { foreignSeed } from '../seed.ts'
import { schemaObject } from '../tool-definition.ts'
import { decodeInput, encodeConversation } from './steps.ts'
import { decodeToolFields, encodeToolFields } from './tools.ts'

const DIALECT = 'google-interactions'
const FIELDS = {
  maxTokens: 'max_output_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  stop: 'stop_sequences',
} as const

const CONFIG: ReadonlySet<string> = new Set([...Object.values(FIELDS), 'tool_choice'])
const KNOWN: ReadonlySet<string> = new Set([
  ...['model', 'input', 'system_instruction', 'tools', 'generation_config', 'stream'],
  'response_format',
])

export function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): JsonObject {
  const { model, messages, stream, responseFormat } = request
  const { seed, extra } = foreignSeed(DIALECT, request.extra)
  const own = ownFields(DIALECT, extra, options)
  if (!('cached_content' in own)) reportNoCache(request, options)
  const { tools: _, generation_config: ownConfig, ...fields } = own
  const offer = encodeToolFields(request, own, options)
  const config = {
    ...encodeFields(withoutDefaults(request), FIELDS, options),
    ...offer.config,
    ...(seed !== undefined && { seed }),
    ...(isJsonObject(ownConfig) && ownConfig),
  }
  return {
    model,
    ...encodeConversation(messages, options),
    ...offer.fields,
    ...(Object.keys(config).length > 0 && { generation_config: config }),
    ...(responseFormat && { response_format: encodeFormat(responseFormat) }),
    ...(stream !== undefined && { stream }),
    ...options.quirks?.fields,
    ...fields,
  }
}

/** Several calls in a reply are what the API allows anyway, and there is no switch. */
function withoutDefaults({ parallelToolCalls, ...request }: ChatRequest): ChatRequest {
  return parallelToolCalls === false ? { ...request, parallelToolCalls } : request
}

function encodeFormat(format: ResponseFormat): JsonObject {
  if (format.type === 'text') return { type: 'text', mime_type: 'text/plain' }
  const json = { type: 'text', mime_type: 'application/json' }
  return format.type === 'json' ? json : { ...json, schema: schemaObject(format.schema) }
}

export function decodeRequest(body: unknown, _options?: CodecOptions): ChatRequest {
  if (!isJsonObject(body) || body['input'] === undefined) {
    throw new InvalidInputError(
      'a request to the Interactions API has an input; this body has none',
    )
  }
  const { model, stream, system_instruction: system } = body as Record<string, JsonValue>
  const config = isJsonObject(body['generation_config']) ? body['generation_config'] : {}
  const { settings, rest, restConfig } = decodeToolFields(body, config)
  const format = decodeFormat(body['response_format'])
  const { extra: configExtra } = extraFields('config', config, CONFIG)
  const ownConfig = { ...configExtra?.['config'], ...restConfig }
  const own = {
    ...extraFields(DIALECT, body, KNOWN).extra?.[DIALECT],
    ...rest,
    ...(!format && 'response_format' in body && { response_format: body['response_format'] }),
    ...(Object.keys(ownConfig).length > 0 && { generation_config: ownConfig }),
  }
  return {
    model: typeof model === 'string' ? model.replace(/^models\//, '') : '',
    messages: [
      ...(typeof system === 'string' && system !== ''
        ? [{ role: 'system', content: system } as const]
        : []),
      ...decodeInput(body['input']),
    ],
    ...decodeFields(config, FIELDS),
    ...settings,
    ...(format && { responseFormat: format }),
    ...(typeof stream === 'boolean' && { stream }),
    ...(Object.keys(own).length > 0 && { extra: { [DIALECT]: own } }),
  }
}

/** One format, alone or in a list; undefined for those that nobody else has, such as images. */
function decodeFormat(given: JsonValue | undefined): ResponseFormat | undefined {
  const [format, ...others] = Array.isArray(given) ? given : [given]
  if (!isJsonObject(format) || others.length > 0 || format['type'] !== 'text') return undefined
  const { mime_type: mime, schema } = format as Record<string, JsonValue | undefined>
  if (isJsonObject(schema)) return { type: 'json-schema', schema }
  return mime === 'application/json' ? { type: 'json' } : { type: 'text' }
}

/** Requests to the Interactions API, both ways. */

import type { ChatRequest, Reasoning, ResponseFormat } from '../../core/chat.ts'
import type { DecodeRequestOptions, EncodeOptions, SettingFields } from '../../core/dialect.ts'
import { InvalidInputError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Steps } from '../../core/steps.ts'
import { levelOf } from '../gemini/thinking.ts'
import { effortOf, isOff, readEffort } from '../reasoning.ts'
import {
  encodeFields,
  extraFields,
  mergedFields,
  ownRequestFields,
  reportNoCache,
  takeSettings,
  valueAt,
  withoutPlaces,
} from '../request-fields.ts'
import { schemaObject } from '../tool-definition.ts'
import { decodeInput, encodeConversation } from './steps.ts'
import { decodeToolFields, encodeToolFields } from './tools.ts'

const DIALECT = 'google-interactions'
const LEVEL = 'generation_config.thinking_level'
const SUMMARIES = 'generation_config.thinking_summaries'

export const SETTINGS: SettingFields = {
  maxTokens: 'generation_config.max_output_tokens',
  temperature: 'generation_config.temperature',
  topP: 'generation_config.top_p',
  seed: 'generation_config.seed',
  stop: 'generation_config.stop_sequences',
  reasoning: LEVEL,
  store: 'store',
}

const KNOWN: ReadonlySet<string> = new Set([
  ...['model', 'input', 'system_instruction', 'tools', 'generation_config', 'stream'],
  'response_format',
])

export function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): JsonObject {
  const { model, messages, stream, responseFormat } = request
  const own = ownRequestFields(DIALECT, request.extra, options)
  if (!('cached_content' in own)) reportNoCache(request, options)
  const { tools: _, generation_config: ownConfig, ...fields } = own
  const offer = encodeToolFields(request, own, options)
  const { generation_config: encoded, ...settings } = encodeFields(request, SETTINGS, {
    ...options,
    dialect: DIALECT,
  })
  const config = mergedFields(
    {
      ...(isJsonObject(encoded) && encoded),
      ...encodeReasoning(request.reasoning, options),
      ...offer.config,
    },
    isJsonObject(ownConfig) ? ownConfig : {},
  )
  return {
    model,
    ...encodeConversation(messages, options),
    ...offer.fields,
    ...(Object.keys(config).length > 0 && { generation_config: config }),
    ...(responseFormat && { response_format: encodeFormat(responseFormat) }),
    ...(stream !== undefined && { stream }),
    ...settings,
    ...options.quirks?.fields,
    ...fields,
  }
}

/** There are levels only, and none of them is "off". */
function encodeReasoning(reasoning: Reasoning | undefined, { report }: EncodeOptions): JsonObject {
  if (!reasoning) return {}
  const { summary } = reasoning
  const summaries = summary ? { thinking_summaries: summary === 'none' ? 'none' : 'auto' } : {}
  if (isOff(reasoning)) {
    const message = `${DIALECT} cannot turn reasoning off; it was asked for the level \`minimal\``
    report?.({ code: 'not-expressible', message })
    return { thinking_level: 'minimal', ...summaries }
  }
  const effort = effortOf(reasoning)
  return { ...(effort && { thinking_level: levelOf(effort) }), ...summaries }
}

function takeReasoning(
  body: JsonObject,
  { settings }: DecodeRequestOptions,
): { readonly reasoning?: Reasoning; readonly rest: JsonObject } {
  const effort = readEffort(valueAt(body, LEVEL))
  const word = valueAt(body, SUMMARIES)
  const summary = word === 'auto' || word === 'none' ? word : undefined
  if (settings === 'keep' || !(effort ?? summary)) return { rest: body }
  const places = [...(effort ? [LEVEL] : []), ...(summary ? [SUMMARIES] : [])]
  return {
    reasoning: { ...(effort && { effort }), ...(summary && { summary }) },
    rest: withoutPlaces(body, places),
  }
}

function encodeFormat(format: ResponseFormat): JsonObject {
  if (format.type === 'text') return { type: 'text', mime_type: 'text/plain' }
  const json = { type: 'text', mime_type: 'application/json' }
  return format.type === 'json' ? json : { ...json, schema: schemaObject(format.schema) }
}

export function* decodingSteps(
  body: unknown,
  options: DecodeRequestOptions = {},
): Steps<ChatRequest> {
  if (!isJsonObject(body) || body['input'] === undefined) {
    throw new InvalidInputError(
      'a request to the Interactions API has an input; this body has none',
    )
  }
  const { model, stream, system_instruction: system } = body as Record<string, JsonValue>
  const config = isJsonObject(body['generation_config']) ? body['generation_config'] : {}
  const { settings: offer, rest: ownTools, restConfig } = decodeToolFields(body, config)
  const format = decodeFormat(body['response_format'])
  const { reasoning, rest: others } = takeReasoning(body, options)
  const { settings, rest } = takeSettings(others, SETTINGS, options)
  const left = isJsonObject(rest['generation_config']) ? rest['generation_config'] : {}
  const { extra: configExtra } = extraFields('config', left, new Set(['tool_choice']))
  const ownConfig = { ...configExtra?.['config'], ...restConfig }
  const own = {
    ...extraFields(DIALECT, rest, KNOWN).extra?.[DIALECT],
    ...ownTools,
    ...(!format && 'response_format' in body && { response_format: body['response_format'] }),
    ...(Object.keys(ownConfig).length > 0 && { generation_config: ownConfig }),
  }
  return {
    model: typeof model === 'string' ? model.replace(/^models\//, '') : '',
    messages: [
      ...(typeof system === 'string' && system !== ''
        ? [{ role: 'system', content: system } as const]
        : []),
      ...(yield* decodeInput(body['input'])),
    ],
    ...settings,
    ...(reasoning && { reasoning }),
    ...offer,
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

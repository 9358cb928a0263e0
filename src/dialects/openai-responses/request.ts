/** Requests to the Responses API, both ways. */

import type { ChatRequest, Reasoning, ResponseFormat } from '../../core/chat.ts'
import type { DecodeRequestOptions, EncodeOptions, SettingFields } from '../../core/dialect.ts'
import { InvalidInputError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Steps } from '../../core/steps.ts'
import { objectsIn } from '../history-call.ts'
import {
  cacheMark,
  foreignCacheFields,
  hasCacheMarks,
  markContent,
  markedPlaces,
  type Speaker,
} from '../openai-cache.ts'
import { openaiEffort } from '../openai-chat/reasoning.ts'
import { withShortUser } from '../openai-chat/settings.ts'
import { readEffort, reasoningOfEffort, saysHowMuch } from '../reasoning.ts'
import {
  encodeFields,
  extraFields,
  mergedFields,
  ownRequestFields,
  takeSettings,
  valueAt,
  withoutPlaces,
} from '../request-fields.ts'
import { fitRequest } from './fit.ts'
import { decodeItems, encodeConversation } from './items.ts'
import { decodeToolFields, encodeToolFields } from './tools.ts'

const DIALECT = 'openai-responses'
export const SETTINGS: SettingFields = {
  maxTokens: 'max_output_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  reasoning: 'reasoning',
  verbosity: 'text.verbosity',
  parallelToolCalls: 'parallel_tool_calls',
  store: 'store',
  user: 'user',
  metadata: 'metadata',
  serviceTier: 'service_tier',
}

const KNOWN: ReadonlySet<string> = new Set([
  ...['model', 'instructions', 'input', 'tools', 'tool_choice', 'text', 'stream'],
])

export function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): JsonObject {
  const { model, messages, stream, responseFormat } = request
  const { fields: cacheFields, extra } = foreignCacheFields(DIALECT, request.extra)
  const { tools, ...own } = ownRequestFields(DIALECT, extra, options)
  const { text, ...settings } = encodeFields(withShortUser(request, options), SETTINGS, {
    ...options,
    dialect: DIALECT,
  })
  const words = {
    ...(responseFormat && { format: encodeFormat(responseFormat) }),
    ...(isJsonObject(text) && text),
  }
  const conversation = encodeConversation(messages, options)
  const body = {
    model,
    ...markItems(conversation, cacheMark(request, options)),
    ...settings,
    ...encodeReasoning(request, options),
    ...encodeToolFields(request, { tools: tools ?? null }, conversation, options),
    ...(Object.keys(words).length > 0 && { text: words }),
    ...(stream !== undefined && { stream }),
    ...options.quirks?.fields,
    ...cacheFields,
  }
  return fitRequest(mergedFields(body, own), options)
}

function encodeReasoning({ reasoning, model }: ChatRequest, options: EncodeOptions): JsonObject {
  if (!reasoning) return {}
  const { summary = 'none' } = reasoning
  const effort = saysHowMuch(reasoning) ? openaiEffort(reasoning, model, options) : undefined
  const fields = {
    ...(effort && { effort }),
    // Without it there is no summary.
    ...(summary !== 'none' && { summary }),
  }
  return Object.keys(fields).length > 0 ? { reasoning: fields } : {}
}

const SUMMARIES = ['auto', 'concise', 'detailed'] as const

function takeReasoning(
  body: JsonObject,
  { settings }: DecodeRequestOptions,
): { readonly reasoning?: Reasoning; readonly rest: JsonObject } {
  if (settings === 'keep' || !isJsonObject(body['reasoning'])) return { rest: body }
  const effort = readEffort(valueAt(body, 'reasoning.effort'))
  const word = valueAt(body, 'reasoning.summary')
  const summary = SUMMARIES.find((one) => one === word)
  const places = [
    ...(effort ? ['reasoning.effort'] : []),
    ...(summary ? ['reasoning.summary'] : []),
  ]
  if (places.length === 0) return { rest: body }
  const reasoning = { ...(effort && reasoningOfEffort(effort)), ...(summary && { summary }) }
  return { reasoning, rest: withoutPlaces(body, places) }
}

/** The conversation with marks for the cache. Instructions cannot be marked: they become an item. */
function markItems(conversation: JsonObject, mark: JsonObject | undefined): JsonObject {
  const { instructions, input } = conversation as Record<string, JsonValue | undefined>
  const items = objectsIn(input)
  if (!mark || hasCacheMarks(items.map(contentOf))) return conversation
  const all =
    instructions === undefined ? items : [{ role: 'system', content: instructions }, ...items]
  const places = markedPlaces(all.map(speakerOf))
  return { input: all.map((item, at) => (places.has(at) ? markItem(item, mark) : item)) }
}

const OUTPUTS: ReadonlySet<JsonValue | undefined> = new Set([
  'function_call_output',
  'custom_tool_call_output',
])

function contentOf({ type, content, output }: Partial<JsonObject>): JsonValue | undefined {
  return OUTPUTS.has(type) ? output : content
}

function markItem(item: JsonObject, mark: JsonObject): JsonObject {
  const field = OUTPUTS.has(item['type']) ? 'output' : 'content'
  const marked = markContent(contentOf(item), mark, 'input_text')
  return marked === undefined ? item : { ...item, [field]: marked }
}

function speakerOf({ type, role }: Partial<JsonObject>): Speaker {
  if (role === 'system' || role === 'developer') return 'system'
  return role === 'user' || OUTPUTS.has(type) ? 'asker' : 'model'
}

function encodeFormat(format: ResponseFormat): JsonObject {
  if (format.type === 'text') return { type: 'text' }
  if (format.type === 'json') return { type: 'json_object' }
  const { schema, name = 'reply', strict } = format
  return { type: 'json_schema', name, schema, ...(strict !== undefined && { strict }) }
}

export function* decodingSteps(
  body: unknown,
  options: DecodeRequestOptions = {},
): Steps<ChatRequest> {
  if (!isJsonObject(body) || !(typeof body['input'] === 'string' || Array.isArray(body['input']))) {
    throw new InvalidInputError('a request to the Responses API has an input; this body has none')
  }
  const { model, stream, instructions } = body as Record<string, JsonValue | undefined>
  const { settings: offer, rest: ownTools, names } = decodeToolFields(body)
  const { reasoning, rest: others } = takeReasoning(body, options)
  const { settings, rest } = takeSettings(others, SETTINGS, options)
  const { text } = rest as Partial<JsonObject>
  const { extra } = extraFields(DIALECT, rest, KNOWN)
  const { format, ...texts } = isJsonObject(text) ? text : {}
  const responseFormat = decodeFormat(format)
  const words = { ...texts, ...(format !== undefined && !responseFormat && { format }) }
  const own = {
    ...extra?.[DIALECT],
    ...ownTools,
    ...(Object.keys(words).length > 0 && { text: words }),
  }
  return {
    model: typeof model === 'string' ? model : '',
    messages: [
      ...(typeof instructions === 'string'
        ? [{ role: 'system', content: instructions } as const]
        : []),
      ...(yield* decodeItems(body['input'], names)),
    ],
    ...settings,
    ...(reasoning && { reasoning }),
    ...offer,
    ...(responseFormat && { responseFormat }),
    ...(typeof stream === 'boolean' && { stream }),
    ...(hasCacheMarks(objectsIn(body['input']).map(contentOf)) && { cache: true }),
    ...(Object.keys(own).length > 0 && { extra: { [DIALECT]: own } }),
  }
}

function decodeFormat(format: JsonValue | undefined): ResponseFormat | undefined {
  if (!isJsonObject(format)) return undefined
  const { type, name, schema, strict } = format as Record<string, JsonValue | undefined>
  if (type === 'text') return { type: 'text' }
  if (type === 'json_object') return { type: 'json' }
  if (type !== 'json_schema') return undefined
  return {
    type: 'json-schema',
    schema: isJsonObject(schema) ? schema : true,
    ...(typeof name === 'string' && { name }),
    ...(typeof strict === 'boolean' && { strict }),
  }
}

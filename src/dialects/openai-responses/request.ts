/** Requests to the Responses API, both ways. */

import type { ChatRequest, ResponseFormat } from '../../core/chat.ts'
import type { CodecOptions, EncodeOptions } from '../../core/dialect.ts'
import { InvalidInputError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { objectsIn } from '../history-call.ts'
import {
  cacheMark,
  foreignCacheFields,
  hasCacheMarks,
  markContent,
  markedPlaces,
  type Speaker,
} from '../openai-cache.ts'
import { decodeFields, encodeFields, extraFields, ownFields } from '../request-fields.ts'
import { decodeItems, encodeConversation } from './items.ts'
import { decodeToolFields, encodeToolFields } from './tools.ts'

const FIELDS = {
  maxTokens: 'max_output_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  parallelToolCalls: 'parallel_tool_calls',
} as const

const KNOWN: ReadonlySet<string> = new Set([
  ...Object.values(FIELDS),
  ...['model', 'instructions', 'input', 'tools', 'tool_choice', 'text', 'stream'],
])

export function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): JsonObject {
  const { model, messages, stream, responseFormat } = request
  const { fields: cacheFields, extra } = foreignCacheFields('openai-responses', request.extra)
  const { tools, text, ...own } = ownFields('openai-responses', extra, options)
  const format = {
    ...(responseFormat && { format: encodeFormat(responseFormat) }),
    ...(isJsonObject(text) && text),
  }
  return {
    model,
    ...markItems(encodeConversation(messages, options), cacheMark(request, options)),
    ...encodeFields(request, FIELDS, options),
    ...encodeToolFields(request, { tools: tools ?? null }, options),
    ...(Object.keys(format).length > 0 && { text: format }),
    ...(stream !== undefined && { stream }),
    ...options.quirks?.fields,
    ...cacheFields,
    ...own,
  }
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

export function decodeRequest(body: unknown, _options?: CodecOptions): ChatRequest {
  if (!isJsonObject(body) || !(typeof body['input'] === 'string' || Array.isArray(body['input']))) {
    throw new InvalidInputError('a request to the Responses API has an input; this body has none')
  }
  const { model, stream, instructions, text } = body as Record<string, JsonValue | undefined>
  const { settings, rest } = decodeToolFields(body)
  const { extra } = extraFields('openai-responses', body, KNOWN)
  const { format, ...texts } = isJsonObject(text) ? text : {}
  const responseFormat = decodeFormat(format)
  const words = { ...texts, ...(format !== undefined && !responseFormat && { format }) }
  const own = {
    ...extra?.['openai-responses'],
    ...rest,
    ...(Object.keys(words).length > 0 && { text: words }),
  }
  return {
    model: typeof model === 'string' ? model : '',
    messages: [
      ...(typeof instructions === 'string'
        ? [{ role: 'system', content: instructions } as const]
        : []),
      ...decodeItems(body['input']),
    ],
    ...decodeFields(body, FIELDS),
    ...settings,
    ...(responseFormat && { responseFormat }),
    ...(typeof stream === 'boolean' && { stream }),
    ...(hasCacheMarks(objectsIn(body['input']).map(contentOf)) && { cache: true }),
    ...(Object.keys(own).length > 0 && { extra: { 'openai-responses': own } }),
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

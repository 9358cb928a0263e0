/** Requests in Ollama's form, both ways. */

import type { ChatRequest, ResponseFormat } from '../../core/chat.ts'
import type { CodecOptions, EncodeOptions } from '../../core/dialect.ts'
import { InvalidInputError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Tool } from '../../core/model.ts'
import { normalizeTools } from '../../core/schema/tool.ts'
import { objectsIn } from '../history-call.ts'
import { offeredTools } from '../offered-tools.ts'
import { openaiTools } from '../openai-chat/tools.ts'
import {
  decodeFields,
  encodeFields,
  extraFields,
  ownFields,
  reportNoCache,
} from '../request-fields.ts'
import { foreignSeed } from '../seed.ts'
import { encodeTools, schemaObject } from '../tool-definition.ts'
import { decodeMessages, encodeMessages } from './messages.ts'

const DIALECT = 'ollama'
/** Their names inside `options`. */
const OPTIONS = {
  maxTokens: 'num_predict',
  temperature: 'temperature',
  topP: 'top_p',
  stop: 'stop',
} as const
const OPTION_KEYS: ReadonlySet<string> = new Set(Object.values(OPTIONS))
const KNOWN: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'tools', 'format', 'options', 'stream'],
])

export function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): JsonObject {
  const { model, messages, responseFormat, stream = false } = request
  const { seed, extra } = foreignSeed(DIALECT, request.extra)
  reportNoCache(request, options)
  const { options: kept, format, ...own } = ownFields(DIALECT, extra, options)
  const settings = {
    ...(seed !== undefined && { seed }),
    ...(isJsonObject(kept) && kept),
    ...encodeFields(request, OPTIONS, options),
  }
  return {
    model,
    messages: encodeMessages(messages, options),
    ...encodeOffer(request, options),
    ...(format !== undefined && { format }),
    ...encodeFormat(responseFormat),
    ...(Object.keys(settings).length > 0 && { options: settings }),
    // The server streams unless it is told not to.
    stream,
    ...options.quirks?.fields,
    ...own,
  }
}

/** The API has no choice among tools: what must not be called is not offered. */
function encodeOffer(request: ChatRequest, options: EncodeOptions): JsonObject {
  const { tools = [], toolChoice } = request
  const tell = (message: string): void => options.report?.({ code: 'not-expressible', message })
  if (tools.length === 0) return {}
  if (toolChoice === 'none') {
    tell('Ollama cannot forbid calls while it offers tools; they are left out')
    return {}
  }
  const isRequired =
    toolChoice === 'required' ||
    (typeof toolChoice === 'object' && ('name' in toolChoice || toolChoice.required))
  if (isRequired) tell('Ollama cannot be told that a tool must be called')
  if (tools.some(({ strict }) => strict)) tell('Ollama has no strict tools')
  const offered = offeredTools(request, options).map(withoutStrict)
  return offered.length > 0 ? { tools: encodeTools(offered, openaiTools) } : {}
}

function withoutStrict({ strict: _, ...tool }: Tool): Tool {
  return tool
}

function encodeFormat(format: ResponseFormat | undefined): JsonObject {
  if (!format || format.type === 'text') return {}
  return { format: format.type === 'json' ? 'json' : schemaObject(format.schema) }
}

export function decodeRequest(body: unknown, _options?: CodecOptions): ChatRequest {
  if (!isJsonObject(body) || !Array.isArray(body['messages'])) {
    throw new InvalidInputError('a chat request has a list of messages; this body has none')
  }
  const { model, options, stream } = body as Record<string, JsonValue | undefined>
  const settings = isJsonObject(options) ? options : {}
  const tools = objectsIn(body['tools'])
  return {
    model: typeof model === 'string' ? model : '',
    messages: decodeMessages(body['messages']),
    ...decodeFields(settings, OPTIONS),
    ...(tools.length > 0 && { tools: normalizeTools(tools) }),
    ...decodeFormat(body['format']),
    stream: stream !== false,
    ...decodeExtra(body, settings),
  }
}

function decodeExtra(body: JsonObject, settings: JsonObject): Pick<ChatRequest, 'extra'> {
  const others = extraFields('options', settings, OPTION_KEYS).extra
  const own = { ...extraFields(DIALECT, body, KNOWN).extra?.[DIALECT], ...others }
  return Object.keys(own).length > 0 ? { extra: { [DIALECT]: own } } : {}
}

function decodeFormat(format: JsonValue | undefined): { readonly responseFormat?: ResponseFormat } {
  if (format === 'json') return { responseFormat: { type: 'json' } }
  if (!isJsonObject(format)) return {}
  return { responseFormat: { type: 'json-schema', schema: format } }
}

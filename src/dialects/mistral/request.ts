/** Requests in Mistral's form, both ways: OpenAI's with other names for some fields, and no others. */

import type { ChatRequest, ToolChoice } from '../../core/chat.ts'
import type { CodecOptions, EncodeOptions } from '../../core/dialect.ts'
import { InvalidInputError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { objectsIn } from '../history-call.ts'
import { offeredTools } from '../offered-tools.ts'
import { foreignCacheFields } from '../openai-cache.ts'
import { decodeChoice, decodeExtra, decodeFormat, encodeFormat } from '../openai-chat/request.ts'
import { decodeOpenaiTools, encodeOpenaiTools } from '../openai-chat/tools.ts'
import { decodeFields, encodeFields, ownFields, reportNoCache } from '../request-fields.ts'
import { foreignSeed } from '../seed.ts'
import { decodeMessages, encodeMessages } from './messages.ts'

const DIALECT = 'mistral'
const FIELDS = {
  maxTokens: 'max_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  stop: 'stop',
  parallelToolCalls: 'parallel_tool_calls',
} as const
const KNOWN: ReadonlySet<string> = new Set([
  ...Object.values(FIELDS),
  ...['model', 'messages', 'tools', 'tool_choice', 'response_format', 'stream'],
])

export function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): JsonObject {
  const { model, messages, stream, responseFormat } = request
  const { seed, extra: unseeded } = foreignSeed(DIALECT, request.extra)
  const { fields: cacheFields, extra } = foreignCacheFields(DIALECT, unseeded)
  const { tools, ...own } = ownFields(DIALECT, extra, options)
  if (!('prompt_cache_key' in { ...cacheFields, ...own })) reportNoCache(request, options)
  return {
    model,
    messages: encodeMessages(messages, options),
    ...encodeFields(request, FIELDS, options),
    ...encodeOffer(request, tools, options),
    ...encodeFormat(responseFormat),
    ...(stream !== undefined && { stream }),
    ...(seed !== undefined && { random_seed: seed }),
    ...options.quirks?.fields,
    ...cacheFields,
    ...own,
  }
}

function encodeOffer(
  request: ChatRequest,
  kept: JsonValue | undefined,
  options: EncodeOptions,
): JsonObject {
  const { toolChoice, ...rest } = request
  const { tools } = encodeOpenaiTools({ ...rest, tools: offered(request, options) }, options, kept)
  if (!tools) return {}
  return { tools, ...(toolChoice !== undefined && formatToolChoice(toolChoice)) }
}

/** One tool can be named, some of several cannot. */
function offered(request: ChatRequest, options: EncodeOptions): ReturnType<typeof offeredTools> {
  const { tools = [], toolChoice } = request
  const isOne = typeof toolChoice === 'object' && 'name' in toolChoice
  return isOne ? tools : offeredTools(request, options)
}

export function formatToolChoice(choice: ToolChoice): JsonObject {
  if (choice === 'auto' || choice === 'none') return { tool_choice: choice }
  if (choice === 'required') return { tool_choice: 'any' }
  if ('names' in choice) return { tool_choice: choice.required ? 'any' : 'auto' }
  return { tool_choice: { type: 'function', function: { name: choice.name } } }
}

export function decodeRequest(body: unknown, _options?: CodecOptions): ChatRequest {
  if (!isJsonObject(body) || !Array.isArray(body['messages'])) {
    throw new InvalidInputError('a chat request has a list of messages; this body has none')
  }
  const { model, stream } = body as Record<string, JsonValue | undefined>
  const { tools, kept } = decodeOpenaiTools(objectsIn(body['tools']))
  const toolChoice = decodeChoice(body['tool_choice'])
  return {
    model: typeof model === 'string' ? model : '',
    messages: decodeMessages(body['messages']),
    ...decodeFields(body, FIELDS),
    ...(tools.length > 0 && { tools }),
    ...(toolChoice !== undefined && { toolChoice }),
    ...decodeFormat(body['response_format']),
    ...(typeof stream === 'boolean' && { stream }),
    ...decodeExtra(DIALECT, body, KNOWN, kept),
  }
}

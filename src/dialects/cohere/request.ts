/** Requests in Cohere's form, both ways. */

import type { ChatRequest, ResponseFormat, ToolChoice } from '../../core/chat.ts'
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

const DIALECT = 'cohere'
const FIELDS = {
  maxTokens: 'max_tokens',
  temperature: 'temperature',
  topP: 'p',
  stop: 'stop_sequences',
} as const
const KNOWN: ReadonlySet<string> = new Set([
  ...Object.values(FIELDS),
  ...['model', 'messages', 'tools', 'tool_choice', 'strict_tools', 'response_format', 'stream'],
])

export function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): JsonObject {
  const { model, messages, stream, responseFormat } = request
  const { seed, extra } = foreignSeed(DIALECT, request.extra)
  reportNoCache(request, options)
  return {
    model,
    messages: encodeMessages(messages, options),
    ...encodeFields(request, FIELDS, options),
    ...encodeOffer(request, options),
    ...encodeFormat(responseFormat),
    ...(stream !== undefined && { stream }),
    ...(seed !== undefined && { seed }),
    ...options.quirks?.fields,
    ...ownFields(DIALECT, extra, options),
  }
}

function encodeOffer(request: ChatRequest, options: EncodeOptions): JsonObject {
  const { toolChoice } = request
  const offered = offeredTools(request, options)
  if (offered.length === 0) return {}
  return {
    tools: encodeTools(offered.map(withoutStrict), openaiTools),
    ...encodeStrict(offered, options),
    ...(toolChoice !== undefined && formatToolChoice(toolChoice)),
  }
}

/** All tools are strict or none is. */
function encodeStrict(tools: readonly Tool[], { quirks, report }: EncodeOptions): JsonObject {
  if (!tools.some(({ strict }) => strict)) return {}
  if (quirks?.strict !== false && tools.every(({ strict }) => strict)) return { strict_tools: true }
  report?.({ code: 'not-expressible', message: 'only some of the tools are strict; now none is' })
  return {}
}

function withoutStrict({ strict: _, ...tool }: Tool): Tool {
  return tool
}

/** To be free to choose is what Cohere's models are when nothing is said. */
export function formatToolChoice(choice: ToolChoice): JsonObject {
  if (choice === 'auto') return {}
  if (choice === 'none') return { tool_choice: 'NONE' }
  const isRequired = choice === 'required' || 'name' in choice || choice.required
  return isRequired ? { tool_choice: 'REQUIRED' } : {}
}

function encodeFormat(format: ResponseFormat | undefined): JsonObject {
  if (!format) return {}
  if (format.type === 'text') return { response_format: { type: 'text' } }
  const json_schema = format.type === 'json' ? undefined : schemaObject(format.schema)
  return { response_format: { type: 'json_object', ...(json_schema && { json_schema }) } }
}

export function decodeRequest(body: unknown, _options?: CodecOptions): ChatRequest {
  if (!isJsonObject(body) || !Array.isArray(body['messages'])) {
    throw new InvalidInputError('a chat request has a list of messages; this body has none')
  }
  const { model, stream, tool_choice: choice } = body as Record<string, JsonValue | undefined>
  const strict = body['strict_tools'] === true
  const tools = normalizeTools(objectsIn(body['tools']))
  return {
    model: typeof model === 'string' ? model : '',
    messages: decodeMessages(body['messages']),
    ...decodeFields(body, FIELDS),
    ...(tools.length > 0 && { tools: strict ? tools.map((tool) => ({ ...tool, strict })) : tools }),
    ...(choice === 'NONE' && { toolChoice: 'none' }),
    ...(choice === 'REQUIRED' && { toolChoice: 'required' }),
    ...decodeFormat(body['response_format']),
    ...(typeof stream === 'boolean' && { stream }),
    ...extraFields(DIALECT, body, KNOWN),
  }
}

function decodeFormat(format: JsonValue | undefined): { readonly responseFormat?: ResponseFormat } {
  if (!isJsonObject(format)) return {}
  const { type, json_schema: schema } = format as Record<string, JsonValue | undefined>
  if (type === 'text') return { responseFormat: { type } }
  if (type !== 'json_object') return {}
  return {
    responseFormat: isJsonObject(schema) ? { type: 'json-schema', schema } : { type: 'json' },
  }
}

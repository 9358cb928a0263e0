/** Requests in OpenAI's form, both ways. */

import type { ChatRequest, ResponseFormat, ToolChoice } from '../../core/chat.ts'
import type { DecodeRequestOptions, EncodeOptions } from '../../core/dialect.ts'
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
import {
  encodeFields,
  extraFields,
  mergedFields,
  ownRequestFields,
  takeSettings,
} from '../request-fields.ts'
import { fitRequest } from './fit.ts'
import { decodeMessages, encodeMessages } from './messages.ts'
import { encodeReasoning, takeReasoning } from './reasoning.ts'
import { SERVICE_SETTINGS, SETTINGS, withShortUser } from './settings.ts'
import { decodeOpenaiTools, encodeOpenaiTools } from './tools.ts'

const DIALECT = 'openai-chat'
const KNOWN: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'tools', 'functions', 'tool_choice', 'function_call'],
  ...['response_format', 'stream', 'stream_options'],
])

export function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): JsonObject {
  const { quirks = {} } = options
  const { fields: cacheFields, extra } = foreignCacheFields(DIALECT, request.extra)
  const { tools: kept, ...own } = ownRequestFields(DIALECT, extra, options)
  const tools = encodeOpenaiTools(request, options, kept)
  const body = {
    model: request.model,
    messages: markMessages(encodeMessages(request.messages, options), cacheMark(request, options)),
    ...encodeSettings(request, 'tools' in tools, options),
    ...encodeReasoning(request, options),
    ...tools,
    ...encodeFormat(request.responseFormat),
    ...encodeStream(request.stream, quirks.streamUsage),
    ...quirks.fields,
    ...cacheFields,
  }
  return fitRequest(mergedFields(body, own), options)
}

function encodeSettings(
  request: ChatRequest,
  hasTools: boolean,
  options: EncodeOptions,
): JsonObject {
  const { parallelToolCalls, ...others } = request
  const { parallelToolCalls: place, ...rest } = SETTINGS
  const settings = {
    ...withShortUser(others, options),
    // The switch for parallel calls is refused where there are no tools.
    ...(hasTools && parallelToolCalls !== undefined && { parallelToolCalls }),
  }
  const isParallel = options.quirks?.parallel !== false
  const fields = { ...rest, ...(isParallel && { parallelToolCalls: place }) }
  return encodeFields(settings, fields, { ...options, dialect: DIALECT })
}

const SPEAKERS: Readonly<Record<string, Speaker>> = {
  system: 'system',
  developer: 'system',
  assistant: 'model',
}

/** The messages with marks for the cache, unless the sender has placed some. */
function markMessages(messages: readonly JsonObject[], mark: JsonObject | undefined): JsonObject[] {
  if (!mark || hasCacheMarks(messages.map(({ content }) => content))) return [...messages]
  const places = markedPlaces(messages.map(({ role }) => SPEAKERS[String(role)] ?? 'asker'))
  return messages.map((message, at) => {
    if (!places.has(at)) return message
    return { ...message, content: markContent(message['content'], mark, 'text') ?? null }
  })
}

function encodeStream(stream: boolean | undefined, usage = true): JsonObject {
  if (stream === undefined) return {}
  return stream && usage ? { stream, stream_options: { include_usage: true } } : { stream }
}

export function encodeFormat(format: ResponseFormat | undefined): JsonObject {
  if (!format) return {}
  if (format.type === 'text') return { response_format: { type: 'text' } }
  if (format.type === 'json') return { response_format: { type: 'json_object' } }
  const { schema, name = 'reply', strict } = format
  const described = { name, schema, ...(strict !== undefined && { strict }) }
  return { response_format: { type: 'json_schema', json_schema: described } }
}

export function* decodingSteps(
  body: unknown,
  options: DecodeRequestOptions = {},
): Steps<ChatRequest> {
  if (!isJsonObject(body) || !Array.isArray(body['messages'])) {
    throw new InvalidInputError('a chat request has a list of messages; this body has none')
  }
  const { model, stream } = body as Record<string, JsonValue | undefined>
  const { reasoning, rest: others } = takeReasoning(body, options)
  const named = options.settings === 'keep' ? others : withNewerLimit(others)
  const { settings, rest } = takeSettings(named, FIELDS, options)
  const entries = [...objectsIn(body['tools']), ...objectsIn(body['functions'])]
  const { tools, kept } = decodeOpenaiTools(entries)
  const toolChoice = decodeChoice(body['tool_choice'] ?? body['function_call'])
  return {
    model: typeof model === 'string' ? model : '',
    messages: yield* decodeMessages(body['messages']),
    ...settings,
    ...(reasoning && { reasoning }),
    ...(tools.length > 0 && { tools }),
    ...(toolChoice !== undefined && { toolChoice }),
    ...decodeFormat(body['response_format']),
    ...(typeof stream === 'boolean' && { stream }),
    ...(hasCacheMarks(objectsIn(body['messages']).map(({ content }) => content)) && {
      cache: true,
    }),
    ...decodeExtra(DIALECT, rest, KNOWN, kept),
  }
}

const FIELDS = { ...SETTINGS, ...SERVICE_SETTINGS }

/** The limit of a reply under its newer name, which counts where a request has both. */
function withNewerLimit(body: JsonObject): JsonObject {
  const { max_tokens: limit, ...rest } = body
  return limit === undefined || 'max_completion_tokens' in body
    ? rest
    : { ...rest, max_completion_tokens: limit }
}

/** The fields that the neutral request has no place for, with the tools that are no functions. */
export function decodeExtra(
  dialect: string,
  body: JsonObject,
  known: ReadonlySet<string>,
  kept: readonly JsonObject[],
): Pick<ChatRequest, 'extra'> {
  const { extra } = extraFields(dialect, body, known)
  if (kept.length === 0) return extra ? { extra } : {}
  return { extra: { [dialect]: { ...extra?.[dialect], tools: [...kept] } } }
}

/** `auto`, `none`, `required`, one tool by name, or some of them. */
export function decodeChoice(choice: JsonValue | undefined): ToolChoice | undefined {
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice
  if (choice === 'any') return 'required'
  if (!isJsonObject(choice)) return undefined
  const { allowed_tools: allowed } = choice
  if (isJsonObject(allowed)) {
    const names = objectsIn(allowed['tools']).flatMap(chosenName)
    return { names, ...(allowed['mode'] === 'required' && { required: true }) }
  }
  const [only] = chosenName(choice)
  return only === undefined ? undefined : { name: only }
}

function chosenName(choice: JsonObject): string[] {
  const named = choice['function'] ?? choice['custom']
  const { name } = isJsonObject(named) ? named : choice
  return typeof name === 'string' ? [name] : []
}

export function decodeFormat(format: JsonValue | undefined): {
  readonly responseFormat?: ResponseFormat
} {
  if (!isJsonObject(format)) return {}
  const { type, json_schema: described } = format as Record<string, JsonValue | undefined>
  if (type === 'text') return { responseFormat: { type: 'text' } }
  if (type === 'json_object') return { responseFormat: { type: 'json' } }
  if (type !== 'json_schema' || !isJsonObject(described)) return {}
  const { name, schema, strict } = described as Record<string, JsonValue | undefined>
  return {
    responseFormat: {
      type: 'json-schema',
      schema: isJsonObject(schema) ? schema : true,
      ...(typeof name === 'string' && { name }),
      ...(typeof strict === 'boolean' && { strict }),
    },
  }
}

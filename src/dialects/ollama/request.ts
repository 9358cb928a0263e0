/** Requests in Ollama's form, both ways. */

import type { ChatRequest, Reasoning, ResponseFormat } from '../../core/chat.ts'
import type { DecodeRequestOptions, EncodeOptions, SettingFields } from '../../core/dialect.ts'
import { InvalidInputError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Tool } from '../../core/model.ts'
import { normalizeTools } from '../../core/schema/tool.ts'
import type { Steps } from '../../core/steps.ts'
import { objectsIn } from '../history-call.ts'
import { offeredTools } from '../offered-tools.ts'
import { openaiTools } from '../openai-chat/tools.ts'
import {
  effortOf,
  isOff,
  nearestEffort,
  readEffort,
  reasoningOfEffort,
  reportNoSummary,
} from '../reasoning.ts'
import {
  encodeFields,
  extraFields,
  mergedFields,
  ownRequestFields,
  reportNoCache,
  takeSettings,
  withoutPlaces,
} from '../request-fields.ts'
import { encodeTools, schemaObject } from '../tool-definition.ts'
import { fitRequest } from './fit.ts'
import { decodeMessages, encodeMessages } from './messages.ts'

const DIALECT = 'ollama'
export const SETTINGS: SettingFields = {
  maxTokens: 'options.num_predict',
  temperature: 'options.temperature',
  topP: 'options.top_p',
  topK: 'options.top_k',
  minP: 'options.min_p',
  seed: 'options.seed',
  presencePenalty: 'options.presence_penalty',
  frequencyPenalty: 'options.frequency_penalty',
  repetitionPenalty: 'options.repeat_penalty',
  stop: 'options.stop',
  reasoning: 'think',
}
const KNOWN: ReadonlySet<string> = new Set(['model', 'messages', 'tools', 'format', 'stream'])

export function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): JsonObject {
  const { model, messages, responseFormat, stream = false } = request
  reportNoCache(request, options)
  const { format, ...own } = ownRequestFields(DIALECT, request.extra, options)
  const body = {
    model,
    messages: encodeMessages(messages, options),
    ...encodeOffer(request, options),
    ...(format !== undefined && { format }),
    ...encodeFormat(responseFormat),
    ...encodeFields(request, SETTINGS, { ...options, dialect: DIALECT }),
    ...encodeReasoning(request.reasoning, options),
    // The server streams unless it is told not to.
    stream,
    ...options.quirks?.fields,
  }
  return fitRequest(mergedFields(body, own), options)
}

const EFFORTS = ['low', 'medium', 'high', 'max'] as const

/** Models without levels take any of them for "on". */
function encodeReasoning(reasoning: Reasoning | undefined, options: EncodeOptions): JsonObject {
  if (!reasoning) return {}
  reportNoSummary(reasoning, DIALECT, options)
  if (isOff(reasoning)) return { think: false }
  const effort = effortOf(reasoning)
  if (effort) return { think: nearestEffort(effort, EFFORTS) ?? true }
  return reasoning.enabled ? { think: true } : {}
}

function takeReasoning(
  body: JsonObject,
  { settings }: DecodeRequestOptions,
): { readonly reasoning?: Reasoning; readonly rest: JsonObject } {
  const { think } = body as Partial<JsonObject>
  const effort = readEffort(think)
  if (settings === 'keep' || (effort === undefined && typeof think !== 'boolean')) {
    return { rest: body }
  }
  const reasoning = effort ? reasoningOfEffort(effort) : { enabled: think === true }
  return { reasoning, rest: withoutPlaces(body, ['think']) }
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

export function* decodingSteps(
  body: unknown,
  options: DecodeRequestOptions = {},
): Steps<ChatRequest> {
  if (!isJsonObject(body) || !Array.isArray(body['messages'])) {
    throw new InvalidInputError('a chat request has a list of messages; this body has none')
  }
  const { model, stream } = body as Record<string, JsonValue | undefined>
  const tools = objectsIn(body['tools'])
  const { reasoning, rest: others } = takeReasoning(body, options)
  const { settings, rest } = takeSettings(others, SETTINGS, options)
  return {
    model: typeof model === 'string' ? model : '',
    messages: yield* decodeMessages(body['messages']),
    ...settings,
    ...(reasoning && { reasoning }),
    ...(tools.length > 0 && { tools: normalizeTools(tools) }),
    ...decodeFormat(body['format']),
    stream: stream !== false,
    ...extraFields(DIALECT, rest, KNOWN),
  }
}

function decodeFormat(format: JsonValue | undefined): { readonly responseFormat?: ResponseFormat } {
  if (format === 'json') return { responseFormat: { type: 'json' } }
  if (!isJsonObject(format)) return {}
  return { responseFormat: { type: 'json-schema', schema: format } }
}

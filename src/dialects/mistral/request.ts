/** Requests in Mistral's form, both ways: OpenAI's with other names for some fields, and no others. */

import type { ChatRequest, Reasoning, ReasoningEffort, ToolChoice } from '../../core/chat.ts'
import type { DecodeRequestOptions, EncodeOptions, SettingFields } from '../../core/dialect.ts'
import { InvalidInputError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Steps } from '../../core/steps.ts'
import { objectsIn } from '../history-call.ts'
import { offeredTools } from '../offered-tools.ts'
import { foreignCacheFields } from '../openai-cache.ts'
import { decodeChoice, decodeExtra, decodeFormat, encodeFormat } from '../openai-chat/request.ts'
import { decodeOpenaiTools, encodeOpenaiTools } from '../openai-chat/tools.ts'
import {
  effortOf,
  isOff,
  nearestEffort,
  readEffort,
  reasoningOfEffort,
  reportNoSummary,
  saysHowMuch,
} from '../reasoning.ts'
import {
  encodeFields,
  mergedFields,
  ownRequestFields,
  reportLeftOut,
  reportNoCache,
  takeSettings,
  withoutPlaces,
} from '../request-fields.ts'
import { decodeMessages, encodeMessages } from './messages.ts'

const DIALECT = 'mistral'
export const SETTINGS: SettingFields = {
  maxTokens: 'max_tokens',
  temperature: 'temperature',
  topP: 'top_p',
  seed: 'random_seed',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  n: 'n',
  stop: 'stop',
  reasoning: 'reasoning_effort',
  parallelToolCalls: 'parallel_tool_calls',
  metadata: 'metadata',
}
const KNOWN: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'tools', 'tool_choice', 'response_format', 'stream'],
])

export function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): JsonObject {
  const { model, messages, stream, responseFormat } = request
  const { fields: cacheFields, extra } = foreignCacheFields(DIALECT, request.extra)
  const { tools, ...own } = ownRequestFields(DIALECT, extra, options)
  if (!('prompt_cache_key' in { ...cacheFields, ...own })) reportNoCache(request, options)
  const body = {
    model,
    messages: encodeMessages(messages, options),
    ...encodeFields(request, SETTINGS, { ...options, dialect: DIALECT }),
    ...encodeReasoning(request, options),
    ...encodeOffer(request, tools, options),
    ...encodeFormat(responseFormat),
    ...(stream !== undefined && { stream }),
    ...options.quirks?.fields,
    ...cacheFields,
  }
  return mergedFields(body, own)
}

/** Smaller models either reason or do not. */
const ON_OR_OFF: readonly ReasoningEffort[] = ['none', 'high']
const ALL_EFFORTS: readonly ReasoningEffort[] = ['none', 'low', 'medium', 'high']

/** Models that always reason have a mode for it; older ones do not reason at all. */
function encodeReasoning({ reasoning, model }: ChatRequest, options: EncodeOptions): JsonObject {
  if (!reasoning) return {}
  reportNoSummary(reasoning, DIALECT, options)
  if (!saysHowMuch(reasoning)) return {}
  if (/magistral/.test(model)) {
    if (isOff(reasoning)) reportLeftOut('reasoning_effort', model, options)
    return isOff(reasoning) ? {} : { prompt_mode: 'reasoning' }
  }
  const wanted = isOff(reasoning) ? 'none' : effortOf(reasoning, 'high')
  const allowed = /mistral-(?:small|medium)/.test(model) ? ON_OR_OFF : ALL_EFFORTS
  // On, if only a little, is nearer to `high` than to `none`.
  const active = wanted === 'none' ? allowed : allowed.filter((effort) => effort !== 'none')
  const effort = wanted && nearestEffort(wanted, active)
  return effort ? { reasoning_effort: effort } : {}
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

export function* decodingSteps(
  body: unknown,
  options: DecodeRequestOptions = {},
): Steps<ChatRequest> {
  if (!isJsonObject(body) || !Array.isArray(body['messages'])) {
    throw new InvalidInputError('a chat request has a list of messages; this body has none')
  }
  const { model, stream } = body as Record<string, JsonValue | undefined>
  const { tools, kept } = decodeOpenaiTools(objectsIn(body['tools']))
  const toolChoice = decodeChoice(body['tool_choice'])
  const { reasoning, rest: others } = takeReasoning(body, options)
  const { settings, rest } = takeSettings(others, SETTINGS, options)
  return {
    model: typeof model === 'string' ? model : '',
    messages: yield* decodeMessages(body['messages']),
    ...settings,
    ...(reasoning && { reasoning }),
    ...(tools.length > 0 && { tools }),
    ...(toolChoice !== undefined && { toolChoice }),
    ...decodeFormat(body['response_format']),
    ...(typeof stream === 'boolean' && { stream }),
    ...decodeExtra(DIALECT, rest, KNOWN, kept),
  }
}

function takeReasoning(
  body: JsonObject,
  { settings }: DecodeRequestOptions,
): { readonly reasoning?: Reasoning; readonly rest: JsonObject } {
  const { reasoning_effort: word, prompt_mode: mode } = body as Partial<JsonObject>
  const effort = readEffort(word)
  if (settings === 'keep') return { rest: body }
  if (effort)
    return { reasoning: reasoningOfEffort(effort), rest: withoutPlaces(body, ['reasoning_effort']) }
  if (mode !== 'reasoning') return { rest: body }
  return { reasoning: { enabled: true }, rest: withoutPlaces(body, ['prompt_mode']) }
}

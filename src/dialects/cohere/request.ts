/** Requests in Cohere's form, both ways. */

import type { ChatRequest, Reasoning, ResponseFormat, ToolChoice } from '../../core/chat.ts'
import type { DecodeRequestOptions, EncodeOptions, SettingFields } from '../../core/dialect.ts'
import { InvalidInputError } from '../../core/errors.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Tool } from '../../core/model.ts'
import { normalizeTools } from '../../core/schema/tool.ts'
import type { Steps } from '../../core/steps.ts'
import { objectsIn } from '../history-call.ts'
import { offeredTools } from '../offered-tools.ts'
import { openaiTools } from '../openai-chat/tools.ts'
import { budgetOf, isOff, reportNoSummary } from '../reasoning.ts'
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
import { decodeMessages, encodeMessages } from './messages.ts'

const DIALECT = 'cohere'
export const SETTINGS: SettingFields = {
  maxTokens: 'max_tokens',
  temperature: 'temperature',
  topP: 'p',
  topK: 'k',
  seed: 'seed',
  presencePenalty: 'presence_penalty',
  frequencyPenalty: 'frequency_penalty',
  stop: 'stop_sequences',
  reasoning: 'thinking',
}
const KNOWN: ReadonlySet<string> = new Set([
  ...['model', 'messages', 'tools', 'tool_choice', 'strict_tools', 'response_format', 'stream'],
])

export function encodeRequest(request: ChatRequest, options: EncodeOptions = {}): JsonObject {
  const { model, messages, stream, responseFormat } = request
  reportNoCache(request, options)
  const body = {
    model,
    messages: encodeMessages(messages, options),
    ...encodeFields(request, SETTINGS, { ...options, dialect: DIALECT }),
    ...encodeReasoning(request.reasoning, options),
    ...encodeOffer(request, options),
    ...encodeFormat(responseFormat),
    ...(stream !== undefined && { stream }),
    ...options.quirks?.fields,
  }
  return mergedFields(body, ownRequestFields(DIALECT, request.extra, options))
}

function encodeReasoning(reasoning: Reasoning | undefined, options: EncodeOptions): JsonObject {
  if (!reasoning) return {}
  reportNoSummary(reasoning, DIALECT, options)
  if (isOff(reasoning)) return { thinking: { type: 'disabled' } }
  const budget = budgetOf(reasoning)
  const isWanted = reasoning.enabled || budget !== undefined
  if (!isWanted) return {}
  return { thinking: { type: 'enabled', ...(budget !== undefined && { token_budget: budget }) } }
}

function takeReasoning(
  body: JsonObject,
  { settings }: DecodeRequestOptions,
): { readonly reasoning?: Reasoning; readonly rest: JsonObject } {
  const { thinking } = body as Partial<JsonObject>
  if (settings === 'keep' || !isJsonObject(thinking)) return { rest: body }
  const { type, token_budget: budget } = thinking as Partial<JsonObject>
  if (type !== 'enabled' && type !== 'disabled') return { rest: body }
  const on: Reasoning = typeof budget === 'number' ? { budgetTokens: budget } : { enabled: true }
  const rest = withoutPlaces(body, ['thinking.type', 'thinking.token_budget'])
  return { reasoning: type === 'enabled' ? on : { enabled: false }, rest }
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

export function* decodingSteps(
  body: unknown,
  options: DecodeRequestOptions = {},
): Steps<ChatRequest> {
  if (!isJsonObject(body) || !Array.isArray(body['messages'])) {
    throw new InvalidInputError('a chat request has a list of messages; this body has none')
  }
  const { model, stream, tool_choice: choice } = body as Record<string, JsonValue | undefined>
  const strict = body['strict_tools'] === true
  const tools = normalizeTools(objectsIn(body['tools']))
  const { reasoning, rest: others } = takeReasoning(body, options)
  const { settings, rest } = takeSettings(others, SETTINGS, options)
  return {
    model: typeof model === 'string' ? model : '',
    messages: yield* decodeMessages(body['messages']),
    ...settings,
    ...(reasoning && { reasoning }),
    ...(tools.length > 0 && { tools: strict ? tools.map((tool) => ({ ...tool, strict })) : tools }),
    ...(choice === 'NONE' && { toolChoice: 'none' }),
    ...(choice === 'REQUIRED' && { toolChoice: 'required' }),
    ...decodeFormat(body['response_format']),
    ...(typeof stream === 'boolean' && { stream }),
    ...extraFields(DIALECT, rest, KNOWN),
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

/** Conversations in OpenAI's form, both ways. */

import type { EncodeOptions } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Message, Part, ToolCall, ToolResult } from '../../core/model.ts'
import { readListedCall } from '../../core/native/call.ts'
import { errorPrefix } from '../../core/result-text.ts'
import { mapSteps, type Steps } from '../../core/steps.ts'
import { CUSTOM, freeformText } from '../freeform.ts'
import {
  callArgumentsText,
  mergeResults,
  objectsIn,
  readHistoryCall,
  readMarkedResult,
} from '../history-call.ts'
import { ownFields } from '../request-fields.ts'
import { followedText, resultText } from '../tool-result.ts'
import { decodeContent, encodeContent, encodePart } from './content.ts'
import { TEXT_ONLY } from './fit.ts'
import { keepParts, keepResults, keptParts, withParts } from './kept-parts.ts'
import {
  hasReasoning,
  REASONING_KEYS,
  REASONING_LEFT_OUT,
  reasoningAs,
  withoutReasoning,
} from './reasoning-field.ts'

const DIALECT = 'openai-chat'

export function encodeMessages(
  messages: readonly Message[],
  options: EncodeOptions = {},
): JsonObject[] {
  if (losesReasoning(messages, options)) options.report?.(REASONING_LEFT_OUT)
  return messages.flatMap((message) => {
    if (message.role === 'tool') {
      ownFields(DIALECT, message.extra, options)
      return encodeResults(message)
    }
    return [
      message.role === 'assistant'
        ? encodeAssistant(message, options)
        : encodePlain(message, options),
    ]
  })
}

/** True when the model will not see what it thought, and nobody has asked for that. */
function losesReasoning(messages: readonly Message[], { quirks }: EncodeOptions): boolean {
  if (quirks?.reasoningField !== undefined) return false
  return messages.some(({ role, reasoning, extra }) => {
    if (role !== 'assistant' || !reasoning) return false
    return quirks !== undefined || !hasReasoning((extra?.[DIALECT] ?? {}) as JsonObject)
  })
}

function encodePlain(message: Message, options: EncodeOptions): JsonObject {
  const { role, extra } = message
  const { content: _, ...own } = ownFields(DIALECT, extra, options)
  return { role, content: encodeServiceContent(message, options), ...own }
}

/** Parts, or one text for services that take nothing else. */
function encodeServiceContent(
  message: Message,
  { quirks, report }: EncodeOptions,
): string | JsonObject[] {
  const { content } = message
  if (!quirks?.textContent) return keptParts(message) ?? encodeContent(content, quirks)
  if (typeof content === 'string') return content
  const others = content.filter(({ type }) => type !== 'text')
  if (others.length > 0) report?.(TEXT_ONLY)
  return resultText({ content })
}

function encodeAssistant(message: Message, options: EncodeOptions): JsonObject {
  const { content, toolCalls = [], extra } = message
  const { content: _, ...own } = ownFields(DIALECT, extra, options)
  return {
    role: 'assistant',
    // Null is allowed beside calls only.
    content:
      content.length === 0 && toolCalls.length > 0 ? null : encodeServiceContent(message, options),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls.map(encodeCall) }),
    ...withReasoning(message, own, options),
  }
}

/** The fields a message keeps, with its reasoning in the one field that the service knows. */
function withReasoning(
  { reasoning, toolCalls = [] }: Message,
  own: JsonObject,
  { quirks }: EncodeOptions,
): JsonObject {
  if (!quirks) return own
  const { reasoningField: field, reasoningRequired } = quirks
  if (!field) return withoutReasoning(own)
  const thought = reasoning ?? (reasoningRequired && toolCalls.length > 0 ? ' ' : undefined)
  const said = thought === undefined ? {} : { [REASONING_KEYS[0]]: thought }
  return reasoningAs(field in own ? own : { ...withoutReasoning(own), ...said }, field)
}

// Flat calls, without `type`, make llama.cpp answer with an internal error.
export function encodeCall(call: ToolCall): JsonObject {
  if (call.provider?.['type'] === CUSTOM) {
    const input = freeformText(call.arguments)
    return { id: call.id, type: CUSTOM, custom: { name: call.name, input } }
  }
  // Gemini's compatible endpoint wants its thought signatures back from here.
  const signature = call.provider?.['extra_content']
  return {
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: callArgumentsText(call) },
    ...(signature !== undefined && { extra_content: signature }),
  }
}

/** Results hold text only: what else there is follows all of them, in a message of the user. */
function encodeResults({ toolResults = [], extra }: Message): JsonObject[] {
  const kept = extra?.[DIALECT]?.['results']
  const others = toolResults.flatMap(({ content }) =>
    typeof content === 'string' ? [] : content.filter((part) => part.type !== 'text'),
  )
  const attached: JsonObject[] =
    others.length > 0 ? [{ role: 'user', content: others.map(encodePart) }] : []
  return [
    ...toolResults.map((result) => withParts(encodeFollowed(result), result, kept)),
    ...attached,
  ]
}

function encodeFollowed(result: ToolResult): JsonObject {
  const content = errorPrefix(result) + followedText(result, ['image', 'file'])
  return { ...encodeResult(result), content }
}

export function encodeResult(result: ToolResult): JsonObject {
  const content = errorPrefix(result) + resultText(result)
  return { role: 'tool', tool_call_id: result.callId, content }
}

const MESSAGE_KEYS: ReadonlySet<string> = new Set([
  'role',
  'content',
  'tool_calls',
  'function_call',
  'tool_call_id',
])
const ROLES: Readonly<Record<string, Message['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
  tool: 'tool',
  function: 'tool',
}
export function* decodeMessages(messages: JsonValue | undefined): Steps<Message[]> {
  const legacy = createLegacyIds()
  const list = objectsIn(messages)
  const decoded = yield* mapSteps(list, (message) => decodeMessage(message, legacy))
  return keepResults(mergeResults(decoded), list)
}

function decodeMessage(message: JsonObject, legacy: LegacyIds): Message {
  const role = ROLES[String(message['role'])] ?? 'user'
  const content = decodeContent(message['content'])
  if (role === 'tool') return decodeResult(message, content, legacy)
  const rest = Object.entries(message).filter(([key]) => !MESSAGE_KEYS.has(key))
  const odd = role !== message['role'] ? { role: message['role'] ?? 'user' } : {}
  const extra = { ...Object.fromEntries(rest), ...odd, ...keepParts(message['content']) }
  const toolCalls = role === 'assistant' ? decodeCalls(message, legacy) : []
  const reasoning = REASONING_KEYS.map((key) => message[key]).find(
    (text) => typeof text === 'string',
  )
  return {
    role,
    content,
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(typeof reasoning === 'string' && { reasoning }),
    ...(Object.keys(extra).length > 0 && { extra: { [DIALECT]: extra } }),
  }
}

function decodeCalls(message: JsonObject, legacy: LegacyIds): ToolCall[] {
  const { tool_calls: calls, function_call: old } = message as Record<string, JsonValue | undefined>
  const listed = objectsIn(calls).map((call) => readHistoryCall(readListedCall(call)))
  if (listed.length > 0 || !isJsonObject(old)) return listed
  const call = readHistoryCall(readListedCall(old))
  return [{ ...call, id: legacy.call(call.name) }]
}

function decodeResult(
  message: JsonObject,
  content: string | readonly Part[],
  legacy: LegacyIds,
): Message {
  const { tool_call_id: id, name } = message as Record<string, JsonValue | undefined>
  const named = typeof name === 'string' ? { name } : {}
  const callId = typeof id === 'string' ? id : legacy.result(named.name ?? '')
  return {
    role: 'tool',
    content: '',
    toolResults: [readMarkedResult({ callId, ...named, content })],
  }
}

interface LegacyIds {
  call(name: string): string
  result(name: string): string
}

/** Before calls had ids, a result answered the last call of that name without an answer. */
function createLegacyIds(): LegacyIds {
  /** The ids of calls without an answer, by name; the last call comes last. */
  const open = new Map<string, string[]>()
  let count = 0
  return {
    call(name) {
      const id = `call_legacy_${count++}`
      const ids = open.get(name)
      if (ids) ids.push(id)
      else open.set(name, [id])
      return id
    },
    result: (name) => open.get(name)?.pop() ?? '',
  }
}

/** Conversations in Ollama's form, both ways. */

import type { CodecOptions } from '../../core/dialect.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { Message, ToolCall, ToolResult } from '../../core/model.ts'
import { readListedCall } from '../../core/native/call.ts'
import { errorPrefix } from '../../core/result-text.ts'
import { mapSteps, type Steps } from '../../core/steps.ts'
import { mergeResults, objectsIn, readHistoryCall, readMarkedResult } from '../history-call.ts'
import { extraFields, ownFields } from '../request-fields.ts'
import { decodeContent, encodeContent } from './images.ts'

const DIALECT = 'ollama'

export function encodeMessages(
  messages: readonly Message[],
  options: CodecOptions = {},
): JsonObject[] {
  return messages.flatMap((message) => {
    const { role, content, toolResults = [], extra } = message
    const own = ownFields(DIALECT, extra, options)
    if (role === 'tool') return toolResults.map((result) => encodeHistoryResult(result, options))
    if (role === 'assistant') return [{ ...encodeAssistant(message, options), ...own }]
    return [{ role, ...encodeContent(content, options), ...own }]
  })
}

export function encodeAssistant(message: Message, options?: CodecOptions): JsonObject {
  const { content, reasoning, toolCalls = [] } = message
  return {
    role: 'assistant',
    ...encodeContent(content, options),
    // Models that think want their thoughts back while they call tools.
    ...(reasoning && { thinking: reasoning }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls.map(encodeCall) }),
  }
}

export function encodeCall({ id, name, arguments: args }: ToolCall, index: number): JsonObject {
  return { ...(id !== '' && { id }), function: { index, name, arguments: args } }
}

/** Older servers go by the name, newer ones by the id. */
function encodeHistoryResult(result: ToolResult, options: CodecOptions): JsonObject {
  const { name, callId } = result
  return {
    role: 'tool',
    ...(name !== undefined && { tool_name: name }),
    ...(callId !== '' && { tool_call_id: callId }),
    ...resultContent(result, options),
  }
}

export function encodeResult(result: ToolResult): JsonObject {
  const { name, callId } = result
  return {
    role: 'tool',
    // Newer servers also know ids, which are better than nothing.
    ...(name === undefined ? { tool_call_id: callId } : { tool_name: name }),
    ...resultContent(result),
  }
}

function resultContent(result: ToolResult, options?: CodecOptions): JsonObject {
  const { content, ...images } = encodeContent(result.content, options)
  return { content: errorPrefix(result) + String(content), ...images }
}

const KNOWN: ReadonlySet<string> = new Set(['role', 'content', 'images', 'thinking', 'tool_calls'])

export function* decodeMessages(messages: JsonValue | undefined): Steps<Message[]> {
  return mergeResults(yield* mapSteps(objectsIn(messages), decodeMessage))
}

function decodeMessage(message: JsonObject): Message {
  const { role, thinking, tool_calls: calls } = message as Record<string, JsonValue | undefined>
  const content = decodeContent(message)
  if (role === 'tool') return decodeResult(message, content)
  const toolCalls = objectsIn(calls).map((call) => readHistoryCall(readListedCall(call)))
  return {
    role: role === 'system' || role === 'assistant' ? role : 'user',
    content,
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(typeof thinking === 'string' && thinking !== '' && { reasoning: thinking }),
    ...extraFields(DIALECT, message, KNOWN),
  }
}

function decodeResult(message: JsonObject, content: ToolResult['content']): Message {
  const { tool_name: name, tool_call_id: id } = message as Record<string, JsonValue | undefined>
  const result = readMarkedResult({
    callId: typeof id === 'string' ? id : '',
    ...(typeof name === 'string' && { name }),
    content,
  })
  return { role: 'tool', content: '', toolResults: [result] }
}

/** Conversations in Mistral's form, both ways. Fields that it does not know are refused. */

import type { CodecOptions } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Message, ToolCall, ToolResult } from '../../core/model.ts'
import { readListedCall } from '../../core/native/call.ts'
import { readNative } from '../../core/native.ts'
import { errorPrefix } from '../../core/result-text.ts'
import { mapSteps, type Steps } from '../../core/steps.ts'
import {
  callArgumentsText,
  mergeResults,
  objectsIn,
  readHistoryCall,
  readMarkedResult,
} from '../history-call.ts'
import { keepContent, keptBlocks, saysTheSame } from '../kept-content.ts'
import { contentText } from '../openai-chat/response.ts'
import { extraFields, ownFields } from '../request-fields.ts'
import { decodeContent, encodeContent, encodePart, thinkingChunk } from './content.ts'

const DIALECT = 'mistral'

export function encodeMessages(
  messages: readonly Message[],
  options: CodecOptions = {},
): JsonObject[] {
  return messages.flatMap((message, at) => {
    const { role, content, toolResults = [], extra } = message
    if (role === 'tool') {
      ownFields(DIALECT, extra, options)
      return toolResults.map(encodeResult)
    }
    if (role !== 'assistant') {
      return [{ role, content: encodeContent(content), ...ownFields(DIALECT, extra, options) }]
    }
    const isBegun = at === messages.length - 1 && !message.toolCalls?.length
    return [encodeAssistant(message, isBegun, options)]
  })
}

function encodeAssistant(message: Message, isBegun: boolean, options: CodecOptions): JsonObject {
  const { content: _, prefix = true, ...own } = ownFields(DIALECT, message.extra, options)
  const chunks = keptChunks(message)
  if (message.reasoning && !chunks) {
    const reason = 'reasoning goes back to Mistral only in the chunks it came in'
    options.report?.({ code: 'lost-field', message: reason })
  }
  return {
    role: 'assistant',
    content: chunks ?? encodeContent(message.content),
    ...encodeCalls(message),
    // An answer that the model is to go on with must say so.
    ...(isBegun && { prefix }),
    ...own,
  }
}

/** The message of a reply. */
export function encodeReply(message: Message): JsonObject {
  const { content, reasoning } = message
  const text = contentText(content)
  const thought = reasoning ? [thinkingChunk(reasoning)] : []
  const chunks = [...thought, ...(text === '' ? [] : [{ type: 'text', text }])]
  return {
    role: 'assistant',
    content: keptChunks(message) ?? (reasoning ? chunks : text),
    ...encodeCalls(message),
  }
}

function encodeCalls({ toolCalls = [] }: Message): JsonObject {
  return toolCalls.length > 0 ? { tool_calls: toolCalls.map(encodeCall) } : {}
}

export function encodeCall(call: ToolCall): JsonObject {
  const { id, name } = call
  return { id, type: 'function', function: { name, arguments: callArgumentsText(call) } }
}

/** The chunks a message came in, as long as they still say the same. */
function keptChunks(message: Message): JsonObject[] | undefined {
  const chunks = keptBlocks(DIALECT, message)
  const { content } = message
  const isSame = saysTheSame(
    { role: 'assistant', content: decodeContent(chunks) },
    {
      role: 'assistant',
      content,
    },
  )
  return chunks.length > 0 && isSame ? chunks : undefined
}

/** The message with the chunks it was read from, where it does not say all that they say. */
export function keepChunks(message: Message, content: JsonValue | undefined): Message {
  const text = contentText(message.content)
  const plain = text === '' ? [] : [{ type: 'text', text }]
  const { extra } = Array.isArray(content) ? keepContent(DIALECT, objectsIn(content), plain) : {}
  if (!extra) return message
  const own = { ...message.extra?.[DIALECT], ...extra[DIALECT] }
  return { ...message, extra: { ...message.extra, [DIALECT]: own } }
}

/** Results hold text, and parts where there is more than text. */
export function encodeResult(result: ToolResult): JsonObject {
  const { callId, name, content } = result
  const prefix = errorPrefix(result)
  const parts = typeof content === 'string' ? [] : content.map(encodePart)
  const mark = prefix === '' ? [] : [{ type: 'text', text: prefix }]
  return {
    role: 'tool',
    tool_call_id: callId,
    ...(name !== undefined && { name }),
    content: typeof content === 'string' ? prefix + content : [...mark, ...parts],
  }
}

const KNOWN: ReadonlySet<string> = new Set(['role', 'content', 'tool_calls'])

export function* decodeMessages(messages: JsonValue | undefined): Steps<Message[]> {
  return mergeResults(yield* mapSteps(objectsIn(messages), decodeMessage))
}

function decodeMessage(message: JsonObject): Message {
  const { role, content, tool_calls: calls } = message as Record<string, JsonValue | undefined>
  if (role === 'tool') return decodeResult(message)
  const fields = extraFields(DIALECT, message, KNOWN)
  if (role !== 'assistant') {
    return { role: role === 'system' ? role : 'user', content: decodeContent(content), ...fields }
  }
  const toolCalls = objectsIn(calls).map((call) => readHistoryCall(readListedCall(call)))
  const reasoning = readNative({ role, content: content ?? null })?.reasoning
  const read: Message = {
    role,
    content: contentText(decodeContent(content)),
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(reasoning && { reasoning }),
    ...fields,
  }
  return keepChunks(read, content)
}

function decodeResult(message: JsonObject): Message {
  const { tool_call_id: id, name, content } = message as Record<string, JsonValue | undefined>
  const result = readMarkedResult({
    callId: typeof id === 'string' ? id : '',
    ...(typeof name === 'string' && { name }),
    content: decodeContent(content),
  })
  return { role: 'tool', content: '', toolResults: [result] }
}

/** True for content that only Mistral's models write. */
export function hasThinkingChunks(message: JsonValue | undefined): boolean {
  const content = isJsonObject(message) ? message['content'] : undefined
  return objectsIn(content).some(({ thinking }) => Array.isArray(thinking))
}

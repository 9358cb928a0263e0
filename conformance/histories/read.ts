/** Histories: requests in OpenAI's form, lists of messages, and logs of sessions. */
import { readFileSync } from 'node:fs'
import type { ChatRequest } from '../../src/core/chat.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/core/json/value.ts'
import type { Message, Part, ToolCall } from '../../src/core/model.ts'
import { openaiChat } from '../../src/dialects/openai-chat.ts'
import type { Recording } from '../recordings/recording.ts'

type ReadHistory = (text: string) => ChatRequest

const READERS: Readonly<Record<string, ReadHistory>> = {
  'openai-chat-request': readRequest,
  'pi-session': readSession,
}

/** Undefined when there is nothing that reads such a file. */
export function readHistory({ dialect, path }: Recording): ChatRequest | undefined {
  return READERS[dialect]?.(readFileSync(path, 'utf8'))
}

function readRequest(text: string): ChatRequest {
  const body = JSON.parse(text) as JsonValue // JSON.parse makes nothing else
  const fields = Array.isArray(body) ? { messages: body } : body
  return openaiChat.decodeRequest(isJsonObject(fields) ? { model: '', ...fields } : fields)
}

/** One event a line; the messages are blocks of text, thinking, calls and images. */
function readSession(text: string): ChatRequest {
  const events = text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as JsonValue) // JSON.parse makes nothing else
  const messages = events.flatMap((event) => {
    const message = isJsonObject(event) ? event['message'] : undefined
    return isJsonObject(message) ? messageOf(message) : []
  })
  return { model: '', messages }
}

function messageOf(fields: JsonObject): Message[] {
  const { role, content: blocks = [], stopReason } = fields as Partial<JsonObject>
  const listed = Array.isArray(blocks) ? blocks.filter(isJsonObject) : []
  const content = typeof blocks === 'string' ? blocks : listed.flatMap(partOf)
  if (role === 'toolResult') {
    const { toolCallId, toolName, isError } = fields
    const result = {
      callId: String(toolCallId),
      name: String(toolName),
      content,
      ...(isError === true && { isError }),
    }
    return [{ role: 'tool', content: '', toolResults: [result] }]
  }
  if (role === 'user') return [{ role, content }]
  if (role !== 'assistant') return []
  const toolCalls = listed.flatMap(callOf)
  const isAborted = stopReason === 'aborted' || stopReason === 'error'
  return [
    {
      role,
      content,
      ...(toolCalls.length > 0 && { toolCalls }),
      ...(isAborted && { isAborted }),
    },
  ]
}

function partOf({ type, text, data, mimeType }: JsonObject): Part[] {
  if (type === 'text') return [{ type, text: String(text) }]
  if (type === 'image') return [{ type, data: String(data), mediaType: String(mimeType) }]
  return []
}

function callOf({ type, id, name, arguments: args }: JsonObject): ToolCall[] {
  if (type !== 'toolCall') return []
  const given = isJsonObject(args) ? args : {}
  return [{ id: String(id), name: String(name), arguments: given, origin: 'native' }]
}

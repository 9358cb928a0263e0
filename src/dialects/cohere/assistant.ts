/**
 * Assistant messages in Cohere's form. What a model says before it calls is its plan, and a plan takes the
 * place of content; thoughts are blocks of the content.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Message, ToolCall } from '../../core/model.ts'
import { readNative } from '../../core/native.ts'
import { equalJson } from '../../core/schema/equal.ts'
import { callArgumentsText, objectsIn, readHistoryCall } from '../history-call.ts'
import { saysTheSame } from '../kept-content.ts'
import { contentText } from '../openai-chat/response.ts'

const DIALECT = 'cohere'
/** The fields that hold an assistant's words. */
const WORD_KEYS = ['content', 'tool_plan'] as const

/** The message with its plan among the content, where every reader looks for text. */
export function withPlanAsText(message: JsonObject): JsonObject {
  const { tool_plan: plan, content, ...rest } = message
  if (typeof plan !== 'string') return message
  const blocks = plan === '' ? [] : [{ type: 'text', text: plan }]
  return { ...rest, content: [...blocksOf(content), ...blocks] }
}

function blocksOf(content: JsonValue | undefined): JsonObject[] {
  if (typeof content !== 'string') return objectsIn(content)
  return content === '' ? [] : [{ type: 'text', text: content }]
}

export function decodeAssistant(message: JsonObject): Message {
  const { calls = [], texts = [], reasoning } = readNative(withPlanAsText(message)) ?? {}
  const read: Message = {
    role: 'assistant',
    content: texts.join(''),
    ...(calls.length > 0 && { toolCalls: calls.map(readHistoryCall) }),
    ...(reasoning && { reasoning }),
  }
  return keepWords(read, message)
}

const PLAIN_KEYS: ReadonlySet<string> = new Set(['role', 'tool_calls', ...WORD_KEYS])

/** The message with the words it was read from, where it would be written in others or they are cited. */
export function keepWords(read: Message, message: JsonObject): Message {
  const words = wordsOf(message)
  const others = Object.entries(message).filter(
    ([key, value]) => !PLAIN_KEYS.has(key) && value !== null,
  )
  const rest: JsonObject = Object.fromEntries(others)
  const isSame = equalJson(plainWords(words), plainWords(wordsOf(encodeWords(read))))
  const own = { ...((!isSame || rest['citations'] !== undefined) && words), ...rest }
  return Object.keys(own).length > 0 ? { ...read, extra: { [DIALECT]: own } } : read
}

function wordsOf({ tool_plan: plan, content }: JsonObject): JsonObject {
  return {
    ...(plan && { tool_plan: plan }),
    ...(content !== undefined && content !== null && { content }),
  }
}

/** Text may be written with or without a block around it. */
function plainWords({ content, ...rest }: JsonObject): JsonObject {
  const blocks = blocksOf(content)
  return { ...rest, ...(blocks.length > 0 && { content: blocks }) }
}

/** The message of a reply: whoever reads it may see the thoughts. */
export function encodeReply(message: Message): JsonObject {
  const { content, ...words } = encodeHistory(message)
  const thought = message.reasoning && !Array.isArray(content) ? message.reasoning : ''
  const blocks = [
    ...(thought === '' ? [] : [{ type: 'thinking', thinking: thought }]),
    ...blocksOf(content),
  ]
  return { ...words, ...(blocks.length > 0 && { content: blocks }) }
}

/** The message of a request, in the words it came in as long as they still say the same. */
export function encodeHistory(message: Message): JsonObject {
  const { content, tool_plan, citations, ...rest } = message.extra?.[DIALECT] ?? {}
  const words = wordsOf({ content: content ?? null, tool_plan: tool_plan ?? null })
  const isKept = Object.keys(words).length > 0 && isStillSaid(words, message)
  if (!isKept) return { ...encodeWords(message), ...rest }
  return {
    role: 'assistant',
    ...words,
    ...encodeCalls(message),
    ...(citations !== undefined && { citations }),
    ...rest,
  }
}

function isStillSaid(kept: JsonObject, { content }: Message): boolean {
  const { texts = [] } = readNative({ ...withPlanAsText(kept), role: 'assistant' }) ?? {}
  const said = { role: 'assistant', content: texts.join('') } as const
  return saysTheSame(said, { role: 'assistant', content })
}

function encodeWords(message: Message): JsonObject {
  const { content, toolCalls = [] } = message
  const text = contentText(content)
  if (toolCalls.length === 0) return { role: 'assistant', content: text }
  return { role: 'assistant', ...(text !== '' && { tool_plan: text }), ...encodeCalls(message) }
}

function encodeCalls({ toolCalls = [] }: Message): JsonObject {
  return toolCalls.length > 0 ? { tool_calls: toolCalls.map(encodeCall) } : {}
}

function encodeCall(call: ToolCall): JsonObject {
  const { id, name } = call
  return { id, type: 'function', function: { name, arguments: callArgumentsText(call) } }
}

/** True when thoughts of this message go back with it. */
export function keepsThoughts({ extra }: Message): boolean {
  const { content } = extra?.[DIALECT] ?? {}
  return objectsIn(content).some((block) => isJsonObject(block) && 'thinking' in block)
}

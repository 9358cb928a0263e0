/**
 * A reply of any provider: a list of calls, a message or a whole response. Read by shape, like the
 * calls in it.
 */
import { finishReasonOf } from '../finish-reason.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json/value.ts'
import type { FinishReason } from '../model.ts'
import { isServerSide, type NativeCall, readListedCall, readMarkedCall } from './call.ts'

export interface NativeReply {
  readonly calls: readonly NativeCall[]
  /** The visible text, {@link texts} joined without anything between. */
  readonly text: string
  /** The visible text block by block, empty blocks left out. */
  readonly texts: readonly string[]
  readonly reasoning: string
  readonly finishReason?: FinishReason
  /** The provider's own word for the finish reason. */
  readonly stopReason?: string
}

/** What has been found so far; readers below only ever add to it. */
interface Findings {
  readonly calls: NativeCall[]
  readonly texts: string[]
  readonly reasoning: string[]
  stopReason?: unknown
}

type ReplyReader = (reply: JsonObject, found: Findings) => boolean

/** Reads a reply that is an object or a list, or undefined when it has no shape we know. */
export function readNative(reply: unknown): NativeReply | undefined {
  const found: Findings = { calls: [], texts: [], reasoning: [] }
  if (Array.isArray(reply)) readList(reply, found)
  else if (!isJsonObject(reply) || !REPLY_READERS.some((read) => read(reply, found))) {
    return undefined
  }
  const { stopReason } = found
  const finishReason = finishReasonOf(stopReason, found.calls.length > 0)
  return {
    calls: found.calls,
    text: found.texts.join(''),
    texts: found.texts,
    reasoning: found.reasoning.join(''),
    ...(finishReason !== undefined && { finishReason }),
    ...(typeof stopReason === 'string' && { stopReason }),
  }
}

// The order matters only for Bedrock and the Responses API, which both say `output`, and for a
// message, which has the fewest marks of its own and comes last.
const REPLY_READERS: readonly ReplyReader[] = [
  readChatCompletion,
  readCandidates,
  readResponsesOutput,
  readWrappedMessage,
  readLoneCall,
  readMessage,
]

/** OpenAI Chat Completions and everything compatible with it. */
function readChatCompletion(reply: JsonObject, found: Findings): boolean {
  const { choices } = reply as { choices?: JsonValue }
  if (!Array.isArray(choices)) return false
  const objects = choices.filter(isJsonObject)
  // Choices of one index are pieces of one answer (some proxies split text and calls);
  // those of another index are alternatives to it.
  for (const choice of objects.filter(({ index }) => index === objects[0]?.['index'])) {
    found.stopReason ??= choice['finish_reason']
    if (isJsonObject(choice['message'])) readMessage(choice['message'], found)
    else addText(choice['text'], found)
  }
  return true
}

/** Gemini. */
function readCandidates(reply: JsonObject, found: Findings): boolean {
  const { candidates, promptFeedback } = reply as Record<string, JsonValue | undefined>
  if (!Array.isArray(candidates)) {
    if (!isJsonObject(promptFeedback)) return false
    found.stopReason = promptFeedback['blockReason'] ? 'content_filter' : undefined
    return true
  }
  const [candidate] = candidates
  if (!isJsonObject(candidate)) return true
  found.stopReason = candidate['finishReason'] ?? candidate['finish_reason']
  if (isJsonObject(candidate['content'])) readMessage(candidate['content'], found)
  return true
}

/** OpenAI Responses. */
function readResponsesOutput(reply: JsonObject, found: Findings): boolean {
  const { output, status, incomplete_details: details } = reply as Record<string, JsonValue>
  if (!Array.isArray(output)) return false
  const reason = isJsonObject(details) ? details['reason'] : undefined
  found.stopReason = reason ?? status
  for (const item of output) readItem(item, found)
  return true
}

/** Bedrock, Ollama and Cohere: the message sits in an envelope. */
function readWrappedMessage(reply: JsonObject, found: Findings): boolean {
  const { output } = reply as { output?: JsonValue }
  const message = isJsonObject(output) ? output['message'] : reply['message']
  if (!isJsonObject(message)) return false
  found.stopReason = reply['stopReason'] ?? reply['done_reason'] ?? reply['finish_reason']
  return readMessage(message, found)
}

function readLoneCall(reply: JsonObject, found: Findings): boolean {
  // A message may carry the old `function_call` beside its content; it is not a call itself.
  const isMessage = ['role', ...CONTENT_KEYS].some((key) => key in reply)
  const call = isMessage ? undefined : readMarkedCall(reply)
  if (call) found.calls.push(call)
  return call !== undefined
}

const CONTENT_KEYS = ['content', 'parts', 'text'] as const
const MESSAGE_KEYS = ['role', ...CONTENT_KEYS, 'tool_calls', 'toolCalls', 'function_call'] as const

/** A message of any dialect, an Anthropic response, or `{ text, tool_calls }`. */
function readMessage(message: JsonObject, found: Findings): boolean {
  if (!MESSAGE_KEYS.some((key) => key in message)) return false
  found.stopReason ??= message['stop_reason'] ?? message['finish_reason']
  addReasoning(message, found)
  readContent(message['content'] ?? message['parts'] ?? message['text'], found)
  addText(message['refusal'], found)
  readCallFields(message, found)
  return true
}

function readCallFields(message: JsonObject, found: Findings): void {
  const { toolCalls, tool_calls, function_call: legacy } = message as Record<string, JsonValue>
  const listed = tool_calls ?? toolCalls
  const calls = Array.isArray(listed) ? listed : isJsonObject(listed) ? [listed] : []
  for (const call of calls) found.calls.push(readListedCall(call))
  // Servers in transition send the same call in both spellings.
  if (calls.length === 0 && isJsonObject(legacy)) found.calls.push(readListedCall(legacy))
}

function readContent(content: JsonValue | undefined, found: Findings): void {
  if (Array.isArray(content)) readParts(content, found)
  else if (isJsonObject(content)) readParts([content], found)
  else addText(content, found)
}

/** Content parts: what is neither call, text nor reasoning is not for us. */
function readParts(parts: readonly unknown[], found: Findings): void {
  for (const part of parts) readPart(part, found)
}

function readPart(part: unknown, found: Findings): boolean {
  if (typeof part === 'string') return addText(part, found)
  if (!isJsonObject(part)) return false
  if (isReasoning(part)) return addReasoning(part, found)
  const call = readMarkedCall(part)
  if (call) found.calls.push(call)
  return call !== undefined || addText(part['text'] ?? part['refusal'], found)
}

/** An output item is a part or a whole message; messages do not nest any deeper. */
function readItem(item: unknown, found: Findings): boolean {
  const isMessage = isJsonObject(item) && (item['type'] === 'message' || 'role' in item)
  return isMessage ? readMessage(item, found) : readPart(item, found)
}

/** A list at the top: calls, but whole contents and outputs are passed in like that as well. */
function readList(list: readonly unknown[], found: Findings): void {
  for (const entry of list) {
    if (isServerSide(entry)) continue
    const isItem = isJsonObject(entry) && !('name' in entry) && readItem(entry, found)
    if (!isItem) found.calls.push(readListedCall(entry))
  }
}

function addText(value: unknown, found: Findings): boolean {
  if (typeof value !== 'string') return false
  if (value !== '') found.texts.push(value)
  return true
}

const REASONING_TYPES: ReadonlySet<unknown> = new Set([
  'thinking',
  'redacted_thinking',
  'reasoning',
  'reasoning_text',
  'summary_text',
])

function isReasoning(part: JsonObject): boolean {
  return REASONING_TYPES.has(part['type']) || part['thought'] === true || 'reasoningContent' in part
}

const REASONING_KEYS = [
  'reasoning_content',
  'reasoning',
  'thinking',
  'reasoningContent',
  'reasoningText',
  'reasoning_details',
  // What Cohere's models think aloud before they call.
  'tool_plan',
] as const

/** The reasoning of a part or a message; the spellings exclude each other, so the first counts. */
function addReasoning(owner: JsonObject, found: Findings): boolean {
  const keys = isReasoning(owner)
    ? [...REASONING_KEYS, 'summary', 'content', 'text']
    : REASONING_KEYS
  for (const key of keys) {
    const text = reasoningText(owner[key], key === 'summary' ? '\n\n' : '')
    if (text === '') continue
    found.reasoning.push(text)
    break
  }
  return true
}

// Pieces belong together; the parts of a summary are paragraphs of their own.
function reasoningText(value: JsonValue | undefined, joiner: string, depth = 0): string {
  if (typeof value === 'string') return value
  // No provider nests deeper, and the depth of a hostile reply must not become our stack's.
  if (depth > 3) return ''
  if (Array.isArray(value)) {
    return value
      .map((entry) => reasoningText(entry, joiner, depth + 1))
      .filter(Boolean)
      .join(joiner)
  }
  if (!isJsonObject(value)) return ''
  const inner = value['text'] ?? value['summary'] ?? value['reasoningText']
  return reasoningText(inner, joiner, depth + 1)
}

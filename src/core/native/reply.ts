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
  readonly finishReason: FinishReason | undefined
  /** The provider's own word for the finish reason. */
  readonly stopReason?: string | undefined
}

/** What has been found so far; readers below only ever add to it. */
interface Findings {
  readonly calls: NativeCall[]
  readonly texts: string[]
  readonly reasoning: string[]
  stopReason?: string
}

/** Reads a reply that is an object or a list, or undefined when it has no shape we know. */
export function readNative(reply: unknown): NativeReply | undefined {
  const found: Findings = { calls: [], texts: [], reasoning: [] }
  if (Array.isArray(reply)) readList(reply, found)
  else if (!readReply(reply, found)) return undefined
  return {
    ...found,
    text: found.texts.join(''),
    reasoning: found.reasoning.join(''),
    finishReason: finishReasonOf(found.stopReason, found.calls.length > 0),
  }
}

type EntryReader = (entry: unknown, found: Findings, depth: number) => boolean

// OpenAI Chat, Gemini, OpenAI Responses and Bedrock, Google's Interactions, Ollama and Cohere: where they
// keep the message, or a list of what they keep it in.
const ENVELOPES: readonly (readonly [key: string, readEntry: EntryReader])[] = [
  ['choices', readReply],
  ['candidates', readReply],
  ['output', readItem],
  ['steps', readItem],
  ['message', readReply],
]

/** No provider nests deeper, and the depth of a hostile reply must not become our stack's. */
const MAX_DEPTH = 4

function readReply(reply: unknown, found: Findings, depth = 0): boolean {
  if (!isJsonObject(reply) || depth > MAX_DEPTH) return false
  const stopReason = stopReasonOf(reply)
  if (stopReason) found.stopReason ??= stopReason
  for (const [key, readEntry] of ENVELOPES) {
    const inner = reply[key]
    if (readReply(inner, found, depth + 1)) return true
    if (Array.isArray(inner)) {
      for (const entry of firstAnswer(inner)) readEntry(entry, found, depth + 1)
      return true
    }
  }
  return readLoneCall(reply, found) || readMessage(reply, found, depth) || 'promptFeedback' in reply
}

// Entries of one index are pieces of one answer (some proxies split text and calls); those of
// another index are alternatives to it.
function firstAnswer(entries: readonly JsonValue[]): readonly JsonObject[] {
  const objects = entries.filter(isJsonObject)
  return objects.filter(({ index }) => index === objects[0]?.['index'])
}

// vLLM names the text that stopped a reply `stop_reason`, beside the word of OpenAI.
const STOP_KEYS = [
  'finish_reason',
  'finishReason',
  'stop_reason',
  'stopReason',
  'done_reason',
  'status',
] as const

function stopReasonOf(reply: JsonObject): string | undefined {
  const { incomplete_details: details, promptFeedback } = reply as Record<string, JsonValue>
  // Gemini refuses a prompt without a candidate.
  if (isJsonObject(promptFeedback) && promptFeedback['blockReason']) return 'content_filter'
  const words = STOP_KEYS.map((key) => reply[key])
  if (isJsonObject(details)) words.unshift(details['reason'])
  return words.find((word): word is string => typeof word === 'string' && word !== '')
}

const CONTENT_KEYS = ['content', 'parts', 'text'] as const
const MESSAGE_KEYS = ['role', ...CONTENT_KEYS, 'tool_calls', 'toolCalls', 'function_call'] as const

function readLoneCall(reply: JsonObject, found: Findings): boolean {
  // A message may carry the old `function_call` beside its content; it is not a call itself.
  const isMessage = ['role', ...CONTENT_KEYS].some((key) => key in reply)
  return !isMessage && addCall(reply, found)
}

/** A message of any dialect, an Anthropic response, or `{ text, tool_calls }`. */
function readMessage(message: JsonObject, found: Findings, depth: number): boolean {
  if (!MESSAGE_KEYS.some((key) => key in message)) return false
  addReasoning(message, found)
  const content = message['content'] ?? message['parts'] ?? message['text']
  for (const part of Array.isArray(content) ? content : [content]) {
    readItem(part, found, depth + 1)
  }
  addText(message['refusal'], found)
  const { toolCalls, tool_calls, function_call: legacy } = message as Record<string, JsonValue>
  const listed = tool_calls ?? toolCalls
  const calls = Array.isArray(listed) ? listed : [listed].filter(isJsonObject)
  // Servers in transition send the same call in both spellings.
  for (const call of calls.length > 0 ? calls : [legacy].filter(isJsonObject)) {
    found.calls.push(readListedCall(call))
  }
  return true
}

const MESSAGE_TYPE: ReadonlySet<JsonValue | undefined> = new Set(['message', 'model_output'])

/** A part of a content or an output item: a whole message, or text, a call or reasoning. */
function readItem(item: unknown, found: Findings, depth: number): boolean {
  if (!isJsonObject(item)) return addText(item, found)
  if (isReasoning(item)) return addReasoning(item, found)
  const isMessage = MESSAGE_TYPE.has(item['type']) || 'role' in item || 'parts' in item
  if (isMessage && depth < MAX_DEPTH) return readMessage(item, found, depth)
  return addCall(item, found) || addText(item['text'] ?? item['refusal'], found)
}

/** A list at the top: calls, but whole contents and outputs are passed in like that as well. */
function readList(list: readonly unknown[], found: Findings): void {
  for (const entry of list) {
    if (isServerSide(entry)) continue
    const isItem = isJsonObject(entry) && !('name' in entry) && readItem(entry, found, 0)
    if (!isItem) found.calls.push(readListedCall(entry))
  }
}

function addCall(value: JsonObject, found: Findings): boolean {
  const call = readMarkedCall(value)
  if (call) found.calls.push(call)
  return call !== undefined
}

function addText(value: unknown, found: Findings): boolean {
  if (typeof value !== 'string') return false
  if (value !== '') found.texts.push(value)
  return true
}

const REASONING_TYPE = /^(thought|(redacted_)?thinking|reasoning(_text)?|summary_text)$/

function isReasoning(part: JsonObject): boolean {
  const { type } = part
  if (typeof type === 'string' && REASONING_TYPE.test(type)) return true
  return part['thought'] === true || 'reasoningContent' in part
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
  // Pieces belong together; the parts of a summary are paragraphs of their own.
  const texts = keys.map((key) => reasoningText(owner[key], key === 'summary' ? '\n\n' : ''))
  found.reasoning.push(texts.find((text) => text !== '') ?? '')
  return true
}

function reasoningText(value: JsonValue | undefined, joiner: string, depth = 0): string {
  if (typeof value === 'string') return value
  if (depth >= MAX_DEPTH) return ''
  if (Array.isArray(value)) {
    const texts = value.map((entry) => reasoningText(entry, joiner, depth + 1))
    return texts.filter(Boolean).join(joiner)
  }
  if (!isJsonObject(value)) return ''
  const inner = value['text'] ?? value['summary'] ?? value['reasoningText']
  return reasoningText(inner, joiner, depth + 1)
}

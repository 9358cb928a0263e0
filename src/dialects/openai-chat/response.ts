/** Replies in OpenAI's form, both ways. */
import type { ChatResponse, Usage } from '../../core/chat.ts'
import type { CodecOptions, DecodeResponseOptions, ReasoningField } from '../../core/dialect.ts'
import { parseStrict } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Message } from '../../core/model.ts'
import { decodeReply } from '../chat-response.ts'
import { objectsIn } from '../history-call.ts'
import { replyFields } from '../request-fields.ts'
import { type StopWords, stopWord } from '../stop-word.ts'
import { encodeCall } from './messages.ts'
import { reasoningFieldOf } from './reasoning-field.ts'
import { encodeUsage, otherCounts, readUsage } from './usage.ts'

const DIALECT = 'openai-chat'
const KNOWN: ReadonlySet<string> = new Set(['id', 'object', 'model', 'choices', 'usage'])
const MESSAGE_KNOWN: ReadonlySet<string> = new Set(
  'role content refusal tool_calls function_call reasoning_content reasoning'.split(' '),
)

const CHOICE_KNOWN: ReadonlySet<string> = new Set(['index', 'message', 'finish_reason'])

export function decodeResponse(body: unknown, options?: DecodeResponseOptions): ChatResponse {
  const value = typeof body === 'string' ? parseStrict(body) : body
  const response = decodeReply(value, { ...options, isResponse, readUsage })
  if (!isJsonObject(value) || !isResponse(value)) return response
  return { ...response, ...keepUnknown(value, response.message) }
}

export function usageIn(body: JsonObject): Usage | undefined {
  return isResponse(body) ? readUsage(body) : undefined
}

function isResponse(body: JsonObject): boolean {
  return messageOf(body) !== undefined
}

/** The field of a reply, or of a chunk, that has reasoning. */
export function reasoningFieldIn(body: JsonObject): ReasoningField | undefined {
  const { message, delta } = choiceOf(body)
  const said = message ?? delta
  return isJsonObject(said) ? reasoningFieldOf(said) : undefined
}

function messageOf(body: JsonObject): JsonObject | undefined {
  const message = choiceOf(body)['message']
  return isJsonObject(message) ? message : undefined
}

function choiceOf({ choices }: JsonObject): Partial<JsonObject> {
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined
  return isJsonObject(first) ? first : {}
}

/** What the neutral reply has no place for. Details of reasoning go with the message: they must come back. */
function keepUnknown(body: JsonObject, message: Message): Pick<ChatResponse, 'message' | 'extra'> {
  const { reasoning_details: details, ...rest } = unknownIn(messageOf(body) ?? {}, MESSAGE_KNOWN)
  const choice = unknownIn(choiceOf(body) as JsonObject, CHOICE_KNOWN)
  const usage = otherCounts(body)
  const extra: JsonObject = {
    ...unknownIn(body, KNOWN),
    ...(Object.keys(rest).length > 0 && { message: rest }),
    ...(Object.keys(choice).length > 0 && { choice }),
    ...(Object.keys(usage).length > 0 && { usage }),
  }
  const hasDetails = objectsIn(details).length > 0
  return {
    message: hasDetails
      ? { ...message, extra: { [DIALECT]: { reasoning_details: details as JsonValue } } }
      : message,
    ...(Object.keys(extra).length > 0 && { extra: { [DIALECT]: extra } }),
  }
}

export function unknownIn(object: JsonObject, known: ReadonlySet<string>): JsonObject {
  const rest = Object.keys(object).filter((key) => !known.has(key) && !isNothing(object[key]))
  // Mostly there is nothing.
  return rest.length === 0 ? {} : Object.fromEntries(rest.map((key) => [key, object[key] ?? null]))
}

/** `null`, `[]`, and the time of a server that has no clock. */
function isNothing(value: JsonValue | undefined): boolean {
  return value === null || value === 0 || (Array.isArray(value) && value.length === 0)
}

export function encodeResponse(response: ChatResponse, options?: CodecOptions): JsonObject {
  const { id = '', model = '', message, usage } = response
  const {
    message: rest,
    choice,
    usage: counts,
    ...own
  } = replyFields(DIALECT, response, options, { isTextOnly: true })
  return {
    id,
    object: 'chat.completion',
    created: 0,
    model,
    choices: [
      {
        index: 0,
        message: {
          ...encodeReply(message),
          ...(isJsonObject(rest) && rest),
          ...message.extra?.[DIALECT],
        },
        logprobs: null,
        finish_reason: stopWord(response, STOP_WORDS),
        ...(isJsonObject(choice) && choice),
      },
    ],
    ...encodeUsage(usage, counts),
    ...own,
  }
}

function encodeReply({ content, toolCalls = [], reasoning }: Message): JsonObject {
  const text = contentText(content)
  return {
    role: 'assistant',
    content: text === '' && toolCalls.length > 0 ? null : text,
    ...(reasoning !== undefined && { reasoning_content: reasoning }),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls.map(encodeCall) }),
  }
}

/** The words of a reply; models of these dialects answer with nothing else. */
export function contentText(content: Message['content']): string {
  if (typeof content === 'string') return content
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

export const STOP_WORDS: StopWords = {
  byReason: {
    stop: 'stop',
    'tool-calls': 'tool_calls',
    length: 'length',
    'content-filter': 'content_filter',
    // OpenAI has no word for it: a reply that failed is over.
    error: 'stop',
  },
  others: [
    ...['error', 'insufficient_system_resource', 'network_error', 'abort', 'cancelled'],
    ...['eos', 'sensitive', 'repetition_truncation'],
  ],
}

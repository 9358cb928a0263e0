/**
 * Conversations of the AI SDK in the neutral model, and back. What only the SDK has (options for
 * providers, calls that a provider ran, approvals, the order of parts) is kept in `extra` and written
 * again as long as the message still says the same.
 */
import type {
  AssistantModelMessage,
  FilePart,
  ImagePart,
  ModelMessage,
  TextPart,
  ToolCallPart,
  ToolModelMessage,
  ToolResultPart,
  UserModelMessage,
} from 'ai'
import { checkList, checkObject } from '../core/caller-input.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import type { Message, Part, ToolCall, ToolResult } from '../core/model.ts'
import { equalJson } from '../core/schema/equal.ts'
import { saysTheSame } from '../dialects/kept-content.ts'
import { asText, readData, writeData } from './data-content.ts'
import { readOutput, UNKNOWN_TYPES, writeOutput } from './result-output.ts'

/** The key in `extra`. */
const KEY = 'ai-sdk'

/** Messages of the AI SDK, or the prompt of one of its language models, in the neutral model. */
export function fromModelMessages(messages: readonly ModelMessage[]): Message[] {
  checkMessages(messages)
  return messages.map(readMessage)
}

/** Messages for the AI SDK. A result without a name gets that of its call. */
export function toModelMessages(messages: readonly Message[]): ModelMessage[] {
  checkMessages(messages)
  const names = new Map<string, string>()
  return messages.flatMap((message) => {
    for (const { id, name } of message.toolCalls ?? []) names.set(id, name)
    return writeMessage(message, names)
  })
}

function checkMessages(messages: readonly unknown[]): void {
  checkList('messages', messages, "a list, as in [{ role: 'user', content: 'Hello' }]")
  for (const [at, message] of messages.entries()) {
    checkObject(`messages[${at}]`, message, 'a message with a role and a content')
  }
}

// ── from the SDK ────────────────────────────────────────────────────────────────────────────────

function readMessage(message: ModelMessage): Message {
  const plain = readPlain(message)
  const { content, providerOptions } = asJson(message)
  const [rebuilt] = writePlain(plain, namesIn(plain))
  const isSame = rebuilt !== undefined && equalJson(asJson(rebuilt)['content'], content)
  const kept: JsonObject = {
    ...(!isSame && content !== undefined && { content }),
    ...(providerOptions !== undefined && { providerOptions }),
  }
  return Object.keys(kept).length === 0 ? plain : { ...plain, extra: { [KEY]: kept } }
}

function readPlain(message: ModelMessage): Message {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content }
    case 'user':
      return { role: 'user', content: readContent(message.content) }
    case 'assistant':
      return readAssistant(message)
    case 'tool':
      return { role: 'tool', content: '', toolResults: message.content.flatMap(readResult) }
  }
}

function readAssistant({ content }: AssistantModelMessage): Message {
  if (typeof content === 'string') return { role: 'assistant', content }
  const said = content.filter((part) => part.type === 'text' || part.type === 'file')
  const thoughts = content.flatMap((part) => (part.type === 'reasoning' ? [part.text] : []))
  const toolCalls = content.flatMap((part) => (part.type === 'tool-call' ? readCall(part) : []))
  return {
    role: 'assistant',
    content: readContent(said),
    ...(thoughts.length > 0 && { reasoning: thoughts.join('') }),
    ...(toolCalls.length > 0 && { toolCalls }),
  }
}

/** Nothing but text is one text. */
function readContent(
  content: string | readonly (TextPart | ImagePart | FilePart)[],
): string | readonly Part[] {
  if (typeof content === 'string') return content
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return texts.length === content.length ? texts.join('') : content.map(readPart)
}

function readPart(part: TextPart | ImagePart | FilePart): Part {
  if (part.type === 'text') return { type: 'text', text: part.text }
  if (part.type === 'image') return { type: 'image', ...readData(part.image, part.mediaType) }
  const { data, mediaType, filename: name } = part
  const read = readData(data, mediaType)
  if (mediaType.startsWith('image/') && name === undefined) return { type: 'image', ...read }
  return { type: 'file', ...read, ...(name !== undefined && { name }) }
}

/** A call that the provider ran itself is none for us. */
function readCall({ toolCallId, toolName, input, providerExecuted }: ToolCallPart): ToolCall[] {
  if (providerExecuted) return []
  const args = isJsonObject(input) ? input : {}
  return [{ id: toolCallId, name: toolName, arguments: args, origin: 'native' }]
}

function readResult(part: ToolModelMessage['content'][number]): ToolResult[] {
  if (part.type !== 'tool-result') return []
  return [{ callId: part.toolCallId, name: part.toolName, ...readOutput(part.output) }]
}

/** The message as it can be written down. */
function asJson({ content, providerOptions }: ModelMessage): Record<string, JsonValue | undefined> {
  const plain = typeof content === 'string' ? content : content.map(withoutBytes)
  // What is left is JSON, but for fields that are undefined, which JSON leaves out.
  return JSON.parse(JSON.stringify({ content: plain, providerOptions })) as JsonObject
}

function withoutBytes(part: Exclude<ModelMessage['content'], string>[number]): object {
  if (part.type === 'image') return { ...part, image: asText(part.image) }
  return part.type === 'file' ? { ...part, data: asText(part.data) } : part
}

// ── to the SDK ──────────────────────────────────────────────────────────────────────────────────

type Names = ReadonlyMap<string, string>

function writeMessage(message: Message, names: Names): ModelMessage[] {
  const kept = message.extra?.[KEY]
  if (!kept) return writePlain(message, names)
  const { content, providerOptions } = kept
  // Written by us in `readMessage`, or by nobody.
  const told = { role: message.role, content } as ModelMessage
  const isFresh = content !== undefined && fits(readPlain(told), message)
  const [first, ...rest] = isFresh ? [told] : writePlain(message, names)
  if (!first) return []
  const options = isJsonObject(providerOptions) ? { providerOptions } : {}
  // As above.
  return [{ ...first, ...options } as ModelMessage, ...rest]
}

function fits(told: Message, message: Message): boolean {
  return (
    saysTheSame(told, message) &&
    told.reasoning === message.reasoning &&
    idsOf(told).join() === idsOf(message).join()
  )
}

function idsOf({ toolCalls = [], toolResults = [] }: Message): string[] {
  return [...toolCalls.map(({ id }) => id), ...toolResults.map(({ callId }) => callId)]
}

function namesIn({ toolResults = [] }: Message): Names {
  return new Map(toolResults.map(({ callId, name = '' }) => [callId, name]))
}

function writePlain(message: Message, names: Names): ModelMessage[] {
  const { role, content } = message
  switch (role) {
    case 'system':
      return [{ role, content: typeof content === 'string' ? content : textsIn(content) }]
    case 'user':
      return [writeUser(content)]
    case 'assistant':
      return [{ role, content: writeAssistant(message) }]
    case 'tool':
      return writeResults(message, names)
  }
}

function writeUser(content: Message['content']): UserModelMessage {
  return { role: 'user', content: typeof content === 'string' ? content : content.map(writePart) }
}

function writePart(part: Part): TextPart | ImagePart | FilePart {
  if (part.type === 'text') return part
  const { mediaType } = part
  if (part.type === 'image') {
    return { type: 'image', image: writeData(part), ...(mediaType !== undefined && { mediaType }) }
  }
  return writeFile(part)
}

function writeFile(part: Exclude<Part, { type: 'text' }>): FilePart {
  const { type, mediaType = UNKNOWN_TYPES[type] } = part
  const name = part.type === 'file' ? part.name : undefined
  const named = name === undefined ? {} : { filename: name }
  return { type: 'file', data: writeData(part), mediaType, ...named }
}

function writeAssistant({
  content,
  reasoning,
  toolCalls = [],
}: Message): AssistantModelMessage['content'] {
  if (typeof content === 'string' && !reasoning && toolCalls.length === 0) return content
  const said: readonly Part[] =
    typeof content !== 'string' ? content : content === '' ? [] : [{ type: 'text', text: content }]
  return [
    ...(reasoning ? [{ type: 'reasoning' as const, text: reasoning }] : []),
    ...said.map((part) => (part.type === 'text' ? part : writeFile(part))),
    ...toolCalls.map(writeCall),
  ]
}

function writeCall({ id, name, arguments: input }: ToolCall): ToolCallPart {
  return { type: 'tool-call', toolCallId: id, toolName: name, input }
}

/** What a message of results says beside them comes from the user. */
function writeResults({ content, toolResults = [] }: Message, names: Names): ModelMessage[] {
  const results = toolResults.map((result) => writeResult(result, names))
  return [
    ...(results.length > 0 ? [{ role: 'tool' as const, content: results }] : []),
    ...(content.length > 0 ? [writeUser(content)] : []),
  ]
}

function writeResult(result: ToolResult, names: Names): ToolResultPart {
  const { callId, name = names.get(callId) ?? 'unknown' } = result
  return { type: 'tool-result', toolCallId: callId, toolName: name, output: writeOutput(result) }
}

function textsIn(content: readonly Part[]): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
}

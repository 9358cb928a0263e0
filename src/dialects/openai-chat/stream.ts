/** Streams in OpenAI's form, both ways. */
import type { ChatEvent, ChatResponse } from '../../core/chat.ts'
import type {
  DecodeResponseOptions,
  Frame,
  StreamDecoder,
  StreamEncoder,
  StreamEncoderOptions,
} from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { ToolCall } from '../../core/model.ts'
import { CUSTOM, freeformText } from '../freeform.ts'
import { stopWord } from '../stop-word.ts'
import { createDecoder } from '../stream-decoder.ts'
import { decodeResponse, STOP_WORDS } from './response.ts'
import { readChunks } from './stream-reader.ts'
import { encodeUsage } from './usage.ts'

export function createStreamDecoder(options?: DecodeResponseOptions): StreamDecoder {
  return createDecoder((teller) => readChunks(teller), decodeResponse, options)
}

type StartOfCall = Extract<ChatEvent, { readonly type: 'call-start' }>

export function createStreamEncoder({
  created = 0,
  usage = true,
}: StreamEncoderOptions = {}): StreamEncoder {
  let head: JsonObject = { id: '', object: 'chat.completion.chunk', created, model: '' }
  /** The calls of tools that take text. */
  const texts = new Set<number>()
  /** The calls that have told what goes back with them. */
  const told = new Set<number>()

  function chunk(delta: JsonObject, finish: string | null = null, about?: JsonValue): Frame {
    const own = isJsonObject(about) ? about : {}
    const choice = { index: 0, delta, logprobs: null, finish_reason: finish, ...own }
    return { data: JSON.stringify({ ...head, choices: [choice] }) }
  }

  function call(index: number, fields: JsonObject): Frame {
    return chunk({ tool_calls: [{ index, ...fields }] })
  }

  function startCall({ index, id, name, provider = {} }: StartOfCall): Frame {
    const { extra_content: extra, type } = provider as Record<string, JsonValue | undefined>
    if (type === CUSTOM) {
      texts.add(index)
      return call(index, { id, type, custom: { name, input: '' } })
    }
    if (extra !== undefined) told.add(index)
    const fields = { id, type: 'function', function: { name, arguments: '' } }
    return call(index, { ...fields, ...(extra !== undefined && { extra_content: extra }) })
  }

  /** The text of a tool that takes nothing else, and what was not known when the call began. */
  function endCall(index: number, { arguments: args, provider }: ToolCall): Frame[] {
    if (texts.has(index)) return [call(index, { custom: { input: freeformText(args) } })]
    const extra = provider?.['extra_content']
    return extra === undefined || told.has(index) ? [] : [call(index, { extra_content: extra })]
  }

  /** The last chunk has what only services of this dialect say about a reply. */
  function finish(response: ChatResponse): Frame[] {
    const own = response.extra?.['openai-chat'] ?? {}
    const {
      message,
      choice,
      usage: counts,
      created: _,
      ...fields
    } = own as Record<string, JsonValue>
    const counted = usage ? encodeUsage(response.usage, counts) : {}
    const last = Object.keys(counted).length > 0
    head = { ...head, ...fields }
    return [
      chunk(
        { ...(isJsonObject(message) && message), ...reasoningOf(response) },
        stopWord(response, STOP_WORDS),
        choice,
      ),
      ...(last ? [{ data: JSON.stringify({ ...head, choices: [], ...counted }) }] : []),
      { data: '[DONE]' },
    ]
  }

  function push(event: ChatEvent): Frame[] {
    switch (event.type) {
      case 'start':
        head = { ...head, id: event.id ?? '', model: event.model ?? '' }
        return [chunk({ role: 'assistant', content: '' })]
      case 'text-delta':
        return [chunk({ content: event.text })]
      case 'reasoning-delta':
        return [chunk({ reasoning_content: event.text })]
      case 'call-start':
        return [startCall(event)]
      case 'call-delta':
        if (texts.has(event.index)) return []
        return [call(event.index, { function: { arguments: event.argumentsDelta } })]
      case 'call-end':
        return endCall(event.index, event.call)
      case 'finish':
        return finish(event.response)
      case 'error': {
        const { message, code } = event.error
        return [{ data: JSON.stringify({ error: { message, ...(code && { code }) } }) }]
      }
      default:
        return []
    }
  }

  return { push }
}

/** Details that must come back; their words have been told, as the empty text says. */
function reasoningOf({ message }: ChatResponse): JsonObject {
  const { reasoning_details: details } = message.extra?.['openai-chat'] ?? {}
  return details === undefined ? {} : { reasoning_content: '', reasoning_details: details }
}

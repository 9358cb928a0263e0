/**
 * Streams of the Responses API, written: the reply is announced, each item is added, filled and done,
 * and at last comes the whole reply. Every event has a number.
 */
import type { ChatEvent, ChatResponse, StreamFailure } from '../../core/chat.ts'
import type { Frame, StreamEncoder, StreamEncoderOptions } from '../../core/dialect.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { ToolCall } from '../../core/model.ts'
import { callArgumentsText, objectsIn } from '../history-call.ts'
import { encodeCall, kept } from './items.ts'
import {
  encodeResponse,
  itemNames,
  messageItem,
  reasoningItem,
  responseHead,
  textPart,
} from './response.ts'

/** An item that is being written. */
interface Writing {
  readonly at: number
  readonly id: string
  text: string
}

/** The event that a reply of this status ends with, where it is not simply complete. */
const END_EVENTS: Readonly<Record<string, string>> = {
  incomplete: 'response.incomplete',
  failed: 'response.failed',
  cancelled: 'response.failed',
}

type StartOfCall = Extract<ChatEvent, { readonly type: 'call-start' }>
type Call = Writing & { readonly item: JsonObject }

export function createStreamEncoder({
  created = 0,
  usage = true,
}: StreamEncoderOptions = {}): StreamEncoder {
  const calls = new Map<number, Call>()
  /** The items that are done, as they were written. */
  const written: JsonObject[] = []
  let frames: Frame[] = []
  let head: JsonObject | undefined
  let count = 0
  let items = 0
  let nameItem: ((type: string) => string) | undefined
  let reasoning: Writing | undefined
  let message: Writing | undefined
  /** White space that may begin a message, or stand between calls, where it means nothing. */
  let blank = ''

  function emit(type: string, fields: JsonObject): void {
    const data = JSON.stringify({ type, sequence_number: count++, ...fields })
    frames.push({ event: type, data })
  }

  function start(id = '', model = ''): JsonObject {
    if (head) return head
    head = responseHead(id, model, created)
    emit('response.created', { response: head })
    emit('response.in_progress', { response: head })
    return head
  }

  function add(type: string, fields: JsonObject): Writing {
    const { id } = start()
    nameItem ??= itemNames(String(id))
    const writing = { at: items++, id: nameItem(type), text: '' }
    const item = { id: writing.id, type, ...fields }
    emit('response.output_item.added', { output_index: writing.at, item })
    return writing
  }

  function finishItem({ at, id }: Writing, fields: JsonObject): void {
    const item = { id, ...fields }
    written.push(item)
    emit('response.output_item.done', { output_index: at, item })
  }

  function place({ at, id }: Writing): JsonObject {
    return { item_id: id, output_index: at }
  }

  function addReasoning(text: string): void {
    endMessage()
    if (!reasoning) {
      reasoning = add('reasoning', { summary: [] })
      const part = { type: 'summary_text', text: '' }
      emit('response.reasoning_summary_part.added', { ...place(reasoning), summary_index: 0, part })
    }
    reasoning.text += text
    const fields = { ...place(reasoning), summary_index: 0, delta: text }
    emit('response.reasoning_summary_text.delta', fields)
  }

  function endReasoning(): void {
    if (!reasoning) return
    const { text } = reasoning
    const fields = { ...place(reasoning), summary_index: 0 }
    emit('response.reasoning_summary_text.done', { ...fields, text })
    const part = { type: 'summary_text', text }
    emit('response.reasoning_summary_part.done', { ...fields, part })
    finishItem(reasoning, reasoningItem(text))
    reasoning = undefined
  }

  function addText(text: string): void {
    if (message || text.trim() !== '') return tell(text)
    blank += text
  }

  function tell(text: string): void {
    endReasoning()
    if (!message) {
      message = add('message', { status: 'in_progress', role: 'assistant', content: [] })
      const fields = { ...place(message), content_index: 0, part: textPart('') }
      emit('response.content_part.added', fields)
    }
    const delta = blank + text
    blank = ''
    message.text += delta
    if (delta === '') return
    const fields = { ...place(message), content_index: 0, delta, logprobs: [] }
    emit('response.output_text.delta', fields)
  }

  function endMessage(): void {
    if (!message) return
    const { text } = message
    const fields = { ...place(message), content_index: 0 }
    emit('response.output_text.done', { ...fields, text, logprobs: [] })
    emit('response.content_part.done', { ...fields, part: textPart(text) })
    finishItem(message, messageItem(text))
    message = undefined
  }

  function startCall({ index, id, name, provider = {} }: StartOfCall): void {
    endReasoning()
    endMessage()
    const item = encodeCall({ id, name, arguments: {}, origin: 'native', provider })
    const { type, ...fields } = item
    const status = 'in_progress'
    const written = add(String(type), {
      ...fields,
      ...(isFunction(item) && { arguments: '' }),
      status,
    })
    calls.set(index, { ...written, item })
  }

  /** Only the arguments of functions are told in pieces. */
  function addArguments(call: Call, delta: string): void {
    call.text += delta
    if (isFunction(call.item)) {
      emit('response.function_call_arguments.delta', { ...place(call), delta })
    }
  }

  /** A call that came to nothing ends as one that is incomplete. */
  function endCall(index: number, made?: ToolCall): void {
    const call = calls.get(index)
    if (!call) return
    calls.delete(index)
    if (made && call.text === '') addArguments(call, callArgumentsText(made))
    const item = made ? encodeCall(made) : call.item
    const { name = null, input } = item as Record<string, JsonValue | undefined>
    const status = made ? 'completed' : 'incomplete'
    if (isFunction(item)) {
      const fields = { name, arguments: call.text }
      emit('response.function_call_arguments.done', { ...place(call), ...fields })
      return finishItem(call, { ...item, arguments: call.text, status })
    }
    if (item['type'] === 'custom_tool_call') {
      const text = input ?? ''
      emit('response.custom_tool_call_input.delta', { ...place(call), delta: text })
      emit('response.custom_tool_call_input.done', { ...place(call), input: text })
    }
    finishItem(call, { ...item, status })
  }

  function endItems(): void {
    endReasoning()
    endMessage()
    for (const index of [...calls.keys()]) endCall(index)
  }

  function finish(response: ChatResponse): void {
    start(response.id, response.model)
    endItems()
    const whole = encodeResponse(response)
    const { usage: counts = null, status } = whole
    // A reply has a message, though there may be nothing in it.
    if (items === 0 || (hasMessage(objectsIn(whole['output'])) && !hasMessage(written))) {
      tell('')
      endMessage()
    }
    // Items of a service of this very API are to come back to it as they are.
    const hasOwnIds = kept(response.message) !== undefined
    emit(END_EVENTS[String(status)] ?? 'response.completed', {
      response: {
        ...head,
        ...whole,
        output: objectsIn(whole['output']).map((item) => asWritten(item, hasOwnIds)),
        ...createdAt(response),
        usage: usage ? counts : null,
      },
    })
  }

  /**
   * The last event repeats what the others said: items under the same ids, by which clients refer to them,
   * arguments also where a space more would mean the same, and reasoning also where it turned out to end with a
   * call.
   */
  function asWritten(item: JsonObject, hasOwnIds: boolean): JsonObject {
    const { type, call_id: callId } = item
    const same = written.find((one) => one['type'] === type && one['call_id'] === callId)
    if (!same) return item
    if (type === 'reasoning' && !hasOwnIds) return same
    const { id = null, arguments: text = '' } = same
    return { ...item, ...(!hasOwnIds && { id }), ...('arguments' in item && { arguments: text }) }
  }

  function createdAt({ extra }: ChatResponse): JsonObject {
    return { created_at: extra?.['openai-responses']?.['created_at'] ?? created }
  }

  function fail({ message: text, code = 'server_error' }: StreamFailure): void {
    const started = start()
    emit('error', { code, message: text, param: null })
    const error = { code, message: text }
    emit('response.failed', { response: { ...started, status: 'failed', error } })
  }

  function write(event: ChatEvent): void {
    switch (event.type) {
      case 'start':
        start(event.id, event.model)
        return
      case 'text-delta':
        return addText(event.text)
      case 'reasoning-delta':
        return addReasoning(event.text)
      case 'call-start':
        return startCall(event)
      case 'call-delta': {
        const call = calls.get(event.index)
        return call && addArguments(call, event.argumentsDelta)
      }
      case 'call-end':
        return endCall(event.index, event.call)
      case 'call-abort':
        return endCall(event.index)
      case 'finish':
        return finish(event.response)
      case 'error':
        return fail(event.error)
    }
  }

  return {
    push(event) {
      write(event)
      const sent = frames
      frames = []
      return sent
    },
  }
}

function hasMessage(items: readonly JsonObject[]): boolean {
  return items.some(({ type }) => type === 'message')
}

function isFunction({ type }: JsonObject): boolean {
  return type === 'function_call'
}

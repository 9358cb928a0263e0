/** Mends the Responses API: a call that was found in a message becomes an item of the reply. */
import { append } from '../../core/append.ts'
import type { Frame } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { FinishReason, ToolCall } from '../../core/model.ts'
import { objectsIn } from '../../dialects/history-call.ts'
import { encodeCall } from '../../dialects/openai-responses/items.ts'
import { itemPrefix, reasoningItem } from '../../dialects/openai-responses/response.ts'
import { openaiResponses } from '../../dialects/openai-responses.ts'
import { isSame } from './text-rescue.ts'
import type { NativeCall, TurnCalls } from './turn-calls.ts'
import {
  type BodyHelp,
  callsOf,
  type Entry,
  type Reasoned,
  reasoningOf,
  reframed,
  type StreamHelp,
  type TextPiece,
  textOf,
  type Wire,
  type WireStream,
} from './wire.ts'

type Fields = Readonly<Record<string, JsonValue | undefined>>
type Out = Frame | Uint8Array

export const openaiResponsesWire: Wire = {
  dialect: openaiResponses,
  path: /\/responses$/,
  mend,
  open,
}

function mend(body: JsonObject, help: BodyHelp): JsonObject {
  const before = objectsIn(body['output'])
  const found = help.reasoned(body, reasonOf(body['status'])).map(callItem)
  const output = [...before.flatMap((item) => mendItem(item, help)), ...found]
  return output.some((item, i) => item !== before[i]) ? { ...body, output } : body
}

function mendItem(item: JsonObject, { ids, rescue }: BodyHelp): JsonObject[] {
  const { type, call_id: id, status } = item as Fields
  if (type === 'function_call' && (typeof id !== 'string' || id === '')) {
    return [{ ...item, call_id: ids.fit(undefined) }]
  }
  if (type !== 'message') return [item]
  const calls: ToolCall[] = []
  let reasoning = ''
  const parts = objectsIn(item['content'])
  const content = parts.flatMap((part) => {
    const { type: kind, text } = part as Fields
    const isText = kind === 'output_text' && typeof text === 'string'
    const ops = isText ? rescue(text, reasonOf(status)) : undefined
    if (!ops) return [part]
    append(calls, callsOf(ops))
    reasoning += reasoningOf(ops)
    const left = textOf(ops)
    return left === '' ? [] : [{ ...part, text: left }]
  })
  if (content.length === parts.length && content.every((part, i) => part === parts[i]))
    return [item]
  const thought = reasoning === '' ? [] : [thoughtItem(`rs_${item['id'] ?? ''}`, reasoning)]
  const message = content.length > 0 ? [{ ...item, content }] : []
  return [...thought, ...message, ...calls.map(callItem)]
}

function thoughtItem(id: string, text: string): JsonObject {
  return { id, ...reasoningItem(text) }
}

/** The item that calls of the tool are, with arguments as they were understood. */
function callItem({ rawArguments: _, ...call }: ToolCall): JsonObject {
  const { type, ...fields } = encodeCall(call)
  return {
    id: `${itemPrefix(type)}_${call.id}`,
    type: type ?? null,
    status: 'completed',
    ...fields,
  }
}

/** A call of the provider's own, as those from the text are compared with it. */
function nativeCall({ type, name, namespace, arguments: args, input }: Fields): NativeCall {
  return { name, namespace, arguments: type === 'custom_tool_call' ? { input } : args }
}

const CALLS: ReadonlySet<unknown> = new Set(['function_call', 'custom_tool_call'])

function reasonOf(status: JsonValue | undefined): FinishReason {
  return status === 'incomplete' ? 'length' : 'stop'
}

/** The item as it is before anything of its content has come. */
function begunItem(item: JsonObject): JsonObject {
  return {
    ...item,
    status: 'in_progress',
    ...(item['type'] === 'function_call' && { arguments: '' }),
    ...(item['type'] === 'custom_tool_call' && { input: '' }),
  }
}

/** What brings the content of a call. Those of tools without events of their own come with their items. */
function contentEvents(item: JsonObject): (readonly [type: string, fields: JsonObject])[] {
  const { type, name = '', arguments: args = '', input = '' } = item
  if (type === 'custom_tool_call') {
    return [
      ['response.custom_tool_call_input.delta', { delta: input }],
      ['response.custom_tool_call_input.done', { input }],
    ]
  }
  if (type !== 'function_call') return []
  return [
    ['response.function_call_arguments.delta', { delta: args }],
    ['response.function_call_arguments.done', { name, arguments: args }],
  ]
}

// ── streams ─────────────────────────────────────────────────────────────────────────────────────

function open({ callsOf: turnOf, reasoned }: StreamHelp): WireStream {
  return { read: createReader(), idleText, ...createWriter(turnOf(0), reasoned) }
}

const IDLE_EVENTS: ReadonlySet<unknown> = new Set([
  'response.function_call_arguments.delta',
  'response.reasoning_summary_text.delta',
  'response.reasoning_text.delta',
])

function idleText(data: Fields, event: string | undefined): string | undefined {
  const { type = event, delta } = data
  return IDLE_EVENTS.has(type) && typeof delta === 'string' ? delta : undefined
}

function itemOf({ output_index: at }: Fields): number {
  return typeof at === 'number' ? at : 0
}

function slotOf(data: Fields): string {
  return `${itemOf(data)}:${data['content_index'] ?? 0}`
}

function createReader(): WireStream['read'] {
  /** The texts that have begun, each with its item. */
  const texts = new Map<string, number>()

  function over(ends: FinishReason, item?: number): TextPiece[] {
    const ended = [...texts].filter(([, of]) => item === undefined || of === item)
    for (const [slot] of ended) texts.delete(slot)
    return ended.map(([slot]) => ({ slot, text: '', ends }))
  }

  return (data, event) => {
    const { type = event, delta, item } = data as Fields
    const slot = slotOf(data)
    switch (type) {
      case 'response.output_text.delta':
        texts.set(slot, itemOf(data))
        return [{ slot, text: String(delta ?? '') }]
      case 'response.output_text.done':
      case 'response.content_part.done':
        return texts.has(slot) ? [{ slot, text: '', waits: true }] : []
      case 'response.output_item.done':
        return over(reasonOf(isJsonObject(item) ? item['status'] : undefined), itemOf(data))
      case 'response.completed':
        return over('stop')
      case 'response.incomplete':
      case 'response.failed':
        return over('length')
      default:
        return []
    }
  }
}

/** A message of the provider on its way. */
interface Message {
  /** Where it is in the reply that is passed on, once there is text in it. */
  place: number | undefined
  /** How it began, until there is text. */
  waiting: Entry[]
  /** Text by the index of the part. */
  readonly texts: Map<number, string>
  /** Calls were taken out of the text. */
  isMended: boolean
}

function createWriter(turn: TurnCalls, reasoned: Reasoned): Omit<WireStream, 'read'> {
  const messages = new Map<number, Message>()
  /** Where the items of the provider are in the reply that is passed on. */
  const places = new Map<number, number>()
  /** What was found in messages: items of their own, by their places. */
  const found = new Map<number, JsonObject>()
  /** The events of the provider's own calls that may have been found in a message before, by item. */
  const held = new Map<number, Entry[]>()
  /** The items that were found before. */
  const repeated = new Set<number>()
  /** The reasoning that is found in a message just now. */
  let thought: { readonly place: number; readonly id: string; text: string } | undefined
  /** The items of the provider that are complete. */
  const items: JsonObject[] = []
  let next = 0
  /** The number of the last event. */
  let number = -1

  /** Something was changed, and with it the numbers of all that follows. */
  let isMoved = false

  /** The event with its number and place; before anything was found, as it came. */
  function passed(entry: Entry, fields: JsonObject = {}): Out {
    const { sequence_number: given, output_index: item } = entry.data as Fields
    if (!isMoved) {
      if (typeof given === 'number') number = given
      return entry.bytes
    }
    const place = typeof item === 'number' ? places.get(item) : undefined
    return reframed(entry, {
      ...entry.data,
      ...(given !== undefined && { sequence_number: ++number }),
      ...(place !== undefined && { output_index: place }),
      ...fields,
    })
  }

  function begun(type: string, fields: JsonObject): Frame {
    const data = { type, sequence_number: ++number, ...fields }
    return { event: type, data: JSON.stringify(data) }
  }

  function write(entry: Entry, _isBeginning: boolean): Out[] {
    const { type = entry.event } = entry.data as Fields
    const ended = type === 'response.output_text.delta' ? [] : endThought()
    return [...ended, ...writeEvent(entry)]
  }

  function writeEvent(entry: Entry): Out[] {
    const { data, event } = entry
    const { type = event, item, output_index: index } = data as Fields
    const message = messages.get(itemOf(data))
    const waiting = index === undefined ? undefined : held.get(itemOf(data))
    if (waiting) return hold(entry, waiting)
    if (type === 'response.output_item.done' && isJsonObject(item)) {
      items.push(item)
      noteCall(item)
    }
    if (type === 'response.output_item.added' && isJsonObject(item)) return add(entry, item)
    if (isJsonObject(data['response'])) {
      const before = [...beginAll(), ...reasonedFrames(type, data['response'])]
      return [...before, whole(entry, data['response'])]
    }
    if (!message || index === undefined) return [...beginAll(), passed(entry)]
    if (type === 'response.output_text.delta') return texts(entry, message)
    if (type === 'response.content_part.added' && message.place === undefined) {
      message.waiting.push(entry)
      return []
    }
    if (!message.isMended) return [...begin(message, itemOf(data)), passed(entry)]
    return message.place === undefined ? [] : [passed(entry, mended(data, message))]
  }

  /** The calls that end the reasoning of a reply that ends. Some proxies do not repeat the items there. */
  function reasonedFrames(type: JsonValue | undefined, response: JsonObject): Out[] {
    if (type !== 'response.completed' && type !== 'response.incomplete') return []
    const isRepeated = objectsIn(response['output']).length > 0
    const reason = type === 'response.completed' ? 'stop' : 'length'
    const late = reasoned(isRepeated ? response : { output: items }, reason)
    isMoved ||= late.length > 0
    return late.flatMap(callFrames)
  }

  function noteCall(item: Fields): void {
    if (CALLS.has(item['type'])) turn.addNative(nativeCall(item))
  }

  function add(entry: Entry, item: JsonObject): Out[] {
    const index = itemOf(entry.data)
    if (item['type'] === 'message') {
      const before = beginAll()
      const waiting = [entry]
      messages.set(index, { place: undefined, waiting, texts: new Map(), isMended: false })
      return before
    }
    const before = beginAll()
    if (CALLS.has(item['type']) && turn.mayRepeat(nativeCall(item))) {
      held.set(index, [entry])
      return before
    }
    places.set(index, next++)
    return [...before, passed(entry)]
  }

  /** Whether a call was found in a message is known when all of it is there. */
  function hold(entry: Entry, waiting: Entry[]): Out[] {
    const index = itemOf(entry.data)
    const { type = entry.event, item } = entry.data as Fields
    waiting.push(entry)
    if (type !== 'response.output_item.done' || !isJsonObject(item)) return []
    held.delete(index)
    if (turn.isRescued(nativeCall(item))) {
      repeated.add(index)
      return []
    }
    items.push(item)
    noteCall(item)
    places.set(index, next++)
    return waiting.map((one) => passed(one))
  }

  function begin(message: Message, index: number): Out[] {
    if (message.place !== undefined) return []
    message.place = next++
    places.set(index, message.place)
    const frames = message.waiting.map((entry) => passed(entry))
    message.waiting = []
    return frames
  }

  /** Something else comes: messages that have begun must come before it. */
  function beginAll(): Out[] {
    return [...messages].flatMap(([index, message]) =>
      message.waiting.length > 0 && !message.isMended ? begin(message, index) : [],
    )
  }

  function texts(entry: Entry, message: Message): Out[] {
    const [piece] = entry.pieces
    const part = Number(entry.data['content_index'] ?? 0)
    if (!piece || (isSame(piece) && piece.text === '')) {
      const isNeeded = !message.isMended || message.place !== undefined
      return isNeeded ? [...begin(message, itemOf(entry.data)), passed(entry)] : []
    }
    if (!isSame(piece)) message.isMended = isMoved = true
    return piece.ops.flatMap((op): Out[] => {
      if (op.type === 'reasoning') return thoughtFrames(op.text)
      const ended = endThought()
      if (op.type === 'call') return [...ended, ...callFrames(op.call)]
      message.texts.set(part, (message.texts.get(part) ?? '') + op.text)
      const frames = begin(message, itemOf(entry.data))
      return [...ended, ...frames, passed(entry, { delta: op.text })]
    })
  }

  /** More of the reasoning that was found in a message, as an item of its own. */
  function thoughtFrames(delta: string): Out[] {
    const begins = thought === undefined
    thought ??= { place: next, id: `rs_found_${next++}`, text: '' }
    thought.text += delta
    const { id, place } = thought
    const where = { item_id: id, output_index: place, summary_index: 0 }
    const item = { id, type: 'reasoning', summary: [] }
    const part = { type: 'summary_text', text: '' }
    const started = begins
      ? [
          begun('response.output_item.added', { output_index: place, item }),
          begun('response.reasoning_summary_part.added', { ...where, part }),
        ]
      : []
    return [...started, begun('response.reasoning_summary_text.delta', { ...where, delta })]
  }

  function endThought(): Out[] {
    if (!thought) return []
    const { id, place, text } = thought
    thought = undefined
    const item = thoughtItem(id, text)
    found.set(place, item)
    const where = { item_id: id, output_index: place, summary_index: 0 }
    const part = { type: 'summary_text', text }
    return [
      begun('response.reasoning_summary_text.done', { ...where, text }),
      begun('response.reasoning_summary_part.done', { ...where, part }),
      begun('response.output_item.done', { output_index: place, item }),
    ]
  }

  function callFrames(call: ToolCall): Out[] {
    const item = callItem(call)
    const place = next++
    found.set(place, item)
    const { id = '' } = item
    const where = { item_id: id, output_index: place }
    return [
      begun('response.output_item.added', { output_index: place, item: begunItem(item) }),
      ...contentEvents(item).map(([type, fields]) => begun(type, { ...where, ...fields })),
      begun('response.output_item.done', { output_index: place, item }),
    ]
  }

  /** The fields that repeat the text of a message. */
  function mended(data: JsonObject, message: Message): JsonObject {
    const { text, part, item, content_index: index = 0 } = data as Fields
    const left = message.texts.get(Number(index)) ?? ''
    return {
      ...(typeof text === 'string' && { text: left }),
      ...(isJsonObject(part) &&
        typeof part['text'] === 'string' && { part: { ...part, text: left } }),
      ...(isJsonObject(item) && { item: mendedItem(item, message) }),
    }
  }

  function mendedItem(item: JsonObject, { texts: left }: Message): JsonObject {
    const content = objectsIn(item['content']).flatMap((part, i) => {
      if (part['type'] !== 'output_text') return [part]
      return left.has(i) ? [{ ...part, text: left.get(i) ?? '' }] : []
    })
    return { ...item, content }
  }

  /** An event with the whole reply. */
  function whole(entry: Entry, response: JsonObject): Out {
    if (!isMoved) return passed(entry)
    const before = objectsIn(response['output'])
    const output: JsonObject[] = []
    for (const [i, item] of before.entries()) {
      const message = messages.get(i)
      const place = places.get(i)
      if (repeated.has(i) || (message?.isMended && place === undefined)) continue
      output[place ?? next++] = message?.isMended ? mendedItem(item, message) : item
    }
    if (before.length > 0) for (const [place, item] of found) output[place] = item
    const dense = output.filter((item) => item !== undefined)
    return passed(entry, { response: { ...response, output: dense } })
  }

  function kept(): Uint8Array[] {
    const unwritten = [...messages.values()].filter(({ isMended }) => !isMended)
    return unwritten.flatMap(({ waiting }) => waiting.map(({ bytes }) => bytes))
  }

  return {
    write,
    kept,
    // A slot is named by its item and its part.
    passesText: (slot) =>
      !isMoved && messages.get(Number.parseInt(String(slot), 10))?.place !== undefined,
    noteText(data, text, frames) {
      number += frames
      const part = Number(data['content_index'] ?? 0)
      const message = messages.get(itemOf(data))
      message?.texts.set(part, (message.texts.get(part) ?? '') + text)
    },
    noteIdle(_data, _text, frames) {
      number += frames
    },
  }
}

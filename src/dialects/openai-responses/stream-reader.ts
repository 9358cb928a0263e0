/**
 * Streams of the Responses API, read. What belongs together is told by `output_index`: some services
 * give an item a new id with every event.
 */
import type { StreamFailure } from '../../core/chat.ts'
import type { DecodeResponseOptions, StreamDecoder } from '../../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import { readNative } from '../../core/native.ts'
import { objectsIn } from '../history-call.ts'
import {
  createDecoder,
  type OpenCall,
  type StreamReader,
  type StreamTeller,
} from '../stream-decoder.ts'
import { asFunctionCalls, isLeakedParallel, namesOf } from './client-call.ts'
import { decodeResponse, textPart } from './response.ts'

export function createStreamDecoder(options: DecodeResponseOptions = {}): StreamDecoder {
  const { textJoiner = '\n' } = options
  return createDecoder((teller) => readEvents(teller, textJoiner), decodeResponse, options)
}

/** An item as far as it has arrived. */
interface Slot {
  item: JsonObject
  isDone: boolean
  /** Arguments that came in pieces. */
  readonly pieces: string[]
  /** Text by part. */
  readonly texts: Map<number, string[]>
  /** Reasoning by paragraph. */
  readonly thoughts: Map<number, string[]>
  /** The event that brings it. */
  thoughtEvent: string | undefined
  open: OpenCall | undefined
  /** What goes back with the call. */
  own: JsonObject
  /** The id that the call came with. */
  givenId: JsonValue | undefined
}

type Fields = Readonly<Record<string, JsonValue | undefined>>

const UNOPENED = { open: undefined, givenId: undefined, thoughtEvent: undefined } as const

function readEvents(teller: StreamTeller, textJoiner: string): StreamReader {
  const head: JsonObject = {}
  const slots = new Map<number, Slot>()
  /** Of items by id, where nothing else tells it. */
  const places = new Map<JsonValue, number>()
  let last: JsonObject | undefined
  /** The pieces of the text that was spoken last. */
  let speaking: readonly string[] | undefined

  function read(data: JsonObject, event: string | undefined): void {
    const { type: given, response } = data as Record<string, JsonValue | undefined>
    const type = typeof given === 'string' ? given : (event ?? '')
    const failure = failureOf(data, type)
    if (isJsonObject(response)) readHead(response)
    if (failure) return teller.fail(failure)
    if (type === 'response.completed' || type === 'response.incomplete') return finish(response)
    const index = placeOf(data)
    if (index !== undefined) readItemEvent(type, data, slotAt(index))
  }

  /** Servers that do not tell the place of an item at least give its id. */
  function placeOf({ output_index: index, item_id: id, item }: Partial<JsonObject>) {
    if (typeof index === 'number') return index
    const name = id ?? (isJsonObject(item) ? item['id'] : undefined)
    if (name === undefined) return undefined
    if (!places.has(name) && isJsonObject(item)) places.set(name, slots.size)
    return places.get(name)
  }

  function readHead(response: JsonObject): void {
    for (const [key, value] of Object.entries(response)) if (value !== null) head[key] = value
    teller.start(head['id'], head['model'])
  }

  function finish(response: JsonValue | undefined): void {
    last = isJsonObject(response) ? response : {}
    for (const [index, item] of objectsIn(last['output']).entries()) {
      const slot = slots.get(index)
      const isOpen = slot ? !slot.isDone && slot.item['type'] === item['type'] : !isTold(item)
      if (isOpen) endItem(slotAt(index), item)
    }
    teller.close()
  }

  /** True for what came under another index already. */
  function isTold({ type, call_id: id }: JsonObject): boolean {
    const alike = [...slots.values()].filter(({ item }) => item['type'] === type)
    return type === 'message' ? alike.length > 0 : alike.some(({ item }) => item['call_id'] === id)
  }

  function slotAt(index: number): Slot {
    const known = slots.get(index)
    if (known) return known
    const slot: Slot = {
      ...UNOPENED,
      item: {},
      own: {},
      isDone: false,
      pieces: [],
      texts: new Map(),
      thoughts: new Map(),
    }
    slots.set(index, slot)
    return slot
  }

  function readItemEvent(type: string, data: JsonObject, slot: Slot): void {
    const { item, delta, summary_index: part = 0, content_index: at = 0 } = data as Fields
    const told = data['text'] ?? data['arguments'] ?? data['input'] ?? data['refusal']
    switch (type) {
      case 'response.output_item.added':
        slot.item = isJsonObject(item) ? item : {}
        openCall(slot)
        return
      case 'response.output_item.done':
        return endItem(slot, isJsonObject(item) ? item : {})
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        return addText(slot, delta, Number(at))
      case 'response.output_text.done':
      case 'response.refusal.done':
        return slot.texts.has(Number(at)) ? undefined : addText(slot, told, Number(at))
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return addArguments(slot, delta)
      case 'response.function_call_arguments.done':
      case 'response.custom_tool_call_input.done':
        return slot.pieces.length === 0 ? addArguments(slot, told) : undefined
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        // Where there is a summary beside the reasoning itself, one of them is enough.
        slot.thoughtEvent ??= type
        return slot.thoughtEvent === type ? addThought(slot, delta, Number(part)) : undefined
    }
  }

  /** The parts of a message, and messages, stand apart. */
  function addText(slot: Slot, piece: JsonValue | undefined, part: number): void {
    if (typeof piece !== 'string' || piece === '') return
    if (!('type' in slot.item)) slot.item = { type: 'message', role: 'assistant' }
    const pieces = slot.texts.get(part) ?? []
    slot.texts.set(part, pieces)
    pieces.push(piece)
    if (speaking && speaking !== pieces) teller.text(textJoiner)
    speaking = pieces
    teller.text(piece)
  }

  /** The paragraphs of a summary stand apart. */
  function addThought(slot: Slot, piece: JsonValue | undefined, part: number): void {
    if (typeof piece !== 'string') return
    if (!('type' in slot.item)) slot.item = { type: 'reasoning' }
    const before = slot.thoughts.get(part)
    if (!before && slot.thoughts.size > 0) teller.reasoning('\n\n')
    if (before) before.push(piece)
    else slot.thoughts.set(part, [piece])
    teller.reasoning(piece)
  }

  function openCall(slot: Slot): void {
    const { type, name, call_id: id } = slot.item as Record<string, JsonValue | undefined>
    const isCall = type === 'function_call' || type === 'custom_tool_call'
    if (!isCall || slot.open || typeof name !== 'string' || name === '') return
    // It may stand for several calls, which only its arguments tell.
    if (isLeakedParallel(name, declared())) return
    slot.givenId = id
    slot.own = providerOf(slot.item)
    slot.open = teller.call(name, id, slot.own)
    if (type === 'custom_tool_call') slot.open.delta('{"input":"')
  }

  function addArguments(slot: Slot, piece: JsonValue | undefined): void {
    if (typeof piece !== 'string') return
    slot.pieces.push(piece)
    const isText = slot.item['type'] === 'custom_tool_call'
    slot.open?.delta(isText ? JSON.stringify(piece).slice(1, -1) : piece)
  }

  function endItem(slot: Slot, item: JsonObject): void {
    const { pieces } = slot
    slot.item = { ...slot.item, ...item }
    slot.isDone = true
    const { type, arguments: json, input } = slot.item as Record<string, JsonValue | undefined>
    openCall(slot)
    if (slot.open) {
      if (pieces.length === 0) addArguments(slot, type === 'custom_tool_call' ? input : json)
      if (type === 'custom_tool_call') slot.open.delta('"}')
      const { call_id: id } = slot.item as { call_id?: JsonValue }
      if (id === slot.givenId) slot.item = { ...slot.item, call_id: slot.open.id }
      Object.assign(slot.own, providerOf(slot.item))
      return slot.open.end()
    }
    if (type === 'message' && slot.texts.size === 0) tellContent(slot)
    if (type === 'reasoning' && slot.thoughts.size === 0) {
      teller.reasoning(readNative({ output: [slot.item] })?.reasoning)
    }
    for (const call of asFunctionCalls(slot.item, declared())) {
      if (call !== slot.item || type === 'function_call') tellCall(call)
    }
  }

  /** A message that came whole. */
  function tellContent(slot: Slot): void {
    for (const [at, part] of objectsIn(slot.item['content']).entries()) {
      addText(slot, part['text'] ?? part['refusal'], at)
    }
  }

  function tellCall(call: JsonObject): void {
    const { name, call_id: id, arguments: args, provider } = call as Record<string, JsonValue>
    const open = teller.call(String(name ?? ''), id, isJsonObject(provider) ? provider : {})
    open.delta(typeof args === 'string' ? args : JSON.stringify(args ?? {}))
    open.end()
  }

  function declared(): ReadonlySet<string> {
    return namesOf(objectsIn(head['tools']))
  }

  function body(): JsonObject {
    const items = [...slots]
      .sort(([one], [other]) => one - other)
      .map(([, slot]) => wholeItem(slot))
    const told = items.filter((item) => 'type' in item)
    const whole = objectsIn(last?.['output']).map(withId)
    return { ...head, ...last, output: hasAll(whole, told) ? whole : told }
  }

  /** The item with the id that its call was told by. */
  function withId(item: JsonObject, index: number): JsonObject {
    const { open, givenId, item: told } = slots.get(index) ?? { ...UNOPENED, item: {} }
    const isSame = open && item['call_id'] === givenId && item['type'] === told['type']
    return isSame ? { ...item, call_id: open.id } : item
  }

  return { read, body }
}

/** The whole reply counts unless it lacks a call that was told, or everything. */
function hasAll(whole: readonly JsonObject[], told: readonly JsonObject[]): boolean {
  const ids = new Set(whole.map((item) => item['call_id']))
  return whole.length > 0 && told.every((item) => !('call_id' in item) || ids.has(item['call_id']))
}

/** The item, from its pieces where nothing said that it was done. */
function wholeItem({ item, isDone, pieces, texts, thoughts }: Slot): JsonObject {
  const { type } = item as { type?: JsonValue }
  if (isDone) return item
  const text = pieces.join('')
  if (type === 'message') {
    const parts = Array.from(texts.values(), (words) => textPart(words.join('')))
    return { ...item, content: parts.length > 0 ? parts : (item['content'] ?? []) }
  }
  if (type === 'reasoning') {
    const texts = Array.from(thoughts.values(), (pieces) => pieces.join(''))
    const summary = texts.map((thought) => ({ type: 'summary_text', text: thought }))
    return { ...item, summary }
  }
  if (type === 'function_call') return { ...item, arguments: text }
  return type === 'custom_tool_call' ? { ...item, input: text } : item
}

function providerOf(item: JsonObject): JsonObject {
  const { namespace, caller, type } = item as Record<string, JsonValue | undefined>
  return {
    ...(namespace != null && { namespace }),
    ...(caller != null && { caller }),
    ...(type === 'custom_tool_call' && { type: 'custom' }),
  }
}

/** An error after the stream has begun, flat or nested, or a reply that failed. */
function failureOf(data: JsonObject, type: string): StreamFailure | undefined {
  const { error, response } = data as Record<string, JsonValue | undefined>
  const isFailed = type === 'response.failed'
  if (!isFailed && type !== 'error' && error === undefined) return undefined
  const told = isFailed && isJsonObject(response) ? response['error'] : (error ?? data)
  if (!isJsonObject(told)) return { message: typeof told === 'string' ? told : UNEXPLAINED }
  const { message, code, type: kind } = told as Record<string, JsonValue | undefined>
  const word = typeof code === 'string' ? code : kind === 'error' ? undefined : kind
  return {
    message: typeof message === 'string' ? message : UNEXPLAINED,
    ...(typeof word === 'string' && { code: word }),
  }
}

const UNEXPLAINED = 'the provider reports a failure'

/**
 * Mends Anthropic's Messages. A reply is a list of blocks, one after the other: a call in a block of
 * text ends it, and what follows is a block of its own. Blocks without text must not be: their
 * beginning is kept until there is some.
 */
import type { Frame } from '../../core/dialect.ts'
import { finishReasonOf } from '../../core/finish-reason.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { ToolCall } from '../../core/model.ts'
import { anthropic } from '../../dialects/anthropic.ts'
import { objectsIn } from '../../dialects/history-call.ts'
import type { CallIds } from './call-ids.ts'
import { isSame, type Op } from './text-rescue.ts'
import type { Thoughts } from './thoughts.ts'
import type { NativeCall, TurnCalls } from './turn-calls.ts'
import {
  argumentsText,
  type BodyHelp,
  type Entry,
  reframed,
  type StreamHelp,
  type TextPiece,
  type Wire,
  type WireStream,
} from './wire.ts'

type Fields = Readonly<Record<string, JsonValue | undefined>>
type Out = Frame | Uint8Array

export const anthropicWire: Wire = {
  dialect: anthropic,
  path: /\/messages$|:(stream)?rawPredict$/i,
  mend,
  open,
}

function mend(body: JsonObject, { ids, rescue, reasoned }: BodyHelp): JsonObject {
  const { content: before, stop_reason: stop } = body as Fields
  const reason = finishReasonOf(stop, false)
  const said = objectsIn(before).flatMap((block): JsonObject[] => {
    if (block['type'] === 'tool_use') return [withId(block, ids)]
    const { type, text } = block as Fields
    const ops = type === 'text' && typeof text === 'string' ? rescue(text, reason) : undefined
    return ops ? ops.map((op) => blockOf(op, block)) : [block]
  })
  const content = [...said, ...reasoned(body, reason).map(callBlock)]
  const word = stopOf(stop, content.some(awaitsResult))
  const isChanged = content.some((block, i) => block !== objectsIn(before)[i])
  if (!isChanged && word === stop) return body
  return { ...body, content, ...(word !== undefined && { stop_reason: word }) }
}

function blockOf(op: Op, block: JsonObject): JsonObject {
  if (op.type === 'call') return callBlock(op.call)
  if (op.type === 'text') return { ...block, text: op.text }
  return { type: 'thinking', thinking: op.text, signature: '' }
}

function callBlock({ id, name, arguments: input }: ToolCall): JsonObject {
  return { type: 'tool_use', id, name, input }
}

/** A call of a program on the provider's side is answered there. */
function awaitsResult({ type, caller }: Fields): boolean {
  const isDirect = !isJsonObject(caller) || caller['type'] === 'direct'
  return type === 'tool_use' && isDirect
}

function withId(block: JsonObject, ids: CallIds): JsonObject {
  const { id } = block as Fields
  return typeof id === 'string' && id !== '' ? block : { ...block, id: ids.fit(undefined) }
}

/** With calls the reply ended because of them, unless it was cut off. */
function stopOf(stop: JsonValue | undefined, hasCalls: boolean): JsonValue | undefined {
  if (!hasCalls || stop === 'pause_turn') return stop
  return finishReasonOf(stop, true) === 'tool-calls' ? 'tool_use' : stop
}

// ── streams ─────────────────────────────────────────────────────────────────────────────────────

function open({ ids, callsOf, thoughtsOf }: StreamHelp): WireStream {
  const thoughts = thoughtsOf(0)
  return { read: createReader(thoughts), idleText, ...createWriter(ids, callsOf(0), thoughts) }
}

/** A piece of a thought, or of the input of a call. */
function idleText({ delta }: Fields): string | undefined {
  const { type, thinking, partial_json: json } = (isJsonObject(delta) ? delta : {}) as Fields
  const text = type === 'thinking_delta' ? thinking : type === 'input_json_delta' ? json : undefined
  return typeof text === 'string' ? text : undefined
}

function createReader(thoughts: Thoughts): WireStream['read'] {
  /** The block of text that has begun. Whether it is complete is known when something follows it. */
  let current: number | undefined

  function over(ends: TextPiece['ends'] = 'stop'): TextPiece[] {
    if (current === undefined) return []
    const slot = current
    current = undefined
    return [{ slot, text: '', ends }]
  }

  return (data, event) => {
    const { type = event, index, content_block: block, delta } = data as Fields
    const slot = typeof index === 'number' ? index : 0
    const fields = (isJsonObject(delta) ? delta : {}) as Fields
    if (type === 'content_block_start') {
      const before = over()
      const { type: kind, thinking } = (isJsonObject(block) ? block : {}) as Fields
      if (kind === 'text') current = slot
      else if (kind === 'tool_use') thoughts.call()
      else if (typeof thinking === 'string') thoughts.think(thinking)
      return before
    }
    if (fields['type'] === 'thinking_delta') thoughts.think(String(fields['thinking'] ?? ''))
    if (type === 'content_block_delta' && fields['type'] === 'text_delta') {
      current = slot
      return [{ slot, text: String(fields['text'] ?? '') }]
    }
    if (type === 'content_block_stop' && slot === current) return [{ slot, text: '', waits: true }]
    if (type === 'message_delta') return over(finishReasonOf(fields['stop_reason'], false))
    return type === 'message_stop' ? over() : []
  }
}

function createWriter(ids: CallIds, turn: TurnCalls, thoughts: Thoughts): Omit<WireStream, 'read'> {
  /** Where the blocks of the provider are in the reply that is passed on. */
  const places = new Map<number, number>()
  let next = 0
  let hasCalls = false
  /** The beginning of a block of text, until there is some, and what came behind it. */
  let waiting: Entry[] = []
  /** The block of text that is open. */
  let textPlace: number | undefined
  /** A call was found in the current block of text. */
  let isBroken = false
  /** The block of reasoning that is open, which was found in a block of text. */
  let thoughtPlace: number | undefined
  /** There was reasoning in the current block of text. */
  let hasThought = false
  /** The provider's own calls. */
  const natives = new Map<number, { readonly name: unknown; arguments: string }>()
  /** The frames of one of them that may have been found in the text before. */
  let held:
    | { readonly slot: number; readonly block: JsonObject; readonly entries: Entry[] }
    | undefined

  function placed(entry: Entry, place: number, fields: JsonObject = {}): Out {
    const isMoved = entry.data['index'] !== place || Object.keys(fields).length > 0
    return isMoved ? reframed(entry, { ...entry.data, index: place, ...fields }) : entry.bytes
  }

  function write(entry: Entry, _isBeginning: boolean): Out[] {
    const { data, event, bytes } = entry
    const { type = event, content_block: block, index } = data as Fields
    const slot = typeof index === 'number' ? index : 0
    if (held?.slot === slot && index !== undefined) return hold(entry, held)
    if (type === 'content_block_delta') return delta(entry, slot)
    if (type === 'content_block_stop') return stop(entry, slot)
    if (type === 'ping' && waiting.length > 0) {
      waiting.push(entry)
      return []
    }
    const before = [...endThought(), ...beginText()]
    if (type === 'content_block_start' && isJsonObject(block)) {
      textPlace = undefined
      return [...before, ...start(entry, block, slot)]
    }
    if (type === 'message_start') restart()
    if (type !== 'message_delta') return [...before, bytes]
    // Beginning with the block of text that waits, if there is one.
    return [...before, ...reasonedFrames(data), finish(entry)]
  }

  /** The calls that end the reasoning of a message that ends. */
  function reasonedFrames({ delta: end }: Fields): Out[] {
    const { stop_reason: stop } = (isJsonObject(end) ? end : {}) as Fields
    if (stop === undefined || stop === null) return []
    return thoughts.end(finishReasonOf(stop, false) ?? 'stop').flatMap(callFrames)
  }

  /** Some proxies begin again after a failure. */
  function restart(): void {
    places.clear()
    natives.clear()
    next = 0
    hasCalls = false
  }

  function start(entry: Entry, block: JsonObject, slot: number): Out[] {
    if (block['type'] === 'text') {
      waiting = [entry]
      isBroken = hasThought = false
      // Some servers put the first words here.
      return block['text'] === '' || block['text'] === undefined ? [] : beginText()
    }
    if (block['type'] === 'tool_use') {
      natives.set(slot, { name: block['name'], arguments: '' })
      if (!turn.mayRepeat({ name: block['name'] })) return startCall(entry, block, slot)
      held = { slot, block, entries: [entry] }
      return []
    }
    const place = next++
    places.set(slot, place)
    return [placed(entry, place)]
  }

  /** Whether a call was found in the text is known when all of it is there. */
  function hold(entry: Entry, { slot, block, entries }: NonNullable<typeof held>): Out[] {
    if (entry.data['type'] !== 'content_block_stop') {
      noteInput(entry.data, idleText(entry.data) ?? '')
      entries.push(entry)
      return []
    }
    held = undefined
    const native = natives.get(slot)
    if (native && turn.isRescued(nativeOf(native, block))) return []
    const [first = entry, ...others] = entries
    const started = startCall(first, block, slot)
    const place = places.get(slot) ?? slot
    return [...started, ...[...others, entry].map((one) => placed(one, place))]
  }

  function startCall(entry: Entry, block: JsonObject, slot: number): Out[] {
    const place = next++
    places.set(slot, place)
    hasCalls ||= awaitsResult(block)
    const native = natives.get(slot)
    if (native) turn.addNative(native)
    const fixed = withId(block, ids)
    return [placed(entry, place, fixed === block ? {} : { content_block: fixed })]
  }

  function delta(entry: Entry, slot: number): Out[] {
    const [piece] = entry.pieces
    if (!piece) {
      noteInput(entry.data, idleText(entry.data) ?? '')
      return [...beginText(), placed(entry, places.get(slot) ?? slot)]
    }
    if (piece.text === '' && isSame(piece)) {
      const isNeeded = waiting.length > 0 || textPlace !== undefined
      return isNeeded ? textFrames(entry, slot, '') : []
    }
    return piece.ops.flatMap((op) => {
      if (op.type === 'call') return callFrames(op.call)
      return op.type === 'text' ? textFrames(entry, slot, op.text) : thoughtFrames(op.text)
    })
  }

  function noteInput({ index, delta: part }: Fields, json: string): void {
    const native = natives.get(typeof index === 'number' ? index : 0)
    const isInput = isJsonObject(part) && part['type'] === 'input_json_delta'
    if (native && isInput) native.arguments += json
  }

  function textFrames(entry: Entry, slot: number, text: string): Out[] {
    const ended = endThought()
    const begun = textPlace === undefined && isBroken ? [openText(slot)] : beginText()
    const place = textPlace ?? slot
    const isWhole = entry.pieces.every(isSame)
    return [
      ...ended,
      ...begun,
      placed(entry, place, isWhole ? {} : { delta: { type: 'text_delta', text } }),
    ]
  }

  /** Passes on the beginning of a block of text, if it is due. */
  function beginText(): Out[] {
    const [first, ...others] = waiting
    if (!first) return []
    waiting = []
    textPlace = next++
    places.set(Number(first.data['index'] ?? 0), textPlace)
    return [placed(first, textPlace), ...others.map(({ bytes }) => bytes)]
  }

  /** Begins a block for the text behind a call. */
  function openText(slot: number): Frame {
    textPlace = next++
    places.set(slot, textPlace)
    return frame('content_block_start', textPlace, { content_block: { type: 'text', text: '' } })
  }

  /** More of the reasoning that was found in a text. */
  function thoughtFrames(thinking: string): Out[] {
    const ended = thoughtPlace === undefined ? endText() : []
    hasThought = true
    const begun = thoughtPlace === undefined
    thoughtPlace ??= next++
    const block = { type: 'thinking', thinking: '', signature: '' }
    return [
      ...ended,
      ...(begun ? [frame('content_block_start', thoughtPlace, { content_block: block })] : []),
      frame('content_block_delta', thoughtPlace, { delta: { type: 'thinking_delta', thinking } }),
    ]
  }

  function endThought(): Out[] {
    const place = thoughtPlace
    thoughtPlace = undefined
    return place === undefined ? [] : [frame('content_block_stop', place)]
  }

  /** Ends the block of text that is open; text that follows gets a block of its own. */
  function endText(): Out[] {
    const place = textPlace
    if (place === undefined) return []
    textPlace = undefined
    isBroken = true
    return [frame('content_block_stop', place)]
  }

  function callFrames(call: ToolCall): Out[] {
    const { id, name } = call
    const ended = [...endThought(), ...endText()]
    const place = next++
    // What the block began with is for nothing now; text that follows gets a block of its own.
    const others = waiting.slice(1).map(({ bytes }) => bytes)
    waiting = []
    hasCalls = isBroken = true
    const begun = { type: 'tool_use', id, name, input: {} }
    const input = { type: 'input_json_delta', partial_json: argumentsText(call) }
    return [
      ...others,
      ...ended,
      frame('content_block_start', place, { content_block: begun }),
      frame('content_block_delta', place, { delta: input }),
      frame('content_block_stop', place),
    ]
  }

  function stop(entry: Entry, slot: number): Out[] {
    const isText = entry.pieces.length > 0
    if (!isText) return [placed(entry, places.get(slot) ?? slot)]
    const ended = endThought()
    if ((isBroken || hasThought) && textPlace === undefined) {
      const others = waiting.slice(1).map(({ bytes }) => bytes)
      waiting = []
      return [...ended, ...others]
    }
    const begun = beginText()
    const place = textPlace ?? slot
    textPlace = undefined
    return [...begun, placed(entry, place)]
  }

  function finish(entry: Entry): Out {
    const { delta: end } = entry.data as Fields
    if (!isJsonObject(end)) return entry.bytes
    const { stop_reason: given } = end as Fields
    const word = stopOf(given, hasCalls)
    if (word === given || word === undefined) return entry.bytes
    return reframed(entry, { ...entry.data, delta: { ...end, stop_reason: word } })
  }

  return {
    write,
    noteIdle(data, text) {
      const { delta: part } = data as Fields
      if (isJsonObject(part) && part['type'] === 'thinking_delta') thoughts.think(text)
      else noteInput(data, text)
    },
    passesText: (slot) => textPlace === slot,
    kept: () => [...waiting, ...(held?.entries ?? [])].map(({ bytes }) => bytes),
  }
}

/** Some servers have the input where the block begins. */
function nativeOf(native: NativeCall, { input }: Fields): NativeCall {
  return native.arguments === '' ? { ...native, arguments: input } : native
}

function frame(type: string, index: number, fields: JsonObject = {}): Frame {
  return { event: type, data: JSON.stringify({ type, index, ...fields }) }
}

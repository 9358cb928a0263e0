/** Mends Ollama's chat: every line is a piece of the reply, and calls come whole. */
import type { Frame } from '../../core/dialect.ts'
import { finishReasonOf } from '../../core/finish-reason.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { FinishReason, ToolCall } from '../../core/model.ts'
import { objectsIn } from '../../dialects/history-call.ts'
import { ollama } from '../../dialects/ollama.ts'
import { isSame, type Op } from './text-rescue.ts'
import type { NativeCall } from './turn-calls.ts'
import {
  type BodyHelp,
  callsOf,
  type Entry,
  reasoningOf,
  reframed,
  type StreamHelp,
  type TextPiece,
  textOf,
  type Wire,
  type WireStream,
} from './wire.ts'

type Fields = Readonly<Record<string, JsonValue | undefined>>

export const ollamaWire: Wire = { dialect: ollama, path: /\/api\/chat$/, mend, open }

function mend(body: JsonObject, { rescue, reasoned }: BodyHelp): JsonObject {
  const { message, done_reason: done } = body as Fields
  if (!isJsonObject(message)) return body
  const { content, tool_calls: own } = message as Fields
  const reason = finishReasonOf(done, false)
  const ops = typeof content === 'string' ? rescue(content, reason) : undefined
  const found = [...reasoned(message, reason), ...callsOf(ops ?? [])]
  if (!ops && found.length === 0) return body
  // Text comes before calls, and so do the calls in it.
  const all = [...found.map(wireCall), ...objectsIn(own)]
  const said = ops && spoken(message, ops)
  const mended = { ...message, ...said, ...(all.length > 0 && { tool_calls: all }) }
  return { ...body, message: mended }
}

function spoken({ thinking }: Fields, ops: readonly Op[]): JsonObject {
  const own = typeof thinking === 'string' ? thinking : ''
  const reasoning = reasoningOf(ops)
  return { content: textOf(ops), ...(reasoning !== '' && { thinking: own + reasoning }) }
}

/** The index is inside. */
function wireCall({ id, name, arguments: args }: ToolCall, index: number): JsonObject {
  return { id, function: { index, name, arguments: args } }
}

function open({ callsOf: turnOf, thoughtsOf }: StreamHelp): WireStream {
  const turn = turnOf(0)
  const thoughts = thoughtsOf(0)
  let calls = 0

  function opFrame(entry: Entry, op: Op): Frame {
    const { model, created_at: created, message } = entry.data as Fields
    const { role = 'assistant' } = (isJsonObject(message) ? message : {}) as Fields
    const content = op.type === 'text' ? op.text : ''
    const more =
      op.type === 'call'
        ? { tool_calls: [wireCall(op.call, calls++)] }
        : op.type === 'reasoning' && { thinking: op.text }
    return reframed(entry, {
      ...(model !== undefined && { model }),
      ...(created !== undefined && { created_at: created }),
      message: { role, content, ...more },
      done: false,
    })
  }

  function write(entry: Entry, isBeginning: boolean): (Frame | Uint8Array)[] {
    const { pieces } = entry
    const data = isBeginning ? entry.data : withoutRepeats(entry.data)
    const { message, done } = data as Fields
    const fields = (isJsonObject(message) ? message : {}) as JsonObject
    const reason = !isBeginning && done === true ? endOf(data) : undefined
    const before = (reason ? thoughts.end(reason) : []).map((call) =>
      opFrame(entry, { type: 'call', call }),
    )
    if (pieces.every(isSame)) {
      if (data === entry.data) return [...before, entry.bytes]
      return hasMore(fields, done) ? [...before, reframed(entry, data)] : before
    }
    const frames = pieces.flatMap(({ ops }) => ops.map((op) => opFrame(entry, op)))
    if (isBeginning) return frames
    const left = { ...fields, content: '' }
    const last = reframed(entry, { ...data, message: left })
    return hasMore(left, done) ? [...frames, ...before, last] : frames
  }

  function read(data: JsonObject): TextPiece[] {
    const { message, done } = data as Fields
    const {
      content,
      thinking,
      tool_calls: calls,
    } = (isJsonObject(message) ? message : {}) as Fields
    const text = typeof content === 'string' ? content : ''
    const hasCalls = objectsIn(calls).length > 0
    if (typeof thinking === 'string') thoughts.think(thinking)
    if (hasCalls) thoughts.call()
    if (done === true) return [{ slot: 0, text, ends: endOf(data) }]
    // Calls of the server's own come after the text.
    if (hasCalls) return [{ slot: 0, text, ends: 'stop' }]
    return typeof content === 'string' ? [{ slot: 0, text }] : []
  }

  /** Calls come in one piece: one that was found in the text before need not come again. */
  function withoutRepeats(data: JsonObject): JsonObject {
    const { message } = data as Fields
    const own = isJsonObject(message) ? objectsIn(message['tool_calls']) : []
    const left = own.filter((call) => !turn.isRescued(nativeCall(call)))
    for (const call of left) turn.addNative(nativeCall(call))
    calls += left.length
    if (left.length === own.length || !isJsonObject(message)) return data
    const { tool_calls: _, ...others } = message
    return { ...data, message: left.length > 0 ? { ...others, tool_calls: left } : others }
  }

  return {
    read,
    write,
    idleText,
    noteIdle: (_, text) => thoughts.think(text),
    passesText: () => true,
    kept: () => [],
  }
}

function nativeCall({ function: part }: JsonObject): NativeCall {
  const { name, arguments: args } = (isJsonObject(part) ? part : {}) as Fields
  return { name, arguments: args }
}

/** True when there is more to a message than text. */
function hasMore(
  { role: _, content, ...others }: JsonObject,
  done: JsonValue | undefined,
): boolean {
  return done === true || Boolean(content) || Object.keys(others).length > 0
}

function idleText({ message, done }: Fields): string | undefined {
  const { thinking, tool_calls: calls } = (isJsonObject(message) ? message : {}) as Fields
  const isIdle = typeof thinking === 'string' && done !== true && objectsIn(calls).length === 0
  return isIdle ? thinking : undefined
}

function endOf({ done_reason: reason }: Fields): FinishReason {
  return finishReasonOf(reason, false) ?? 'stop'
}

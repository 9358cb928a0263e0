/** Mends Gemini: a reply, and each frame of a stream, is a list of parts; calls are parts. */
import type { Frame } from '../../core/dialect.ts'
import { finishReasonOf } from '../../core/finish-reason.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { FinishReason, ToolCall } from '../../core/model.ts'
import { gemini } from '../../dialects/gemini.ts'
import { objectsIn } from '../../dialects/history-call.ts'
import { isSame, type Op } from './text-rescue.ts'
import type { NativeCall } from './turn-calls.ts'
import {
  type BodyHelp,
  type Entry,
  reframed,
  type StreamHelp,
  type TextPiece,
  type Wire,
  type WireStream,
} from './wire.ts'

type Fields = Readonly<Record<string, JsonValue | undefined>>

export const geminiWire: Wire = {
  dialect: gemini,
  path: /:(generate|streamGenerate)Content$/,
  mend,
  open,
}

function mend(body: JsonObject, { rescue, reasoned }: BodyHelp): JsonObject {
  let isChanged = false
  const candidates = objectsIn(body['candidates']).map((candidate) => {
    const reason = reasonOf(candidate)
    const mended = withParts(candidate, (part) => {
      const text = textOf(part)
      const ops = text === undefined ? undefined : rescue(text, reason)
      if (!ops) return [part]
      isChanged = true
      return partsFor(part, ops)
    })
    const calls = reasoned(candidate, reason)
    isChanged ||= calls.length > 0
    return withCalls(mended, calls)
  })
  return isChanged ? { ...body, candidates } : body
}

function open({ callsOf, thoughtsOf }: StreamHelp): WireStream {
  /** Calls come in one piece: one that was found in the text before need not come again. */
  function repeatsIn(data: JsonObject): Set<JsonObject> {
    const repeats = new Set<JsonObject>()
    for (const candidate of objectsIn(data['candidates'])) {
      const turn = callsOf(slotOf(candidate))
      for (const part of partsOf(candidate['content']).filter(isCall)) {
        const call = nativeCall(part)
        if (turn.isRescued(call)) repeats.add(part)
        else turn.addNative(call)
      }
    }
    return repeats
  }

  function hear(candidate: JsonObject): void {
    const thoughts = thoughtsOf(slotOf(candidate))
    for (const part of partsOf(candidate['content'])) {
      const { text, thought } = part as Fields
      if (isCall(part)) thoughts.call()
      else if (thought === true && typeof text === 'string') thoughts.think(text)
    }
  }

  /** The calls that end the reasoning of the candidates that end with this frame. */
  function reasonedIn(data: JsonObject): Changes['calls'] {
    const calls = new Map<JsonObject, readonly ToolCall[]>()
    for (const candidate of objectsIn(data['candidates'])) {
      const reason = reasonOf(candidate)
      const found = reason ? thoughtsOf(slotOf(candidate)).end(reason) : []
      if (found.length > 0) calls.set(candidate, found)
    }
    return calls
  }

  return {
    read(data) {
      objectsIn(data['candidates']).forEach(hear)
      return read(data)
    },
    idleText,
    noteIdle({ candidates }, text) {
      const [candidate] = objectsIn(candidates)
      if (candidate) thoughtsOf(slotOf(candidate)).think(text)
    },
    write(entry, isBeginning) {
      if (isBeginning) return write(entry, true, UNCHANGED)
      return write(entry, false, {
        repeats: repeatsIn(entry.data),
        calls: reasonedIn(entry.data),
      })
    },
    answerOf: Number,
    passesText: () => true,
    kept: () => [],
  }
}

function nativeCall({ functionCall: call }: JsonObject): NativeCall {
  const { name, args = {} } = (isJsonObject(call) ? call : {}) as Fields
  return { name, arguments: args }
}

/** A thought. */
function idleText({ candidates }: Fields): string | undefined {
  const [candidate, second] = objectsIn(candidates)
  if (!candidate || second || reasonOf(candidate)) return undefined
  const [part, other] = partsOf(candidate['content'])
  const { text, thought } = (part ?? {}) as Fields
  return thought === true && typeof text === 'string' && !other ? text : undefined
}

/** What becomes of a frame beside its text. */
interface Changes {
  /** Parts that are left out. */
  readonly repeats: ReadonlySet<JsonObject>
  /** Calls that are added, by candidate. */
  readonly calls: ReadonlyMap<JsonObject, readonly ToolCall[]>
}

const UNCHANGED: Changes = { repeats: new Set(), calls: new Map() }

function write(
  entry: Entry,
  isBeginning: boolean,
  { repeats, calls }: Changes,
): (Frame | Uint8Array)[] {
  const { data, bytes, pieces } = entry
  if (pieces.every(isSame) && repeats.size + calls.size === 0) return [bytes]
  let at = 0
  const candidates = objectsIn(data['candidates']).map((candidate) => {
    const mended = withParts(candidate, (part) => {
      if (textOf(part) !== undefined) return partsFor(part, pieces[at++]?.ops ?? [])
      if (isCall(part)) at++
      return isBeginning || repeats.has(part) ? [] : [part]
    })
    if (reasonOf(candidate)) at++
    return withCalls(mended, calls.get(candidate) ?? [])
  })
  const frame = { ...data, candidates }
  if (isBeginning) return [reframed(entry, withoutEnd(frame))]
  return hasMore(frame) ? [reframed(entry, frame)] : []
}

function read(data: JsonObject): TextPiece[] {
  return objectsIn(data['candidates']).flatMap((candidate): TextPiece[] => {
    const { content } = candidate as Fields
    const slot = slotOf(candidate)
    const reason = reasonOf(candidate)
    const pieces = partsOf(content).flatMap((part): TextPiece[] => {
      const text = textOf(part)
      if (text !== undefined) return [{ slot, text }]
      // A call of the provider's own ends the text before it.
      return isCall(part) ? [{ slot, text: '', ends: 'stop' }] : []
    })
    return reason ? [...pieces, { slot, text: '', ends: reason }] : pieces
  })
}

function slotOf({ index }: Fields): number {
  return typeof index === 'number' ? index : 0
}

function partsOf(content: JsonValue | undefined): JsonObject[] {
  return isJsonObject(content) ? objectsIn(content['parts']) : []
}

/** The text of a part, unless it is a thought. */
function textOf({ text, thought }: Fields): string | undefined {
  return typeof text === 'string' && thought !== true ? text : undefined
}

function isCall(part: JsonObject): boolean {
  return isJsonObject(part['functionCall'])
}

function reasonOf({ finishReason }: Fields): FinishReason | undefined {
  if (finishReason === undefined || finishReason === null) return undefined
  return finishReasonOf(finishReason, false) ?? 'stop'
}

function withParts(candidate: JsonObject, mend: (part: JsonObject) => JsonObject[]): JsonObject {
  const { content } = candidate as Fields
  if (!isJsonObject(content)) return candidate
  return { ...candidate, content: { ...content, parts: partsOf(content).flatMap(mend) } }
}

function withCalls(candidate: JsonObject, calls: readonly ToolCall[]): JsonObject {
  if (calls.length === 0) return candidate
  const { content } = candidate as Fields
  const parts = [...partsOf(content), ...calls.map(callPart)]
  const own = isJsonObject(content) ? content : { role: 'model' }
  return { ...candidate, content: { ...own, parts } }
}

function callPart({ name, arguments: args }: ToolCall): JsonObject {
  return { functionCall: { name, args } }
}

/** A signature stays on a part of its own when the text that it came with is gone. */
function partsFor(part: JsonObject, ops: readonly Op[]): JsonObject[] {
  const { text: _, ...others } = part
  const parts = ops.map((op): JsonObject => {
    if (op.type === 'call') return callPart(op.call)
    return op.type === 'text' ? { text: op.text } : { text: op.text, thought: true }
  })
  if (Object.keys(others).length === 0) return parts
  const last = parts.at(-1)
  return last ? [...parts.slice(0, -1), { ...last, ...others }] : [{ ...others, text: '' }]
}

function withoutEnd({ usageMetadata: _, ...frame }: JsonObject): JsonObject {
  const candidates = objectsIn(frame['candidates']).map(
    ({ finishReason: __, ...candidate }) => candidate,
  )
  return { ...frame, candidates }
}

function hasMore(frame: JsonObject): boolean {
  return objectsIn(frame['candidates']).some(
    (candidate) => reasonOf(candidate) !== undefined || partsOf(candidate['content']).length > 0,
  )
}

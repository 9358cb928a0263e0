/** Mends Chat Completions: each choice has a text of its own. */
import type { Frame } from '../../core/dialect.ts'
import { finishReasonOf } from '../../core/finish-reason.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { ToolCall } from '../../core/model.ts'
import { readNative } from '../../core/native.ts'
import { CUSTOM } from '../../dialects/freeform.ts'
import { objectsIn } from '../../dialects/history-call.ts'
import { thinkingChunk } from '../../dialects/mistral/content.ts'
import { mistral } from '../../dialects/mistral.ts'
import { encodeCall } from '../../dialects/openai-chat/messages.ts'
import { openaiChat } from '../../dialects/openai-chat.ts'
import type { CallIds } from './call-ids.ts'
import { type CallTrack, createCallTrack, isNothing } from './call-track.ts'
import { isSame, type Op } from './text-rescue.ts'
import {
  argumentsText,
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

/** How a message says what it is beside its calls. */
interface Speech {
  /** The fields of a delta with more of the reasoning. */
  thought(text: string): JsonObject
  /** The fields of a whole message with this text, and with this reasoning beside its own. */
  spoken(message: JsonObject, text: string, reasoning: string): JsonObject
}

const openaiSpeech: Speech = {
  thought: (text) => ({ reasoning_content: text }),
  spoken(message, text, reasoning) {
    const { reasoning: other } = message as Fields
    const key = typeof other === 'string' ? 'reasoning' : 'reasoning_content'
    const own = typeof message[key] === 'string' ? message[key] : ''
    return { content: text || null, ...(reasoning !== '' && { [key]: own + reasoning }) }
  },
}

/** Thoughts are parts of the content. */
const mistralSpeech: Speech = {
  thought: (text) => ({ content: [thinkingChunk(text)] }),
  spoken(_, text, reasoning) {
    if (reasoning === '') return { content: text || null }
    const said = text === '' ? [] : [{ type: 'text', text }]
    return { content: [thinkingChunk(reasoning), ...said] }
  },
}

export const openaiChatWire: Wire = {
  dialect: openaiChat,
  path: /\/chat\/completions$/,
  mend: (body, help) => mend(body, help, openaiSpeech),
  mayHaveCalls,
  open: (help) => open(help, openaiSpeech),
}

/** Its ids have nine characters, no more and no fewer. */
export const mistralWire: Wire = {
  dialect: mistral,
  path: /mistral.*\/chat\/completions$/,
  mend: (body, help) => mend(body, help, mistralSpeech),
  mayHaveCalls,
  open: (help) => open(help, mistralSpeech),
}

function mend(body: JsonObject, help: BodyHelp, speech: Speech): JsonObject {
  const before = objectsIn(body['choices'])
  const choices = before.map((choice) => mendChoice(choice, help, speech))
  return choices.some((choice, i) => choice !== before[i]) ? { ...body, choices } : body
}

function mayHaveCalls({ choices }: Fields): boolean {
  return objectsIn(choices).some(({ message }: Fields) => {
    const { content, tool_calls, toolCalls, function_call } = (
      isJsonObject(message) ? message : {}
    ) as Fields
    return typeof content !== 'string' || [tool_calls, toolCalls, function_call].some(isSomething)
  })
}

/** Servers that have no calls often say so. */
function isSomething(value: JsonValue | undefined): boolean {
  return value != null && !(Array.isArray(value) && value.length === 0)
}

function mendChoice(
  choice: JsonObject,
  { ids, rescue, reasoned }: BodyHelp,
  speech: Speech,
): JsonObject {
  const { message, finish_reason: finish } = choice as Fields
  if (!isJsonObject(message)) return choice
  const { content, tool_calls: own } = message as Fields
  const given = objectsIn(own)
  const native = withIds(
    given.filter((call) => !isNothing(call)),
    ids,
  )
  const end = finishReasonOf(finish, false)
  const ops = typeof content === 'string' ? rescue(content, end) : undefined
  const found = [...reasoned(message, end), ...callsOf(ops ?? [])]
  // Text comes before calls, and so do the calls in it.
  const calls = [...found.map(wireCall), ...native]
  const reason = finishOf(finish, calls.length > 0)
  const isFixed =
    found.length > 0 || given.some((call, i) => call !== native[i]) || reason !== finish
  if (!ops && !isFixed) return choice
  const said = ops && speech.spoken(message, textOf(ops), reasoningOf(ops))
  return {
    ...choice,
    message: { ...withCalls(message, calls), ...said },
    ...(reason !== undefined && { finish_reason: reason }),
  }
}

/** Each with an id of its own. */
function withIds(calls: readonly JsonObject[], ids: CallIds): JsonObject[] {
  const given = new Set<JsonValue>()
  return calls.map((call) => {
    const { id } = call as Fields
    const isOwn = typeof id === 'string' && id !== '' && !given.has(id)
    if (isOwn) given.add(id)
    return isOwn ? call : { ...call, id: ids.fit(undefined) }
  })
}

function wireCall(call: ToolCall): JsonObject {
  const { id, name, provider } = call
  if (provider?.['type'] === CUSTOM) return encodeCall(call)
  return { id, type: 'function', function: { name, arguments: argumentsText(call) } }
}

/** With calls the reply ended because of them, unless it was cut off. */
function finishOf(finish: JsonValue | undefined, hasCalls: boolean): JsonValue | undefined {
  if (!hasCalls || finish === 'function_call') return finish
  return finishReasonOf(finish, true) === 'tool-calls' ? 'tool_calls' : finish
}

// ── streams ─────────────────────────────────────────────────────────────────────────────────────

function open({ ids, callsOf: turnOf, thoughtsOf }: StreamHelp, speech: Speech): WireStream {
  const tracks = new Map<number, CallTrack>()

  function trackOf(choice: JsonObject): CallTrack {
    const slot = slotOf(choice)
    const track = tracks.get(slot) ?? createCallTrack(ids, turnOf(slot))
    tracks.set(slot, track)
    return track
  }

  /** The chunk with its own calls and finish reasons put right. */
  function fixed(chunk: JsonObject): JsonObject {
    const before = objectsIn(chunk['choices'])
    const choices = before.map(fixedChoice)
    return choices.some((choice, i) => choice !== before[i]) ? { ...chunk, choices } : chunk
  }

  function fixedChoice(choice: JsonObject): JsonObject {
    const { delta, finish_reason: finish } = choice as Fields
    const own = isJsonObject(delta) ? objectsIn(delta['tool_calls']) : []
    if (own.length === 0 && (finish === null || finish === undefined)) return choice
    const track = trackOf(choice)
    const meant = own.filter((call) => track.isMeant(call)).flatMap((call) => track.fix(call))
    const calls = finish == null ? meant : [...meant, ...track.release()]
    const reason = finish == null ? finish : finishOf(finish, track.hasCalls())
    const isFixed = calls.length !== own.length || calls.some((call, i) => call !== own[i])
    if (!isFixed && reason === finish) return choice
    return {
      ...choice,
      ...(isFixed && { delta: withCalls(isJsonObject(delta) ? delta : {}, calls) }),
      ...(reason !== undefined && { finish_reason: reason }),
    }
  }

  /** One frame for each thing that stands in the place of a text. */
  function opFrames(entry: Entry, choice: JsonObject, ops: readonly Op[]): Frame[] {
    return ops.map((op) => {
      if (op.type === 'text') return chunkWith(entry, choice, { content: op.text })
      if (op.type === 'reasoning') return chunkWith(entry, choice, speech.thought(op.text))
      const { index } = trackOf(choice).add()
      return chunkWith(entry, choice, { tool_calls: [{ index, ...wireCall(op.call) }] })
    })
  }

  /** The calls that end the reasoning of the choices that end with this frame. */
  function reasonedFrames(entry: Entry): Frame[] {
    return objectsIn(entry.data['choices']).flatMap((choice) => {
      const reason = endOf(choice['finish_reason'])
      const calls = reason ? thoughtsOf(slotOf(choice)).end(reason) : []
      return opFrames(
        entry,
        choice,
        calls.map((call) => ({ type: 'call', call })),
      )
    })
  }

  function write(entry: Entry, isBeginning: boolean): (Frame | Uint8Array)[] {
    const { data, pieces, bytes } = entry
    const before = isBeginning ? [] : reasonedFrames(entry)
    if (pieces.every(isSame)) {
      const mended = fixed(data)
      if (mended === data) return [...before, bytes]
      return hasMore(mended) ? [...before, reframed(entry, mended)] : before
    }
    const texts = choicesWithText(data)
    const frames = texts.flatMap((choice, i) => opFrames(entry, choice, pieces[i]?.ops ?? []))
    if (isBeginning) return frames
    const rest = withoutText(data)
    return hasMore(rest) ? [...frames, ...before, reframed(entry, fixed(rest))] : frames
  }

  function read(chunk: JsonObject): TextPiece[] {
    return objectsIn(chunk['choices']).flatMap((choice) => {
      hear(choice)
      return pieceOf(choice) ?? []
    })
  }

  /** What there is beside text that is a piece. */
  function hear(choice: JsonObject): void {
    const { delta } = choice as Fields
    if (!isJsonObject(delta) || isOnlyText(delta)) return
    const said = readNative({ content: '', ...delta })
    if (!said) return
    const thoughts = thoughtsOf(slotOf(choice))
    thoughts.think(said.reasoning)
    thoughts.say(said.text)
    if (said.calls.some(({ name }) => name !== undefined)) thoughts.call()
  }

  /** More of the arguments of a call, or of reasoning. */
  function noteIdle({ choices }: JsonObject, text: string): void {
    const [choice] = objectsIn(choices)
    if (!choice) return
    const { delta } = choice as Fields
    const [call] = isJsonObject(delta) ? objectsIn(delta['tool_calls']) : []
    if (call) trackOf(choice).grow(call, text)
    else thoughtsOf(slotOf(choice)).think(text)
  }

  return {
    read,
    write,
    idleText,
    noteIdle,
    answerOf: Number,
    passesText: () => true,
    kept: () => [],
  }
}

function withCalls(message: JsonObject, calls: JsonObject[]): JsonObject {
  const { tool_calls: _, ...others } = message
  return calls.length > 0 ? { ...others, tool_calls: calls } : others
}

/** A piece of reasoning, or of the arguments of a call whose beginning came before. */
function idleText({ choices }: Fields): string | undefined {
  const [choice, second] = objectsIn(choices)
  const { delta, finish_reason: finish } = (choice ?? {}) as Fields
  if (!isJsonObject(delta) || second || finish != null) return undefined
  const { reasoning_content: thought, reasoning = thought, tool_calls: calls } = delta as Fields
  const [call, other] = objectsIn(calls)
  if (!call) return typeof reasoning === 'string' ? reasoning : undefined
  const { id, function: part } = call as Fields
  const { name, arguments: json } = (isJsonObject(part) ? part : {}) as Fields
  return id == null && name == null && !other && typeof json === 'string' ? json : undefined
}

function slotOf({ index }: Fields): number {
  return typeof index === 'number' ? index : 0
}

/** The choices that a piece is read from, in their order. */
function choicesWithText({ choices }: Fields): JsonObject[] {
  return objectsIn(choices).filter((choice) => pieceOf(choice) !== undefined)
}

function isOnlyText({ role: _, content, ...others }: JsonObject): boolean {
  return typeof content === 'string' && Object.keys(others).length === 0
}

function pieceOf(choice: JsonObject): TextPiece | undefined {
  const { delta, finish_reason: finish } = choice as Fields
  const { content, tool_calls: calls } = (isJsonObject(delta) ? delta : {}) as Fields
  const text = typeof content === 'string' ? content : ''
  const slot = slotOf(choice)
  // Calls of the provider's own come after the text.
  const reason = objectsIn(calls).length > 0 ? 'stop' : endOf(finish)
  if (reason) return { slot, text, ends: reason }
  return typeof content === 'string' ? { slot, text } : undefined
}

function endOf(finish: JsonValue | undefined): TextPiece['ends'] {
  if (finish === null || finish === undefined) return undefined
  return finishReasonOf(finish, false) ?? 'stop'
}

/** A chunk like the one that came, with something else in it. */
function chunkWith(entry: Entry, choice: JsonObject, content: JsonObject): Frame {
  const { delta, logprobs, ...rest } = choice as Record<string, JsonValue>
  const { role } = (isJsonObject(delta) ? delta : {}) as Fields
  const told = 'content' in content ? logprobs : null
  const one = {
    ...rest,
    delta: { ...(role !== undefined && { role }), ...content },
    ...(logprobs !== undefined && { logprobs: told ?? null }),
    finish_reason: null,
  }
  const usage = 'usage' in entry.data ? { usage: null } : {}
  return reframed(entry, { ...entry.data, choices: [one], ...usage })
}

function withoutText(chunk: JsonObject): JsonObject {
  const choices = objectsIn(chunk['choices']).map((choice) => {
    const { delta } = choice as Fields
    if (!isJsonObject(delta) || typeof delta['content'] !== 'string') return choice
    const { content: _, role: __, ...rest } = delta
    return { ...choice, delta: rest }
  })
  return { ...chunk, choices }
}

/** True when there is more to a chunk than the text that was taken out. */
function hasMore({ choices, usage }: Fields): boolean {
  if (isJsonObject(usage)) return true
  return objectsIn(choices).some(({ delta, finish_reason: finish }: Fields) => {
    const fields = isJsonObject(delta) ? Object.values(delta) : []
    return finish != null || fields.some((value) => value !== null && value !== '')
  })
}

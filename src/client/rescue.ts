/** Calls that a model wrote into its text, or into its reasoning: found, and made calls like any other. */
import { append } from '../core/append.ts'
import type { ChatEvent, ChatResponse } from '../core/chat.ts'
import { finishReasonOf } from '../core/finish-reason.ts'
import type { Heard } from '../core/heard.ts'
import type { Issue } from '../core/issue.ts'
import { textOf } from '../core/message.ts'
import type { Extraction, FinishReason, Message, Tool, ToolCall } from '../core/model.ts'
import { joined } from '../core/native.ts'
import type { Protocol } from '../core/protocol.ts'
import { Queue } from '../core/queue.ts'
import { createReplyReader, type ExtractOptions, type ReplyReader } from '../extract.ts'
import type { ReadingOptions } from '../reading-options.ts'
import { callEvents } from './reply-events.ts'
import { createDrafts } from './rescue-drafts.ts'
import { createCallIds } from './rescue-fetch/call-ids.ts'
import {
  createTextRescue,
  type Op,
  type Piece,
  type TextRescue,
} from './rescue-fetch/text-rescue.ts'
import { createTurnCalls, type TurnCalls } from './rescue-fetch/turn-calls.ts'
import { sharedTools } from './shared-tools.ts'

export interface RescueOptions {
  /** The tools that may be called, under the names the model knows. None: only reasoning is told apart. */
  readonly tools: readonly Tool[]
  readonly model?: string | undefined
  readonly reading?: ReadingOptions | undefined
  /** The format that the model was asked to write its calls in. */
  readonly expect?: Protocol | undefined
  readonly usedIds?: Iterable<string> | undefined
  /** What others have said in the conversation. */
  readonly heard?: Heard | undefined
  /** True when the model can make calls in its text only: then they are emitted while they arrive. */
  readonly textOnly?: boolean | undefined
}

/**
 * A reply with the calls and the reasoning in its text in their place, and the calls that end its reasoning when that
 * is all there is. A call that the reply has of its own does not come again.
 */
export function rescueResponse(response: ChatResponse, options: RescueOptions): ChatResponse {
  const { message, finishReason } = response
  const text = textOf(message)
  if (text === '' && !message.reasoning) return response
  const reader = readerFor(options)
  const thought = readReasoning(response, reader)
  if (reader.isPlain(text))
    return withFound(response, text, { ...thought, text: thought.text + text })
  const turn = createTurnCalls(options.tools)
  for (const call of message.toolCalls ?? []) turn.addNative(call)
  const said = readWhole(text, finishReason, reader, turn)
  return withFound(response, text, joined(thought, said))
}

const NOTHING: Extraction = { calls: [], text: '', reasoning: '', issues: [], protocol: null }

/** What a text comes to that is all there. */
function readWhole(
  text: string,
  reason: FinishReason,
  reader: ReplyReader,
  turn: TurnCalls,
): Extraction {
  const issues: Issue[] = []
  const rescue = createTextRescue(reader.open(), {
    rescued: (call) => (turn.isNative(call) ? undefined : call),
    noted: (issue) => void issues.push(issue),
  })
  return { ...sumOf(rescue.whole(text, reason)), issues }
}

function sumOf(ops: readonly Op[]): Extraction {
  let [text, reasoning] = ['', '']
  const calls: ToolCall[] = []
  for (const op of ops) {
    if (op.type === 'call') calls.push(op.call)
    else if (op.type === 'text') text += op.text
    else reasoning += op.text
  }
  return { ...NOTHING, calls, text, reasoning }
}

/** What is in the reasoning that the server keeps apart, once there is all of the reply. */
function readReasoning(response: ChatResponse, reader: ReplyReader, isBroken = false): Extraction {
  const { message, finishReason } = response
  const { reasoning } = message
  if (!reasoning) return NOTHING
  // What would have followed reasoning that broke off is not known: it may have been a draft.
  const channel = { reasoning, text: textOf(message), hasCalls: isBroken || hasCalls(response) }
  return reader.readChannel(channel, finishReason)
}

export interface StreamRescue {
  push(event: ChatEvent): ChatEvent[]
  /** The stream broke: what was found until then is added to what is known of the reply. */
  breakOff(partial: ChatResponse): ChatResponse
}

type NativeEvent = Extract<ChatEvent, { readonly index: number }>

/**
 * The same for a reply that arrives in pieces. Calls are emitted as soon as they are complete. When the provider
 * sends one of them again as its own, that one is left out: it is held back until it is known whether it is the same.
 */
export function createStreamRescue(options: RescueOptions): StreamRescue {
  const reader = readerFor(options)
  const ids = createCallIds(undefined, undefined)
  const turn = createTurnCalls(options.tools)
  const drafts = createDrafts(options.textOnly ?? false)
  const raw: string[] = []
  const ops: Op[] = []
  const issues: Issue[] = []
  /** All calls in the order in which they were emitted. */
  const emitted: ToolCall[] = []
  /** The provider's own calls: under which index they are emitted, or what is held back of them. */
  const places = new Map<number, number>()
  const held = new Map<number, NativeEvent[]>()
  const growing = new Map<number, { readonly name: string; arguments: string }>()
  const repeated = new Set<string>()
  const queue = new Queue<Piece>()
  let text: TextRescue | undefined
  let out: ChatEvent[] = []
  let next = 0

  function openText(): TextRescue {
    return createTextRescue(reader.open(), {
      rescued(found) {
        if (turn.isNative(found)) return undefined
        turn.addRescued(found)
        return drafts.isBegun(found.id) ? found : { ...found, id: ids.fit(found.id) }
      },
      noted: (issue) => void issues.push(issue),
      drafted(event) {
        const issue = drafts.note(event)
        if (issue) out.push(issue)
      },
    })
  }

  function readText(chunk: string): void {
    raw.push(chunk)
    text ??= openText()
    const piece = text.pass(chunk)
    if (piece) queue.push(piece)
    drain()
    if (!piece) emit({ type: 'text', text: chunk })
    out.push(...drafts.grow(() => next++))
  }

  /** What is known of the text so far; a call that is read stays behind. */
  function drain(): void {
    // Of those after the first that waits nothing is known.
    for (let { head } = queue; head; head = queue.head) {
      for (const op of head.ops) emit(op)
      head.ops = []
      if (!head.isDone) return
      queue.shift()
    }
  }

  function emit(op: Op): void {
    ops.push(op)
    if (op.type === 'text') out.push({ type: 'text-delta', text: op.text })
    else if (op.type === 'reasoning') out.push({ type: 'reasoning-delta', text: op.text })
    else emitCall(op.call)
  }

  function emitCall(call: ToolCall): void {
    emitted.push(call)
    const rest = drafts.end(call)
    out.push(...(rest ?? callEvents(call, next++)))
  }

  function endText(reason: FinishReason): void {
    text?.end(reason)
    text = undefined
    drain()
  }

  /** A call of the provider's own. */
  function readCall(event: NativeEvent): void {
    if (event.type === 'call-start') {
      // Calls come after the text.
      endText('stop')
      if (turn.mayRepeat(event)) held.set(event.index, [])
      else place(event.index, event.name)
    } else if (event.type === 'call-delta') {
      const known = growing.get(event.index)
      if (known) known.arguments += event.argumentsDelta
    }
    const waiting = held.get(event.index)
    if (waiting) waiting.push(event)
    else emitNative(event)
    if (event.type === 'call-end') settle(event.index, event.call)
    else if (event.type === 'call-abort' && waiting) release(event.index, waiting)
  }

  /** From here on the call is emitted. The same may come in the text before it is complete. */
  function place(index: number, name: string): void {
    places.set(index, next++)
    const native = { name, arguments: '' }
    growing.set(index, native)
    turn.addNative(native)
  }

  function emitNative(event: NativeEvent): void {
    const index = places.get(event.index) ?? event.index
    out.push(index === event.index ? event : { ...event, index })
  }

  /** All of a call has come. */
  function settle(index: number, call: ToolCall): void {
    const waiting = held.get(index)
    if (waiting && turn.isRescued(call)) {
      held.delete(index)
      repeated.add(call.id)
      return
    }
    ids.note(call.id)
    emitted.push(call)
    if (waiting) release(index, waiting)
    // As it is now: a call may have come without deltas.
    const known = growing.get(index)
    if (known) known.arguments = JSON.stringify(call.arguments)
  }

  function release(index: number, waiting: readonly NativeEvent[]): void {
    held.delete(index)
    const [first] = waiting
    if (first?.type === 'call-start') place(index, first.name)
    for (const event of waiting) emitNative(event)
  }

  function said(reason: FinishReason): Extraction {
    const isOpen = issues.some(({ code }) => code === 'orphan-reasoning-end')
    // What was emitted as text before the end of its reasoning came is reasoning in the reply.
    const { text, reasoning } = isOpen
      ? readWhole(raw.join(''), reason, reader, createTurnCalls(options.tools))
      : sumOf(ops)
    return { ...sumOf(ops), text, reasoning, issues }
  }

  function settled(response: ChatResponse, thought: Extraction): ChatResponse {
    const found = joined(thought, said(response.finishReason))
    return withFound(withoutRepeats(response, repeated), raw.join(''), found, emitted)
  }

  function finish(response: ChatResponse): void {
    endText(response.finishReason)
    for (const [index, waiting] of held) release(index, waiting)
    const thought = readReasoning(response, reader)
    append(out, lateEvents(thought, next))
    out.push({ type: 'finish', response: settled(response, thought) })
  }

  function take(event: ChatEvent): void {
    if (event.type === 'text-delta') readText(event.text)
    else if (event.type === 'finish') finish(event.response)
    else if ('index' in event) readCall(event)
    else out.push(event)
  }

  return {
    push(event) {
      out = []
      take(event)
      return out
    },
    breakOff(partial) {
      endText('length')
      return settled(partial, readReasoning(partial, reader, true))
    },
  }
}

/** The calls that were left out because they were found in the text before. */
function withoutRepeats(response: ChatResponse, repeated: ReadonlySet<string>): ChatResponse {
  const { toolCalls: all, ...message } = response.message
  if (!all || repeated.size === 0) return response
  const toolCalls = all.filter(({ id }) => !repeated.has(id))
  return { ...response, message: toolCalls.length > 0 ? { ...message, toolCalls } : message }
}

/**
 * What reasoning turns out to be when it was the last thing said. It was passed on as reasoning and is not
 * taken back: its calls come beside it, and the response at the end has it without them.
 */
function lateEvents({ calls, text, issues }: Extraction, next: number): ChatEvent[] {
  return [
    ...calls.flatMap((call, i) => callEvents(call, next + i)),
    ...(text === '' ? [] : [{ type: 'text-delta', text } as const]),
    ...issues.map((issue) => ({ type: 'issue', issue }) as const),
  ]
}

function readerFor({ tools, model, reading, expect, usedIds, heard }: RescueOptions): ReplyReader {
  if (tools.length === 0) return createReplyReader(ONLY_REASONING)
  // A conversation needs ids that do not repeat, whatever a preset says.
  const own = { tools: sharedTools(tools), model, expect, usedIds, heard, ensureUniqueIds: true }
  return createReplyReader({ ...reading, ...own, trace: true })
}

const ONLY_REASONING: ExtractOptions = { capabilities: { selfContainedTools: true }, trace: true }

/** `order`: calls of both kinds as they came, where that is known; otherwise those in the text came first. */
function withFound(
  response: ChatResponse,
  text: string,
  found: Extraction,
  order: readonly ToolCall[] = [],
): ChatResponse {
  const { message } = response
  const { calls, reasoning, issues } = found
  const isSame =
    calls.length === 0 && reasoning === (message.reasoning ?? '') && found.text === text
  if (isSame && issues.length === 0) return response
  const toolCalls = inOrder([...calls, ...(message.toolCalls ?? [])], order)
  const { reasoning: _, ...others } = message
  return {
    ...response,
    message: {
      ...others,
      ...(!isSame && { content: replaceText(message.content, found.text) }),
      ...(reasoning !== '' && { reasoning }),
      ...(toolCalls.length > 0 && { toolCalls }),
    },
    finishReason:
      calls.length > 0
        ? (finishReasonOf(response.finishReason, true) ?? 'tool-calls')
        : response.finishReason,
    issues: [...response.issues, ...issues],
  }
}

function inOrder(calls: readonly ToolCall[], order: readonly ToolCall[]): readonly ToolCall[] {
  const ranks = new Map(order.map(({ id }, rank) => [id, rank]))
  const rankOf = ({ id }: ToolCall): number => ranks.get(id) ?? order.length
  return calls.toSorted((one, other) => rankOf(one) - rankOf(other))
}

function hasCalls({ message }: ChatResponse): boolean {
  return (message.toolCalls?.length ?? 0) > 0
}

/** Another text in the same place; images and files stay. */
function replaceText(content: Message['content'], text: string): Message['content'] {
  if (typeof content === 'string') return text
  const others = content.filter(({ type }) => type !== 'text')
  return others.length === 0 ? text : [{ type: 'text', text }, ...others]
}

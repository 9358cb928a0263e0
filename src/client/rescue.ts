/** Calls that a model wrote into its text, or into its reasoning: found, and made calls like any other. */
import type { ChatEvent, ChatResponse } from '../core/chat.ts'
import { finishReasonOf } from '../core/finish-reason.ts'
import { textOf } from '../core/message.ts'
import type { ExtractEvent, Extraction, Message, Tool, ToolCall } from '../core/model.ts'
import { joined } from '../core/native.ts'
import type { Protocol } from '../core/protocol.ts'
import { createExtractor, createReplyReader, type ExtractOptions, extract } from '../extract.ts'
import { callEvents } from './reply-events.ts'
import { sharedTools } from './shared-tools.ts'

export interface RescueOptions {
  /** The tools that may be called, under the names the model knows. None: only reasoning is told apart. */
  readonly tools: readonly Tool[]
  readonly model?: string | undefined
  readonly protocols?: 'auto' | readonly Protocol[] | undefined
  readonly usedIds?: Iterable<string> | undefined
  /**
   * True when the model can make calls in its text only: then they are told while they arrive. Otherwise
   * they wait for the end, for they count only when no proper call comes.
   */
  readonly textOnly?: boolean | undefined
}

/**
 * A reply with the calls that stand in its text, or end its reasoning when that is all there is. When it has
 * calls of its own the text is left alone, but for reasoning that leaked into it.
 */
export function rescueResponse(response: ChatResponse, options: RescueOptions): ChatResponse {
  const { message, finishReason } = response
  const text = textOf(message)
  if (text === '' && !message.reasoning) return response
  const found = extract(text, { ...settings(options, hasCalls(response)), finishReason })
  return withFound(response, text, joined(readReasoning(response, options), found))
}

const NOTHING: Extraction = { calls: [], text: '', reasoning: '', issues: [], protocol: null }

/** What stands in the reasoning that the server keeps apart, once there is all of the reply. */
function readReasoning(
  response: ChatResponse,
  options: RescueOptions,
  isBroken = false,
): Extraction {
  const { message, finishReason } = response
  const { reasoning } = message
  if (!reasoning) return NOTHING
  // What would have followed reasoning that broke off is not known: it may have been a draft.
  const channel = { reasoning, text: textOf(message), hasCalls: isBroken || hasCalls(response) }
  return createReplyReader(settings(options, false)).readChannel(channel, finishReason)
}

export interface StreamRescue {
  push(event: ChatEvent): ChatEvent[]
  /** The stream broke: what was found until then is added to what is known of the reply. */
  breakOff(partial: ChatResponse): ChatResponse
}

/** The same for a reply that arrives in pieces. */
export function createStreamRescue(options: RescueOptions): StreamRescue {
  const { textOnly = false } = options
  const raw: string[] = []
  let extractor = createExtractor(settings(options, false))
  /** Characters of text that were told. */
  let told = 0
  /** Calls found in the text, and what follows them, while proper calls may still come. */
  let held: ChatEvent[] = []
  let isHolding = false
  let foundCall = false
  let isNative = false

  function tell(events: readonly ExtractEvent[]): ChatEvent[] {
    const now: ChatEvent[] = []
    for (const event of events) {
      const isCall = event.type.startsWith('call-')
      foundCall ||= isCall
      isHolding ||= isCall && !textOnly
      if (event.type === 'text-delta' && !isHolding) told += event.text.length
      ;(isHolding ? held : now).push(asChatEvent(event))
    }
    return now
  }

  /** Proper calls have come: what looks like a call in the text is text. */
  function becomeNative(): ChatEvent[] {
    isNative = true
    isHolding = false
    held = []
    extractor = createExtractor(settings(options, true))
    extractor.push(raw.join(''))
    const text = extractor.result().text.slice(told)
    told += text.length
    return text === '' ? [] : [{ type: 'text-delta', text }]
  }

  function finish(response: ChatResponse): ChatEvent[] {
    const { finishReason } = response
    const last = tell(extractor.end({ finishReason }))
    const thought = readReasoning(response, options)
    const rescued = withFound(response, raw.join(''), joined(thought, extractor.result()))
    const found = [...completeCalls(held), ...lateEvents(thought)]
    return [...last, ...found, { type: 'finish', response: rescued }]
  }

  return {
    push(event) {
      if (event.type === 'text-delta') {
        raw.push(event.text)
        return tell(extractor.push(event.text))
      }
      if (event.type === 'finish') return finish(event.response)
      if (event.type !== 'call-start' || isNative) return [event]
      // Calls in the text were told already; there is no way back from them.
      if (textOnly && foundCall) return [event]
      return [...becomeNative(), event]
    },
    breakOff(partial) {
      extractor.end({ finishReason: 'length' })
      const thought = readReasoning(partial, options, true)
      return withFound(partial, raw.join(''), joined(thought, extractor.result()))
    },
  }
}

/**
 * Calls that came to nothing are left out: when the end is known, nobody need see their beginnings. The
 * others are counted anew.
 */
function completeCalls(events: readonly ChatEvent[]): ChatEvent[] {
  const aborted = new Set(
    events.flatMap((event) => (event.type === 'call-abort' ? [event.index] : [])),
  )
  if (aborted.size === 0) return [...events]
  const before = (index: number): number => [...aborted].filter((one) => one < index).length
  return events.flatMap((event): ChatEvent[] => {
    if (!('index' in event)) return [event]
    return aborted.has(event.index) ? [] : [{ ...event, index: event.index - before(event.index) }]
  })
}

/**
 * What reasoning turns out to be when it was the last thing said. It was passed on as reasoning and is not
 * taken back: its calls come beside it, and the response at the end has it without them.
 */
function lateEvents({ calls, text, issues }: Extraction): ChatEvent[] {
  return [
    ...calls.flatMap((call, index) => callEvents(call, index)),
    ...(text === '' ? [] : [{ type: 'text-delta', text } as const]),
    ...issues.map((issue) => ({ type: 'issue', issue }) as const),
  ]
}

function settings(
  { tools, model, protocols = 'auto', usedIds }: RescueOptions,
  isNative: boolean,
): ExtractOptions {
  if (isNative || tools.length === 0) return { capabilities: { selfContainedTools: true } }
  return { tools: sharedTools(tools), protocols, ...(model !== undefined && { model }), usedIds }
}

function withFound(response: ChatResponse, text: string, found: Extraction): ChatResponse {
  const { message } = response
  const { calls, reasoning, issues } = found
  const isSame =
    calls.length === 0 && reasoning === (message.reasoning ?? '') && found.text === text
  if (isSame && issues.length === 0) return response
  const toolCalls: readonly ToolCall[] = [...(message.toolCalls ?? []), ...calls]
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

function asChatEvent(event: ExtractEvent): ChatEvent {
  if (event.type !== 'call-start') return event
  const { type, index, id, name } = event
  return { type, index, id, name }
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

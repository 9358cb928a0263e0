/** Reading streams: what the dialects have in common once a frame is JSON. */
import type { ChatEvent, ChatResponse, StreamFailure } from '../core/chat.ts'
import type { DecodeResponseOptions, Frame, StreamDecoder } from '../core/dialect.ts'
import { createIdMint } from '../core/ids.ts'
import { isTooDeep, TOO_DEEP } from '../core/json/depth.ts'
import { parseStrict } from '../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import { decodeArguments } from '../core/native/arguments.ts'
import { bareText } from './freeform.ts'

/** What a dialect tells while it reads frames. */
export interface StreamTeller {
  start(id?: unknown, model?: unknown): void
  text(piece: unknown): void
  reasoning(piece: unknown): void
  /**
   * A call begins whose name is known. An id that is missing or taken is made up. `own` is what goes back with
   * the call; more of it may be added until the call ends.
   */
  call(name: string, id?: unknown, own?: JsonObject): OpenCall
  /** Something that only this dialect has, for a stream in the same dialect. */
  extra(dialect: string, fields: JsonObject): void
  /** The provider reports a failure: nothing that follows counts. */
  fail(failure: StreamFailure): void
  /**
   * The reply is complete; more frames may still bring the usage. Not certain: it is complete if the stream ends
   * here, and may as well go on.
   */
  complete(isCertain?: boolean): void
  /** The reply is complete, and this was the last frame that it has. */
  close(): void
}

export interface OpenCall {
  /** The id to keep in the body. */
  readonly id: string
  delta(json: unknown): void
  end(): void
}

/** Reads the frames of one dialect. */
export interface StreamReader {
  read(data: JsonObject, event: string | undefined): void
  /** The reply as it would have come whole. */
  body(): JsonObject
}

/** The last word of streams like OpenAI's; some servers give no other sign that all went well. */
const DONE = '[DONE]'
const CUT_TEXT = {
  code: 'truncated-call',
  message: 'the reply was cut off, and with it perhaps the text for the tool',
} as const
const CUT_OFF = 'the stream ended before the reply was complete'

export function createDecoder(
  open: (teller: StreamTeller) => StreamReader,
  decode: (body: JsonObject, options?: DecodeResponseOptions) => ChatResponse,
  options: DecodeResponseOptions = {},
): StreamDecoder {
  const mint = createIdMint(options)
  const calls: { isOpen: boolean; end(): void }[] = []
  /** Calls with a text alone: whether it is whole is known when the reply is. */
  const texts: { readonly index: number; readonly id: string; readonly text: string }[] = []
  let events: ChatEvent[] = []
  let isComplete = false
  let isCertain = false
  let hasEnded = false
  let isOver = false
  let isStarted = false

  const reader = open({
    start(id, model) {
      if (isStarted) return
      isStarted = true
      events.push({ type: 'start', ...textField('id', id), ...textField('model', model) })
    },
    text: (piece) => tellText('text-delta', piece),
    reasoning: (piece) => tellText('reasoning-delta', piece),
    call: openCall,
    extra: (dialect, fields) => events.push({ type: 'extra', extra: { [dialect]: fields } }),
    fail,
    complete(certain = true) {
      isComplete = true
      isCertain ||= certain
    },
    close,
  })

  function close(): void {
    isComplete = true
    isCertain = true
    hasEnded = true
  }

  function tellText(type: 'text-delta' | 'reasoning-delta', text: unknown): void {
    if (typeof text === 'string' && text !== '') events.push({ type, text })
  }

  function openCall(name: string, given?: unknown, own: JsonObject = {}): OpenCall {
    const index = calls.length
    const { id } = mint.claim(typeof given === 'string' ? given : undefined, name, index)
    const pieces: string[] = []
    events.push({ type: 'call-start', index, id, name, ...providerField(own) })
    const state = {
      isOpen: true,
      end(): void {
        if (!state.isOpen) return
        state.isOpen = false
        const text = pieces.join('')
        const isText = options.freeform?.has(name) && bareText(text) !== undefined
        if (isText) texts.push({ index, id, text })
        else events.push(endOfCall(index, id, name, text, own))
      },
    }
    calls.push(state)
    return {
      id,
      delta(json) {
        if (typeof json !== 'string' || json === '' || !state.isOpen) return
        pieces.push(json)
        events.push({ type: 'call-delta', index, argumentsDelta: json })
      },
      end: state.end,
    }
  }

  function finish(): void {
    const response = decode(reader.body(), options)
    for (const { index, id, text } of texts) {
      const call = response.message.toolCalls?.find((one) => one.id === id)
      const issue = { ...CUT_TEXT, callId: id, raw: text }
      events.push(call ? { type: 'call-end', index, call } : { type: 'call-abort', index, issue })
    }
    events.push({ type: 'finish', response })
  }

  function fail(error: StreamFailure): void {
    if (isOver) return
    isOver = true
    const partial = decode(reader.body(), options)
    const message = { ...partial.message, isAborted: true }
    events.push({ type: 'error', error: { ...error, partial: { ...partial, message } } })
  }

  function take(): ChatEvent[] {
    const taken = events
    events = []
    return taken
  }

  return {
    push({ data, event }: Frame) {
      // To leave it out would be to lose a part of the reply in silence.
      if (!isOver && isTooDeep(data)) fail({ message: `a frame is ${TOO_DEEP}`, code: 'too-deep' })
      const value = isOver ? undefined : parseFrame(data)
      if (isJsonObject(value)) reader.read(value, event)
      else if (data.trim() === DONE) close()
      return take()
    },
    isComplete: () => isCertain,
    hasEnded: () => hasEnded || isOver,
    end() {
      if (isOver) return []
      for (const call of calls) call.end()
      if (!isComplete) fail({ message: CUT_OFF, code: 'truncated-stream' })
      isOver = true
      if (isComplete) finish()
      return take()
    },
  }
}

/** Nearly every frame is an object, so that it is not worth while to look before reading it. */
function parseFrame(data: string): JsonValue | undefined {
  if (!data.startsWith('{')) return parseStrict(data)
  try {
    // The only thing JSON.parse returns is JSON.
    return JSON.parse(data) as JsonValue
  } catch {
    return undefined
  }
}

function endOfCall(
  index: number,
  id: string,
  name: string,
  text: string,
  own: JsonObject,
): ChatEvent {
  const read = decodeArguments(text, { repair: 'safe' })
  if (read.fault) {
    const issue = { ...read.fault, name, callId: id, raw: text }
    return { type: 'call-abort', index, issue }
  }
  const { value, repairs } = read
  return {
    type: 'call-end',
    index,
    call: {
      id,
      name,
      arguments: value,
      rawArguments: text,
      origin: 'native',
      ...(repairs.length > 0 && { repairs }),
      ...providerField(own),
    },
  }
}

function providerField(own: JsonObject): { readonly provider?: JsonObject } {
  return Object.keys(own).length > 0 ? { provider: { ...own } } : {}
}

function textField(key: string, value: unknown): JsonObject {
  return typeof value === 'string' && value !== '' ? { [key]: value } : {}
}

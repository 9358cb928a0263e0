/** Calls that stand in the text of a reply put in their place, in the reply's own dialect. */
import { parseStrict } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject } from '../../core/json/value.ts'
import type { FinishReason, ToolCall } from '../../core/model.ts'
import { equalJson } from '../../core/schema/equal.ts'
import { createExtractor, type ExtractOptions } from '../../extract.ts'
import { type CallIds, createCallIds } from './call-ids.ts'
import type { Exchange } from './exchange.ts'
import { createStreamMender, type StreamMender } from './rescue-stream.ts'
import { createTextRescue, type Op, type TextRescue } from './text-rescue.ts'
import { createTurnCalls, type TurnCalls } from './turn-calls.ts'
import { unfailing } from './unfailing.ts'
import { callsOf } from './wire.ts'

export interface MendingOptions {
  /** The formats to look for. Default: all that need no asking. */
  readonly protocols?: ExtractOptions['protocols'] | undefined
  /** The model behind the server, when the name in the requests does not tell its family. */
  readonly model?: string | undefined
  /** Told of every call that was rescued. What it throws is ignored. */
  readonly onRescue?: ((rescue: Rescue) => void) | undefined
}

export interface BodyMendingOptions extends MendingOptions {
  /** The calls that the body has beside its text, where they are known. */
  readonly native?: readonly ToolCall[] | undefined
}

export interface Rescue {
  readonly dialect: string
  readonly model: string
  readonly call: ToolCall
}

/** For the bytes of a stream, as they come. */
export function mendStream(exchange: Exchange, options: MendingOptions): StreamMender {
  const { wire } = exchange
  const turns = new Map<number, TurnCalls>()

  function callsOf(answer: number): TurnCalls {
    const turn = turns.get(answer) ?? createTurnCalls()
    turns.set(answer, turn)
    return turn
  }

  const { ids, openText } = createRescuer(exchange, options)
  const open = (answer: number) => openText(callsOf(answer))
  return unfailing(createStreamMender(wire, wire.open({ ids, callsOf }), open))
}

/** A whole reply as it should have been; undefined when it is, or when there is no telling. */
export function mendBytes(
  bytes: Uint8Array,
  exchange: Exchange,
  options: MendingOptions,
): string | undefined {
  const body = parseStrict(new TextDecoder().decode(bytes))
  if (!isJsonObject(body)) return undefined
  try {
    const mended = mendBody(body, exchange, options)
    return mended === body ? undefined : JSON.stringify(mended)
  } catch {
    // Mending must never make a reply worse.
    return undefined
  }
}

/** The body with every call in its place, or the same body when there is nothing to do. */
export function mendBody(
  body: JsonObject,
  exchange: Exchange,
  options: BodyMendingOptions,
): JsonObject {
  const { ids, openText } = createRescuer(exchange, options)
  const { wire } = exchange
  let { native } = options

  /** Some servers leave a call in the text that they have understood. */
  function isTold(call: ToolCall): boolean {
    native ??= wire.dialect.decodeResponse(body).message.toolCalls ?? []
    return native.some((own) => own.name === call.name && equalJson(own.arguments, call.arguments))
  }

  return wire.mend(body, {
    ids,
    rescue(text, reason) {
      const ops = opsOf(openText(), text, reason)
      if (callsOf(ops).length === 0) return undefined
      return ops.filter((op) => op.type === 'text' || !isTold(op.call))
    },
  })
}

function opsOf(rescue: TextRescue, text: string, reason: FinishReason = 'stop'): readonly Op[] {
  const piece = rescue.push(text)
  rescue.end(reason)
  return piece.ops
}

interface Rescuer {
  readonly ids: CallIds
  /** In a stream, with the calls that were passed on. */
  readonly openText: (turn?: TurnCalls) => TextRescue
}

function createRescuer(exchange: Exchange, options: MendingOptions): Rescuer {
  const { wire, tools, wantsJson } = exchange
  const { protocols, model = exchange.model, onRescue } = options
  const ids = createCallIds(wire.dialect.rules.callId, exchange.usedIds)

  function rescued(found: ToolCall, turn: TurnCalls | undefined): ToolCall | undefined {
    if (turn?.isNative(found)) return undefined
    const call = { ...found, id: ids.fit(found.id) }
    turn?.addRescued(call)
    try {
      onRescue?.({ dialect: wire.dialect.id, model, call })
    } catch {
      // The reply must not suffer from who looks on.
    }
    return call
  }

  function openText(turn?: TurnCalls): TextRescue {
    const extractor = createExtractor({
      tools,
      model,
      reasoning: 'text',
      trace: true,
      ...(protocols && { protocols }),
      ...(wantsJson && { rawJson: 'off' }),
    })
    return createTextRescue(extractor, (call) => rescued(call, turn))
  }

  return { ids, openText }
}

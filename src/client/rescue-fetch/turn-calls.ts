/**
 * The calls of one turn of a stream, to notice one that comes twice: some servers leave a call in the text
 * that they have understood. Nothing of the provider's is kept back to find out, so there is no way to
 * tell when a call stood in the text and was passed on, and the same then comes piece by piece.
 */
import { parseObject } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject } from '../../core/json/value.ts'
import type { ToolCall } from '../../core/model.ts'
import { equalJson } from '../../core/schema/equal.ts'

export interface TurnCalls {
  /** A call of the provider's own is complete. */
  addNative(call: NativeCall): void
  /** True when a call from the text is one of the provider's. */
  isNative(call: ToolCall): boolean
  /** A call was found in the text. */
  addRescued(call: ToolCall): void
  /** True when a call of the provider's own, which came in one piece, was found in the text before. */
  isRescued(call: NativeCall): boolean
}

/** As it is on the wire. */
export interface NativeCall {
  readonly name: unknown
  /** An object, or JSON text. */
  readonly arguments: unknown
}

type Known = Pick<ToolCall, 'name' | 'arguments'>

export function createTurnCalls(): TurnCalls {
  const natives: NativeCall[] = []
  const rescued: Known[] = []

  return {
    addNative: (call) => void natives.push(call),
    // Arguments are read only when there is something to compare them with.
    isNative: (call) => natives.some((own) => isEqual(call, own)),
    addRescued: (call) => void rescued.push(call),
    isRescued(call) {
      const at = rescued.findIndex((one) => isEqual(one, call))
      // The provider may well mean another one like it.
      if (at >= 0) rescued.splice(at, 1)
      return at >= 0
    },
  }
}

function isEqual(call: Known, { name, arguments: args }: NativeCall): boolean {
  if (name !== call.name) return false
  const own = objectOf(args)
  return own !== undefined && equalJson(call.arguments, own)
}

function objectOf(args: unknown): JsonObject | undefined {
  if (typeof args === 'string') return parseObject(args)
  return isJsonObject(args) ? args : undefined
}

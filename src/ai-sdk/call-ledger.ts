/**
 * The calls of one reply, so that none is made twice: some servers leave a call in the text that they
 * have understood. Each call stands for one other, because a model may well mean the same call twice.
 */
import { parseObject } from '../core/json/strict.ts'
import type { ToolCall } from '../core/model.ts'
import { equalJson } from '../core/schema/equal.ts'
import type { CallPart } from './language-model.ts'

export interface CallLedger {
  noteNative(call: CallPart): void
  noteFound(call: ToolCall): void
  /** True when calls of the model have come that may yet be found in its text. */
  awaitsFound(): boolean
  /** True when calls were found in the text that the model may yet make itself. */
  awaitsNative(): boolean
  /** True when the model made this call itself. */
  takeNative(call: ToolCall): boolean
  /** True when this call was found in the text. */
  takeFound(call: CallPart): boolean
}

type Made = Pick<ToolCall, 'name' | 'arguments'>

export function createCallLedger(): CallLedger {
  const native: Made[] = []
  const found: Made[] = []
  return {
    noteNative(call) {
      const made = madeBy(call)
      if (made) native.push(made)
    },
    noteFound: (call) => void found.push(call),
    awaitsFound: () => native.length > 0,
    awaitsNative: () => found.length > 0,
    takeNative: (call) => take(native, call),
    takeFound: (call) => take(found, madeBy(call)),
  }
}

/** Undefined when the call is not for us, or cannot be compared. */
function madeBy({ toolName, input, providerExecuted }: CallPart): Made | undefined {
  if (providerExecuted) return undefined
  const args = input.trim() === '' ? {} : parseObject(input)
  return args && { name: toolName, arguments: args }
}

function take(list: Made[], call: Made | undefined): boolean {
  const at = list.findIndex(
    (other) => other.name === call?.name && equalJson(other.arguments, call.arguments),
  )
  if (at === -1) return false
  list.splice(at, 1)
  return true
}

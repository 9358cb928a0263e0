/**
 * The calls of one turn, to notice one that comes twice: some servers leave a call in the text that they have
 * understood. Calls in the text beside calls of the provider's own are all made, but the same call is made once. In
 * a stream, a call of the provider's own is held back only while it may repeat one that was found in the text.
 */
import { parseObject } from '../../core/json/strict.ts'
import { isJsonObject, type JsonObject } from '../../core/json/value.ts'
import type { Tool, ToolCall } from '../../core/model.ts'
import { equalJson } from '../../core/schema/equal.ts'
import { schemaFit } from '../../core/schema/fit.ts'

export interface TurnCalls {
  /** A call of the provider's own is complete. */
  addNative(call: NativeCall): void
  /** True when a call from the text is one of the provider's. */
  isNative(call: ToolCall): boolean
  /** A call was found in the text. */
  addRescued(call: ToolCall): void
  /** True when a call of the provider's own with this name may be one that was found in the text before. */
  mayRepeat(call: Pick<NativeCall, 'name' | 'namespace'>): boolean
  /** True when a call of the provider's own, all of which has come, was found in the text before. */
  isRescued(call: NativeCall): boolean
}

/** As it is on the wire. */
export interface NativeCall {
  readonly name: unknown
  /** The group that the tool is in, where its API has groups. */
  readonly namespace?: unknown
  /** An object, or JSON text. */
  readonly arguments: unknown
}

type Known = Pick<ToolCall, 'name' | 'arguments'>

/** `tools`: their schemas say which arguments come to the same. */
export function createTurnCalls(tools: readonly Tool[]): TurnCalls {
  const natives: NativeCall[] = []
  const rescued: Known[] = []

  return {
    addNative: (call) => void natives.push(call),
    // Arguments are read only when there is something to compare them with.
    isNative: (call) => natives.some((own) => isEqual(call, own, tools)),
    addRescued: (call) => void rescued.push(call),
    mayRepeat: (call) => rescued.some((one) => isNamed(one, call, tools)),
    isRescued(call) {
      const at = rescued.findIndex((one) => isEqual(one, call, tools))
      // The provider may well mean another one like it.
      if (at >= 0) rescued.splice(at, 1)
      return at >= 0
    },
  }
}

/** Arguments from the text were fitted to the schema, and `"3"` is 3 by then; those of a provider were not. */
function isEqual(call: Known, native: NativeCall, tools: readonly Tool[]): boolean {
  if (!isNamed(call, native, tools)) return false
  const own = objectOf(native.arguments)
  if (own === undefined) return false
  if (equalJson(call.arguments, own)) return true
  const schema = tools.find(({ name }) => name === call.name)?.inputSchema
  return schema !== undefined && equalJson(call.arguments, schemaFit.fit(own, schema, []).value)
}

/** Calls from the text have the one name of their tool, those of a provider also that in its namespace. */
function isNamed(
  { name }: Pick<Known, 'name'>,
  { name: given, namespace }: Pick<NativeCall, 'name' | 'namespace'>,
  tools: readonly Tool[],
): boolean {
  if (typeof namespace !== 'string') return given === name
  const own = tools.find((tool) => tool.name === name)?.provider
  return own?.['namespace'] === namespace && own['name'] === given
}

function objectOf(args: unknown): JsonObject | undefined {
  if (typeof args === 'string') return parseObject(args)
  return isJsonObject(args) ? args : undefined
}

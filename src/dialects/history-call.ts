/** Calls and results of earlier turns, as they stand in requests. */
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import type { Message, ToolCall, ToolResult } from '../core/model.ts'
import { decodeArguments } from '../core/native/arguments.ts'
import type { NativeCall } from '../core/native/call.ts'
import { runsOf } from '../core/runs.ts'

/** The key under which arguments travel that are no JSON, where an object is wanted. */
const RAW_INPUT = 'rawInvalidInput'

/**
 * A call as a client sends it back. Nothing is checked: an id that is missing is empty, and arguments
 * that cannot be read are kept as text. {@link heal} makes such a history fit to be sent.
 */
export function readHistoryCall(native: NativeCall): ToolCall {
  const { id = '', name = '', rawArguments, provider } = native
  const read = decodeArguments(native.arguments, { repair: 'off' })
  return {
    id,
    name,
    arguments: read.fault ? { [RAW_INPUT]: rawArguments ?? '' } : read.value,
    ...(rawArguments !== undefined && { rawArguments }),
    origin: 'native',
    ...(provider && { provider }),
  }
}

/** Arguments as JSON text: the provider's own, byte for byte, when it still says the same. */
export function callArgumentsText({ arguments: args, rawArguments }: ToolCall): string {
  if (rawArguments === undefined) return JSON.stringify(args)
  if (args[RAW_INPUT] === rawArguments) return rawArguments
  // No arguments come as nothing or as `null`, which strict servers do not take back.
  if (!rawArguments.trimStart().startsWith('{')) return JSON.stringify(args)
  const read = decodeArguments(rawArguments, { repair: 'off' })
  const same = !read.fault && JSON.stringify(read.value) === JSON.stringify(args)
  return same ? rawArguments : JSON.stringify(args)
}

const ERROR_PREFIX = /^\[ERROR(?::([\w.:-]{1,64}))?\] /

/** A result in which a failure is told by its first words, as in dialects without a flag. */
export function readMarkedResult(result: ToolResult): ToolResult {
  const { content } = result
  const [first, ...rest] = typeof content === 'string' ? [] : content
  const text = typeof content === 'string' ? content : first?.type === 'text' ? first.text : ''
  const [prefix, errorCode] = ERROR_PREFIX.exec(text) ?? []
  if (prefix === undefined) return result
  const left = text.slice(prefix.length)
  return {
    ...result,
    content:
      typeof content === 'string'
        ? left
        : [...(left === '' ? [] : [{ type: 'text', text: left } as const]), ...rest],
    isError: true,
    ...(errorCode !== undefined && { errorCode }),
  }
}

/** Neighbouring tool messages as one: in the neutral model a turn has all its results in one message. */
export function mergeResults(messages: readonly Message[]): Message[] {
  const isPlainResult = ({ role, extra }: Message): boolean => role === 'tool' && !extra
  return runsOf(messages, ([first], message) => {
    return first !== undefined && isPlainResult(first) && isPlainResult(message)
  }).flatMap((run) => {
    const [first] = run
    if (!first || run.length === 1) return run
    return [{ ...first, toolResults: run.flatMap(({ toolResults = [] }) => toolResults) }]
  })
}

/** The members of a list that are objects; a body from outside may hold anything. */
export function objectsIn(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : []
}

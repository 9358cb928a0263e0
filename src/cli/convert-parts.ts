/** The kinds of `toolglot convert` that are parts of a conversation: what scripts need for a loop of their own. */
import type { Dialect, WireToolCall } from '../core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import { argumentsJson } from '../core/message.ts'
import type { ToolCall } from '../core/model.ts'
import { readNative } from '../core/native.ts'
import { allDialects } from '../dialects/registry.ts'
import { readToolResult, type ToolResultInput } from '../dialects/tool-result.ts'
import { augmentSystemPrompt } from '../prompt/augment.ts'
import { UsageError } from './command.ts'

export const PART_KINDS = ['calls', 'assistant', 'result', 'prompt'] as const
export type PartKind = (typeof PART_KINDS)[number]

export interface PartOptions {
  readonly from: Dialect | undefined
  readonly to: Dialect | undefined
  readonly protocol: string | undefined
  readonly system: string | undefined
  readonly compact: boolean
}

/** A document as the part that was asked for; a text is printed as it is. */
export function convertPart(value: JsonValue, kind: PartKind, options: PartOptions): JsonValue {
  if (kind === 'calls') return callsIn(value, options)
  if (kind === 'prompt') return promptFor(value, options)
  const to = neededDialect(kind, options)
  return kind === 'assistant' ? assistantIn(value, to) : resultIn(value, to)
}

/** The calls of a reply as a list of `{id, name, arguments}`, arguments as JSON text. */
function callsIn(value: JsonValue, { from }: PartOptions): JsonValue {
  checkReply(value)
  const dialect = from ?? allDialects.find(({ shapeOf }) => isReplyOf(shapeOf, value))
  const calls = (dialect ?? FIRST).parseToolCalls(value)
  return calls.map(({ id, name, arguments: text }) => ({ id, name, arguments: text }))
}

/** The same of a reply that was streamed. */
export function listCalls(calls: readonly ToolCall[]): JsonObject[] {
  return calls.map(({ id, name, arguments: args, rawArguments }) => {
    const call: WireToolCall = { id, name, arguments: rawArguments ?? argumentsJson(args) }
    return { ...call }
  })
}

/** Any dialect reads the calls of a reply that has no marks of its own. */
const [FIRST] = allDialects as readonly [Dialect, ...Dialect[]] // the registry is not empty

function isReplyOf(shapeOf: Dialect['shapeOf'], value: JsonValue): boolean {
  return isJsonObject(value) && shapeOf(value) === 'response'
}

function assistantIn(value: JsonValue, to: Dialect): JsonValue {
  checkReply(value)
  return to.formatAssistantMessage(value, { shape: 'native' })
}

function checkReply(value: JsonValue): void {
  if (readNative(value)) return
  throw new UsageError('this is no reply of a known API: pass the response as the provider sent it')
}

/** One result becomes one message; those of a turn, in a list, become the messages that the API wants. */
function resultIn(value: JsonValue, to: Dialect): JsonValue {
  if (!Array.isArray(value)) return to.formatToolResult(readToolResult(asResult(value)))
  return to.formatToolResults(value.map((result) => readToolResult(asResult(result))))
}

function asResult(value: JsonValue): ToolResultInput {
  const ids = ['id', 'callId', 'tool_call_id', 'tool_use_id', 'name', 'tool_name']
  if (isJsonObject(value) && 'content' in value && ids.some((key) => key in value)) {
    // Its fields are those of a result, whose types are the sender's own business.
    return value as unknown as ToolResultInput
  }
  throw new UsageError(
    'a tool result is {"id": "…", "name": "…", "content": "…"}, perhaps with isError and errorCode, or a list of these',
  )
}

/** The system prompt that teaches a model to call the tools. */
function promptFor(value: JsonValue, { system, protocol, compact }: PartOptions): string {
  const listed = isJsonObject(value) && Array.isArray(value['tools']) ? value['tools'] : value
  if (!Array.isArray(listed) && !isJsonObject(listed)) {
    throw new UsageError('a prompt is made of tools: a list, a record, or {"tools": [...]}')
  }
  return augmentSystemPrompt(system, listed, { compact, ...(protocol && { protocol }) })
}

function neededDialect(kind: PartKind, { to }: PartOptions): Dialect {
  if (to) return to
  throw new UsageError(`--to is missing: say whose API the ${kind} is for, as in --to anthropic`)
}

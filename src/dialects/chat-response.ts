/** Whole replies read into the neutral model: what the dialects have in common. */

import type { ChatResponse, DecodeResponseOptions, Usage } from '../core/dialect.ts'
import { createIdMint } from '../core/ids.ts'
import type { Issue } from '../core/issue.ts'
import { parseStrict } from '../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import type { ToolCall } from '../core/model.ts'
import {
  type NativeCall,
  type NativeReply,
  type ParsedNative,
  parseNative,
  readNative,
} from '../core/native.ts'
import { bareText, NAMED_TEXT } from './freeform.ts'

export interface DecodeReplyOptions extends DecodeResponseOptions {
  /** False for bodies that hold no reply, such as those of errors. */
  readonly isResponse: (body: JsonObject) => boolean
  readonly readUsage: (body: JsonObject) => Usage
}

/** Decodes a body, or its JSON text. What is no response comes back as one that failed. */
export function decodeReply(body: unknown, options: DecodeReplyOptions): ChatResponse {
  const { isResponse, readUsage, textJoiner = '\n' } = options
  const response = typeof body === 'string' ? parseStrict(body) : body
  const reply = isJsonObject(response) && isResponse(response) ? readNative(response) : undefined
  if (!isJsonObject(response) || !reply) return failure()

  const { calls, issues, error } = callsOf(reply, options)
  const { id, model } = response
  return {
    message: {
      role: 'assistant',
      content: reply.texts.join(textJoiner),
      ...(calls.length > 0 && { toolCalls: calls }),
      ...(reply.reasoning !== '' && { reasoning: reply.reasoning }),
    },
    finishReason: reply.finishReason ?? 'stop',
    usage: readUsage(response),
    issues,
    ...(reply.stopReason !== undefined && { stopReason: reply.stopReason }),
    ...(isText(id) && { id }),
    ...(isText(model) && { model }),
    ...(error && { error }),
  }
}

function callsOf(
  { calls, finishReason }: NativeReply,
  options: DecodeResponseOptions,
): ParsedNative {
  if (calls.length === 0) return { calls: [], issues: [] }
  // Where the reply was cut off, a text that stands alone may lack its end.
  const freeform = finishReason === 'length' ? undefined : options.freeform
  const { usedIds = [], onMalformed = 'issue' } = options
  const mint = createIdMint({ ...options, usedIds })
  // Who says how ids are made wants those; others want the ones that the calls have already.
  const freshIds = options.ids !== undefined || options.random !== undefined
  const named = freeform ? calls.map((call) => withNamedText(call, freeform)) : calls
  const parsed = parseNative(named, { onMalformed, dedupe: false, repair: 'safe', mint, freshIds })
  return freeform ? { ...parsed, calls: parsed.calls.map((call) => noted(call, freeform)) } : parsed
}

/** The text that stands alone is the argument of a tool that takes text. */
function withNamedText(call: NativeCall, freeform: ReadonlySet<string>): NativeCall {
  const text = freeform.has(call.name ?? '') ? bareText(call.arguments) : undefined
  return text === undefined ? call : { ...call, arguments: { input: text } }
}

function noted(call: ToolCall, freeform: ReadonlySet<string>): ToolCall {
  const isNamed = freeform.has(call.name) && bareText(call.rawArguments) !== undefined
  return isNamed ? { ...call, repairs: [...(call.repairs ?? []), NAMED_TEXT] } : call
}

/** Reads counts by the path each of them has; what is no number is left out. */
export function readCounts(
  source: JsonValue | undefined,
  paths: Readonly<Partial<Record<keyof Usage, readonly string[]>>>,
): Usage {
  const counts: { -readonly [Key in keyof Usage]: Usage[Key] } = {}
  for (const key in paths) {
    const name = key as keyof Usage // it is one of `paths`
    const count = countAt(source, paths[name] ?? [])
    if (count !== undefined) counts[name] = count
  }
  return counts
}

export function countAt(
  source: JsonValue | undefined,
  path: readonly string[],
): number | undefined {
  let value = source
  for (const step of path) value = isJsonObject(value) ? value[step] : undefined
  return typeof value === 'number' ? value : undefined
}

/** What is counted under names other than those that are read; what is none of need not be kept. */
export function countsBeside(counts: JsonValue | undefined, read: ReadonlySet<string>): JsonObject {
  if (!isJsonObject(counts)) return {}
  const others = Object.entries(counts).flatMap(([key, value]) => {
    const rest = isJsonObject(value) ? countsBeside(value, read) : value
    const isNothing = isJsonObject(rest) ? Object.keys(rest).length === 0 : !rest
    return read.has(key) || isNothing ? [] : [[key, rest] as const]
  })
  return Object.fromEntries(others)
}

function failure(): ChatResponse {
  const error: Issue = {
    code: 'invalid-response',
    message: 'the body is no response of this dialect; check the address and the status',
  }
  const message = { role: 'assistant', content: '' } as const
  return { message, finishReason: 'error', usage: {}, issues: [error], error }
}

/** Servers that have no id of their own leave it empty. */
function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value !== ''
}

/** Whole replies read into the neutral model: what the dialects have in common. */

import type { ChatResponse, DecodeResponseOptions, Usage } from '../core/dialect.ts'
import { createIdMint } from '../core/ids.ts'
import type { Issue } from '../core/issue.ts'
import { parseStrict } from '../core/json/strict.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json/value.ts'
import { parseNative, readNative } from '../core/native.ts'

export interface DecodeReplyOptions extends DecodeResponseOptions {
  /** False for bodies that hold no reply, such as those of errors. */
  readonly isResponse: (body: JsonObject) => boolean
  readonly readUsage: (body: JsonObject) => Usage
}

/** Decodes a body, or its JSON text. What is no response comes back as one that failed. */
export function decodeReply(body: unknown, options: DecodeReplyOptions): ChatResponse {
  const { isResponse, readUsage, usedIds = [], onMalformed = 'issue', ...rest } = options
  const response = typeof body === 'string' ? parseStrict(body) : body
  const reply = isJsonObject(response) && isResponse(response) ? readNative(response) : undefined
  if (!isJsonObject(response) || !reply) return failure()

  const mint = createIdMint({ ...rest, usedIds })
  const { calls, issues, error } = parseNative(reply.calls, {
    onMalformed,
    dedupe: false,
    repair: 'safe',
    mint,
  })
  const { id, model } = response
  return {
    message: {
      role: 'assistant',
      content: reply.texts.join(rest.textJoiner ?? '\n'),
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

/** Reads counts by the path each of them has; what is no number is left out. */
export function readCounts(
  source: JsonValue | undefined,
  paths: Readonly<Partial<Record<keyof Usage, readonly string[]>>>,
): Usage {
  const counts: { -readonly [Key in keyof Usage]: Usage[Key] } = {}
  for (const [key, path] of Object.entries(paths)) {
    const count = countAt(source, path)
    // The cast: `entries` knows no keys.
    if (count !== undefined) counts[key as keyof Usage] = count
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

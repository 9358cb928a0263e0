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

  const mint = createIdMint({ ...rest, used: usedIds })
  const { calls, issues, error } = parseNative(reply.calls, {
    onMalformed,
    dedupe: false,
    repair: 'safe',
    mint,
  })
  return {
    ...textFields(response, ['id', 'model']),
    message: {
      role: 'assistant',
      content: reply.texts.join(rest.textJoiner ?? '\n'),
      ...(calls.length > 0 && { toolCalls: calls }),
      ...(reply.reasoning !== '' && { reasoning: reply.reasoning }),
    },
    finishReason: reply.finishReason ?? 'stop',
    ...(reply.stopReason !== undefined && { stopReason: reply.stopReason }),
    usage: readUsage(response),
    issues,
    ...(error && { error }),
  }
}

/** Reads counts by the path each of them has; what is no number is left out. */
export function readCounts(
  source: JsonValue | undefined,
  paths: Readonly<Partial<Record<keyof Usage, readonly string[]>>>,
): Usage {
  const counts = Object.entries(paths).flatMap(([key, path]) => {
    const value = path.reduce<JsonValue | undefined>(
      (inner, step) => (isJsonObject(inner) ? inner[step] : undefined),
      source,
    )
    return typeof value === 'number' ? [[key, value] as const] : []
  })
  return Object.fromEntries(counts)
}

function failure(): ChatResponse {
  const error: Issue = {
    code: 'invalid-response',
    message: 'the body is no response of this dialect; check the address and the status',
  }
  const message = { role: 'assistant', content: '' } as const
  return { message, finishReason: 'error', usage: {}, issues: [error], error }
}

function textFields(body: JsonObject, keys: readonly string[]): Record<string, string> {
  const fields = keys.flatMap((key) => {
    const value = body[key]
    // Servers that have no id of their own leave it empty.
    return typeof value === 'string' && value !== '' ? [[key, value] as const] : []
  })
  return Object.fromEntries(fields)
}

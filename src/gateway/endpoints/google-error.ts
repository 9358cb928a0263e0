/** Errors as Google's clients know them. */
import type { Overlong } from '../../client/context-overflow.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { Failure } from '../gateway-error.ts'

const STATUS_WORDS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'DEADLINE_EXCEEDED',
  413: 'INVALID_ARGUMENT',
  429: 'RESOURCE_EXHAUSTED',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
}

export function googleError({ status, message }: Failure): JsonObject {
  return { error: { code: status, message, status: STATUS_WORDS[status] ?? 'INTERNAL' } }
}

export function googleOverflow(message: string, part: Overlong | undefined): string {
  const longest = 'exceeds the maximum number of tokens allowed'
  if (!part) return `The input token count ${longest}: ${message}`
  const { what, prompt, output, limit } = part
  return what === 'prompt'
    ? `The input token count (${prompt}) ${longest} (${limit}).`
    : `The input token count (${prompt}) with maxOutputTokens (${output}) ${longest} (${limit}).`
}

/** Errors as clients of OpenAI know them. */
import type { Overlong } from '../../client/context-overflow.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { Failure } from '../gateway-error.ts'

export function openaiError({ status, code, message, param }: Failure): JsonObject {
  return {
    error: { message, type: typeOf(status), param: param ?? null, code: CODES[code] ?? code },
  }
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  if (status === 429) return 'rate_limit_error'
  return status < 500 ? 'invalid_request_error' : 'server_error'
}

/** Words that programs look for. */
const CODES: Readonly<Partial<Record<Failure['code'], string>>> = {
  invalid_key: 'invalid_api_key',
  unknown_model: 'model_not_found',
  not_found: 'model_not_found',
  quota_exhausted: 'insufficient_quota',
  budget_exhausted: 'insufficient_quota',
  rate_limited: 'rate_limit_exceeded',
  too_many_requests: 'rate_limit_exceeded',
}

export function openaiOverflow(message: string, part: Overlong | undefined): string {
  if (!part) return message
  const { what, prompt, output, limit } = part
  const longest = `This model's maximum context length is ${limit} tokens. However, `
  return what === 'prompt'
    ? `${longest}your messages resulted in ${prompt} tokens. Please reduce the length of the messages.`
    : `${longest}you requested ${prompt + output} tokens (${prompt} in the messages, ${output} in the ` +
        'completion). Please reduce the length of the messages or completion.'
}

/** Failures that Anthropic tells inside a stream, both ways. */
import type { StreamFailure } from '../../core/chat.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'

const STATUS: ReadonlyMap<string, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['api_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
])

export function failureOf({ error }: Partial<JsonObject>): StreamFailure {
  const told = isJsonObject(error) ? error : {}
  const { message = error, type } = told as Record<string, JsonValue | undefined>
  const status = typeof type === 'string' ? STATUS.get(type) : undefined
  return {
    message: typeof message === 'string' ? message : 'the provider reports a failure',
    ...(typeof type === 'string' && { code: type }),
    ...(status !== undefined && { status }),
  }
}

/** The event that tells a client; what has no type of Anthropic's is a fault of the service. */
export function encodeFailure({ message, code = '', status }: StreamFailure): JsonObject {
  const byStatus = [...STATUS].find(([, known]) => known === status)?.[0] ?? 'api_error'
  return { type: 'error', error: { type: STATUS.has(code) ? code : byStatus, message } }
}

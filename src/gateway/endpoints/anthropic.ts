/** `POST /v1/messages` */
import type { Overlong } from '../../client/context-overflow.ts'
import { isJsonObject, type JsonObject } from '../../core/json/value.ts'
import { anthropic } from '../../dialects/anthropic.ts'
import { type Failure, GatewayError } from '../gateway-error.ts'
import { anthropicHosted } from './anthropic-hosted.ts'
import { chatEndpoint, sseFrame } from './chat-endpoint.ts'
import type { Endpoint } from './endpoint.ts'

const usual: Endpoint = chatEndpoint(anthropic, {
  id: 'anthropic',
  path: /^\/v1\/messages$/,
  modelPlaces: [['message', 'model'], ['model']],
  writeError: anthropicError,
  overflowMessage,
  hosted: anthropicHosted,
  statusOf: ({ code }) => (code === 'overloaded' ? 529 : undefined),
  complete: /"type"\s*:\s*"(?:message_stop|error)"/,
})

export const anthropicEndpoint: Endpoint = {
  ...usual,
  read(body, sight) {
    // Without this, all that was said before would be missing, and nobody would notice.
    if (isJsonObject(body['thread'])) throw new GatewayError('threads_not_kept', NO_THREADS)
    return usual.read(body, sight)
  },
  openStream: (sight, facts) => ({ ...usual.openStream(sight, facts), keepAlive: PING }),
}

const PING = sseFrame({ event: 'ping', data: '{"type": "ping"}' })

const NO_THREADS =
  'conversations are not kept here for this model: send all of the messages, without "thread"'

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
}

function anthropicError({ status, code, message }: Failure): JsonObject {
  const type = TYPES[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error')
  const details = DETAILS[code]
  return { type: 'error', error: { type, message, ...(details && { details }) } }
}

/** Claude Code reads these numbers: it sums up its history, or asks for a shorter reply. */
function overflowMessage(message: string, part: Overlong | undefined): string {
  if (!part) return `prompt is too long: ${message}`
  const { what, prompt, output, limit } = part
  if (what === 'prompt') return `prompt is too long: ${prompt} tokens > ${limit} maximum`
  return (
    `input length and \`max_tokens\` exceed context limit: ${prompt} + ${output} > ${limit}, ` +
    'decrease input length or `max_tokens` and try again'
  )
}

/** What Anthropic's own client looks for before it goes on without a thread. */
const DETAILS: Readonly<Partial<Record<Failure['code'], JsonObject>>> = {
  threads_not_kept: { error_code: 'thread_unsupported_request', unsupported: ['thread'] },
}

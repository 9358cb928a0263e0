/** Tables about the gateway: its errors as each kind of client sees them, and its metrics. */
import { PROVIDER_ERROR_CODES, ProviderError } from '../src/client/errors.ts'
import { isJsonObject, type JsonObject } from '../src/core/json/value.ts'
import { anthropicEndpoint } from '../src/gateway/endpoints/anthropic.ts'
import type { Endpoint } from '../src/gateway/endpoints/endpoint.ts'
import { geminiEndpoint } from '../src/gateway/endpoints/gemini.ts'
import { openaiChatEndpoint } from '../src/gateway/endpoints/openai-chat.ts'
import {
  type Failure,
  failureOf,
  GATEWAY_ERROR_CODES,
  GatewayError,
  type GatewayErrorCode,
} from '../src/gateway/gateway-error.ts'
import { createMetrics } from '../src/gateway/observe/metrics.ts'
import type { Attempt } from '../src/gateway/observer.ts'

const MEANINGS: Readonly<Record<GatewayErrorCode, string>> = {
  invalid_json: 'the body is not a JSON object',
  invalid_request: 'the body, or a header, says something that cannot be',
  threads_not_kept:
    'the request goes on with a conversation that only the provider keeps, which no other can',
  previous_response_not_found:
    '`previous_response_id` names a response that was not kept, is not kept any more, or belongs to another key',
  invalid_key: 'no key was sent, or one that the gateway does not know',
  model_not_allowed: 'the key may not use this model',
  origin_not_allowed:
    'a web page of another origin asks, or a gateway for its own machine only was asked by another name',
  admin_only: 'the page is for keys with `admin` only',
  management_not_allowed:
    'the request changes an Ollama server, which is for keys with `manage` only, and without keys for this machine only',
  unknown_path: 'there is nothing at this path, or it is switched off',
  unknown_response:
    'a response was asked for by its id that is not kept, is not kept any more, or belongs to another key',
  unknown_model: 'no provider and no name in `models` fits, and there is no `defaultModel`',
  method_not_allowed: 'the path wants another method',
  client_timeout: 'the request did not come in time',
  call_loop:
    'the same call was made again and again with the same result, and `loopGuard` is `stop`',
  limit_exceeded:
    'a part of the request is more than one of `limits` allows; the message names the limit',
  headers_too_large: 'the address and the headers are longer than `limits.headerBytes`',
  body_too_large:
    'the request is longer than `limits.requestBytes`, `uploadBytes` or `blobBytes`; told while it still comes',
  packed_body: 'the body is compressed; send it as it is',
  unknown_price: 'the key has a budget in US dollars, and `prices` says nothing about the model',
  budget_exhausted: "the key's `budget` is used up until the next period begins",
  too_many_requests: "the key's `requestsPerMinute` or `concurrency` is used up",
  client_closed: 'the client hung up; only in logs',
  internal: 'a mistake of the gateway itself; its log says more',
  not_supported:
    'no provider of the model serves the path: an API besides chat, or one such as `/v1/responses/compact`, which is for providers that speak the Responses API themselves',
  reply_too_large: 'the reply is longer than `limits.replyBytes`',
  busy: '`limits.concurrency` requests are under way already',
  shutting_down: 'the gateway is stopping; another one, or the next, will answer',
  state_unreachable:
    'the request refers to what was said before, and the Redis that has it cannot be reached at the moment',
}

export function errorTables(): string {
  return `### Of the gateway

${gatewayErrorTable()}

### Of providers

${providerErrorTable()}`
}

function gatewayErrorTable(): string {
  return errorTable(
    Object.keys(GATEWAY_ERROR_CODES).map((code) => {
      // The cast: they are the keys of that very object.
      const known = code as GatewayErrorCode
      return [new GatewayError(known, ''), MEANINGS[known]]
    }),
  )
}

function providerErrorTable(): string {
  return errorTable(
    Object.entries(PROVIDER_ERROR_CODES).map(([code, meaning]) => {
      // The cast: they are the keys of that very object.
      const known = code as keyof typeof PROVIDER_ERROR_CODES
      return [failureOf(new ProviderError(known, '')), meaning]
    }),
  )
}

function errorTable(rows: readonly (readonly [Failure, string])[]): string {
  const head = ['code', 'status', 'OpenAI `type`, `code`', 'Anthropic `type`', 'Gemini `status`']
  const lines = rows.map(([failure, meaning]) => {
    const { type, code } = bodyOf(openaiChatEndpoint, failure)
    const { type: anthropicType } = bodyOf(anthropicEndpoint, failure)
    const { status: word } = bodyOf(geminiEndpoint, failure)
    const own = anthropicEndpoint.statusOf?.(failure)
    const anthropic = `${quoted(anthropicType)}${own === undefined ? '' : ` (${own})`}`
    const openai = `${quoted(type)}, ${quoted(code)}`
    return [quoted(failure.code), String(failure.status), openai, anthropic, quoted(word), meaning]
  })
  return table([...head, 'meaning'], lines)
}

function bodyOf(endpoint: Endpoint, failure: Failure): JsonObject {
  const { error } = endpoint.writeError(failure)
  if (!isJsonObject(error)) throw new Error(`${endpoint.id} tells errors in another way`)
  return error
}

const ATTEMPT: Attempt = { provider: 'one', model: 'm', dialect: 'openai-chat', lane: 'pass' }

/** One request in which everything happens, so that every metric has its labels. */
export function metricTable(): string {
  const metrics = createMetrics()
  const request = metrics.begin({ id: 'r', method: 'POST', path: '/', headers: {}, at: 0 })
  const body = new Uint8Array()
  request?.asked?.({ endpoint: 'e', model: 'm', streamed: true, tools: 1, key: 'k', body })
  request?.attempt?.(ATTEMPT)
  request?.switched?.(ATTEMPT, new ProviderError('timeout', ''))
  request?.attempt?.({ ...ATTEMPT, provider: 'two' })
  request?.end({
    status: 200,
    durationMs: 1,
    addedMs: 1,
    firstByteMs: 1,
    usage: { inputTokens: 1, outputTokens: 1 },
    costUsd: 1,
    rescues: [{ protocol: 'hermes', tool: 't', repairs: ['quotes'] }],
    issues: ['truncated-call'],
    fallbacks: 1,
    bytesIn: 1,
    bytesOut: 1,
  })
  const text = metrics.render()
  const rows = [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\w+)$/gm)].map(
    ([, name = '', help = '', type = '']) => [quoted(name), type, labelsOf(name, text), help],
  )
  return table(['name', 'kind', 'labels', 'meaning'], rows)
}

function labelsOf(name: string, text: string): string {
  const series = new RegExp(`^${name}(?:_bucket)?\\{(.*)\\} `, 'm').exec(text)?.[1] ?? ''
  const names = [...series.matchAll(/(\w+)="/g)].map(([, label]) => label)
  return names
    .filter((label) => label !== 'le')
    .map(quoted)
    .join(', ')
}

function quoted(value: unknown): string {
  return `\`${String(value)}\``
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

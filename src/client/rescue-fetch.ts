/**
 * A `fetch` that mends replies: tool calls that a server left in the text become proper calls of the
 * same API, so that any client built on `fetch` gets them.
 */

import { checkFunction } from '../core/caller-input.ts'
import { checkKeys, type OptionKeys } from '../core/check-options.ts'
import { checkReading, READING_KEYS } from '../reading-options.ts'
import { type Exchange, readExchange } from './rescue-fetch/exchange.ts'
import { mendedStream } from './rescue-fetch/mended-stream.ts'
import { type MendingOptions, mendBytes, mendStream } from './rescue-fetch/mending.ts'
import { readWhole } from './rescue-fetch/whole-body.ts'

export type { Rescue, RescueIssue } from './rescue-fetch/mending.ts'

export interface RescueOptions extends MendingOptions {
  /** What really fetches. Default: the global `fetch` at the time of the request. */
  readonly fetch?: FetchLike
  /** Longest reply that is mended as a whole; a longer one passes as it is. Default: 32 MiB. */
  readonly maxBodyBytes?: number
}

export type FetchLike = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/**
 * Wraps `fetch` for the clients of OpenAI, Anthropic, Ollama and Gemini and all that is built on them.
 * Replies in which nothing is to be mended pass byte for byte.
 *
 * @example
 * const client = new OpenAI({ baseURL, apiKey, fetch: rescueFetch() })
 */
export function rescueFetch(options: RescueOptions = {}): FetchLike {
  checkOptions(options)
  checkReading(options)
  return async (input, init) => {
    const { fetch: ask = fetch } = options
    // The request is read while it is under way; a body that can be read only once is copied before.
    const [exchange, response] = await Promise.all([readExchange(input, init), ask(input, init)])
    // Old packages give a stream of Node's own, which only they know how to read.
    const isReadable = typeof response.body?.getReader === 'function'
    if (!exchange || !response.ok || !response.body || !isReadable) return response
    const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
    const { framing } = exchange.wire.dialect
    if (STREAMS.get(type) === framing) {
      const mender = mendStream(exchange, options)
      return replaced(response, mendedStream(response.body, mender), true)
    }
    return type === 'application/json'
      ? mendWhole(response, response.body, exchange, options)
      : response
  }
}

const KEYS: OptionKeys<RescueOptions> = {
  ...READING_KEYS,
  fetch: 0,
  model: 0,
  onRescue: 0,
  onIssue: 0,
  maxBodyBytes: 0,
}

function checkOptions(options: RescueOptions): void {
  checkKeys('rescueFetch', options, KEYS, '{ onRescue }')
  for (const name of ['fetch', 'onRescue', 'onIssue'] as const) {
    if (options[name] !== undefined) checkFunction(name, options[name])
  }
}

const STREAMS: ReadonlyMap<string, string> = new Map([
  ['text/event-stream', 'sse'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
  ['application/jsonl', 'ndjson'],
])

type Body = ReadableStream<Uint8Array<ArrayBuffer>>

const MAX_BODY_BYTES = 2 ** 25

async function mendWhole(
  response: Response,
  body: Body,
  exchange: Exchange,
  options: RescueOptions,
): Promise<Response> {
  const { maxBodyBytes = MAX_BODY_BYTES } = options
  if (Number(response.headers.get('content-length')) > maxBodyBytes) return response
  const bytes = await readWhole(body, maxBodyBytes)
  const mended = bytes instanceof Uint8Array ? mendBytes(bytes, exchange, options) : undefined
  return mended === undefined ? replaced(response, bytes, false) : replaced(response, mended, true)
}

/** Say how long the body was, or how it was packed, before it was read. */
const ABOUT_BYTES = ['content-length', 'content-encoding', 'transfer-encoding'] as const

type NewBody = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

/** The response with another body. */
function replaced(response: Response, body: NewBody, isChanged: boolean): Response {
  const { status, statusText } = response
  const headers = new Headers(response.headers)
  if (isChanged) for (const name of ABOUT_BYTES) headers.delete(name)
  const result = new Response(body, { status, statusText, headers })
  // A response that was made and not fetched has none of its own.
  Object.defineProperty(result, 'url', { value: response.url })
  Object.defineProperty(result, 'redirected', { value: response.redirected })
  return result
}

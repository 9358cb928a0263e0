/**
 * A `fetch` that mends replies: tool calls that a server left in the text become proper calls of the
 * same API, so that any client built on `fetch` gets them.
 */

import { parseStrict } from '../core/json/strict.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import type { FinishReason, ToolCall } from '../core/model.ts'
import { equalJson } from '../core/schema/equal.ts'
import { createExtractor, type ExtractOptions } from '../extract.ts'
import { type CallIds, createCallIds } from './rescue-fetch/call-ids.ts'
import { type Exchange, readExchange } from './rescue-fetch/exchange.ts'
import { mendedStream } from './rescue-fetch/mended-stream.ts'
import { createStreamMender } from './rescue-fetch/rescue-stream.ts'
import { createTextRescue, type Op, type TextRescue } from './rescue-fetch/text-rescue.ts'
import { createTurnCalls, type TurnCalls } from './rescue-fetch/turn-calls.ts'
import { unfailing } from './rescue-fetch/unfailing.ts'
import { readWhole } from './rescue-fetch/whole-body.ts'
import { callsOf } from './rescue-fetch/wire.ts'

export interface RescueOptions {
  /** What really fetches. Default: the global `fetch` at the time of the request. */
  readonly fetch?: FetchLike
  /** The formats to look for. Default: all that need no asking. */
  readonly protocols?: ExtractOptions['protocols']
  /** The model behind the server, when the name in the requests does not tell its family. */
  readonly model?: string
  /** Told of every call that was rescued. What it throws is ignored. */
  readonly onRescue?: (rescue: Rescue) => void
  /** Longest reply that is mended as a whole; a longer one passes as it is. Default: 32 MiB. */
  readonly maxBodyBytes?: number
}

export interface Rescue {
  readonly dialect: string
  readonly model: string
  readonly call: ToolCall
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
  return async (input, init) => {
    const { fetch: ask = fetch } = options
    // The request is read while it is under way; a body that can be read only once is copied before.
    const [exchange, response] = await Promise.all([readExchange(input, init), ask(input, init)])
    // Old packages give a stream of Node's own, which only they know how to read.
    const isReadable = typeof response.body?.getReader === 'function'
    if (!exchange || !response.ok || !response.body || !isReadable) return response
    const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
    const { framing } = exchange.wire.dialect
    if (STREAMS.get(type) === framing) return mendStream(response, response.body, exchange, options)
    return type === 'application/json'
      ? mendWhole(response, response.body, exchange, options)
      : response
  }
}

const STREAMS: ReadonlyMap<string, string> = new Map([
  ['text/event-stream', 'sse'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
  ['application/jsonl', 'ndjson'],
])

type Body = ReadableStream<Uint8Array<ArrayBuffer>>

function mendStream(
  response: Response,
  body: Body,
  exchange: Exchange,
  options: RescueOptions,
): Response {
  const { wire } = exchange
  const turns = new Map<number, TurnCalls>()

  function callsOf(answer: number): TurnCalls {
    const turn = turns.get(answer) ?? createTurnCalls()
    turns.set(answer, turn)
    return turn
  }

  const { ids, openText } = createRescuer(exchange, options)
  const open = (answer: number) => openText(callsOf(answer))
  const mender = unfailing(createStreamMender(wire, wire.open({ ids, callsOf }), open))
  return replaced(response, mendedStream(body, mender), true)
}

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

/** The reply as it should have been; undefined when it is, or when there is no telling. */
function mendBytes(
  bytes: Uint8Array,
  exchange: Exchange,
  options: RescueOptions,
): string | undefined {
  const body = parseStrict(new TextDecoder().decode(bytes))
  if (!isJsonObject(body)) return undefined
  try {
    const mended = mendBody(body, exchange, options)
    return mended === body ? undefined : JSON.stringify(mended)
  } catch {
    // Mending must never make a reply worse.
    return undefined
  }
}

function mendBody(body: JsonObject, exchange: Exchange, options: RescueOptions): JsonObject {
  const { ids, openText } = createRescuer(exchange, options)
  const { wire } = exchange
  let native: readonly ToolCall[] | undefined

  /** Some servers leave a call in the text that they have understood. */
  function isTold(call: ToolCall): boolean {
    native ??= wire.dialect.decodeResponse(body).message.toolCalls ?? []
    return native.some((own) => own.name === call.name && equalJson(own.arguments, call.arguments))
  }

  return wire.mend(body, {
    ids,
    rescue(text, reason) {
      const ops = opsOf(openText(), text, reason)
      if (callsOf(ops).length === 0) return undefined
      return ops.filter((op) => op.type === 'text' || !isTold(op.call))
    },
  })
}

function opsOf(rescue: TextRescue, text: string, reason: FinishReason = 'stop'): readonly Op[] {
  const piece = rescue.push(text)
  rescue.end(reason)
  return piece.ops
}

interface Rescuer {
  readonly ids: CallIds
  /** In a stream, with the calls that were passed on. */
  readonly openText: (turn?: TurnCalls) => TextRescue
}

function createRescuer(exchange: Exchange, options: RescueOptions): Rescuer {
  const { wire, tools, wantsJson } = exchange
  const { protocols, model = exchange.model, onRescue } = options
  const ids = createCallIds(wire.dialect.rules.callId, exchange.usedIds)

  function rescued(found: ToolCall, turn: TurnCalls | undefined): ToolCall | undefined {
    if (turn?.isNative(found)) return undefined
    const call = { ...found, id: ids.fit(found.id) }
    turn?.addRescued(call)
    try {
      onRescue?.({ dialect: wire.dialect.id, model, call })
    } catch {
      // The reply must not suffer from who looks on.
    }
    return call
  }

  function openText(turn?: TurnCalls): TextRescue {
    const extractor = createExtractor({
      tools,
      model,
      reasoning: 'text',
      trace: true,
      ...(protocols && { protocols }),
      ...(wantsJson && { rawJson: 'off' }),
    })
    return createTextRescue(extractor, (call) => rescued(call, turn))
  }

  return { ids, openText }
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

/**
 * A model that says what it is told to, behind a real client: its replies are written in a provider's
 * wire format, or with their calls in the text, and everything between that and the caller is real.
 */
import type { ChatClient } from '../client/chat-client.ts'
import { createClient } from '../client/create-client.ts'
import { checkList } from '../core/caller-input.ts'
import type { ChatRequest, ChatResponse, Usage } from '../core/chat.ts'
import { checkKeys, type OptionKeys } from '../core/check-options.ts'
import type { Dialect } from '../core/dialect.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import type { FinishReason, ToolCall } from '../core/model.ts'
import type { Protocol } from '../core/protocol.ts'
import { getDialect } from '../dialects/registry.ts'
import { getProvider, type ProviderId } from '../providers/registry.ts'
import { CONTENT_TYPES, streamBytes } from './upstream-reply.ts'

export interface ScriptedTurn {
  readonly text?: string
  readonly reasoning?: string
  readonly calls?: readonly ScriptedCall[]
  readonly finishReason?: FinishReason
  readonly usage?: Usage
  /** The request fails with this HTTP status instead. */
  readonly status?: number
  /** What a failing provider says. */
  readonly error?: string
}

export interface ScriptedCall {
  readonly name: string
  readonly arguments?: JsonObject
  /** The arguments as the model writes them, when that is not JSON. */
  readonly rawArguments?: string
}

/** Turns in order, the last again and again; or what to say to a request. */
export type Script =
  | readonly ScriptedTurn[]
  | ((request: ChatRequest, turn: number) => ScriptedTurn | Promise<ScriptedTurn>)

export interface ScriptedModelOptions {
  /** Calls are written into the text in this format. Without it they are the provider's own. */
  readonly protocol?: Protocol | undefined
  /** Whose wire format is spoken. Default `openai-compatible`. */
  readonly provider?: ProviderId
  /** Characters in each event of a stream. Default 8. */
  readonly pieceLength?: number
}

const KEYS: OptionKeys<ScriptedModelOptions> = { protocol: 0, provider: 0, pieceLength: 0 }

export interface ScriptedModel extends ChatClient {
  /** What the model was asked, as the provider understood it. */
  readonly requests: readonly ChatRequest[]
}

export function scriptedModel(script: Script, options: ScriptedModelOptions = {}): ScriptedModel {
  if (typeof script !== 'function') {
    checkList('a script', script, "a list of turns, as in [{ text: 'Hello' }]")
  }
  checkKeys('scriptedModel', options, KEYS, '{ protocol }')
  const { provider = 'openai-compatible', pieceLength, protocol } = options
  const dialect = dialectOf(provider)
  const requests: ChatRequest[] = []

  async function answer(input: string | URL | Request, init?: RequestInit): Promise<Response> {
    const request = new Request(input, init)
    const asked = dialect.decodeRequest(asObject(await request.json()))
    const turn = await turnOf(script, asked, requests.length)
    requests.push(asked)
    if (turn.status !== undefined) return failed(turn.status, turn.error)
    const reply = replyOf(turn, protocol, requests.length)
    const streams = asked.stream === true || /stream/i.test(new URL(request.url).pathname)
    const [raw] = protocol ? [] : rawArgumentsOf(turn)
    if (!streams) return json(breakArguments(JSON.stringify(dialect.encodeResponse(reply)), raw))
    // Broken arguments are put in their place on the wire, and must not be cut before.
    const frames = streamBytes(dialect, reply, raw === undefined ? pieceLength : UNCUT)
    return streamed(
      dialect,
      frames.map((frame) => breakBytes(frame, raw)),
    )
  }

  const client = createClient({
    provider,
    model: 'scripted',
    apiKey: 'none',
    baseUrl: 'http://127.0.0.1',
    fetch: answer,
    toolMode: protocol ? 'text' : 'native',
    protocol,
    retries: 0,
  })
  return Object.defineProperties(Object.create(client) as ScriptedModel, {
    requests: { value: requests },
    // A script has nothing to say about its model, and questions about it are no turns.
    modelInfo: { value: async () => ({ id: client.model }), writable: true },
  })
}

function dialectOf(provider: ProviderId): Dialect {
  const { dialect } = getProvider(provider)
  if (typeof dialect === 'string') return getDialect(dialect)
  throw new TypeError(`${provider} speaks a format of its own; script another provider`)
}

function turnOf(
  script: Script,
  request: ChatRequest,
  at: number,
): ScriptedTurn | Promise<ScriptedTurn> {
  if (typeof script === 'function') return script(request, at)
  return script[Math.min(at, script.length - 1)] ?? {}
}

function replyOf(turn: ScriptedTurn, protocol: Protocol | undefined, at: number): ChatResponse {
  const { text = '', reasoning, calls = [], usage = {} } = turn
  const native = protocol ? [] : calls.map((call, index) => nativeCall(call, `call_${at}_${index}`))
  const written = protocol ? calls.map((call) => writtenCall(call, protocol)) : []
  const usual = native.length > 0 ? 'tool-calls' : 'stop'
  return {
    id: `reply_${at}`,
    model: 'scripted',
    message: {
      role: 'assistant',
      content: [text, ...written].filter((piece) => piece !== '').join('\n'),
      ...(reasoning !== undefined && { reasoning }),
      ...(native.length > 0 && { toolCalls: native }),
    },
    finishReason: turn.finishReason ?? usual,
    usage,
    issues: [],
  }
}

function nativeCall(
  { name, arguments: args = {}, rawArguments }: ScriptedCall,
  id: string,
): ToolCall {
  return { id, name, arguments: rawArguments === undefined ? args : PLACE, origin: 'native' }
}

/** What stands for arguments that are not JSON until the rest is written. */
const PLACE = { 'in-place-of-this': 1 }
const PLACE_WRITTEN = /\{\s*"in-place-of-this"\s*:\s*1\s*\}/
const PLACE_QUOTED = quoted(JSON.stringify(PLACE))
const UNCUT = 1000

function writtenCall(
  { name, arguments: args = {}, rawArguments }: ScriptedCall,
  protocol: Protocol,
): string {
  if (rawArguments === undefined) return protocol.formatCall({ name, arguments: args })
  const text = protocol.formatCall({ name, arguments: PLACE })
  if (!PLACE_WRITTEN.test(text)) {
    throw new TypeError(
      `${protocol.id} does not write its arguments as JSON; rawArguments has no place`,
    )
  }
  return text.replace(PLACE_WRITTEN, () => rawArguments)
}

function rawArgumentsOf({ calls = [] }: ScriptedTurn): string[] {
  return calls.flatMap(({ rawArguments }) => rawArguments ?? [])
}

/** Wire formats hold arguments as a JSON string; those that hold an object cannot be broken. */
function breakArguments(wire: string, raw: string | undefined): string {
  return raw === undefined ? wire : wire.replaceAll(PLACE_QUOTED, () => quoted(raw))
}

function breakBytes(frame: Uint8Array, raw: string | undefined): Uint8Array {
  if (raw === undefined) return frame
  return new TextEncoder().encode(breakArguments(new TextDecoder().decode(frame), raw))
}

function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function json(body: string): Response {
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}

function streamed(dialect: Dialect, frames: readonly Uint8Array[]): Response {
  const waiting = frames.values()
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = waiting.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
  return new Response(body, { headers: { 'content-type': CONTENT_TYPES[dialect.framing] } })
}

function failed(status: number, message = 'the script says so'): Response {
  return Response.json({ error: { message } }, { status })
}

function asObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

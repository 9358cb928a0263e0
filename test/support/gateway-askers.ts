/** Clients of every kind, reduced to what they put on the wire and what they read from it. */
import { createFrameReader } from '../../src/client/frames.ts'
import type { ChatEvent, ChatRequest, ChatResponse } from '../../src/core/chat.ts'
import type { Dialect, Frame } from '../../src/core/dialect.ts'
import { isJsonObject, type JsonObject } from '../../src/core/json/value.ts'
import { getDialect } from '../../src/dialects/registry.ts'

/** One way to ask the gateway. */
export interface Asker {
  readonly id: string
  readonly dialect: Dialect
  path(model: string, streamed: boolean): string
  body(request: ChatRequest, streamed: boolean): JsonObject
  readWhole(body: unknown): ChatResponse
  /** The frames of a stream; throws when the bytes are not made of whole frames. */
  frames(text: string): Frame[]
  /** False where only text can be asked for and answered. */
  readonly hasTools: boolean
}

function asker(id: string, dialect: Dialect, own: Pick<Asker, 'path'> & Partial<Asker>): Asker {
  return {
    id,
    dialect,
    body: (request, stream) => dialect.encodeRequest({ ...request, stream }),
    readWhole: (body) => dialect.decodeResponse(body),
    frames: (text) => framesIn(text, dialect),
    hasTools: true,
    ...own,
  }
}

function framesIn(text: string, { framing }: Dialect): Frame[] {
  const isWhole = (framing === 'sse' ? /\r?\n\r?\n$/ : /\n$/).test(text)
  if (!isWhole) throw new Error(`half a frame at the end: ${text.slice(-200)}`)
  const reader = createFrameReader(framing)
  return [...reader.push(new TextEncoder().encode(text)), ...reader.end()]
}

const gemini = getDialect('gemini')
const ollama = getDialect('ollama')

function geminiPath(model: string, streamed: boolean, query = ''): string {
  const verb = streamed ? `streamGenerateContent${query}` : 'generateContent'
  return `/v1beta/models/${encodeURIComponent(model)}:${verb}`
}

function geminiBody(request: ChatRequest): JsonObject {
  const { model: _, ...body } = gemini.encodeRequest(request)
  return body
}

/** A reply of `/api/generate` as one of `/api/chat`. */
function asChat(body: unknown): unknown {
  if (!isJsonObject(body) || !('response' in body)) return body
  const { response, thinking, ...rest } = body
  const message = {
    role: 'assistant',
    content: response ?? '',
    ...(thinking !== undefined && { thinking }),
  }
  return { ...rest, message }
}

function generateBody({ model, messages, ...request }: ChatRequest, stream: boolean): JsonObject {
  const { options } = ollama.encodeRequest({ model, messages: [], ...request })
  const [first, second] = messages
  const isSystem = first?.role === 'system'
  return {
    model,
    stream,
    prompt: String((isSystem ? second : first)?.content ?? ''),
    ...(isSystem && { system: String(first.content) }),
    ...(options !== undefined && { options }),
  }
}

export const ASKERS: readonly Asker[] = [
  asker('openai-chat', getDialect('openai-chat'), { path: () => '/v1/chat/completions' }),
  asker('openai-responses', getDialect('openai-responses'), { path: () => '/v1/responses' }),
  asker('anthropic', getDialect('anthropic'), { path: () => '/v1/messages' }),
  asker('ollama', ollama, { path: () => '/api/chat' }),
  asker('ollama-generate', ollama, {
    path: () => '/api/generate',
    body: generateBody,
    readWhole: (body) => ollama.decodeResponse(asChat(body)),
    frames: (text) =>
      framesIn(text, ollama).map(({ data }) => ({
        data: JSON.stringify(asChat(JSON.parse(data))),
      })),
    hasTools: false,
  }),
  asker('gemini', gemini, {
    path: (model, streamed) => geminiPath(model, streamed, '?alt=sse'),
    body: geminiBody,
  }),
  asker('google-interactions', getDialect('google-interactions'), {
    path: () => '/v1beta/interactions',
  }),
  asker('gemini without alt=sse', gemini, {
    path: geminiPath,
    body: geminiBody,
    frames(text) {
      const list: unknown = JSON.parse(text)
      if (!Array.isArray(list)) throw new Error('a stream without alt=sse is a JSON list')
      return list.map((data) => ({ data: JSON.stringify(data) }))
    },
  }),
]

export function askerNamed(id: string): Asker {
  const found = ASKERS.find((one) => one.id === id)
  if (!found) throw new Error(`there is no asker ${id}`)
  return found
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface AskOptions {
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly fetch?: Fetch | undefined
}

/** Asks the gateway at `url`, and waits for all of the answer. */
export async function ask(
  url: string,
  client: Asker,
  request: ChatRequest,
  streamed: boolean,
  { headers = {}, fetch: send = fetch }: AskOptions = {},
): Promise<Answer> {
  const response = await send(url + client.path(request.model, streamed), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(client.body(request, streamed)),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

/** The reply that a client understands, whole or streamed; throws when there is none. */
export function replyIn({ status, text }: Answer, client: Asker, streamed: boolean): ChatResponse {
  if (status !== 200) throw new Error(`status ${status}: ${text}`)
  if (!streamed) return client.readWhole(JSON.parse(text))
  const last = eventsIn(text, client).at(-1)
  if (last?.type !== 'finish') throw new Error(`the stream ended with ${JSON.stringify(last)}`)
  return last.response
}

export function eventsIn(text: string, client: Asker): ChatEvent[] {
  const decoder = client.dialect.createStreamDecoder()
  return [...client.frames(text).flatMap((frame) => decoder.push(frame)), ...decoder.end()]
}

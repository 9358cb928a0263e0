/**
 * A provider on the loopback interface for tests: a real HTTP server that speaks every dialect, answers
 * with what it is told to, and can fail in all the ways that providers do.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ChatResponse } from '../core/chat.ts'
import type { Dialect } from '../core/dialect.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import { ollamaGenerate } from '../dialects/ollama/generate.ts'
import { allDialects, getDialect } from '../dialects/registry.ts'
import { type Fault, playFault } from './faults.ts'
import { beginStream, drained, sendJson, streamBytes } from './upstream-reply.ts'

/** What the server does with the next request. */
export type Reply =
  | {
      /** The reply in the neutral model, or just its text. */
      readonly reply: ChatResponse | string
      /** Characters of text or arguments in each event of a stream. Default 8. */
      readonly pieceLength?: number
    }
  | { readonly fault: Fault; readonly reply?: ChatResponse | string }

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: JsonObject
  readonly dialect: string
}

export interface Upstream {
  /** Without a slash at the end. */
  readonly url: string
  readonly requests: readonly ReceivedRequest[]
  /** Connections that are open now. */
  connections(): number
  /** Requests whose answers are not over. */
  pending(): number
  /** Replies for the next requests, in order; the last one is given again and again. */
  play(...replies: readonly Reply[]): void
  close(): Promise<void>
}

/** How the path of a request tells the dialect, and whether it asks for a stream where the body does not. */
const ROUTES: readonly (readonly [path: RegExp, dialect: string, streams?: boolean])[] = [
  [/\/responses$/, 'openai-responses'],
  [/\/v1\/messages$/, 'anthropic'],
  [/\/api\/(?:chat|generate)$/, 'ollama'],
  [/:generateContent$/, 'gemini', false],
  [/:streamGenerateContent$/, 'gemini', true],
  [/\/interactions$/, 'google-interactions'],
  [/\/converse$/, 'bedrock', false],
  [/\/converse-stream$/, 'bedrock', true],
  [/\/v2\/chat$/, 'cohere'],
  [/\/chat\/completions$/, 'openai-chat'],
]

export async function startUpstream(...replies: readonly Reply[]): Promise<Upstream> {
  const requests: ReceivedRequest[] = []
  let queue = [...replies]
  let connections = 0
  let pending = 0
  const server = createServer((request, response) => {
    pending++
    response.on('close', () => pending--)
    handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy(asError(error))
      else sendJson(response, 400, { error: { message: asError(error).message } })
    })
  })
  server.on('connection', (socket) => {
    connections++
    socket.on('close', () => connections--)
  })

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').replace(/\?.*/, '')
    const route = ROUTES.find(([pattern]) => pattern.test(path))
    const body = await readBody(request)
    if (!route) return sendJson(response, 404, { error: { message: `nothing at ${path}` } })
    const [, usual] = route
    const dialect = /\/api\/generate$/.test(path)
      ? ollamaGenerate
      : (dialectNamedIn(path) ?? getDialect(usual))
    const [, , streams = dialect.decodeRequest(body).stream === true] = route
    const { method = '', headers } = request
    requests.push({ method, path, headers, body, dialect: dialect.id })
    const next = (queue.length > 1 ? queue.shift() : queue[0]) ?? { reply: 'Hello.' }
    if ('fault' in next)
      await playFault(next.fault, { response, dialect, streams, reply: asResponse(next.reply) })
    else if (streams) await sendStream(response, dialect, asResponse(next.reply), next.pieceLength)
    else sendJson(response, 200, dialect.encodeResponse(asResponse(next.reply)))
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    pending: () => pending,
    play(...more) {
      queue = [...more]
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

/** Dialects that share a path are told apart by its first part: `/mistral/v1/chat/completions`. */
function dialectNamedIn(path: string): Dialect | undefined {
  const [, first = ''] = path.split('/')
  return allDialects.find(({ id }) => id === first)
}

async function readBody(request: IncomingMessage): Promise<JsonObject> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const text = Buffer.concat(pieces).toString('utf8')
  const value: unknown = text === '' ? {} : JSON.parse(text)
  return isJsonObject(value) ? value : {}
}

function asResponse(reply: ChatResponse | string = 'Hello.'): ChatResponse {
  if (typeof reply !== 'string') return reply
  return {
    id: 'reply_1',
    model: 'scripted',
    message: { role: 'assistant', content: reply },
    finishReason: 'stop',
    usage: { inputTokens: 12, outputTokens: 7, totalTokens: 19 },
    issues: [],
  }
}

async function sendStream(
  response: ServerResponse,
  dialect: Dialect,
  reply: ChatResponse,
  pieceLength?: number,
): Promise<void> {
  beginStream(response, dialect)
  for (const bytes of streamBytes(dialect, reply, pieceLength)) {
    if (response.destroyed) return
    if (!response.write(bytes)) await drained(response)
  }
  response.end()
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

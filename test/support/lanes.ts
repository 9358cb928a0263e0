/** One reply of a provider, read through each of the ways that a program can take to it. */
import { createClient } from '../../src/client/create-client.ts'
import { createFrameReader, writeFrame } from '../../src/client/frames.ts'
import { joinedBytes } from '../../src/client/joined-bytes.ts'
import { replyEvents } from '../../src/client/reply-events.ts'
import type { ChatRequest, ChatResponse } from '../../src/core/chat.ts'
import { textOf } from '../../src/core/message.ts'
import type { Message, Tool } from '../../src/core/model.ts'
import { getDialect } from '../../src/dialects/registry.ts'
import { rescueFetch } from '../../src/fetch.ts'
import { createPacedSource } from '../../src/gateway/demo/paced-source.ts'
import { createGateway } from '../../src/gateway/gateway.ts'

export const UPSTREAMS = [
  'openai-chat',
  'openai-responses',
  'anthropic',
  'ollama',
  'gemini',
] as const

export type Upstream = (typeof UPSTREAMS)[number]
export type Lane = 'pass' | `translate to ${Upstream}` | 'rescueFetch' | 'client'

export interface Seen {
  readonly calls: readonly { readonly name: string; readonly arguments: unknown }[]
  readonly text: string
  readonly reasoning: string
  readonly finishReason: string
  /** Codes. */
  readonly issues: readonly string[]
}

interface Asking {
  readonly tools: readonly Tool[]
  readonly messages: readonly Message[]
  readonly streamed: boolean
  /** Bytes in each chunk of the provider's reply. */
  readonly size: number
}

const SERVICES: Readonly<Record<Upstream, string>> = {
  'openai-chat': 'openai-compatible',
  'openai-responses': 'responses-compatible',
  anthropic: 'anthropic',
  ollama: 'ollama',
  gemini: 'google',
}

const BASE_URL = 'http://provider.test/v1'

function pathOf(dialect: Upstream, model: string, streamed: boolean): string {
  const gemini = streamed ? 'streamGenerateContent?alt=sse' : 'generateContent'
  const paths: Readonly<Record<Upstream, string>> = {
    'openai-chat': '/v1/chat/completions',
    'openai-responses': '/v1/responses',
    anthropic: '/v1/messages',
    ollama: '/api/chat',
    gemini: `/v1beta/models/${model}:${gemini}`,
  }
  return paths[dialect]
}

/** The known differences from what the client reads, each with its reason in docs/guides/gateway.md. */
export function differences(
  upstream: Upstream,
  name: string,
  streamed: boolean,
): Partial<Record<Lane, Partial<Seen>>> {
  if (name !== 'reasoning between texts') return {}
  // Two blocks of text, which the decoder joins with a line break.
  const apart = { text: 'First. \n Then.' }
  if (upstream === 'anthropic') return { pass: apart, rescueFetch: apart }
  return streamed ? { 'translate to anthropic': apart } : {}
}

export async function readThrough(
  upstream: Upstream,
  reply: ChatResponse,
  asking: Asking,
): Promise<Record<Lane, Seen>> {
  const chunks = chunksOf(bytesOf(upstream, reply, asking.streamed), asking.size)
  const other = UPSTREAMS[(UPSTREAMS.indexOf(upstream) + 1) % UPSTREAMS.length] ?? 'anthropic'
  const another = upstream === 'openai-chat' ? 'anthropic' : 'openai-chat'
  const lanes: Partial<Record<Lane, Seen>> = {
    pass: await throughGateway(upstream, upstream, chunks, asking),
    [`translate to ${another}`]: await throughGateway(another, upstream, chunks, asking),
    [`translate to ${other}`]: await throughGateway(other, upstream, chunks, asking),
    rescueFetch: await throughFetch(upstream, chunks, asking),
    client: await throughClient(upstream, chunks, asking),
  }
  // All that a test asks for are there.
  return lanes as Record<Lane, Seen>
}

// ── the provider ────────────────────────────────────────────────────────────────────────────────

function bytesOf(id: Upstream, reply: ChatResponse, streamed: boolean): Uint8Array {
  const dialect = getDialect(id)
  if (!streamed) return new TextEncoder().encode(JSON.stringify(dialect.encodeResponse(reply)))
  const encoder = dialect.createStreamEncoder({ usage: true })
  const framing = dialect.framing === 'ndjson' ? 'ndjson' : 'sse'
  const frames = replyEvents(reply, 5).flatMap((event) => encoder.push(event))
  return joinedBytes(frames.map((frame) => writeFrame(framing, frame)))
}

function chunksOf(bytes: Uint8Array, size: number): Uint8Array[] {
  const chunks: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.slice(at, at + size))
  return chunks
}

function typeOf(id: Upstream, streamed: boolean): string {
  if (!streamed) return 'application/json'
  return getDialect(id).framing === 'sse' ? 'text/event-stream' : 'application/x-ndjson'
}

function fetchOf(id: Upstream, chunks: readonly Uint8Array[], streamed: boolean): typeof fetch {
  return async () => {
    const left = [...chunks]
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const next = left.shift()
        if (next) controller.enqueue(next)
        else controller.close()
      },
    })
    return new Response(body, { headers: { 'content-type': typeOf(id, streamed) } })
  }
}

// ── the lanes ───────────────────────────────────────────────────────────────────────────────────

function requestBody(id: Upstream, model: string, { tools, messages, streamed }: Asking): string {
  const request: ChatRequest = { model, messages, tools, stream: streamed, maxTokens: 1000 }
  return JSON.stringify(getDialect(id).encodeRequest(request))
}

async function throughGateway(
  client: Upstream,
  upstream: Upstream,
  chunks: readonly Uint8Array[],
  asking: Asking,
): Promise<Seen> {
  const issues: string[] = []
  const config = { provider: SERVICES[upstream], baseUrl: BASE_URL, apiKey: 'k' }
  const gateway = createGateway(
    { providers: { up: config }, demo: false },
    {
      env: {},
      observers: [{ begin: () => ({ end: (outcome) => void issues.push(...outcome.issues) }) }],
      send: async () => ({
        status: 200,
        headers: { 'content-type': typeOf(upstream, asking.streamed) },
        body: createPacedSource(chunks),
      }),
    },
  )
  const url = `http://gateway.test${pathOf(client, 'up/m', asking.streamed)}`
  const headers = { 'content-type': 'application/json' }
  const body = requestBody(client, 'up/m', asking)
  const response = await gateway.fetch(new Request(url, { method: 'POST', headers, body }))
  const seen = await decoded(client, response, asking.streamed)
  await gateway.close()
  return { ...seen, issues: issues.sort() }
}

async function throughFetch(
  upstream: Upstream,
  chunks: readonly Uint8Array[],
  asking: Asking,
): Promise<Seen> {
  const issues: string[] = []
  const fetch = rescueFetch({
    fetch: fetchOf(upstream, chunks, asking.streamed),
    onIssue: ({ issue }) => void issues.push(issue.code),
  })
  const url = `http://provider.test${pathOf(upstream, 'm', asking.streamed)}`
  const response = await fetch(url, { method: 'POST', body: requestBody(upstream, 'm', asking) })
  return { ...(await decoded(upstream, response, asking.streamed)), issues: issues.sort() }
}

async function throughClient(
  upstream: Upstream,
  chunks: readonly Uint8Array[],
  { tools, messages, streamed }: Asking,
): Promise<Seen> {
  const client = createClient({
    provider: SERVICES[upstream],
    baseUrl: BASE_URL,
    model: 'm',
    apiKey: 'k',
    env: {},
    retries: 0,
    fetch: fetchOf(upstream, chunks, streamed),
  })
  const request = { messages, tools }
  const response = streamed ? await client.stream(request).response : await client.complete(request)
  return { ...viewOf(response), issues: response.issues.map(({ code }) => code).sort() }
}

async function decoded(
  id: Upstream,
  response: Response,
  streamed: boolean,
): Promise<Omit<Seen, 'issues'>> {
  const dialect = getDialect(id)
  const bytes = new Uint8Array(await response.arrayBuffer())
  const text = new TextDecoder().decode(bytes)
  if (!response.ok) throw new Error(text)
  if (!streamed) return viewOf(dialect.decodeResponse(JSON.parse(text)))
  const frames = createFrameReader(dialect.framing)
  const decoder = dialect.createStreamDecoder()
  for (const frame of [...frames.push(bytes), ...frames.end()]) decoder.push(frame)
  const last = decoder.end().at(-1)
  if (last?.type === 'finish') return viewOf(last.response)
  throw new Error(`not finished: ${text}`)
}

function viewOf({ message, finishReason }: ChatResponse): Omit<Seen, 'issues'> {
  const { toolCalls = [], reasoning = '' } = message
  return {
    calls: toolCalls.map(({ name, arguments: args }) => ({ name, arguments: args })),
    text: textOf(message),
    reasoning,
    finishReason,
  }
}

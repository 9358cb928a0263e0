/** Replies without a server: a `fetch` that answers with given bytes, in given pieces. */
import { writeFrame } from '../../src/client/frames.ts'
import type { JsonObject, JsonValue } from '../../src/core/json/value.ts'
import { type FetchLike, type RescueOptions, rescueFetch } from '../../src/fetch.ts'

export const URLS = {
  'openai-chat': 'http://host/v1/chat/completions',
  'openai-responses': 'http://host/v1/responses',
  anthropic: 'http://host/v1/messages',
  ollama: 'http://host/api/chat',
  gemini: 'http://host/v1beta/models/gemini-3-flash:streamGenerateContent?alt=sse',
} as const

export type WireId = keyof typeof URLS

const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city'],
}
const declared = { name: 'get_weather', description: 'The weather', parameters: schema }
const chat = { model: 'm', messages: [{ role: 'user', content: 'Weather?' }] }

/** Requests with one tool. */
export const REQUESTS: Readonly<Record<WireId, JsonObject>> = {
  'openai-chat': { ...chat, tools: [{ type: 'function', function: declared }] },
  'openai-responses': {
    model: 'm',
    input: 'Weather?',
    tools: [{ type: 'function', ...declared, strict: false }],
  },
  anthropic: {
    ...chat,
    max_tokens: 100,
    tools: [{ name: 'get_weather', input_schema: schema }],
  },
  ollama: { ...chat, tools: [{ type: 'function', function: declared }] },
  gemini: {
    contents: [{ role: 'user', parts: [{ text: 'Weather?' }] }],
    tools: [{ functionDeclarations: [declared] }],
  },
}

export interface Played {
  readonly type?: string
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Answers every request with these pieces. */
export function playing(pieces: readonly (string | Uint8Array)[], how: Played = {}): FetchLike {
  const { type = 'text/event-stream', status = 200, headers } = how
  return async () => {
    const left = pieces.map((piece) => (typeof piece === 'string' ? encode(piece) : piece))
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const next = left.shift()
          if (next) controller.enqueue(next)
          else controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    return new Response(body, { status, headers: { 'content-type': type, ...headers } })
  }
}

/** What comes out when a server answers like this. */
export async function rescue(
  wire: WireId,
  pieces: readonly (string | Uint8Array)[],
  how: Played & RescueOptions & RescueCall = {},
): Promise<string> {
  const { request = REQUESTS[wire], url = URLS[wire], ...rest } = how
  const { type: _, status: __, headers: ___, ...options } = rest
  const fetch = rescueFetch({ ...options, fetch: playing(pieces, how) })
  const response = await fetch(url, { method: 'POST', body: JSON.stringify(request) })
  // As they are, with the mark that may stand at the beginning.
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer())
}

interface RescueCall {
  readonly request?: JsonObject
  readonly url?: string
}

export function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

export function bytesOf(pieces: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(pieces.flatMap((piece) => [...piece]))
}

/** The frames of a stream of events. */
export function sse(...frames: readonly (JsonValue | string)[]): string {
  return frames
    .map((frame) => (typeof frame === 'string' ? frame : JSON.stringify(frame)))
    .map((data) => new TextDecoder().decode(writeFrame('sse', { data })))
    .join('')
}

/** The JSON in a stream, in order. */
export function readFrames(stream: string): JsonObject[] {
  const lines = stream.split('\n').map((line) => line.replace(/^data: /, ''))
  return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
}

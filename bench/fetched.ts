/** Clients that read a streamed reply, and a server that costs them nothing. */
import { createParser } from 'eventsource-parser'
import type { Framing } from '../src/core/dialect.ts'
import { type FetchLike, rescueFetch } from '../src/fetch.ts'

export { rescueFetch }

const TYPES = {
  sse: 'text/event-stream',
  ndjson: 'application/x-ndjson',
  aws: 'application/vnd.amazon.eventstream',
} as const

/** A `fetch` that answers every request with these chunks. */
export function playing(framing: Framing, chunks: readonly Uint8Array[]): FetchLike {
  const headers = { 'content-type': TYPES[framing] }
  return async () => {
    let next = 0
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          const chunk = chunks[next++]
          if (chunk) controller.enqueue(chunk)
          else controller.close()
        },
      },
      { highWaterMark: 0 },
    )
    return new Response(body, { headers })
  }
}

export interface Asked {
  readonly url: string
  readonly body: string
  readonly framing: Framing
  /** How the client reads: by a loop over the body, or by asking a reader. */
  readonly way: 'loop' | 'reader'
}

/** Fetches, reads to the end and parses every frame. Returns how many there were. */
export async function fetchFrames(fetch: FetchLike, asked: Asked): Promise<number> {
  const { url, body: request, framing, way } = asked
  const response = await fetch(url, { method: 'POST', body: request })
  const { body } = response
  if (!body) return -1
  let frames = 0
  const parser = createParsing(framing, (data) => {
    if (typeof JSON.parse(data) === 'object') frames++
  })
  const decoder = new TextDecoder()
  if (way === 'loop') {
    for await (const chunk of body) parser(decoder.decode(chunk, { stream: true }))
    return frames
  }
  const reader = body.getReader()
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    parser(decoder.decode(step.value, { stream: true }))
  }
  return frames
}

function createParsing(framing: Framing, take: (data: string) => void): (text: string) => void {
  if (framing === 'sse') {
    const parser = createParser({ onEvent: ({ data }) => data !== '[DONE]' && take(data) })
    return (text) => parser.feed(text)
  }
  let rest = ''
  return (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
  }
}

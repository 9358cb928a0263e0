/** A provider on loopback for the bench of gateways: as little work as possible for each reply. */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Pace, readPace } from './gateway-pace.ts'

const WORDS = 'The harbour was quiet before dawn and the boats lay in a row along the old wall. '
const CALL =
  '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Lisbon", "unit": "celsius"}}\n</tool_call>'
const PIECE = 5

/** So many pieces of prose, the last of them a call in pieces of the same length where it leaks. */
function piecesOf({ leaks, chunks }: Pace): string[] {
  const call = leaks ? CALL : ''
  const length = chunks * PIECE - call.length
  const text = WORDS.repeat(Math.ceil(length / WORDS.length)).slice(0, length) + call
  return Array.from({ length: chunks }, (_, at) => text.slice(at * PIECE, (at + 1) * PIECE))
}

const HEAD = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 0, model: 'bench' }

function frame(delta: object, finish: string | null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  return `data: ${JSON.stringify({ ...HEAD, choices })}\n\n`
}

const kept = new Map<string, readonly string[]>()

function framesFor(model: string): readonly string[] {
  const known = kept.get(model)
  if (known) return known
  const pieces = piecesOf(readPace(model))
  const frames = [
    ...pieces.map((content) => frame({ content }, null)),
    frame({}, 'stop'),
    'data: [DONE]\n\n',
  ]
  kept.set(model, frames)
  return frames
}

function whole(model: string): string {
  const message = { role: 'assistant', content: piecesOf(readPace(model)).join('') }
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  const usage = { prompt_tokens: 20, completion_tokens: 40, total_tokens: 60 }
  return JSON.stringify({ ...HEAD, object: 'chat.completion', choices, usage })
}

/** Where a frame was sent at this time, a comment in front of it says so. */
function stamp(): string {
  return `: ${performance.timeOrigin + performance.now()}\n`
}

function stream(response: ServerResponse, model: string): void {
  const frames = framesFor(model)
  const { everyMs } = readPace(model)
  let at = 0
  response.writeHead(200, { 'content-type': 'text/event-stream' })

  function next(): void {
    const text = frames[at++]
    if (text === undefined) return void response.end()
    const isFree = response.write(everyMs > 0 ? stamp() + text : text)
    if (everyMs > 0) setTimeout(next, everyMs)
    else if (isFree) setImmediate(next)
    else response.once('drain', next)
  }

  next()
}

const server = createServer((request, response) => {
  const pieces: Buffer[] = []
  request.on('data', (piece: Buffer) => pieces.push(piece))
  request.on('end', () => {
    const { model, stream: streamed } = JSON.parse(Buffer.concat(pieces).toString()) as {
      model: string
      stream?: boolean
    } // our own load
    if (streamed) return stream(response, model)
    response.writeHead(200, { 'content-type': 'application/json' }).end(whole(model))
  })
})
server.listen(0, '127.0.0.1', () => {
  // A server that listens on TCP has such an address.
  process.send?.({ port: (server.address() as AddressInfo).port })
})

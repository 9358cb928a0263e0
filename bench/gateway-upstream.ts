/**
 * A provider on loopback for the bench of gateways. It speaks over plain sockets and keeps its replies as
 * bytes: what it costs, all gateways have to wait for.
 */

import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { type Pace, readPace } from './gateway-pace.ts'
import { createMessageReader } from './http-message.ts'

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

function framesOf(pace: Pace): string[] {
  const texts = piecesOf(pace).map((content) => frame({ content }, null))
  return [...texts, frame({}, 'stop'), 'data: [DONE]\n\n']
}

function whole(pace: Pace): string {
  const message = { role: 'assistant', content: piecesOf(pace).join('') }
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  const usage = { prompt_tokens: 20, completion_tokens: 40, total_tokens: 60 }
  return JSON.stringify({ ...HEAD, object: 'chat.completion', choices, usage })
}

// ── as bytes ────────────────────────────────────────────────────────────────────────────────────

const OK = 'HTTP/1.1 200 OK\r\nconnection: keep-alive\r\n'
const STREAM_HEAD = `${OK}content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n`
const STREAM_END = '0\r\n\r\n'

function chunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
}

function replyFor(model: string, streamed: boolean): Buffer {
  const pace = readPace(model)
  if (streamed) return Buffer.from(STREAM_HEAD + framesOf(pace).map(chunk).join('') + STREAM_END)
  const body = whole(pace)
  const head = `${OK}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}`
  return Buffer.from(`${head}\r\n\r\n${body}`)
}

const kept = new Map<string, Buffer>()

function replyTo(model: string, streamed: boolean): Buffer {
  const key = `${model} ${streamed}`
  const reply = kept.get(key) ?? replyFor(model, streamed)
  kept.set(key, reply)
  return reply
}

/** A frame now and then; a comment in front of each says when it was sent. */
function drip(socket: Socket, pace: Pace): void {
  const frames = framesOf(pace)
  let at = 0
  socket.write(STREAM_HEAD)

  function next(): void {
    const text = frames[at++]
    if (text === undefined) return void socket.write(STREAM_END)
    socket.write(chunk(`: ${performance.timeOrigin + performance.now()}\n${text}`))
    setTimeout(next, pace.everyMs)
  }

  next()
}

function answer(socket: Socket, body: string): void {
  const { model, stream: streamed = false } = JSON.parse(body) as {
    model: string
    stream?: boolean
  } // our own load
  const pace = readPace(model)
  if (streamed && pace.everyMs > 0) drip(socket, pace)
  else socket.write(replyTo(model, streamed))
}

const server = createServer((socket) => {
  const reader = createMessageReader((body) => answer(socket, body))
  socket.setNoDelay()
  socket.on('data', (bytes) => reader.push(bytes))
  // A gateway that leaves may do so.
  socket.on('error', () => socket.destroy())
})
server.listen(0, '127.0.0.1', () => {
  // A server that listens on TCP has such an address.
  process.send?.({ port: (server.address() as AddressInfo).port })
})

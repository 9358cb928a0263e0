/**
 * A provider on loopback, in a process of its own, that answers every request with the same streamed reply,
 * one write for each frame. It ends with the process that started it.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { DialectId } from '../src/dialects/registry.ts'
import { framedBytes, speechOf, wireReply } from './wire-replies.ts'

const WORDS = 2000

/** The name of the dialect comes first in the path. */
const replies = new Map<string, readonly Uint8Array[]>()

function replyOf(path: string): readonly Uint8Array[] {
  const [, wire = ''] = path.split('/')
  // Only our own bench asks.
  const reply = replies.get(wire) ?? framedBytes(wireReply(wire as DialectId, speechOf(WORDS)))
  replies.set(wire, reply)
  return reply
}

const server = createServer((request, response) => {
  const { url = '' } = request
  request.resume().on('end', () => {
    const type = url.startsWith('/ollama') ? 'application/x-ndjson' : 'text/event-stream'
    response.writeHead(200, { 'content-type': type })
    for (const frame of replyOf(url)) response.write(frame)
    response.end()
  })
})
process.once('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => {
  // A server that listens on TCP has such an address.
  process.send?.((server.address() as AddressInfo).port)
})

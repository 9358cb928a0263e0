/** A provider that answers every request with a reply of its dialect, most of them damaged. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Dialect } from '../../src/core/dialect.ts'
import type { JsonValue } from '../../src/core/json/value.ts'
import { getDialect } from '../../src/dialects/registry.ts'
import { CONTENT_TYPES, streamBytes } from '../../src/testing/upstream-reply.ts'
import type { Dice } from './dice.ts'
import { deepText, mutatedBytes, mutatedJson } from './mutations.ts'
import { sampleReply } from './samples.ts'

export interface DamagedProvider {
  /** Without a slash at the end; the id of a dialect follows. */
  readonly url: string
  close(): Promise<void>
}

const STATUSES = [
  400, 401, 403, 404, 408, 413, 422, 429, 500, 502, 503, 529, 204, 302, 418,
] as const
const ODD_HEADERS: readonly [Record<string, string>, ...Record<string, string>[]] = [
  { 'retry-after': '1' },
  { 'retry-after': '99999999999999' },
  { 'retry-after': 'soon' },
  { 'content-type': 'text/html' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-encoding': 'gzip' },
  { location: 'http://127.0.0.1:9/' },
  { 'x-ratelimit-reset-requests': '-5ms' },
]

export async function startDamagedProvider(dice: Dice): Promise<DamagedProvider> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => {})
    request.on('end', () => answer(request, Buffer.concat(chunks).toString(), response, dice))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

function answer(
  { url: path = '' }: IncomingMessage,
  body: string,
  response: ServerResponse,
  dice: Dice,
): void {
  const dialect = getDialect(path.split('/')[1] ?? '')
  const streams = /stream/i.test(path) || /"stream": ?true/.test(body)
  const bytes = replyBytes(dialect, streams, dice)
  response.writeHead(dice.chance(0.12) ? dice.pick(STATUSES) : 200, {
    'content-type': streams ? CONTENT_TYPES[dialect.framing] : 'application/json',
    ...(dice.chance(0.1) && dice.pick(ODD_HEADERS)),
  })
  if (dice.chance(0.003)) return
  send(response, bytes, dice)
}

function replyBytes(dialect: Dialect, streams: boolean, dice: Dice): Uint8Array {
  const reply = sampleReply(dice)
  const bytes = streams
    ? Buffer.concat(streamBytes(dialect, reply, 1 + dice.below(30)))
    : Buffer.from(wholeText(dialect.encodeResponse(reply), dice))
  return dice.chance(0.5) ? mutatedBytes(bytes, dice) : bytes
}

function wholeText(body: JsonValue, dice: Dice): string {
  if (dice.chance(0.005)) return deepText(dice)
  return JSON.stringify(dice.chance(0.6) ? mutatedJson(body, dice) : body)
}

/** Writes in chunks cut anywhere, and now and then breaks the connection. */
function send(response: ServerResponse, bytes: Uint8Array, dice: Dice): void {
  const breaks = dice.chance(0.05)
  const size = 1 + dice.below(dice.chance(0.5) ? 64 : 4096)
  const end = breaks ? dice.below(bytes.length + 1) : bytes.length
  // At most a hundred writes: the chunking is varied enough, and the run has an end.
  const step = Math.max(size, Math.ceil(end / 100))
  for (let at = 0; at < end; at += step)
    response.write(bytes.subarray(at, Math.min(at + step, end)))
  if (breaks) response.destroy()
  else response.end()
}

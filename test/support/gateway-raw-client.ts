/** Clients that do what libraries do not: stop reading, send slowly, hang up. */
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'

export interface OpenReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** What came so far. */
  text(): string
  /** Resolves when the reply is over: true for a proper end. */
  readonly ended: Promise<boolean>
  hangUp(): void
}

/** Sends a request and resolves when the reply begins. */
export function openReply(url: string, body: string | Uint8Array): Promise<OpenReply> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    const sent = request(url, { method: 'POST', headers, agent: false }, (response) => {
      const pieces: Buffer[] = []
      response.on('data', (piece: Buffer) => pieces.push(piece))
      const ended = new Promise<boolean>((done) => {
        response.on('close', () => done(response.complete))
        response.on('error', () => done(false))
      })
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: () => Buffer.concat(pieces).toString('utf8'),
        ended,
        hangUp: () => sent.destroy(),
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

export interface RawClient {
  readonly socket: Socket
  /** What came back so far. */
  text(): string
  /** Resolves when the connection is closed, by whomever. */
  readonly closed: Promise<void>
}

/** A bare connection. With `reads: false` nothing is ever taken from it. */
export async function openSocket(url: string, reads = true): Promise<RawClient> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  const pieces: Buffer[] = []
  if (reads) socket.on('data', (piece: Buffer) => pieces.push(piece))
  else socket.pause()
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', () => resolve())
    socket.once('error', reject)
  })
  // Afterwards a broken connection is what the test is about.
  socket.removeAllListeners('error')
  socket.on('error', () => {})
  return { socket, text: () => Buffer.concat(pieces).toString('utf8'), closed }
}

/** A POST as text, for sockets. */
export function postText(
  path: string,
  body: string,
  headers: readonly string[] = [],
  version = '1.1',
): string {
  const lines = [
    `POST ${path} HTTP/${version}`,
    'host: 127.0.0.1',
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    ...headers,
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

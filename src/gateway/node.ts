/** The gateway on Node: `node:http` towards clients. */
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { checkFunction, checkObject } from '../core/caller-input.ts'
import { remembering } from '../core/remember.ts'
import { limited } from './byte-source.ts'
import type { GatewayLimits } from './config.ts'
import { openaiError } from './endpoints/openai-error.ts'
import type { Gateway } from './gateway.ts'
import { GatewayError } from './gateway-error.ts'
import type { GatewayRequest, HeaderMap } from './http.ts'
import { bodyTooLarge, LIMIT_DEFAULTS } from './limits.ts'
import { BodyTimer, bodySource } from './node/body-source.ts'
import { Door } from './node/door.ts'
import { HangUp } from './node/hang-up.ts'
import { writeReply } from './node/reply-writer.ts'
import { UnreadReplies } from './node/unread-replies.ts'

export interface ListenOptions {
  /** Default 127.0.0.1. */
  readonly host?: string | undefined
  /** Default: any that is free. */
  readonly port?: number | undefined
  readonly limits?: GatewayLimits | undefined
  /** In PEM format. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined
}

export interface ListeningGateway {
  /** Without a slash at the end. */
  readonly url: string
  readonly server: Server
  /**
   * Lets load balancers notice, then takes no new requests and lets those under way finish; ends them when all
   * of it takes longer than `graceMs`. New requests are taken for `drainMs`; without it, for as long as they
   * come, 5 s at most.
   */
  shutdown(graceMs: number, drainMs?: number): Promise<void>
}

const HEADERS_MS = 10_000
const BODY_MS = 60_000
const STALLED_MS = 60_000

export async function listen(
  gateway: Gateway,
  options: ListenOptions = {},
): Promise<ListeningGateway> {
  checkObject('a gateway', gateway, 'what createGateway() gives')
  checkFunction('handle of the gateway', gateway.handle)
  checkObject('options', options, '{ port: 4141 }')
  const { host = '127.0.0.1', port = 0, limits = {}, tls } = options
  const { clientHeadersMs = HEADERS_MS, clientBodyMs = BODY_MS } = limits
  const { stalledClientMs = STALLED_MS, unreadBytes = LIMIT_DEFAULTS.unreadBytes } = limits
  const answering = {
    gateway,
    bodyMs: clientBodyMs,
    stalledMs: stalledClientMs,
    unread: new UnreadReplies(unreadBytes),
  }
  const settings = {
    headersTimeout: clientHeadersMs,
    // Files of models take as long as they take: bodies have a timer of their own.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.min(1000, clientHeadersMs),
    keepAliveTimeout: 65_000,
    maxHeaderSize: limits.headerBytes ?? LIMIT_DEFAULTS.headerBytes,
  }
  const handler = (request: IncomingMessage, response: ServerResponse): void => {
    door.enter(response)
    // A mistake of ours must leave nobody waiting, and all others alone.
    answer(answering, request, response).catch(() => response.destroy())
  }
  const server = tls
    ? createSecureServer({ ...settings, ...tls }, handler)
    : createServer(settings, handler)
  const door = new Door(server)
  server.on('clientError', refuseSocket)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve())
  })
  // A server that listens on TCP has such an address.
  const address = server.address() as AddressInfo
  const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address
  return {
    url: `${tls ? 'https' : 'http'}://${shown}:${address.port}`,
    server,
    async shutdown(graceMs, drainMs) {
      const began = performance.now()
      gateway.leave()
      await door.leave({ drainMs, atMostMs: graceMs, pending: gateway.pending })
      await shutdown(gateway, server, Math.max(0, graceMs - (performance.now() - began)))
    },
  }
}

/** As Node reports it. */
const LATE = Object.assign(new Error('the body did not come in time'), {
  code: 'ERR_HTTP_REQUEST_TIMEOUT',
})

const HEADERS = 'the address and the headers are longer than limits.headerBytes'

/** What is no request, or never becomes one; in words that most clients understand. */
function refuseSocket(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const isLate = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const failure = isLate
    ? new GatewayError('client_timeout', 'the request did not come in time')
    : error.code === 'HPE_HEADER_OVERFLOW'
      ? new GatewayError('headers_too_large', HEADERS)
      : new GatewayError('invalid_request', 'this is no HTTP request that can be read')
  const body = JSON.stringify(openaiError(failure))
  const head = [
    `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status]}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

async function shutdown(gateway: Gateway, server: Server, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs)
  })
  await Promise.race([gateway.drain(), late])
  clearTimeout(timer)
  server.closeIdleConnections()
  // What was answered is still being written.
  setTimeout(() => server.closeAllConnections(), 100).unref()
  await closed
}

interface Answering {
  readonly gateway: Gateway
  readonly bodyMs: number
  readonly stalledMs: number
  readonly unread: UnreadReplies
}

async function answer(
  { gateway, bodyMs, ...writing }: Answering,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const hangUp = hangUpOf(incoming.socket)
  const signal = hangUp.enter()
  response.once('finish', () => hangUp.leave())
  const timer = new BodyTimer(incoming, bodyMs, () => refuseSocket(LATE, incoming.socket))
  response.once('close', () => timer.stop())
  const request: GatewayRequest = {
    method: incoming.method ?? 'GET',
    url: incoming.url ?? '/',
    headers: headersOf(incoming),
    readBody: (maxBytes) => readBody(incoming, maxBytes, signal),
    openBody: (maxBytes) => limited(bodySource(incoming, timer), maxBytes),
    signal,
    whenWritten: (listener) => void response.once('finish', listener),
  }
  const reply = await gateway.handle(request)
  await writeReply(reply, response, { incoming, hangUp, signal, ...writing })
}

const hangUpOf = remembering((socket: Socket) => new HangUp(socket))

function headersOf({ headers }: IncomingMessage): HeaderMap {
  // Only `set-cookie` can be a list, and no client sends one.
  return headers as HeaderMap
}

/** Refuses a long body while it comes, before the rest of it is there. */
function readBody(
  incoming: IncomingMessage,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (Number(incoming.headers['content-length']) > maxBytes)
    return Promise.reject(bodyTooLarge(maxBytes))
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let length = 0
    const fail = (reason: unknown): void => {
      signal.removeEventListener('abort', leave)
      reject(reason)
    }
    const leave = (): void => fail(new GatewayError('client_closed', 'the client hung up'))
    // A client that left before is no event any more.
    if (signal.aborted) return leave()
    signal.addEventListener('abort', leave, { once: true })
    incoming.on('data', (piece: Buffer) => {
      length += piece.length
      if (length <= maxBytes) return void pieces.push(piece)
      pieces.length = 0
      incoming.pause()
      fail(bodyTooLarge(maxBytes))
    })
    incoming.on('end', () => {
      signal.removeEventListener('abort', leave)
      // The listeners live as long as the reply, and what they hold does.
      const all = pieces.splice(0)
      resolve(all.length === 1 && all[0] ? all[0] : Buffer.concat(all))
    })
    incoming.on('error', leave)
  })
}

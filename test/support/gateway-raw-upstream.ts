/** A provider that sends the very bytes a test wants, and tells when it is left. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RawRequest {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

export type RawHandler = (
  response: ServerResponse,
  request: RawRequest,
) => void | Promise<void> | undefined

export interface RawUpstream {
  /** Without a slash at the end. */
  readonly url: string
  readonly requests: readonly RawRequest[]
  /** What the next requests are answered with. */
  answer(handler: RawHandler): void
  /** Connections that are open now. */
  connections(): number
  close(): Promise<void>
}

export async function startRawUpstream(first: RawHandler = hello): Promise<RawUpstream> {
  const requests: RawRequest[] = []
  let handler = first
  let connections = 0
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    try {
      for await (const piece of request) pieces.push(piece as Buffer)
    } catch {
      // Whoever asked is gone.
      return
    }
    const text = Buffer.concat(pieces).toString('utf8')
    const { url: path = '', headers } = request
    const received = { path, headers, text }
    requests.push(received)
    await handler(response, received)
  })
  server.on('connection', (socket) => {
    connections++
    socket.on('close', () => connections--)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A TCP server that listens has an address with a port.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    answer(next) {
      handler = next
    },
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

function hello(response: ServerResponse): void {
  response.writeHead(404).end()
}

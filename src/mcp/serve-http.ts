/** Tools of ours over streamable HTTP. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { RunnableTool } from '../tool.ts'
import { findIntruder, type GuardOptions } from './request-guard.ts'
import { loadSdk } from './sdk.ts'
import { checkTools, type ServeOptions, serveMcp } from './serve.ts'

export interface McpHandlerOptions extends ServeOptions, GuardOptions {
  /** False answers 401. Everybody who gets past the guard may come in when left out. */
  authorize?(request: IncomingMessage): boolean | Promise<boolean>
  /** Clients at the same time; one more ends the session that was quiet for longest. Default 100. */
  readonly maxSessions?: number
}

export interface McpHandler extends AsyncDisposable {
  (request: IncomingMessage, response: ServerResponse): Promise<void>
  close(): Promise<void>
}

export interface ServeHttpOptions extends McpHandlerOptions {
  /** Default 0: any that is free. */
  readonly port?: number
  /** Default `127.0.0.1`: nobody else can reach it. Name further hosts in `allowedHosts`. */
  readonly host?: string
}

export interface McpHttpServer extends AsyncDisposable {
  /** For clients; ends in `/mcp`. */
  readonly url: string
  close(): Promise<void>
}

interface ServedSession {
  readonly server: Server
  readonly transport: StreamableHTTPServerTransport
  /** Requests being answered, open streams included. */
  active: number
}

const PATH = '/mcp'
const MAX_SESSIONS = 100

/**
 * A request listener for `node:http`, at whatever path it is put. Requests from other machines' pages and
 * for other names than this machine's are refused.
 */
export function createMcpHandler(
  tools: readonly RunnableTool[],
  options: McpHandlerOptions = {},
): McpHandler {
  checkTools(tools)
  // In the order of use: the last was used last.
  const sessions = new Map<string, ServedSession>()

  // Never rejects: nobody would catch it, and one request must not end the process.
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await route(request, response)
    } catch {
      if (!response.headersSent) refuse(response, 500, 'internal error')
    }
  }

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const intruder = findIntruder(request.headers, options)
    if (intruder !== undefined) return refuse(response, 403, intruder)
    if (options.authorize && !(await options.authorize(request))) {
      return refuse(response, 401, 'not authorized')
    }
    const id = request.headers['mcp-session-id']
    if (id === undefined) return open(request, response)
    const session = typeof id === 'string' ? sessions.get(id) : undefined
    if (!session) return refuse(response, 404, 'unknown session')
    sessions.delete(String(id))
    sessions.set(String(id), session)
    return answer(session, request, response)
  }

  /** Only a request that begins a session leaves one behind. */
  async function open(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { StreamableHTTPServerTransport } = await loadSdk(
      () => import('@modelcontextprotocol/sdk/server/streamableHttp.js'),
    )
    const server = await serveMcp(tools, options)
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => globalThis.crypto.randomUUID(),
      onsessioninitialized: (id) => {
        makeRoom()
        sessions.set(id, session)
      },
      onsessionclosed: (id) => void sessions.delete(id),
    })
    const session: ServedSession = { server, transport, active: 0 }
    // Its optional session id does not say `undefined`, as exact optional properties want it.
    await server.connect(transport as Transport)
    await answer(session, request, response)
    if (transport.sessionId === undefined) await server.close()
  }

  function makeRoom(): void {
    if (sessions.size < (options.maxSessions ?? MAX_SESSIONS)) return
    const entries = [...sessions]
    const [id, session] = entries.find(([, { active }]) => active === 0) ?? entries[0] ?? []
    if (id === undefined || !session) return
    sessions.delete(id)
    void session.server.close()
  }

  async function close(): Promise<void> {
    const open = [...sessions.values()]
    sessions.clear()
    await Promise.all(open.map(({ server }) => server.close()))
  }

  return Object.assign(handle, { close, [Symbol.asyncDispose]: close })
}

async function answer(
  session: ServedSession,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  session.active += 1
  response.once('close', () => {
    session.active -= 1
  })
  await session.transport.handleRequest(request, response)
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32000, message }, id: null }))
}

/** Serves the tools at `/mcp` of an address on this machine. */
export async function serveHttp(
  tools: readonly RunnableTool[],
  { port = 0, host = '127.0.0.1', ...options }: ServeHttpOptions = {},
): Promise<McpHttpServer> {
  // That the SDK is missing is said now, and not to the first client.
  await loadSdk(() => import('@modelcontextprotocol/sdk/server/streamableHttp.js'))
  const handler = createMcpHandler(tools, options)
  const { createServer } = await import('node:http')
  const http = createServer((request, response) => {
    const [path] = (request.url ?? '').split('?')
    if (path !== PATH) return refuse(response, 404, `the address ends in ${PATH}`)
    return handler(request, response)
  })
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject)
    http.listen(port, host, resolve)
  })
  const address = http.address()
  const bound = typeof address === 'object' && address ? address.port : port
  const close = async (): Promise<void> => {
    await handler.close()
    http.closeAllConnections()
    await new Promise((resolve) => http.close(resolve))
  }
  const shown = host.includes(':') ? `[${host}]` : host
  return { url: `http://${shown}:${bound}${PATH}`, close, [Symbol.asyncDispose]: close }
}

/** Ways to reach a server, by the modules of the SDK. */
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { loadSdk } from './sdk.ts'
import type { McpAddress, McpProcess, McpServer } from './server-config.ts'
import { type StderrTail, tailOf } from './stderr-tail.ts'

export interface Line {
  readonly transport: Transport
  readonly stderr: StderrTail
  /** True when a broken connection shows only by errors, not by the end of it. */
  readonly isRemote: boolean
  /** Says goodbye to a server that keeps a session. */
  end?(): Promise<void>
}

const NO_STDERR: StderrTail = tailOf(null)

/** The ways to try, one after the other. */
export function linesTo(server: McpServer): readonly (() => Promise<Line>)[] {
  if ('command' in server) return [() => processLine(server)]
  if ('transport' in server) {
    return [async () => localLine(await server.transport())]
  }
  if (server.type === 'sse') return [() => eventLine(server)]
  const isSure = server.type !== undefined
  return [() => httpLine(server), ...(isSure ? [] : [() => eventLine(server)])]
}

function localLine(transport: Transport): Line {
  return { transport, stderr: NO_STDERR, isRemote: false }
}

async function processLine({ command, args, env, cwd }: McpProcess): Promise<Line> {
  const { StdioClientTransport } = await loadSdk(
    () => import('@modelcontextprotocol/sdk/client/stdio.js'),
  )
  const transport = new StdioClientTransport({
    command,
    stderr: 'pipe',
    ...(args && { args: [...args] }),
    ...(env && { env: { ...env } }),
    ...(cwd !== undefined && { cwd }),
  })
  return { transport, stderr: tailOf(transport.stderr), isRemote: false }
}

async function httpLine(server: McpAddress): Promise<Line> {
  const { StreamableHTTPClientTransport } = await loadSdk(
    () => import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
  )
  const transport = new StreamableHTTPClientTransport(new URL(server.url), httpOptions(server))
  return {
    // Its optional session id does not say `undefined`, as exact optional properties want it.
    transport: transport as Transport,
    stderr: NO_STDERR,
    isRemote: true,
    end: () => endSession(transport),
  }
}

async function endSession(transport: StreamableHTTPClientTransport): Promise<void> {
  // The server may be gone, which is as good.
  await transport.terminateSession().catch(() => {})
}

async function eventLine(server: McpAddress): Promise<Line> {
  const { SSEClientTransport } = await loadSdk(
    () => import('@modelcontextprotocol/sdk/client/sse.js'),
  )
  const transport = new SSEClientTransport(new URL(server.url), httpOptions(server))
  return { transport, stderr: NO_STDERR, isRemote: true }
}

function httpOptions({ headers, fetch }: McpAddress): {
  requestInit?: RequestInit
  fetch?: typeof globalThis.fetch
} {
  return { ...(headers && { requestInit: { headers: { ...headers } } }), ...(fetch && { fetch }) }
}

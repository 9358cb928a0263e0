/** What a program says about the servers it wants tools from. */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ToolglotError } from '../core/errors.ts'

/** One server, as in the `mcpServers` of other programs. */
export type McpServer = McpProcess | McpAddress | McpCustom

/** A server that is a process of its own, spoken to over its standard input and output. */
export interface McpProcess extends McpServerOptions {
  readonly type?: 'stdio'
  readonly command: string
  readonly args?: readonly string[]
  /** Added to the few harmless variables a server inherits, such as PATH. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** A server at an address. One that does not know streamable HTTP is spoken to in the older way (SSE). */
export interface McpAddress extends McpServerOptions {
  readonly type?: 'http' | 'streamable-http' | 'sse'
  readonly url: string | URL
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: typeof globalThis.fetch
}

/** A server that is reached in another way, such as one in the same process. */
export interface McpCustom extends McpServerOptions {
  /** Asked for every connection anew. */
  transport(): Transport | Promise<Transport>
}

export interface McpServerOptions {
  /** True: without this server there is no point in going on, and `connectMcp` rejects. */
  readonly required?: boolean
  /** True leaves the server out. */
  readonly disabled?: boolean
  /** The only tools wanted, by the server's own names. All when left out. */
  readonly tools?: readonly string[]
  /** Milliseconds until the server must be ready. Default 30 000. */
  readonly connectTimeoutMs?: number
  /** Milliseconds a call may go on without a sign of life; progress is one. Default 60 000. */
  readonly timeoutMs?: number
}

const CONNECT_TIMEOUT_MS = 30_000
const CALL_TIMEOUT_MS = 60_000

/** Three weeks. A timer set for a month goes off at once, and `Infinity` is how many say "no limit". */
const LONGEST_TIMEOUT_MS = 2_000_000_000

export function connectTimeoutOf({ connectTimeoutMs = CONNECT_TIMEOUT_MS }: McpServer): number {
  return Math.min(connectTimeoutMs, LONGEST_TIMEOUT_MS)
}

export function callTimeoutOf({ timeoutMs = CALL_TIMEOUT_MS }: McpServer): number {
  return Math.min(timeoutMs, LONGEST_TIMEOUT_MS)
}

/** @throws ToolglotError `invalid_mcp_server`, when it cannot be meant. */
export function checkServer(name: string, server: McpServer): void {
  // From a file, it may be anything.
  const given: Partial<Record<'command' | 'url' | 'transport', unknown>> = server ?? {}
  const kinds = (['command', 'url', 'transport'] as const).filter((key) => given[key] !== undefined)
  if (kinds.length !== 1) {
    throw invalid(name, 'needs either `command` (and `args`) or `url`')
  }
  if ('command' in server && typeof server.command !== 'string') {
    throw invalid(name, '`command` must be a string; its arguments go into `args`')
  }
  for (const key of ['connectTimeoutMs', 'timeoutMs'] as const) {
    if (server[key] !== undefined && !(server[key] > 0)) {
      throw invalid(name, `\`${key}\` cannot be ${server[key]}; it takes milliseconds`)
    }
  }
  if ('url' in server && !URL.canParse(String(server.url))) {
    throw invalid(name, '`url` is not an address such as http://127.0.0.1:3000/mcp')
  }
}

function invalid(name: string, fix: string): ToolglotError {
  return new ToolglotError('invalid_mcp_server', `MCP server "${name}": ${fix}`)
}

/** One connection to a server, from the first handshake to the end of its process. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { errorCodeOf } from '../core/error-code.ts'
import { createProgressHub, type ProgressHub } from './progress-hub.ts'
import { loadSdk } from './sdk.ts'
import { connectTimeoutOf, type McpServer } from './server-config.ts'
import { McpServerError } from './server-error.ts'
import { type Line, linesTo } from './transport.ts'

export interface Session {
  readonly client: Client
  readonly progress: ProgressHub
  readonly isOpen: boolean
  readonly stderr: readonly string[]
  close(): Promise<void>
}

export interface SessionEvents {
  onToolsChange(): void
  /** The connection is gone, whoever ended it. */
  onEnd(): void
}

/** Longer than the SDK takes to end a process by force. */
const END_TIMEOUT_MS = 6000
const GOODBYE_TIMEOUT_MS = 2000
const PING_TIMEOUT_MS = 5000

/** @throws McpServerError `mcp_unreachable` */
export async function openSession(
  name: string,
  server: McpServer,
  events: SessionEvents,
): Promise<Session> {
  const failures: McpServerError[] = []
  for (const open of linesTo(server)) {
    const line = await open()
    try {
      return await startSession(line, server, events)
    } catch (cause) {
      failures.push(explain(name, server, cause, line.stderr.lines()))
      if (!isUnknownTransport(cause)) break
    }
  }
  // The first way is the one the server should know; what the others say misleads.
  throw failures[0] ?? new McpServerError('mcp_unreachable', 'has no address', { server: name })
}

function explain(
  name: string,
  server: McpServer,
  cause: unknown,
  stderr: readonly string[],
): McpServerError {
  const code = errorCodeOf(cause)
  const errorCode = code === 'McpError' ? 'McpError:Unreachable' : code
  const how = 'command' in server ? 'could not be started' : 'could not be reached'
  return new McpServerError('mcp_unreachable', how, { server: name, errorCode, stderr, cause })
}

/** How a server answers that only knows the older transport. */
function isUnknownTransport(error: unknown): boolean {
  const status = error instanceof Error && 'code' in error ? error.code : undefined
  return status === 400 || status === 404 || status === 405
}

async function startSession(
  line: Line,
  server: McpServer,
  events: SessionEvents,
): Promise<Session> {
  const { transport, stderr } = line
  const client = await createClient(events)
  const progress = await createProgressHub(client)
  let isOpen = true
  const ended = new Promise<void>((resolve) => {
    transport.onclose = () => {
      isOpen = false
      resolve()
    }
  })
  const close = async (): Promise<void> => {
    if (isOpen && line.end) await within(GOODBYE_TIMEOUT_MS, line.end())
    isOpen = false
    await transport.close()
    await within(END_TIMEOUT_MS, ended)
  }
  try {
    await connect(client, line, connectTimeoutOf(server))
  } catch (error) {
    await close()
    throw error
  }
  void ended.then(() => events.onEnd())
  if (line.isRemote) closeWhenDead(client)
  return {
    client,
    progress,
    close,
    get isOpen() {
      return isOpen
    },
    get stderr() {
      return stderr.lines()
    },
  }
}

async function createClient({ onToolsChange }: SessionEvents): Promise<Client> {
  const [{ Client }, { ToolListChangedNotificationSchema }] = await Promise.all([
    loadSdk(() => import('@modelcontextprotocol/sdk/client/index.js')),
    loadSdk(() => import('@modelcontextprotocol/sdk/types.js')),
  ])
  const client = new Client({ name: 'toolglot', version: '1' })
  client.setNotificationHandler(ToolListChangedNotificationSchema, onToolsChange)
  return client
}

// The SDK limits the handshake, not what comes before it.
async function connect(client: Client, { transport }: Line, timeout: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ConnectTimeout(timeout)), timeout)
  })
  try {
    await Promise.race([client.connect(transport, { timeout: timeout + 1000 }), late])
  } finally {
    clearTimeout(timer)
  }
}

class ConnectTimeout extends Error {
  override readonly name = 'TimeoutError'

  constructor(timeout: number) {
    super(`not ready after ${timeout} ms`)
  }
}

/**
 * A server that dies takes the streams with it, and the calls that wait for them would wait until their
 * time is up. So after an error the server is asked whether it still knows us.
 */
function closeWhenDead(client: Client): void {
  let isAsking = false
  client.onerror = () => {
    if (isAsking) return
    isAsking = true
    client
      .ping({ timeout: PING_TIMEOUT_MS })
      .catch(() => client.close())
      .finally(() => {
        isAsking = false
      })
  }
}

/** The end of the promise, or of the time: an answer is good to have, but not to wait for. */
async function within(milliseconds: number, promise: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([promise, late])
  clearTimeout(timer)
}

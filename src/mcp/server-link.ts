/** A server a program has named: connected, connected again when it was lost, asked for tools and called. */
import type { ToolContext } from '../tool.ts'
import { explainFailure, wasNotSent } from './call-failure.ts'
import { callRemote } from './remote-call.ts'
import { listTools, type RemoteTool } from './remote-tools.ts'
import { callTimeoutOf, connectTimeoutOf, type McpServer } from './server-config.ts'
import { McpServerError } from './server-error.ts'
import { openSession, type Session } from './session.ts'

export interface ServerLink {
  readonly name: string
  readonly state: McpServerState
  readonly tools: readonly RemoteTool[]
  /** Connects if need be, and asks for the tools. */
  refresh(): Promise<void>
  call(tool: RemoteTool, input: unknown, context: ToolContext): Promise<unknown>
  close(): Promise<void>
}

/** `lost`: the connection broke; the next call connects again. */
export type McpServerStatus = 'connecting' | 'connected' | 'lost' | 'failed' | 'closed' | 'disabled'

export interface McpServerState {
  readonly status: McpServerStatus
  /** Why it failed. */
  readonly error?: McpServerError
  /** The server's own words on how to use its tools. */
  readonly instructions?: string
  readonly version?: { readonly name: string; readonly version: string }
  /** The last lines of its standard error. */
  readonly stderr: readonly string[]
}

/** `onToolsChange` is for changes nobody has asked for. */
export function createServerLink(
  name: string,
  server: McpServer,
  onToolsChange: () => void,
): ServerLink {
  let session: Session | undefined
  let opening: Promise<Session> | undefined
  let tools: readonly RemoteTool[] = []
  let status: McpServerStatus = server.disabled ? 'disabled' : 'connecting'
  let error: McpServerError | undefined
  let isStale = false
  let isListing = false

  function connected(): Promise<Session> {
    if (status === 'closed') {
      return Promise.reject(new McpServerError('mcp_closed', 'is closed', { server: name }))
    }
    if (session?.isOpen) return Promise.resolve(session)
    opening ??= open().finally(() => {
      opening = undefined
    })
    return opening
  }

  async function open(): Promise<Session> {
    try {
      const opened = await openSession(name, server, { onToolsChange: listAgain, onEnd: lost })
      const isReturning = session !== undefined
      await adopt(opened)
      if (isReturning) onToolsChange()
      if (isStale) void listAgain()
      return opened
    } catch (cause) {
      error = cause instanceof McpServerError ? cause : unreachable(cause)
      if (status !== 'closed') status = 'failed'
      throw error
    }
  }

  /** The tools are listed with every new connection: the server may have come back as another one. */
  async function adopt(opened: Session): Promise<void> {
    try {
      await list(opened)
      if (status === 'closed') throw new McpServerError('mcp_closed', 'is closed', { server: name })
    } catch (cause) {
      await opened.close()
      throw cause
    }
    session = opened
    status = 'connected'
    error = undefined
  }

  function unreachable(cause: unknown): McpServerError {
    return new McpServerError('mcp_unreachable', 'could not list its tools', {
      server: name,
      cause,
    })
  }

  async function list({ client }: Session): Promise<void> {
    isStale = false
    const all = await listTools(client, connectTimeoutOf(server))
    tools = all.filter((tool) => server.tools?.includes(tool.name) ?? true)
  }

  function lost(): void {
    if (status === 'connected' && !session?.isOpen) status = 'lost'
  }

  // A server that keeps changing its mind is asked again when it has answered, and not sooner.
  async function listAgain(): Promise<void> {
    isStale = true
    if (isListing) return
    isListing = true
    while (isStale && session?.isOpen) {
      // It keeps the tools it had; a call will tell what is wrong.
      const isKnown = await list(session).then(
        () => true,
        () => false,
      )
      if (isKnown) onToolsChange()
    }
    isListing = false
  }

  /** A call that a server cannot have seen is made once more, over a new connection. */
  async function call(tool: RemoteTool, input: unknown, context: ToolContext): Promise<unknown> {
    const current = await connected()
    try {
      return await attempt(current, tool, input, context)
    } catch (cause) {
      if (context.signal.aborted || !wasNotSent(cause)) throw cause
    }
    await current.close()
    return attempt(await connected(), tool, input, context)
  }

  async function attempt(
    current: Session,
    tool: RemoteTool,
    input: unknown,
    context: ToolContext,
  ): Promise<unknown> {
    try {
      const timeoutMs = callTimeoutOf(server)
      return await callRemote(current, { tool, input, context, timeoutMs })
    } catch (cause) {
      context.signal.throwIfAborted()
      throw explainFailure(cause, { server: name, tool: tool.name, session: current })
    }
  }

  return {
    name,
    call,
    get state() {
      const { client, stderr = [] } = session ?? {}
      const version = client?.getServerVersion()
      const instructions = client?.getInstructions()
      return {
        status,
        stderr: error?.stderr ?? stderr,
        ...(error && { error }),
        ...(instructions !== undefined && { instructions }),
        ...(version && { version: { name: version.name, version: version.version } }),
      }
    },
    get tools() {
      return tools
    },
    async refresh() {
      if (status === 'disabled') return
      if (session?.isOpen) await list(session)
      else await connected()
    },
    async close() {
      if (status !== 'disabled') status = 'closed'
      await opening?.catch(() => {})
      await session?.close()
    },
  }
}

/** Tools of MCP servers, as tools of ours. */
import { ToolglotError } from '../core/errors.ts'
import { isJsonObject } from '../core/json/value.ts'
import type { RunnableTool } from '../tool.ts'
import type { RemoteTool } from './remote-tools.ts'
import { loadSdk } from './sdk.ts'
import { checkServer, type McpServer } from './server-config.ts'
import { createServerLink, type McpServerState, type ServerLink } from './server-link.ts'
import { type NamePrefix, nameTools } from './tool-names.ts'

export interface McpOptions {
  /** How tools of several servers are kept apart. Default true. */
  readonly prefix?: NamePrefix
  /** Called when a server has other tools than before. */
  onToolsChange?(tools: readonly RunnableTool[]): void
}

export interface McpConnection<Name extends string = string> extends AsyncDisposable {
  /** What the servers offer now; another list after a change. */
  readonly tools: readonly RunnableTool[]
  readonly servers: Readonly<Record<Name, McpServerState>>
  /** Asks all servers for their tools again, and tries again those that failed. */
  refresh(): Promise<readonly RunnableTool[]>
  /** Ends connections and the processes of servers. */
  close(): Promise<void>
}

/**
 * Connects to MCP servers. One that fails is told in `servers`, and the others are used without it; one
 * that is lost is connected again by the next call of its tools.
 *
 * @example
 * await using mcp = await connectMcp({
 *   files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] },
 * })
 * await runAgent({ client, prompt: 'What is in this folder?', tools: mcp.tools })
 *
 * @throws McpServerError when a server that is `required` fails.
 */
export async function connectMcp<Name extends string>(
  servers: Readonly<Record<Name, McpServer>>,
  { prefix = true, onToolsChange }: McpOptions = {},
): Promise<McpConnection<Name>> {
  if (!isJsonObject(servers)) {
    const message =
      'connectMcp takes servers by their names: connectMcp({ files: { command: "…" } })'
    throw new ToolglotError('invalid_mcp_server', message)
  }
  const entries = Object.entries<McpServer>(servers)
  for (const [name, server] of entries) checkServer(name, server)
  // Said at once, and not as a trouble of some server.
  await loadSdk(() => import('@modelcontextprotocol/sdk/client/index.js'))
  const links = entries.map(([name, server]) => createServerLink(name, server, update))
  let tools: readonly RunnableTool[] = []
  let isReady = false

  async function refreshAll(): Promise<readonly RunnableTool[]> {
    await Promise.allSettled(links.map((link) => link.refresh()))
    tools = assemble(links, prefix)
    return tools
  }

  function update(): void {
    // Until all have answered, the list is not whole anyway.
    if (!isReady) return
    try {
      tools = assemble(links, prefix)
    } catch {
      // Two names are the same now; `refresh` says which.
      return
    }
    onToolsChange?.(tools)
  }

  async function close(): Promise<void> {
    await Promise.all(links.map((link) => link.close()))
  }

  try {
    await refreshAll()
    requireAll(links, servers)
    isReady = true
  } catch (error) {
    await close()
    throw error
  }
  return {
    close,
    refresh: refreshAll,
    [Symbol.asyncDispose]: close,
    get tools() {
      return tools
    },
    get servers() {
      // One for each name it was asked for.
      return Object.fromEntries(links.map(({ name, state }) => [name, state])) as Record<
        Name,
        McpServerState
      >
    },
  }
}

function requireAll(
  links: readonly ServerLink[],
  servers: Readonly<Record<string, McpServer>>,
): void {
  for (const { name, state } of links) {
    if (servers[name]?.required && state.error) throw state.error
  }
}

function assemble(links: readonly ServerLink[], prefix: NamePrefix): RunnableTool[] {
  const offered = links.flatMap((link) => link.tools.map((tool) => ({ link, tool })))
  const names = nameTools(
    offered.map(({ link, tool }) => ({ server: link.name, tool: tool.name })),
    prefix,
  )
  return offered.map(({ link, tool }, at) => runnable(names[at] ?? tool.name, link, tool))
}

function runnable(name: string, link: ServerLink, tool: RemoteTool): RunnableTool {
  const { title, description, inputSchema, annotations } = tool
  const isRepeatable = annotations?.readOnly || annotations?.idempotent
  return {
    name,
    inputSchema,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(annotations && { annotations }),
    ...(annotations?.readOnly && { concurrencySafe: true }),
    ...(isRepeatable && { retries: 1 }),
    execute: (input, context) => link.call(tool, input, context),
  }
}

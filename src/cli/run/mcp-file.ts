/** The MCP servers of a file, as other programs write it. */
import { isJsonObject } from '../../core/json/value.ts'
import type { McpServer } from '../../mcp/index.ts'
import type { RunnableTool } from '../../tool.ts'
import { UsageError } from '../command.ts'
import { readJson } from '../input.ts'
import { printable, type Terminal } from '../terminal.ts'

export interface Servers {
  readonly tools: readonly RunnableTool[]
  close(): Promise<void>
}

/** Servers that fail are told of and left out. */
export async function connectServers(path: string, log: Terminal): Promise<Servers> {
  const servers = await readServers(path)
  // Only now: the SDK is there only for those who use it.
  const { connectMcp } = await import('../../mcp/index.ts')
  const mcp = await connectMcp(servers)
  for (const [name, { error }] of Object.entries(mcp.servers)) {
    if (error) log.print(log.style.issue(printable(`MCP server ${name}: ${error.message}`)))
  }
  return { tools: mcp.tools.map(withApproval), close: () => mcp.close() }
}

async function readServers(path: string): Promise<Record<string, McpServer>> {
  const file = await readJson(path)
  const servers: unknown = isJsonObject(file) ? file['mcpServers'] : undefined
  if (isServers(servers)) return servers
  throw new UsageError(`${path}: expected {"mcpServers": {"files": {"command": "…", "args": […]}}}`)
}

/** As far as it matters here: what is in them is checked by `connectMcp`. */
function isServers(value: unknown): value is Record<string, McpServer> {
  return isJsonObject(value) && Object.values(value).every(isJsonObject)
}

/** A server says nothing of approval; what may change something is asked about. */
function withApproval(tool: RunnableTool): RunnableTool {
  return tool.annotations?.readOnly ? tool : { ...tool, needsApproval: () => true }
}

/** Tools of ours over standard input and output, as MCP clients start servers. */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { RunnableTool } from '../tool.ts'
import { loadSdk } from './sdk.ts'
import { type ServeOptions, serveMcp } from './serve.ts'

/**
 * Serves until standard input ends, which cancels the calls that still run. Nothing else may write to
 * standard output; `console.error` is for logs.
 */
export async function serveStdio(
  tools: readonly RunnableTool[],
  options: ServeOptions = {},
): Promise<Server> {
  const server = await serveMcp(tools, options)
  const { StdioServerTransport } = await loadSdk(
    () => import('@modelcontextprotocol/sdk/server/stdio.js'),
  )
  await server.connect(new StdioServerTransport())
  process.stdin.once('end', () => void server.close())
  return server
}

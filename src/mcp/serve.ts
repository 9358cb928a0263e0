/** Tools of ours, for MCP clients. */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { Tool as McpTool } from '@modelcontextprotocol/sdk/types.js'
import { checkObject } from '../core/caller-input.ts'
import { InvalidInputError } from '../core/errors.ts'
import { isJsonObject } from '../core/json/value.ts'
import type { RunnableTool } from '../tool.ts'
import { loadSdk } from './sdk.ts'
import { answerCall, type ServedCallOptions } from './served-call.ts'

export interface ServeOptions extends ServedCallOptions {
  /** Default `toolglot`. */
  readonly name?: string
  /** Default `1.0.0`. */
  readonly version?: string
  /** How to use the tools, for the client's model. */
  readonly instructions?: string
}

/**
 * A server of the official SDK that offers the tools; connect it to a transport of your choice.
 *
 * @example
 * const server = await serveMcp([weather])
 * await server.connect(transport)
 */
export async function serveMcp(
  tools: readonly RunnableTool[],
  options: ServeOptions = {},
): Promise<Server> {
  checkTools(tools)
  checkObject('options', options, '{ name, version, instructions }')
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const [{ Server }, sdk] = await Promise.all([
    loadSdk(() => import('@modelcontextprotocol/sdk/server/index.js')),
    loadSdk(() => import('@modelcontextprotocol/sdk/types.js')),
  ])
  const { name = 'toolglot', version = '1.0.0', instructions } = options
  const server = new Server(
    { name, version },
    { capabilities: { tools: {} }, ...(instructions !== undefined && { instructions }) },
  )
  const list = tools.map(describe)
  server.setRequestHandler(sdk.ListToolsRequestSchema, () => ({ tools: list }))
  server.setRequestHandler(sdk.CallToolRequestSchema, ({ params }, extra) => {
    const tool = byName.get(params.name)
    if (!tool) {
      throw new sdk.McpError(sdk.ErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
    }
    const args = isJsonObject(params.arguments) ? params.arguments : {}
    return answerCall(tool, args, extra, options)
  })
  return server
}

/** @throws InvalidInputError */
export function checkTools(tools: readonly RunnableTool[]): void {
  if (!Array.isArray(tools))
    throw invalid('the tools to serve must be a list, of what tool() gives')
  const names = new Set<string>()
  for (const { name, execute } of tools.map(Object)) {
    if (!execute) throw invalid(`tool "${name}" has no \`execute\`, so it cannot be served`)
    if (names.has(name)) throw invalid(`two tools are named "${name}"; rename one of them`)
    names.add(name)
  }
}

function invalid(message: string): InvalidInputError {
  return new InvalidInputError(message)
}

function describe({
  name,
  title,
  description,
  inputSchema,
  annotations = {},
}: RunnableTool): McpTool {
  const { readOnly, destructive, idempotent } = annotations
  const shown = title ?? annotations.title
  const schema = isJsonObject(inputSchema) ? inputSchema : {}
  return {
    name,
    // MCP wants an object, and wants it said.
    inputSchema: { ...schema, type: 'object' },
    ...(shown !== undefined && { title: shown }),
    ...(description !== undefined && { description }),
    annotations: {
      ...(shown !== undefined && { title: shown }),
      ...(readOnly !== undefined && { readOnlyHint: readOnly }),
      ...(destructive !== undefined && { destructiveHint: destructive }),
      ...(idempotent !== undefined && { idempotentHint: idempotent }),
    },
  }
}

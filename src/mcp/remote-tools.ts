/** The tools a server has, page by page. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import type { ToolAnnotations } from '../core/model.ts'
import { loadSdk } from './sdk.ts'

/** A tool as its server describes it. */
export interface RemoteTool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: JsonObject
  readonly annotations?: ToolAnnotations
  /** True when the server runs it only as a task that is asked after. */
  readonly isTask: boolean
}

const MAX_PAGES = 1000

/**
 * All tools, of the first of each name. Read without the SDK's own schema: one tool that breaks it would
 * take all others along.
 */
export async function listTools(client: Client, timeout: number): Promise<RemoteTool[]> {
  if (!client.getServerCapabilities()?.tools) return []
  const { ResultSchema } = await loadSdk(() => import('@modelcontextprotocol/sdk/types.js'))
  const tools = new Map<string, RemoteTool>()
  let cursor: unknown
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = typeof cursor === 'string' ? { cursor } : {}
    const result = await client.request({ method: 'tools/list', params }, ResultSchema, { timeout })
    for (const tool of readTools(result['tools'])) {
      if (!tools.has(tool.name)) tools.set(tool.name, tool)
    }
    const next = result['nextCursor']
    if (typeof next !== 'string' || next === '' || next === cursor) break
    cursor = next
  }
  return [...tools.values()]
}

function readTools(list: unknown): RemoteTool[] {
  return Array.isArray(list) ? list.filter(isJsonObject).flatMap((tool) => readTool(tool)) : []
}

function readTool(tool: JsonObject): RemoteTool[] {
  const { name, description, inputSchema, execution } = tool
  if (typeof name !== 'string' || name === '') return []
  const hints = isJsonObject(tool['annotations']) ? tool['annotations'] : {}
  const title = tool['title'] ?? hints['title']
  return [
    {
      name,
      ...(typeof title === 'string' && { title }),
      ...(typeof description === 'string' && { description }),
      inputSchema: isJsonObject(inputSchema) ? inputSchema : { type: 'object', properties: {} },
      annotations: readAnnotations(hints, title),
      isTask: isJsonObject(execution) && execution['taskSupport'] === 'required',
    },
  ]
}

function readAnnotations(hints: JsonObject, title: unknown): ToolAnnotations {
  const { readOnlyHint, destructiveHint, idempotentHint } = hints
  return {
    ...(typeof title === 'string' && { title }),
    ...(typeof readOnlyHint === 'boolean' && { readOnly: readOnlyHint }),
    ...(typeof destructiveHint === 'boolean' && { destructive: destructiveHint }),
    ...(typeof idempotentHint === 'boolean' && { idempotent: idempotentHint }),
  }
}

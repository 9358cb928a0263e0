/** The tools of a run as callers write them: what `tool()` gives, or the spelling of another system. */
import { InvalidInputError, ToolglotError } from '../core/errors.ts'
import { isJsonObject } from '../core/json/value.ts'
import type { Tool } from '../core/model.ts'
import { normalizeTools } from '../core/schema/tool.ts'
import type { ForeignTool, RunnableTool } from '../tool.ts'

/** @throws ToolglotError `invalid_tool` for an entry that declares no tool. */
export function readTools(tools: readonly (RunnableTool | ForeignTool)[]): RunnableTool[] {
  return tools.flatMap((entry, at) => {
    const declared = isJsonObject(entry) ? declaredBy(entry) : []
    if (declared.length > 0) return declared.map((tool) => withActions(tool, entry))
    const message = `tools[${at}] is no tool; define it with tool({ name, inputSchema, execute })`
    throw new ToolglotError('invalid_tool', message)
  })
}

/** Several for an entry of Gemini's, none for what cannot be read. */
function declaredBy(entry: object): Tool[] {
  try {
    return normalizeTools([entry])
  } catch (error) {
    if (error instanceof InvalidInputError) return []
    throw error
  }
}

/** What a tool does is beside its definition, which may be one level deeper. */
function withActions(tool: Tool, entry: RunnableTool | ForeignTool): RunnableTool {
  if (tool === entry) return tool
  const { title, timeoutMs, concurrencySafe, retries, execute, recover, needsApproval, check } =
    entry
  return {
    ...tool,
    ...(title !== undefined && { title }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(concurrencySafe !== undefined && { concurrencySafe }),
    ...(retries !== undefined && { retries }),
    ...(execute && { execute }),
    ...(recover && { recover }),
    ...(needsApproval && { needsApproval }),
    ...(check && { check }),
  }
}

/** Requests as callers write them, in the neutral model. */
import type { ChatRequest } from '../core/chat.ts'
import type { Tool } from '../core/model.ts'
import { normalizeTools, type ToolDefinitions } from '../core/schema/tool.ts'
import { hasMarkedParts } from '../dialects/cache-marks.ts'
import type { ClientRequest } from './chat-client.ts'

/**
 * The request in the neutral model, for a certain model; `usualTools` are for one that brings none.
 *
 * @throws InvalidInputError for a tool without a usable name or schema.
 */
export function readRequest(
  { tools: given, ...request }: ClientRequest,
  model: string,
  usualTools?: ToolDefinitions,
): ChatRequest {
  const tools = given ?? usualTools
  return {
    ...(hasMarkedParts(request.messages) && { cache: true }),
    ...request,
    model,
    ...(tools && { tools: readTools(tools) }),
  }
}

/** Whether a request brings tools, in whatever form. */
export function bringsTools({ tools = [] }: Pick<ClientRequest, 'tools'>): boolean {
  return Object.keys(tools).length > 0
}

/** What is worked out about tools is kept by list, so a list that needs no change is used as it is. */
function readTools(definitions: ToolDefinitions): readonly Tool[] {
  const tools = normalizeTools(definitions)
  const isOurs = (list: ToolDefinitions): list is readonly Tool[] =>
    Array.isArray(list) && tools.every((tool, at) => tool === list[at])
  return isOurs(definitions) && definitions.length === tools.length ? definitions : tools
}

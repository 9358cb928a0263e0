/** Kinds of tools besides functions, for those who are to be asked with functions alone. */
import type { ChatRequest } from '../core/chat.ts'
import type { HistoryRules, Quirks, ToolKind } from '../core/dialect.ts'
import { isJsonObject, type JsonObject } from '../core/json/value.ts'
import type { Message, Tool, ToolCall } from '../core/model.ts'
import { asFunction } from './freeform.ts'

export type ToolKinds = ReadonlySet<ToolKind>

const NONE: ToolKinds = new Set()

/** The kinds that a service takes in requests of its dialect. */
export function toolKindsOf(
  { toolKinds = [] }: Pick<HistoryRules, 'toolKinds'>,
  { toolKinds: served }: Pick<Quirks, 'toolKinds'> = {},
): ToolKinds {
  return new Set(served ? toolKinds.filter((kind) => served.includes(kind)) : toolKinds)
}

/** The request with a function, and calls of a function, for every tool of a kind that is not among these. */
export function withToolKinds(request: ChatRequest, kinds: ToolKinds = NONE): ChatRequest {
  const { tools, messages } = request
  return {
    ...request,
    ...(tools && {
      tools: changed(withNamespaceWords(tools, kinds), (tool) => asKnown(tool, kinds)),
    }),
    messages: changed(messages, (message) => withKnownCalls(message, kinds)),
  }
}

function asKnown(tool: Tool, kinds: ToolKinds): Tool {
  const missing = missingKinds(tool, kinds)
  if (missing.length === 0) return tool
  const {
    extra: _,
    provider: given,
    ...rest
  } = missing.includes('custom') ? asFunction(tool) : tool
  const provider = knownFields(given, kinds)
  return { ...rest, ...(provider && { provider }) }
}

function withKnownCalls(message: Message, kinds: ToolKinds): Message {
  const { toolCalls } = message
  if (!toolCalls) return message
  const known = changed(toolCalls, (call) => asKnownCall(call, kinds))
  return known === toolCalls ? message : { ...message, toolCalls: known }
}

function asKnownCall(call: ToolCall, kinds: ToolKinds): ToolCall {
  if (missingKinds(call, kinds).length === 0) return call
  const { provider: given, ...rest } = call
  const provider = knownFields(given, kinds)
  return { ...rest, ...(provider && { provider }) }
}

/** The kind that each `type` in the `provider` of a tool or call belongs to. */
const KINDS_OF_TYPES: Readonly<Record<string, ToolKind>> = {
  custom: 'custom',
  tool_search_call: 'tool_search',
}

/** The kinds of a tool or call that are not among these. */
function missingKinds({ provider }: Pick<Tool, 'provider'>, kinds: ToolKinds): ToolKind[] {
  if (!provider) return []
  const { type, namespace } = provider
  const ofType = typeof type === 'string' ? KINDS_OF_TYPES[type] : undefined
  const all: ToolKind[] = [
    ...(ofType ? [ofType] : []),
    ...(namespace === undefined ? [] : (['namespace'] as const)),
  ]
  return all.filter((kind) => !kinds.has(kind))
}

/** What is left to say with a call; undefined for nothing. */
function knownFields(provider: JsonObject | undefined, kinds: ToolKinds): JsonObject | undefined {
  if (!provider) return undefined
  const missing = missingKinds({ provider }, kinds)
  const { namespace, name, type, ...others } = provider
  const isGrouped = namespace !== undefined && !missing.includes('namespace')
  const isTyped = type !== undefined && missing.every((kind) => kind === 'namespace')
  const left = {
    ...others,
    ...(isTyped && { type }),
    ...(isGrouped && { namespace, ...(name !== undefined && { name }) }),
  }
  return Object.keys(left).length > 0 ? left : undefined
}

/** The description of a namespace is in that of its first tool, where there are no namespaces. */
function withNamespaceWords(tools: readonly Tool[], kinds: ToolKinds): readonly Tool[] {
  if (kinds.has('namespace')) return tools
  const described = new Set<unknown>()
  return changed(tools, (tool) => {
    const { namespace } = tool.provider ?? {}
    if (namespace === undefined || described.has(namespace)) return tool
    described.add(namespace)
    const words = namespaceWords(tool)
    if (words === '') return tool
    const { description = '' } = tool
    return { ...tool, description: `${description}\n\nAbout ${namespace}: ${words}`.trimStart() }
  })
}

function namespaceWords({ extra = {} }: Tool): string {
  const about = Object.values(extra).map(({ namespace }) => namespace)
  const words = about.map((one) => (isJsonObject(one) ? one['description'] : undefined))
  return words.find((text) => typeof text === 'string')?.trim() ?? ''
}

/** The list with every member changed; the same list if none is. */
function changed<T>(list: readonly T[], change: (one: T) => T): readonly T[] {
  const after = list.map(change)
  return after.every((one, at) => one === list[at]) ? list : after
}

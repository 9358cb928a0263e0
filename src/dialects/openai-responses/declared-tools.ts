/**
 * The tools that a request declares, wherever it does: in its list, or in items of the conversation; alone, or in a
 * namespace.
 */
import type { ToolKind } from '../../core/dialect.ts'
import type { JsonObject } from '../../core/json/value.ts'
import { objectsIn } from '../history-call.ts'

/** A definition with the namespace that it is in, if any. */
export interface DeclaredTool {
  readonly definition: JsonObject
  readonly namespace?: JsonObject
}

/** Items that bring tools: some given from the start, and those that a search of the client has found. */
const TOOL_ITEMS: ReadonlySet<unknown> = new Set(['additional_tools', 'tool_search_output'])

/**
 * The tools of the client, by key. A tool that is declared again, as by another search that has found it, is the same
 * tool.
 */
export function declaredTools(body: JsonObject): ReadonlyMap<string, DeclaredTool> {
  const declared = new Map<string, DeclaredTool>()
  for (const tool of membersOf(definitionsIn(body))) {
    const key = declaredKey(tool)
    if (key !== undefined) declared.set(key, tool)
  }
  return declared
}

/** All that a request declares: each tool of the client once, and tools of the provider's own. */
export function toolsIn(body: JsonObject): JsonObject[] {
  const hosted = objectsIn(body['tools']).filter((definition) => !isClients(definition))
  return [...Array.from(declaredTools(body).values(), ({ definition }) => definition), ...hosted]
}

/** True for tools that the client runs; the others are the provider's own. */
export function isClients(definition: JsonObject): boolean {
  return definition['type'] === 'namespace' || declaredKey({ definition }) !== undefined
}

/** The kinds of tools besides functions that a request declares, or that its history has calls of. */
export function toolKindsIn(body: JsonObject): ToolKind[] {
  const kinds = new Set<ToolKind>()
  const declared = definitionsIn(body)
  for (const { type } of membersOf(declared).map(({ definition }) => definition)) {
    if (type === 'custom' || type === 'tool_search') kinds.add(type)
  }
  if (declared.some(({ type }) => type === 'namespace')) kinds.add('namespace')
  for (const { type, namespace } of objectsIn(body['input'])) {
    const kind = typeof type === 'string' ? ITEM_KINDS[type] : undefined
    if (kind) kinds.add(kind)
    if (typeof namespace === 'string') kinds.add('namespace')
  }
  return [...kinds]
}

const ITEM_KINDS: Readonly<Record<string, ToolKind>> = {
  additional_tools: 'additional_tools',
  custom_tool_call: 'custom',
  tool_search_call: 'tool_search',
}

/** The definitions as they were declared: a namespace with its tools is one. */
export function definitionsIn({ tools, input }: Partial<JsonObject>): JsonObject[] {
  const items = objectsIn(input).filter(({ type }) => TOOL_ITEMS.has(type))
  return [...objectsIn(tools), ...items.flatMap((item) => objectsIn(item['tools']))]
}

/** The definitions one by one, those of a namespace as well. */
export function membersOf(definitions: readonly JsonObject[]): DeclaredTool[] {
  return definitions.flatMap((definition): DeclaredTool[] => {
    if (definition['type'] !== 'namespace') return [{ definition }]
    return objectsIn(definition['tools']).map((member) => ({
      definition: member,
      namespace: definition,
    }))
  })
}

/**
 * Names a declared tool apart from all others: tools of the request's own list and those of each namespace may be
 * called alike.
 */
export function keyOf(name: string, namespace: unknown): string {
  return typeof namespace === 'string' && namespace !== '' ? namespace + MARK + name : name
}

/** The key of the tool that searches for tools. A function may be called like it. */
export const SEARCH_KEY = '\0tool_search'

const MARK = '\0'

/** The key of a tool that the client runs; undefined for a tool of the provider's own. */
export function declaredKey({ definition, namespace }: DeclaredTool): string | undefined {
  const { type, name, execution } = definition
  if (type === 'tool_search') return execution === 'client' ? SEARCH_KEY : undefined
  const isCalled = (type === 'function' || type === 'custom') && typeof name === 'string'
  return isCalled ? keyOf(name, namespace?.['name']) : undefined
}

/** The name that a model is to see for a key. Trailing underscores of a namespace are its own separator. */
export function wishedName(key: string): string {
  const at = key.indexOf(MARK)
  if (at <= 0) return key.slice(at + 1)
  return `${key.slice(0, at).replace(/_+$/, '')}__${key.slice(at + 1)}`
}

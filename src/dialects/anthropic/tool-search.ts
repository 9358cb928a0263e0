/**
 * Tools that the model learns of only when they are found. A client sends all definitions with each request, those
 * to be found with `defer_loading`; a search, the client's own or Anthropic's, answers with references:
 *
 *     {"type": "tool_reference", "tool_name": "get_weather"}
 *
 * Anthropic shows the model the definition in the place of the reference. For services that cannot do so, the tool
 * is offered from then on, and its definition is the text of the result.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/value.ts'
import type { Tool } from '../../core/model.ts'
import { normalizeTool } from '../../core/schema/tool.ts'
import { objectsIn } from '../history-call.ts'
import { textBlock } from './content.ts'

/** Tools by their names, as far as a request defines them. */
export type ToolLookup = (name: string) => Tool | undefined

export interface KnownTools {
  /** Definitions that the model is shown from the beginning. */
  readonly offered: readonly JsonObject[]
  /** Definitions that the model has not found yet, and tools that are never to be called. */
  readonly held: readonly JsonObject[]
}

/** Entries of Claude Code and pi that only keep Anthropic's handling of deferred tools switched on. */
const PLACEHOLDERS: ReadonlySet<JsonValue | undefined> = new Set([
  'DeferredToolPlaceholder',
  '__pi_deferred_placeholder__',
])

export function isDeferred({ defer_loading: deferred, name }: Partial<JsonObject>): boolean {
  return deferred === true || PLACEHOLDERS.has(name)
}

/** The definitions in a request, by whether the model knows of them at its end. */
export function knownTools({ tools, messages }: Partial<JsonObject>): KnownTools {
  const turns = objectsIn(messages)
  const changed = changedTools(turns)
  const all = [
    ...objectsIn(tools).filter(({ name }) => !changed.removed.has(name)),
    ...changed.added.values(),
  ]
  if (!all.some(isDeferred)) return { offered: all, held: [] }
  const found = foundNames(turns)
  const isHeld = (tool: JsonObject): boolean =>
    isDeferred(tool) && (PLACEHOLDERS.has(tool['name']) || !found.has(tool['name']))
  return { offered: all.filter((tool) => !isHeld(tool)), held: all.filter(isHeld) }
}

export function lookupIn(tools: readonly JsonObject[]): ToolLookup {
  const byName = new Map(tools.map((tool) => [tool['name'], tool]))
  return (name) => {
    const tool = byName.get(name)
    return tool && normalizeTool(tool)
  }
}

/** Tools that system messages in the middle of a conversation add and take away. */
function changedTools(turns: readonly JsonObject[]): {
  readonly added: ReadonlyMap<JsonValue | undefined, JsonObject>
  readonly removed: ReadonlySet<JsonValue | undefined>
} {
  const added = new Map<JsonValue | undefined, JsonObject>()
  const removed = new Set<JsonValue | undefined>()
  const blocks = turns
    .filter(({ role }) => role === 'system')
    .flatMap(({ content }) => objectsIn(content))
  for (const { type, tool } of blocks) {
    if (!isJsonObject(tool)) continue
    const { definition } = tool
    const name = isJsonObject(definition) ? definition['name'] : nameIn(tool)
    if (type === 'tool_removal') {
      removed.add(name)
      added.delete(name)
    }
    if (type !== 'tool_addition') continue
    removed.delete(name)
    if (isJsonObject(definition)) added.set(name, definition)
  }
  return { added, removed }
}

/** The names that searches have found, that system messages have added, or that the model has called. */
function foundNames(turns: readonly JsonObject[]): ReadonlySet<JsonValue | undefined> {
  const names = new Set<JsonValue | undefined>()
  for (const { type, name, content, tool } of turns.flatMap((turn) => objectsIn(turn['content']))) {
    if (type === 'tool_use') names.add(name)
    if (type === 'tool_addition' && isJsonObject(tool)) names.add(nameIn(tool))
    for (const found of referencesIn(content)) names.add(found)
  }
  return names
}

/** The names in the result of a search; Anthropic's own search tool puts them in a list of its own. */
export function referencesIn(content: JsonValue | undefined): string[] {
  const list = isJsonObject(content) ? content['tool_references'] : content
  return objectsIn(list).flatMap((block) => {
    const name = isReference(block) ? nameIn(block) : undefined
    return name === undefined ? [] : [name]
  })
}

function isReference({ type }: JsonObject): boolean {
  return type === 'tool_reference'
}

function nameIn({ tool_name: name, name: other }: Partial<JsonObject>): string | undefined {
  return [name, other].find((one) => typeof one === 'string')
}

/** The content of a result with definitions as text in the place of references. */
export function withDefinitions(
  content: JsonValue | undefined,
  lookup: ToolLookup,
): JsonValue | undefined {
  if (!Array.isArray(content) || !objectsIn(content).some(isReference)) return content
  const at = content.findIndex((block) => isJsonObject(block) && isReference(block))
  const others = (blocks: readonly JsonValue[]): JsonValue[] =>
    blocks.filter((block) => !isJsonObject(block) || !isReference(block))
  const text = definitionsText(referencesIn(content), lookup)
  return [...others(content.slice(0, at)), textBlock(text), ...others(content.slice(at))]
}

/** What Claude Code's tool for searches promises the model. */
export function definitionsText(names: readonly string[], lookup: ToolLookup): string {
  const lines = names.map((name) => {
    const tool = lookup(name)
    return tool
      ? `<function>${definitionOf(tool)}</function>`
      : `The tool ${JSON.stringify(name)} is no longer available.`
  })
  return ['<functions>', ...lines, '</functions>'].join('\n')
}

function definitionOf({ name, description = '', inputSchema }: Tool): string {
  return JSON.stringify({ description, name, parameters: inputSchema })
}

/** The body for a service of this dialect that knows neither deferred tools nor references. */
export function withoutToolSearch(body: JsonObject): JsonObject {
  const { tools, messages } = body as Record<string, JsonValue | undefined>
  const { offered, held } = knownTools({ tools, messages })
  const turns = Array.isArray(messages) ? messages : []
  const isUsed = held.length > 0 || offered.some(isDeferred) || turns.some(tellsOfTools)
  if (!isUsed) return body
  const lookup = lookupIn([...offered, ...held])
  const { tools: _, tool_choice: choice, ...rest } = body as Record<string, JsonValue>
  const plain = offered.map(({ defer_loading: __, ...tool }) => tool as JsonObject)
  return {
    ...rest,
    ...(plain.length > 0 && { tools: plain, ...(choice !== undefined && { tool_choice: choice }) }),
    messages: turns.flatMap((turn) => plainTurn(turn, lookup)),
  }
}

function tellsOfTools(turn: JsonValue): boolean {
  if (!isJsonObject(turn)) return false
  return objectsIn(turn['content']).some(
    (block) => isChange(block) || objectsIn(block['content']).some(isReference),
  )
}

/** In a system message: a tool is there from now on, or no longer. */
function isChange({ type }: JsonObject): boolean {
  return type === 'tool_addition' || type === 'tool_removal'
}

function plainTurn(turn: JsonValue, lookup: ToolLookup): JsonValue[] {
  if (!isJsonObject(turn) || !tellsOfTools(turn)) return [turn]
  const content = objectsIn(turn['content']).filter((block) => !isChange(block))
  const plain = content.map((block) => {
    const inner = withDefinitions(block['content'], lookup)
    return inner === undefined ? block : { ...block, content: inner }
  })
  return plain.length > 0 ? [{ ...turn, content: plain }] : []
}

/** The tools a reply may call, found by the name a model wrote. */
import type { Repair } from './issue.ts'
import type { Tool } from './model.ts'
import type { FoundTool, ToolTable } from './protocol.ts'
import { remembering } from './remember.ts'
import { foldName } from './schema/spelling.ts'

/**
 * Formats look for names with regular expressions, which have a limit of their own: V8 refuses 100,000 characters.
 * No service takes more than 256.
 */
const MAX_NAME = 1024

type ToolInput = readonly (Tool | string)[]

const ANY_TOOL: ToolTable = {
  known: false,
  names: [],
  key: '',
  find: (name) => (name === '' ? undefined : { name, schema: undefined }),
}

// A caller passes the same tools with every reply of a conversation.
const tableOf = remembering((input: ToolInput) => createToolTable(input.map(asTool)))

export function toolTable(input: ToolInput | undefined): ToolTable {
  return input === undefined ? ANY_TOOL : tableOf(input)
}

/** A bare name takes any arguments. */
function asTool(tool: Tool | string): Tool {
  return typeof tool === 'string' ? { name: tool, inputSchema: true } : tool
}

function createToolTable(tools: readonly Tool[]): ToolTable {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  const bySpelling = new Map<string, Tool | undefined>()
  for (const tool of tools) {
    const key = spelling(tool.name)
    // Two tools that differ only in spelling: neither can be meant by a third spelling.
    bySpelling.set(key, bySpelling.has(key) ? undefined : tool)
  }

  function find(name: string): FoundTool | undefined {
    const exact = byName.get(name)
    if (exact) return found(exact)
    const bare = bareName(name)
    const close = byName.get(bare) ?? bySpelling.get(spelling(bare))
    return close && { ...found(close), repair: renamed(name, close.name) }
  }

  const names = [...byName.keys()].filter(({ length }) => length <= MAX_NAME)
  // Never that of a table which knows no tools.
  return { known: true, names, key: `${names.join('\n')}\n`, find }
}

function found({ name, inputSchema: schema, freeform }: Tool): FoundTool {
  return { name, schema, ...(freeform && { freeform }) }
}

/** `@name`, `functions.name`: what models put before a name; `name<|channel|>…`: tokens left behind it. */
function bareName(name: string): string {
  return name.trim().replace(/^@|^(?:functions?|tools?|default_api)[.:]|<\|.*/gs, '')
}

/** What is left of a name when case and separators do not count, Markdown's `\_` included. */
function spelling(name: string): string {
  return foldName(name.replaceAll('\\', ''))
}

function renamed(before: string, after: string): Repair {
  return { code: 'resolved-name', path: [], risk: 'guess', before, after }
}

/**
 * Tools that say the same, as one list. Those of a request are read anew each time, while what is worked
 * out about tools is kept by list; so equal lists are made one.
 */
import type { Tool } from '../core/model.ts'
import { createRecentMap } from '../core/recent-map.ts'

const lists = createRecentMap<readonly Tool[]>({
  maxEntries: 256,
  maxBytes: 4 * 1024 * 1024,
  bytesOf: (text) => text.length,
})

/** The same names, schemas and kinds, in a copy: nobody who changes tools of their own changes those of others. */
export function sharedTools(tools: readonly Tool[]): readonly Tool[] {
  const text = textOf(tools)
  if (text === undefined) return tools
  const known = lists.get(text)
  if (known) return known
  const copy = JSON.parse(text) as Tool[] // it was made of tools
  lists.set(text, copy)
  return copy
}

/** What the calls of a tool depend on. */
function whatCounts({ name, inputSchema, freeform, provider }: Tool): Tool {
  return {
    name,
    inputSchema,
    ...(freeform && { freeform: {} }),
    ...(provider && { provider }),
  }
}

/** Undefined for what JSON cannot hold. */
function textOf(tools: readonly Tool[]): string | undefined {
  try {
    return JSON.stringify(tools.map(whatCounts))
  } catch {
    return undefined
  }
}

/**
 * A list of tools that fits into so many characters. Names, types and required parameters are never left out: the
 * longest descriptions become shorter first, then those of parameters go, and in the end each tool is one line.
 */
import { isJsonObject, type JsonValue } from '../core/json/value.ts'
import type { Tool } from '../core/model.ts'
import type { ToolListing } from '../core/protocol.ts'
import { compactListing } from './compact-list.ts'

/** Tokens of the context that a model is assumed to have: what coding agents need at least. */
const ASSUMED_CONTEXT = 65_536
/** The conversation needs the other half. */
const SHARE = 0.5
/** Fewer than in prose, as names and JSON take more tokens. */
const CHARS_PER_TOKEN = 3

/** How many characters a list of tools may take for a model with such a context. */
export function toolListRoom(contextWindow: number = ASSUMED_CONTEXT): number {
  return Math.floor(contextWindow * SHARE * CHARS_PER_TOKEN)
}

export interface FittedList {
  readonly text: string
  /** What was left out; undefined when nothing was. */
  readonly loss?: string
}

export type WriteList = (tools: readonly Tool[], listing?: ToolListing) => string

/** Descriptions are not cut below so many characters: about one sentence. */
const SHORTEST = 80
/** Each attempt after the first estimate takes so much of the length before. */
const STEP = 0.7

/** The list as long as possible, up to `room`. */
export function fitList(tools: readonly Tool[], room: number, write: WriteList): FittedList {
  const full = write(tools)
  if (full.length <= room) return { text: full }
  const lengths = tools.flatMap(descriptionsIn)
  const rest = full.length - lengths.reduce((sum, length) => sum + length, 0)
  for (let most = longestFor(lengths, room - rest); most >= SHORTEST; most = shorter(most)) {
    const text = write(tools.map((tool) => shortened(tool, most, most)))
    const loss = `descriptions were cut to ${most} characters`
    if (text.length <= room) return { text, loss }
  }
  const bare = write(tools.map((tool) => shortened(tool, SHORTEST, 0)))
  const isBare = bare.length <= room
  if (isBare) return { text: bare, loss: 'descriptions of parameters were left out' }
  return { text: write(tools, compactListing), loss: 'each tool was described on one line' }
}

function shorter(most: number): number {
  // The shortest length is tried before descriptions are left out.
  return most > SHORTEST ? Math.max(SHORTEST, Math.floor(most * STEP)) : 0
}

/** The greatest length to which texts can be cut so that all of them take `room`; never below the shortest. */
function longestFor(lengths: readonly number[], room: number): number {
  const sorted = lengths.toSorted((one, other) => one - other)
  let left = room
  for (const [at, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - at))
    if (length > share) return Math.max(SHORTEST, share)
    left -= length
  }
  return Math.max(SHORTEST, sorted.at(-1) ?? SHORTEST)
}

function descriptionsIn({ description = '', inputSchema }: Tool): number[] {
  const lengths = [description.length]
  eachDescription(inputSchema, (text) => {
    lengths.push(text.length)
    return text
  })
  return lengths
}

function shortened(tool: Tool, most: number, mostInSchema: number): Tool {
  const { description } = tool
  const cutInner = (text: string): string | undefined =>
    mostInSchema === 0 ? undefined : cut(text, mostInSchema)
  return {
    ...tool,
    ...(description !== undefined && { description: cut(description, most) }),
    // The schema of a tool is an object or a boolean, and stays one.
    inputSchema: eachDescription(tool.inputSchema, cutInner) as Tool['inputSchema'],
  }
}

/** By code point, at the end of a word where there is one nearby. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text
  const start = [...text.slice(0, most)]
    .slice(0, most - 1)
    .join('')
    .replace(/\p{Surrogate}$/u, '')
  const space = start.search(/\s\S{0,20}$/)
  return `${(space > 0 ? start.slice(0, space) : start).trimEnd()}…`
}

/** Data in a schema, in which nothing is a description. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', 'example'])

/** The schema with each description changed, or left out. */
function eachDescription(
  schema: JsonValue,
  change: (text: string) => string | undefined,
): JsonValue {
  if (Array.isArray(schema)) return schema.map((one) => eachDescription(one, change))
  if (!isJsonObject(schema)) return schema
  const entries = Object.entries(schema).flatMap(([key, value]): [string, JsonValue][] => {
    if (key === 'description' && typeof value === 'string') {
      const text = change(value)
      return text === undefined ? [] : [[key, text]]
    }
    return [[key, DATA.has(key) ? value : eachDescription(value, change)]]
  })
  return Object.fromEntries(entries)
}

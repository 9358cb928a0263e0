/**
 * Finds names of tools in text. They are rare in it, so each is looked for natively, from the character on that is
 * rarest in texts: `_` in `get_weather`, `ch` in `search`.
 */
import type { ToolTable } from '../protocol.ts'
import { remembering } from '../remember.ts'

/** What models put before the names of tools. */
export const NAMESPACES: readonly string[] = ['', 'functions.', 'default_api.']

/** Names of one or two letters are parts of other words, and say nothing about a text. */
export const SHORTEST_NAME = 3
/** So much of a name is looked for. Chosen: names mostly differ before that. */
const HEAD = 12
/** How much of a text must be there to find what begins with a name. */
export const NAME_REACH: number = HEAD + Math.max(...NAMESPACES.map(({ length }) => length))
/** So much of it is looked for natively. Chosen: rare enough, and tools on the same subject share it. */
const PART = 4
/** For more searches than this, one expression is quicker. */
const MAX_SEARCHES = 8

/** Letters from the most frequent one in English on; any other character is rarer. */
const BY_FREQUENCY = ' etaoinsrhldcumfpgwybvkxjqz'

/** A name that begins before a place and ends after it is found in so much of the text on both sides. */
export const HALF: number = HEAD - 1

/** A search for the beginnings of some names. */
export interface NameSearch {
  /** Searches with the same key look for the same. */
  readonly key: string
  /** The next place at or after `at` that may belong to one of them, or -1. */
  next(text: string, at: number): number
  /** How far before such a place a name may begin, the farthest first. */
  readonly offsets: readonly number[]
  readonly heads: readonly Head[]
}

/** The beginning of a name, and where in it the part is that is looked for. */
interface Head {
  readonly text: string
  readonly offset: number
  readonly part: string
}

export function nameSearches(names: readonly string[]): readonly NameSearch[] {
  const heads = [...new Set(names.map((name) => name.slice(0, HEAD)))].filter((head) => head !== '')
  const anchored = heads.map(anchor)
  const parts = partSearches(anchored)
  if (parts.length <= MAX_SEARCHES) return parts
  // Symbols are rare enough alone, and many names share them.
  const shortened = partSearches(anchored.map(toSymbol))
  if (shortened.length <= MAX_SEARCHES) return shortened
  const hasSymbol = ({ part }: Head) => !isLetter(part.charAt(0))
  const letters = anchored.filter((head) => !hasSymbol(head))
  return [...partSearches(anchored.filter(hasSymbol).map(toSymbol)), wordSearch(letters)]
}

/** The length of what is before the name at a place, where models put something there. */
export function namespaceBefore(text: string, at: number): number {
  return NAMESPACES.findLast((space) => text.endsWith(space, at))?.length ?? 0
}

/** True when a name that says something, or what a long one begins with, is in the text, also inside other words. */
export function mayNameTool(text: string, tools: ToolTable): boolean {
  return tools.known && searchesFor(tools).some((search) => occurs(search, text))
}

/** Where names of tools are in a whole reply, short ones apart: found once, for all who want to know. */
export class NamePlaces {
  readonly text: string
  readonly #tools: ToolTable
  #places: readonly number[] | undefined

  constructor(text: string, tools: ToolTable) {
    this.text = text
    this.#tools = tools
  }

  isIn(text: string): boolean {
    return mayNameTool(text, this.#tools)
  }

  /** The first place at or after `at` where a name begins, or the length of the text. */
  next(at: number): number {
    this.#places ??= placesIn(this.text, searchesFor(this.#tools))
    let low = 0
    for (let high = this.#places.length; low < high; ) {
      const middle = (low + high) >> 1
      if ((this.#places[middle] ?? 0) < at) low = middle + 1
      else high = middle
    }
    return this.#places[low] ?? this.text.length
  }
}

function placesIn(text: string, searches: readonly NameSearch[]): readonly number[] {
  const places: number[] = []
  for (const { next, heads } of searches) {
    for (let at = next(text, 0); at !== -1; at = next(text, at + 1)) {
      for (const { text: head, offset } of heads) {
        if (text.startsWith(head, at - offset)) places.push(at - offset)
      }
    }
  }
  return places.length > 1 ? places.sort((one, other) => one - other) : places
}

const searchesFor = remembering(({ names }: ToolTable) =>
  nameSearches(names.filter(({ length }) => length >= SHORTEST_NAME)),
)

function occurs({ next, heads }: NameSearch, text: string): boolean {
  for (let at = next(text, 0); at !== -1; at = next(text, at + 1)) {
    if (heads.some(({ text: head, offset }) => text.startsWith(head, at - offset))) return true
  }
  return false
}

function partSearches(heads: readonly Head[]): readonly NameSearch[] {
  const parts = new Map<string, Head[]>()
  for (const head of heads) parts.set(head.part, [...(parts.get(head.part) ?? []), head])
  return Array.from(parts, ([part, sharing]) => ({
    key: part,
    next: (text, at) => text.indexOf(part, at),
    offsets: [...new Set(sharing.map(({ offset }) => offset))].sort((one, other) => other - one),
    heads: sharing,
  }))
}

function wordSearch(heads: readonly Head[]): NameSearch {
  const words = heads.map(({ text }) => text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&'))
  const pattern = new RegExp(words.join('|'), 'g')
  return {
    key: pattern.source,
    next(text, at) {
      pattern.lastIndex = at
      return pattern.exec(text)?.index ?? -1
    },
    offsets: [0],
    heads: heads.map(({ text }) => ({ text, offset: 0, part: text })),
  }
}

function anchor(text: string): Head {
  let offset = 0
  for (let i = 1; i < text.length; i++) if (rarity(text, i) > rarity(text, offset)) offset = i
  return { text, offset, part: text.slice(offset, offset + PART) }
}

function rarity(text: string, at: number): number {
  const character = text.charAt(at)
  if (!isLetter(character)) return BY_FREQUENCY.length
  // A letter alone is frequent, whichever it is.
  return at === text.length - 1 ? 0 : BY_FREQUENCY.indexOf(character)
}

function isLetter(character: string): boolean {
  return BY_FREQUENCY.includes(character)
}

function toSymbol(head: Head): Head {
  return isLetter(head.part.charAt(0)) ? head : { ...head, part: head.part.charAt(0) }
}

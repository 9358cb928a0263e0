/** What callers without types pass by mistake, told where it is given and not where it is first used. */
import { checkText, refused } from './core/caller-input.ts'
import { checkToolList } from './core/schema/tool.ts'
import type { ExtractOptions } from './extract.ts'

/**
 * Only what would be read as something else, or break far from here: this is in every bundle.
 *
 * @throws InvalidInputError
 */
export function checkOptions({ tools = [], protocols = [] }: ExtractOptions): void {
  checkToolList(tools)
  if (protocols !== 'auto' && !Array.isArray(protocols)) {
    throw refused('protocols', protocols, 'auto or a list')
  }
}

/**
 * A piece of a reply, before it is among those that were read.
 *
 * @throws InvalidInputError
 */
export function checkChunk(chunk: unknown): void {
  checkText('a chunk', chunk, 'text; take it out of what an API sends, and leave out what has none')
}

/** @throws InvalidInputError for what cannot be iterated, such as a whole Response. */
export function checkSource(source: unknown): void {
  const found: object = Object(source)
  if (Symbol.asyncIterator in found || Symbol.iterator in found) return
  throw refused('a source', source, 'an AsyncIterable of text')
}

/** What callers without types pass by mistake, told where it is given and not where it is first used. */
import { checkText, refused } from './core/caller-input.ts'
import { isJsonObject } from './core/json/value.ts'
import { checkToolList } from './core/schema/tool.ts'
import type { ExtractOptions } from './extract.ts'

/** What options take that take a word. Any other would count as none: `repair: 'none'` as every repair. */
const WORDS = Object.entries({
  repair: 'off, safe, guess',
  onMalformed: 'issue, error, sentinel, raw, skip',
  dedupe: 'false, exact, adjacent',
  rawJson: 'message, ending, anywhere, off',
  reasoning: 'split, text',
  inReasoning: 'protocol, ignore, allow',
  ids: 'random, sequential',
})

/**
 * Only what would be read as something else, or break far from here: this is in every bundle.
 *
 * @throws InvalidInputError
 */
export function checkOptions(options: ExtractOptions): void {
  // A list is what somebody passes who means the tools.
  if (!isJsonObject(options)) throw refused('options', options, '{ tools }')
  const { tools = [], protocols = [], limits }: ExtractOptions = options
  checkToolList(tools)
  if (protocols !== 'auto' && !Array.isArray(protocols)) {
    throw refused('protocols', protocols, 'auto or a list')
  }
  for (const limit of limits ? Object.values(limits) : []) {
    if (!(limit >= 0)) throw refused('a limit', limit, 'a number')
  }
  checkWords(options)
}

/** @throws InvalidInputError for a word that an option does not know. */
export function checkWords(options: Readonly<Record<string, unknown>>): void {
  for (const [name, words] of WORDS) {
    const value = options[name]
    // `null` is what JSON has for nothing.
    if (value == null || typeof value === 'function') continue
    if (!words.split(', ').includes(String(value))) throw refused(name, value, words)
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

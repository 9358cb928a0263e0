/** What callers without types pass by mistake, refused where it is given and not where it is first used. */
import { checkList, isPending, isResponse, refused } from './core/caller-input.ts'
import { checkKeys, type OptionKeys } from './core/check-options.ts'
import { InvalidInputError } from './core/errors.ts'
import type { ExtractLimits } from './core/options.ts'
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

const KEYS: OptionKeys<ExtractOptions> = {
  tools: 0,
  expect: 0,
  protocols: 0,
  preset: 0,
  repair: 0,
  onMalformed: 0,
  dedupe: 0,
  rawJson: 0,
  scanCode: 0,
  allowUnknownTools: 0,
  reasoning: 0,
  inReasoning: 0,
  ids: 0,
  usedIds: 0,
  heard: 0,
  ensureUniqueIds: 0,
  finishReason: 0,
  model: 0,
  capabilities: 0,
  limits: 0,
  trace: 0,
  fit: 0,
  random: 0,
}

const LIMITS: OptionKeys<ExtractLimits> = { maxCalls: 0, maxBuffer: 0, maxDepth: 0 }

const CAPABILITIES: OptionKeys<NonNullable<ExtractOptions['capabilities']>> = {
  nativeToolCalls: 0,
  selfContainedTools: 0,
}

/** What somebody passes who means the tools, or the other order of the arguments. */
const EXAMPLE = '{ tools: [...] }'

/**
 * The keys, and what would be read as something else or break far from here: this is in every bundle.
 *
 * @throws InvalidInputError
 */
export function checkOptions(options: ExtractOptions): void {
  checkKeys('extract', options, KEYS, EXAMPLE)
  const { tools = [], protocols = [], limits, capabilities, usedIds = [] }: ExtractOptions = options
  checkToolList(tools)
  if (protocols !== 'auto') checkList('protocols', protocols, "'auto' or a list of ids")
  if (limits) checkLimits(limits)
  if (capabilities) {
    checkKeys('capabilities', capabilities, CAPABILITIES, '{ nativeToolCalls: false }')
  }
  if (typeof Object(usedIds)[Symbol.iterator] !== 'function') {
    throw refused('usedIds', usedIds, 'a list of ids')
  }
  if (options.heard !== undefined && typeof options.heard !== 'object') {
    throw refused('heard', options.heard, 'a list of messages')
  }
  // The cast: its fields are looked at by name.
  checkWords(options as Readonly<Record<string, unknown>>)
}

function checkLimits(limits: Partial<ExtractLimits>): void {
  checkKeys('limits', limits, LIMITS, '{ maxCalls: 10 }')
  for (const limit of Object.values(limits)) {
    if (!(limit >= 0)) throw refused('a limit', limit, 'a number')
  }
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

/** @throws InvalidInputError for a reply that has not arrived: it would look like one without calls. */
export function checkReply(reply: object): void {
  if (isPending(reply)) throw refused('a reply', reply, 'what the promise resolves to')
  if (isResponse(reply)) throw refused('a reply', reply, 'its body: text, or parsed JSON')
  if (Symbol.asyncIterator in reply) {
    throw new InvalidInputError('a reply cannot be a stream; extractStream reads streams of text')
  }
}

/**
 * A chunk of a reply, before it is among those that were read.
 *
 * @throws InvalidInputError
 */
export function checkChunk(chunk: unknown): void {
  if (typeof chunk !== 'string') throw refused('a chunk', chunk, CHUNK)
}

const CHUNK = "text; pass the text of each chunk, as in chunk.choices[0]?.delta?.content ?? ''"

/** @throws InvalidInputError for what cannot be iterated, such as a whole Response. */
export function checkSource(source: unknown): void {
  const found: object = Object(source)
  const isText = typeof source === 'string'
  if (!isText && (Symbol.asyncIterator in found || Symbol.iterator in found)) return
  const whole = isText ? '; extract reads a whole text' : ''
  throw refused('a source', source, `an AsyncIterable of text${whole}`)
}

/**
 * The tags of calls as models write them: `<function=name>`, `</parameter>`, `<invoke name="x">`, with
 * white space where none belongs and marks missing.
 */
import { NEED_MORE } from '../protocol.ts'
import { isSpace, isWord, skipSpace } from './characters.ts'
import { decodeEntities } from './entities.ts'

export interface TagWords {
  /** What stands before the words, in bars of any number and width: `<｜DSML｜invoke …>`. */
  readonly namespace?: string
  /** What encloses calls. */
  readonly sections: readonly string[]
  readonly calls: readonly string[]
  readonly parameters: readonly string[]
}

export interface Tag {
  readonly kind: 'section' | 'call' | 'parameter'
  readonly word: string
  readonly closing: boolean
  /** Index behind the word; of a closing tag, behind the tag. */
  readonly end: number
  /** True when the reply ends inside its word. */
  readonly cut: boolean
}

/** Undefined: no tag stands here. */
export type MatchTag = (
  text: string,
  at: number,
  end: number,
  last: boolean,
) => Tag | undefined | typeof NEED_MORE

/** Longest tag up to the end of its word, and longest tag altogether. */
const WORD_WINDOW = 64
export const HEAD_WINDOW = 512

const NAME = 'name'

const known = new WeakMap<TagWords, MatchTag>()

/** Finds tags made of these words. */
export function tagsOf(words: TagWords): MatchTag {
  const tags = known.get(words) ?? createTags(words)
  known.set(words, tags)
  return tags
}

function createTags({ namespace, sections, calls, parameters }: TagWords): MatchTag {
  const kinds = new Map<string, Tag['kind']>()
  for (const word of parameters) kinds.set(word, 'parameter')
  for (const word of calls) kinds.set(word, 'call')
  for (const word of sections) kinds.set(word, 'section')
  // `<functionname="x">` has lost a space.
  const words = [...kinds.keys()].flatMap((word) => [word, word + NAME])

  /** The reply, or what may be looked at, ends inside a word. */
  function cutTag(begun: string, closing: boolean, end: number): Tag | undefined {
    const word = words.find((whole) => whole.startsWith(begun)) ?? ''
    const kind = begun === '' ? undefined : kinds.get(word)
    return kind ? { kind, word, closing, end, cut: true } : undefined
  }

  return (text, at, limit, last) => {
    const end = Math.min(limit, at + WORD_WINDOW)
    const final = last || end < limit
    let i = skipSpace(text, at + 1, end)
    const closing = i < end && text.charAt(i) === '/'
    if (closing) i = skipSpace(text, i + 1, end)
    if (namespace !== undefined) i = skipNamespace(text, i, end, namespace)
    if (i === -1) return undefined
    const stop = skipWord(text, i, end)
    const word = text.slice(i, stop)
    if (stop === end) {
      if (!final) return words.some((whole) => whole.startsWith(word)) ? NEED_MORE : undefined
      return last ? cutTag(word, closing, end) : undefined
    }
    const own = kinds.has(word) || !word.endsWith(NAME) ? word : word.slice(0, -NAME.length)
    const kind = kinds.get(own)
    if (!kind) return undefined
    const tag = { kind, word: own, closing, end: i + own.length, cut: false }
    if (!closing) return own !== word || isHeadMark(text.charAt(stop)) ? tag : undefined
    const close = skipSpace(text, stop, end)
    if (close === end && !final) return NEED_MORE
    return text.charAt(close) === '>' ? { ...tag, end: close + 1 } : tag
  }
}

/** Index behind the namespace, `end` when the text ends inside it, -1 when it is not there. */
function skipNamespace(text: string, at: number, end: number, namespace: string): number {
  const i = skipBars(text, at, end)
  if (i === end) return end
  const found = text.slice(i, Math.min(end, i + namespace.length))
  if (i === at || !namespace.startsWith(found)) return -1
  return skipBars(text, i + found.length, end)
}

function skipBars(text: string, at: number, end: number): number {
  let i = at
  while (i < end && ('｜|'.includes(text.charAt(i)) || isSpace(text.charCodeAt(i)))) i++
  return i
}

/** Letters, digits, `_`, and within words `-`, `.` and `:`. */
function skipWord(text: string, at: number, end: number): number {
  let i = at
  while (i < end && (isWord(text.charCodeAt(i)) || '-.:'.includes(text.charAt(i)))) i++
  return i
}

function isHeadMark(character: string): boolean {
  return '=>/'.includes(character) || isSpace(character.charCodeAt(0))
}

export interface Head {
  /** What is called or given, behind `=` or as the attribute `name`. */
  readonly name: string | undefined
  /** True for `<function=name>`. */
  readonly short: boolean
  readonly attributes: ReadonlyMap<string, string>
  readonly selfClosing: boolean
  /** Index behind the tag. */
  readonly end: number
}

/**
 * Reads the head of an opening tag from behind its word. Its `>` may be missing: a line break ends a
 * name behind `=`, and the next tag ends any head. Undefined: it cannot be read, or it is longer than
 * what may be looked at, which `final` says.
 */
export function readHead(
  text: string,
  at: number,
  end: number,
  final: boolean,
): Head | undefined | typeof NEED_MORE {
  const attributes = new Map<string, string>()
  const unfinished = final ? undefined : NEED_MORE
  let short = false
  let i = at
  for (;;) {
    i = skipFiller(text, i, end)
    const selfClosing = text.startsWith('/>', i)
    const mark = text.charAt(i)
    const undecided = i >= end || (i + 1 === end && mark !== '>') || isCutToken(text, i, end)
    if (undecided) return unfinished
    if (mark === '>' || mark === '<' || selfClosing) {
      const size = selfClosing ? 2 : mark === '>' ? 1 : 0
      const name = attributes.get(NAME) || undefined
      return { name, short, attributes, selfClosing, end: i + size }
    }
    const attribute = readAttribute(text, i, end)
    if (!attribute) return unfinished
    const { key, value, stop } = attribute
    if (stop === i) return undefined
    if (value !== undefined && !attributes.has(key)) attributes.set(key, decodeEntities(value))
    short ||= key === NAME && text.charAt(i) === '='
    i = stop
    if (short && text.charAt(i) === '\n') {
      const name = attributes.get(NAME) || undefined
      return { name, short, attributes, selfClosing: false, end: i }
    }
  }
}

/** White space, quotes that close nothing, and special tokens in place of the end of the tag. */
function skipFiller(text: string, at: number, end: number): number {
  let i = skipSpace(text, at, end)
  for (;;) {
    const token = TOKEN.exec(text.slice(i, Math.min(end, i + TOKEN_WINDOW)))
    if (token) i += token[0].length
    else if (i < end && '"\''.includes(text.charAt(i))) i++
    else if (i < end && text.charAt(i) === '/' && i + 1 < end && text.charAt(i + 1) !== '>') i++
    else return i
    i = skipSpace(text, i, end)
  }
}

const TOKEN_WINDOW = 32
const TOKEN = /^<\|\w+\|>/

function isCutToken(text: string, at: number, end: number): boolean {
  return end - at < TOKEN_WINDOW && /^<\|\w*\|?$/.test(text.slice(at, end))
}

interface Attribute {
  readonly key: string
  readonly value: string | undefined
  /** Where it ends; where it was to begin when there is none. */
  readonly stop: number
}

/** One attribute; without a key it is the name. Undefined: the text ends inside it. */
function readAttribute(text: string, at: number, end: number): Attribute | undefined {
  const keyEnd = skipWord(text, at, end)
  const equals = skipSpace(text, keyEnd, end)
  const start = skipSpace(text, equals + 1, end)
  if (start >= end) return undefined
  const key = text.slice(at, keyEnd).toLowerCase() || NAME
  if (text.charAt(equals) !== '=') return { key, value: undefined, stop: keyEnd }
  const quote = text.charAt(start)
  const quoted = quote === '"' || quote === "'"
  const stops = quoted ? `${quote}<\n` : keyEnd === at ? '<>\n' : '<> \t\r\n'
  let stop = quoted ? start + 1 : start
  while (stop < end && !stops.includes(text.charAt(stop))) stop++
  if (stop >= end) return undefined
  if (!quoted && text.startsWith('/>', stop - 1)) stop--
  const value = text.slice(quoted ? start + 1 : start, stop).trim()
  return { key, value, stop: text.charAt(stop) === quote && quoted ? stop + 1 : stop }
}

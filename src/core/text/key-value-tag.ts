/** The tags of calls written as keys and values, and what makes one of them begin a call. */
import { type Marker, NEED_MORE, NO_MATCH, type ToolTable } from '../protocol.ts'
import { skipSpace } from './characters.ts'
import type { Tag } from './tag.ts'

export interface KeyValueTag extends Tag {
  /** True when the tag carries a suffix, as in `<arg_key:x>`. */
  readonly suffixed: boolean
}

/** Which tags enclose a call. */
export interface CallTags {
  readonly tag: 'tool_call' | 'user'
  /** True when calls may stand in a section, tags may carry a suffix, and one more follows the name. */
  readonly sectioned?: boolean
}

const NAMES = ['tool_call', 'tool_calls', 'tool_sep', 'arg_key', 'arg_value', 'user']
const TAG = new RegExp(`<(/?)(${NAMES.join('|')})(:[^\\s<>]{1,40})?>`, 'y')
const TAG_BEGINNING = /^<\/?([a-z_]*)(:[^\s<>]{0,40})?$/
const LONGEST = 64

/** The tag at `at`, if one stands there. */
export function tagAt(
  text: string,
  at: number,
  end: number,
  last: boolean,
): KeyValueTag | typeof NEED_MORE | undefined {
  if (text.charAt(at) !== '<') return at >= end && !last ? NEED_MORE : undefined
  TAG.lastIndex = at
  const [, slash, word = '', suffix] = TAG.exec(text) ?? []
  if (word !== '' && TAG.lastIndex <= end) {
    const kind = word.startsWith('arg') ? 'parameter' : 'call'
    const suffixed = suffix !== undefined
    return { kind, word, closing: slash === '/', suffixed, end: TAG.lastIndex, cut: false }
  }
  return !last && beginsTag(text.slice(at, Math.min(end, at + LONGEST))) ? NEED_MORE : undefined
}

function beginsTag(text: string): boolean {
  const [, word, suffix] = TAG_BEGINNING.exec(text) ?? []
  if (word === undefined) return false
  return NAMES.some((name) => (suffix === undefined ? name.startsWith(word) : name === word))
}

/** A tag with a suffix is a token of the model's own, wherever it stands. */
export const suffixedTag: Marker = {
  prefix: ['<', '/tau'],
  match(text, at, end, last) {
    const tag = tagAt(text, at, end, last)
    if (tag === NEED_MORE) return NEED_MORE
    return tag?.suffixed ? tag.end - at : NO_MATCH
  },
}

/** True when `text` holds a tag that a reader could take for its own. */
export function holdsTag(text: string): boolean {
  return new RegExp(TAG.source).test(text)
}

/** What a call is closed by; with its section, if need be. */
export function closesCall({ word, closing }: Tag, { tag }: CallTags): boolean {
  return closing && (word === tag || word.startsWith('tool_call'))
}

export function opensCall(
  { word, closing, suffixed }: KeyValueTag,
  { tag, sectioned }: CallTags,
): boolean {
  if (closing || (suffixed && !sectioned)) return false
  return word === tag || (sectioned === true && word === 'tool_calls')
}

/** A name, and the white space behind it, which may be spelled. */
export const HEAD: RegExp = /^\s*([\p{L}_][\p{L}\p{N}_.:/@-]{0,127})(?:\s|\\n)*/u

/** Length of the tags that open a call at `at`, when a name and more of a call follows. */
export function matchCall(
  tags: CallTags,
  tools: ToolTable,
  text: string,
  at: number,
  end: number,
  last: boolean,
): number {
  let behind = at
  let name = ''
  for (let i = at; ; ) {
    const tag = tagAt(text, i, end, last)
    if (tag === NEED_MORE) return NEED_MORE
    if (!tag) break
    if (!opensCall(tag, tags)) return isNameless(tag, name, tags) ? behind - at : NO_MATCH
    name = tag.word
    behind = tag.end
    i = skipSpace(text, behind, end)
  }
  if (name !== tags.tag) return NO_MATCH
  const follows = callFollows(tags, tools, text, behind, end, last)
  if (follows === undefined) return last ? NO_MATCH : NEED_MORE
  return follows ? behind - at : NO_MATCH
}

/** Nothing or a key where the name should stand: no call, but no text either. */
function isNameless(tag: Tag, opened: string, tags: CallTags): boolean {
  if (opened === '' || tags.tag === 'user') return false
  return closesCall(tag, tags) || (tag.word === 'arg_key' && !tag.closing && opened === tags.tag)
}

/** Undefined: not known yet. */
function callFollows(
  tags: CallTags,
  tools: ToolTable,
  text: string,
  at: number,
  end: number,
  last: boolean,
): boolean | undefined {
  const [head, name = ''] = HEAD.exec(text.slice(at, end)) ?? []
  if (head === undefined) return skipSpace(text, at, end) === end ? undefined : false
  const next = at + head.length
  if (next === end) return last ? tools.names.some((known) => known.startsWith(name)) : undefined
  const tag = tagAt(text, next, end, last)
  if (tag === NEED_MORE) return undefined
  if (tag && !tag.closing && tag.word === 'arg_key') return true
  if (tags.tag === 'user') return false
  if (!tag) return argumentsFollow(text.slice(next, end))
  if (closesCall(tag, tags)) return true
  if (opensCall(tag, tags)) return tools.known && tools.find(name) !== undefined
  return tags.sectioned && tag.word === 'tool_sep'
}

/** A JSON object, or a key of which the opening tag is missing. */
function argumentsFollow(text: string): boolean | undefined {
  if (/^\{\s*["'}]|^[^\s<>]{1,64}<\/arg_key/.test(text)) return true
  const [begins, tag = ''] = /^(?:\{\s*|\\|[^\s<>]{1,64}(<.*)?)$/.exec(text) ?? []
  return begins !== undefined && '</arg_key'.startsWith(tag) ? undefined : false
}

/**
 * What ends a value between tags: its own closing tag, one of those around it, or the next parameter or call.
 * A value may quote all of them, as a file about such calls does, so that none counts by itself: it counts by
 * how it is written, what stands before it on its line, and what follows.
 */
import { NEED_MORE, type ToolTable } from '../protocol.ts'
import { remembering } from '../remember.ts'
import { isSpace } from './characters.ts'
import { isTagWithoutMark } from './near-tag.ts'
import type { EndsValue } from './raw-value.ts'
import { isOuter, nextAt, type Tag, type TagAt, tagsOf } from './tag.ts'
import type { TaggedCallSpec } from './tagged-spec.ts'

/** How a tag is written. */
export type TagStyle = Pick<Tag, 'word' | 'short'>

/** What is around a value. */
export interface Surroundings {
  readonly call: TagStyle
  /** The tag that the value stands in, and the tags that count in it. */
  readonly parameter: TagStyle
  readonly tags: TagAt
  /** True when a key of the call stood in a tag of its own: where none does, such a tag is text. */
  readonly keyed: boolean
  /** True when the call may have a parameter of this name. */
  accepts(name: string): boolean
}

/** How far behind the end of a call the end of a value is looked for. */
const CLOSER_WINDOW = 1024
/** Of it, so much must be new to look at it again. */
const FEW = 128
/** Tags of a value in one another. */
const MOST_NESTED = 8

/** What tells behind a closing tag that keys go on, or that the value does. */
const keyOrCloser = remembering(
  ({ keys = [], parameters }: TaggedCallSpec) =>
    new RegExp(`[\\w>\\n]</?${keys[0]}|/${parameters[0]}`),
)

/** Tells the end of one value; asked for the tags in it, one after the other. */
export function createValueEnd(
  spec: TaggedCallSpec,
  tools: ToolTable,
  { call, parameter, tags, keyed, accepts }: Surroundings,
): EndsValue {
  /** Words of the tags that were opened in the value: they are text, and so may be what closes them. */
  const quoted = new Set<string>()
  /** How many tags are open of which it is known that they are closed in the value as well. */
  let nested = 0
  /** How much stood behind a tag when it could not be told what it is. */
  let awaited = 0
  /** The piece at hand, and whether it is the last. */
  let text: string
  let last: boolean

  function endsValue(
    tag: Tag,
    before: string,
    piece: string,
    isLast: boolean,
  ): boolean | undefined {
    text = piece
    last = isLast
    if (spec.tokens) return tag.kind !== 'separator'
    if (nested > 0) return passNested(tag)
    if (tag.stray || (tag.closing && tag.kind === 'key')) return isMisspelled(tag)
    if (tag.closing) return isEnd(tag, before)
    const isOwn = isOwnTag(before)
    const ends = !tag.cut && isOwn && isNext(tag)
    if (tag.cut || tag.selfClosing || ends === undefined) return ends
    const part = patiently(tag.end, () => partAt(tag, isOwn && !ends))
    if (part === undefined) return undefined
    if (part === 'closed') nested = 1
    else if (!ends || part) quoted.add(tag.word)
    return ends && !part
  }

  function passNested({ closing, selfClosing, stray }: Tag): false {
    if (stray) return false
    if (closing) nested--
    else if (!selfClosing) nested++
    return false
  }

  /** True when what the value is closed with is not its own closing tag, and that one does not follow. */
  function isMisspelled(tag: Tag): boolean | undefined {
    const at = nextAt(text, tag.end)
    const next = tags(text, at, text.length, last)
    if (next === NEED_MORE) return undefined
    // One such tag behind another tells nothing, and a row of them would be looked through for each.
    if (!next || (next.closing && !isOuter(next))) return false
    const ends = endsValue(next, '', text, last)
    // It is asked again when its turn comes.
    nested = 0
    return ends
  }

  /**
   * Whether a tag is a part of the value, for a file may well have parameters of its own, and one about calls
   * has calls: it is closed, with all in it, and the value goes on; or what is closed next is the value itself.
   * Where the closing tag of the value was forgotten, one is missing.
   */
  function partAt({ kind, word, end }: Tag, isForeign: boolean): 'closed' | boolean | undefined {
    const open = [word]
    const limit = end + CLOSER_WINDOW
    for (let i = text.indexOf('<', end); i !== -1 && i < limit; i = text.indexOf('<', i + 1)) {
      const tag = tags(text, i, text.length, last)
      if (tag === NEED_MORE) return undefined
      if (!tag || tag.selfClosing) continue
      if (!tag.closing) {
        if (open.push(tag.word) > MOST_NESTED) return false
        continue
      }
      const isOwnCloser = tag.word === parameter.word
      if (open.length === 0) return isOwnCloser && 'closed'
      if (open.at(-1) !== tag.word) return isOwnCloser && !open.includes(tag.word)
      open.pop()
      // Behind a call any text may follow, behind a key its value, and words behind what may be a parameter.
      if (open.length > 0 || kind !== 'parameter' || !isForeign) continue
      const isText = isTextAt(tag.end)
      if (isText !== false) return isText && 'closed'
    }
    return last || text.length >= limit ? false : undefined
  }

  /** True when something else than a tag of calls is next. */
  function isTextAt(at: number): boolean | undefined {
    const i = nextAt(text, at)
    if (i === text.length) return last ? false : undefined
    const tag = tags(text, i, text.length, last)
    return tag === NEED_MORE ? undefined : !tag
  }

  /** True for the next parameter or call. */
  function isNext(tag: Tag): boolean | undefined {
    if (tag.kind === 'section') {
      const inside = tagsOf(spec)(text, nextAt(text, tag.end), text.length, last)
      return inside === NEED_MORE
        ? undefined
        : inside?.kind === 'call' && !inside.closing && isAlike(inside)
    }
    if (tag.name === undefined) return tag.kind === 'key' && keyed
    if (!isAlike(tag)) return false
    return tag.kind === 'parameter' ? accepts(tag.name) : tools.find(tag.name) !== undefined
  }

  /** True for a tag that is written as this call and its parameters are: any other may be text. */
  function isAlike(tag: Tag): boolean {
    if (tag.closing) return tag.kind !== 'call' || tag.word === call.word
    if (tag.kind === 'section') return true
    if (tag.kind === 'key') return keyed
    const known = tag.kind === 'call' ? call : parameter
    return !!tag.plain && tag.short === known.short && (tag.short || tag.word === known.word)
  }

  /** A closing tag of the value, the call or the section, and no mention of one. */
  function isEnd(tag: Tag, before: string): boolean | undefined {
    if (!isAlike(tag)) return false
    const unquoted = isUnquoted(before, tag.end)
    const isOwn = tag.word === parameter.word
    // It may close a tag like it that is text.
    const isPaired = quoted.has(tag.word)
    if (isOwn && !isPaired) return unquoted && isOwnEnd(tag.end)
    if (tag.kind === 'parameter' && !isOwn && isPaired) return false
    return unquoted && isLastCloser(tag.end, false)
  }

  /** True unless the tag stands between the same quotes; undefined: what follows is not known yet. */
  function isUnquoted(before: string, end: number): boolean | undefined {
    const quote = before.slice(-1)
    if (quote === '' || !'"\'`'.includes(quote)) return true
    if (end === text.length) return last || undefined
    return text.charAt(end) !== quote
  }

  /** The value's own closing tag is text as well if other text follows, and then one more of its kind. */
  function isOwnEnd(end: number): boolean | undefined {
    const next = nextAt(text, end)
    if (text.charAt(next) === '<') return true
    const lacksMark = isTagWithoutMark(spec, text, next, last)
    return lacksMark === false ? isLastCloser(end, true) : lacksMark
  }

  function isLastCloser(end: number, isOwn: boolean): boolean | undefined {
    return patiently(end, () => isOuterEnd(end, isOwn))
  }

  /** Asks what depends on the text behind `end`; in a stream, a few characters more tell nothing. */
  function patiently<Answer>(end: number, ask: () => Answer | undefined): Answer | undefined {
    const ahead = text.length - end
    const enough = awaited < FEW ? 0 : Math.min(awaited + FEW, CLOSER_WINDOW)
    if (!last && ahead < enough) return undefined
    const answer = ask()
    awaited = answer === undefined ? ahead : 0
    return answer
  }

  /**
   * What closes more than the value is text if the value's own closing tag is still to come; where keys
   * have tags of their own that one is hardly ever forgotten, and only a key tells that it was.
   */
  function isOuterEnd(end: number, isOwn: boolean): boolean | undefined {
    const next = nextAt(text, end)
    const limit = end + CLOSER_WINDOW
    for (let i = next; i !== -1 && i < limit; i = spec.keys ? -1 : text.indexOf('<', i + 1)) {
      const tag = tags(text, i, text.length, last)
      if (tag === NEED_MORE) return undefined
      if (!tag) continue
      if (tag.closing && tag.kind === 'parameter') return false
      // Right behind it any call counts.
      if (i === next && !tag.closing && isOuter(tag)) return true
      if ((i === next || !tag.closing) && isAlike(tag)) return true
    }
    const isFull = text.length >= limit
    if (!spec.keys) return last || isFull || undefined
    // Looked for by their words: there may be such a place in every line.
    const [found] = keyOrCloser(spec).exec(text.slice(end, limit)) ?? []
    if (found) return !found.startsWith('/')
    return isFull ? isOwn : last || undefined
  }

  return endsValue
}

/** True when a tag that opens something, with `before` on its line, is no mere mention of it. */
function isOwnTag(before: string): boolean {
  const code = before.charCodeAt(before.length - 1)
  return before.trim() === '' || !(isSpace(code) || '"\'`([{=,'.includes(before.slice(-1)))
}

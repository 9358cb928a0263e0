/** What the reader of calls in tags looks ahead for, where tags are missing or stand twice. */
import { NEED_MORE } from '../protocol.ts'
import { isOuter, nextAt, SPACE_WINDOW, type Tag, type TagAt } from './tag.ts'

/** Longest name between tags. */
export const NAME_WINDOW = 256
/** Longest text without a tag before it that may be a key, or stand before a parameter. */
const KEY_WINDOW = 64
/** Longest parameter without its tag that is recognized by its closing tag. */
const LOST_WINDOW = 512
/** Longest call that is recognized when it is written once more inside itself. */
export const REPEAT_WINDOW = 512

/** Where the next parameter begins if little stands before it, or `at`; undefined: not known yet. */
export function parameterAhead(
  tags: TagAt,
  text: string,
  at: number,
  last: boolean,
): number | undefined {
  const limit = at + KEY_WINDOW
  for (let i = text.indexOf('<', at); i !== -1 && i < limit; i = text.indexOf('<', i + 1)) {
    const tag = tags(text, i, text.length, last)
    if (tag === NEED_MORE) return undefined
    if (tag) return tag.closing || isOuter(tag) || tag.kind === 'separator' ? at : i
  }
  return last || text.length >= limit ? at : undefined
}

/**
 * True when what is closed next is a parameter although none was opened: its tag cannot be read, and with it the
 * call. Undefined: not known yet.
 */
export function isParameterClosed(
  tags: TagAt,
  text: string,
  at: number,
  last: boolean,
): boolean | undefined {
  const limit = at + LOST_WINDOW
  for (let i = text.indexOf('<', at); i !== -1 && i < limit; i = text.indexOf('<', i + 1)) {
    const tag = tags(text, i, text.length, last)
    if (tag === NEED_MORE) return undefined
    if (tag) return tag.closing && !isOuter(tag)
  }
  return last || text.length >= limit ? false : undefined
}

/** Where a key may end that has no tag before it. */
export function endOfBareKey(text: string, at: number): number {
  const [key = ''] = /^[^<>\n]*/.exec(text.slice(at, at + KEY_WINDOW)) ?? []
  return at + key.length
}

/**
 * Where a call ends of which so much was `written` if it stands at `at` once more, inside itself, or -1;
 * undefined: not known yet.
 */
export function endOfRepetition(
  tags: TagAt,
  written: string,
  text: string,
  at: number,
  last: boolean,
): number | undefined {
  const call = written.trim()
  const start = nextAt(text, at)
  const again = text.slice(start, start + call.length)
  if (call.length > REPEAT_WINDOW || !call.startsWith(again)) return -1
  const closer = tags(text, nextAt(text, start + again.length), text.length, last)
  if (closer === NEED_MORE) return undefined
  return closer?.closing && again === call ? closer.end : -1
}

const NO_JSON = /^\{\s*\}?\s*(<[^/]?|$)/

/** Behind an object with nothing in it that stands before parameters; undefined: not known yet. */
export function skipNothing(text: string, at: number, last: boolean): number | undefined {
  const near = text.slice(at, at + SPACE_WINDOW)
  const [whole, behind = ''] = NO_JSON.exec(near) ?? []
  if (whole !== undefined && behind.length > 1) return at + whole.length - behind.length
  return whole === near && !last ? undefined : at
}

const ANY_TAG = /^<(\/?)([\w:.-]+)\s*>/
const TAG_BEGUN = /^<\/?[\w:.-]*\s*$/

/** A tag of any name. */
export function anyTagAt(
  text: string,
  at: number,
): (Pick<Tag, 'closing' | 'end'> & { readonly name: string }) | undefined | typeof NEED_MORE {
  const near = text.slice(at, at + NAME_WINDOW)
  const [whole, slash, name = ''] = ANY_TAG.exec(near) ?? []
  if (whole !== undefined) return { name, closing: slash !== '', end: at + whole.length }
  return near.length < NAME_WINDOW && TAG_BEGUN.test(near) ? NEED_MORE : undefined
}

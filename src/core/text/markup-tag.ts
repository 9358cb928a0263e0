/** One tag as in XML, and the text between tags. */
import type { Marker } from '../protocol.ts'
import { decodeEntities } from './entities.ts'
import { literal, overlap } from './marker.ts'

export interface Tag {
  readonly kind: 'open' | 'close' | 'empty'
  readonly name: string
  /** Behind the tag. */
  readonly end: number
}

/** Longest tag, with its attributes. */
const TAG_WINDOW = 512

const NAME = '[\\w\\u00aa-\\uffff][^\\s<>/="\'&]*'
const CLOSING = '<\\s{0,4}/\\s{0,4}'
// Every alternative begins with another character, so a tag that is none is given up at once.
const ATTRIBUTES = `(?:[^<>"'/]|/(?!>)|"[^"<]*"|'[^'<]*')*`
const TAG = new RegExp(`^(?:${CLOSING}(${NAME})\\s*|<(${NAME})(?:\\s${ATTRIBUTES})?(/?))>`)
const BEGUN = new RegExp(
  `^(?:${CLOSING}(?:${NAME})?\\s*|<\\s{0,4}|<${NAME}(?:\\s${ATTRIBUTES}(?:"[^"<]*|'[^'<]*)?)?/?)$`,
)

/**
 * The tag at `at`, where `lead` must stand before it. Undefined: there is none. Null: more characters
 * are needed to tell.
 */
export function tagAt(text: string, at: number, last: boolean, lead = ''): Tag | undefined | null {
  if (!text.startsWith(lead, at)) {
    return !last && lead.startsWith(text.slice(at)) ? null : undefined
  }
  const start = at + lead.length
  const window = text.slice(start, start + TAG_WINDOW)
  const found = TAG.exec(window)
  if (found) {
    const [whole, closed, opened = '', slash] = found
    const kind = closed !== undefined ? 'close' : slash ? 'empty' : 'open'
    return { kind, name: closed ?? opened, end: start + whole.length }
  }
  const isBegun = window === '' || BEGUN.test(window)
  return !last && window.length < TAG_WINDOW && isBegun ? null : undefined
}

/** The next place at which a tag may begin, or -1. */
export function findTag(text: string, at: number, lead: string): number {
  return text.indexOf(lead || '<', at)
}

/** Up to where a text in which no tag begins is complete: neither a tag nor an entity is cut. */
export function completeUpTo(text: string, at: number, lead: string): number {
  if (lead !== '') return Math.max(at, text.length - overlap(text, lead))
  const entity = text.lastIndexOf('&')
  const isCut = entity >= Math.max(at, text.length - LONGEST_ENTITY) && !text.includes(';', entity)
  return isCut ? entity : text.length
}

const LONGEST_ENTITY = 10

export const CDATA = '<![CDATA['
export const CDATA_END = ']]>'
/** Where a section begins. */
export const cdataAt: Marker['match'] = literal(CDATA)

/** The text as a section; one that holds its end is written as two. */
export function inCdata(text: string): string {
  return CDATA + text.replaceAll(CDATA_END, `]]${CDATA_END}${CDATA}>`) + CDATA_END
}

const SECTIONS = [
  [CDATA, CDATA_END],
  ['<!--', '-->'],
  ['<?', '?>'],
] as const

/** Behind the comment, instruction or `CDATA` section at `at`, or -1. */
export function endOfSection(text: string, at: number): number {
  for (const [open, end] of SECTIONS) {
    if (!text.startsWith(open, at)) continue
    const found = text.indexOf(end, at)
    return found === -1 ? text.length : found + end.length
  }
  return -1
}

/** A tag, comment or instruction. */
const MARKUP = /<[!?/\w][^<>]*>/g

/** What raw text says without the tags and comments in it. */
export function visibleText(raw: string): string {
  return unwrap(raw, (text) => decodeEntities(text.replace(MARKUP, ''))).trim()
}

/** What raw text between tags says: entities decoded, `CDATA` sections unwrapped. */
export function plainText(raw: string, decode: boolean): string {
  return decode ? unwrap(raw, decodeEntities) : unwrap(raw, String)
}

/** What stands in `CDATA` sections as it is, and what `decode` makes of the rest. */
function unwrap(raw: string, decode: (text: string) => string): string {
  const pieces: string[] = []
  let at = 0
  for (;;) {
    const open = raw.indexOf(CDATA, at)
    const close = open === -1 ? -1 : raw.indexOf(CDATA_END, open)
    if (close === -1) break
    pieces.push(decode(raw.slice(at, open)), raw.slice(open + CDATA.length, close))
    at = close + CDATA_END.length
  }
  return pieces.join('') + decode(raw.slice(at))
}

/** True for the closing tag of `name`, also when the pen has slipped. */
export function closes(tag: Tag, name: string): boolean {
  return tag.kind === 'close' && (tag.name === name || isSlip(tag.name, name))
}

/** True when one name is a slip of the pen for the other: they differ in one place, by two letters. */
export function isSlip(name: string, meant: string): boolean {
  const names = [name.toLowerCase(), meant.toLowerCase()] as const
  const [long, short] = name.length > meant.length ? names : [names[1], names[0]]
  let from = 0
  while (from < short.length && short.charAt(from) === long.charAt(from)) from++
  let to = 0
  while (to < short.length - from && short.at(-1 - to) === long.at(-1 - to)) to++
  return short.length > 2 && from + to >= long.length - 2
}

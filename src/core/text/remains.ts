/**
 * What is left of calls in the text of a reply: no reader took them for calls, because a marker lost a character
 * or the JSON in them is another. They stay text, and are reported, so that no call is lost in silence.
 *
 * A declared name alone is no sign of a call, for answers mention tools. What tells a call is what the formats in
 * use write around a name: on both sides of it, or on one side with a key of the tool after it.
 */

import { firstDifference } from '../first-difference.ts'
import type { Protocol, ToolTable } from '../protocol.ts'
import { remembering } from '../remember.ts'
import { SHORTEST_NAME } from './tool-names.ts'

/** A stretch of visible text, by its indexes. */
export interface Remains {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** Visible text, and where something else was taken out of it. */
export interface VisibleText {
  readonly text: string
  /** Places from `from` to `to` where markup was taken out, and no call. */
  gaps(from: number, to: number): readonly number[]
  /** The nearest places around `at` where a call was. */
  bounds(at: number): readonly [start: number, end: number]
}

/** What a format writes around the name of a tool, without white space. */
interface Surroundings {
  /** The last character first. */
  readonly before: string
  readonly after: string
  /** True for a format without markers: where nothing is damaged, its readers have found that it is text. */
  readonly free: boolean
}

/** How much of it must be there; longer stretches are as likely to hold the damage as to show the call. */
const CONTEXT = 12
/** Less than this, on both sides or on one of them, is found around words of a text as well. */
const TELLING = 5
const TELLING_ALONE = 3
/** How far from the name its surroundings and the keys of the tool are looked for. */
const NEAR = 64
const KEY_WINDOW = 400
/** How far what is left of a call reaches before and after the name. */
const BACK = 512
const AHEAD = 4096
/** Shorter names are found in other words; longer ones may have lost what sets them apart from a word before. */
const SHORT_NAME = 6
/** Text in which remains are looked for, and how many are reported. */
export const MOST_TEXT = 65_536
const MOST = 8

const NAME = 'lorem_ipsum'
const KEY = 'dolor'

const surroundingsOf: (protocols: readonly Protocol[]) => readonly Surroundings[] = remembering(
  (protocols) => {
    const known = new Map<string, Surroundings>()
    for (const protocol of protocols) {
      const written = protocol.formatCall({ name: NAME, arguments: { [KEY]: 'sit amet' } })
      const at = written.lastIndexOf(NAME, written.indexOf(KEY))
      if (at === -1) continue
      const before = reversed(squeeze(written.slice(0, at))).slice(0, CONTEXT)
      const after = squeeze(written.slice(at + NAME.length, written.indexOf(KEY, at)))
      const free = protocol.free !== undefined
      const found = { before, after: after.slice(0, CONTEXT), free }
      if (before !== '') known.set(`${found.before} ${found.after}`, found)
    }
    return [...known.values()]
  },
)

const namesIn: (tools: ToolTable) => RegExp = remembering(({ names }) => {
  const telling = names.filter(({ length }) => length >= SHORTEST_NAME)
  const spelled = telling.map((name) => {
    const escaped = name.replace(/[$()*+.?[\\\]^{|}-]/g, '\\$&')
    return name.length < SHORT_NAME ? `(?<![\\w-])${escaped}(?![\\w-])` : escaped
  })
  return new RegExp(spelled.join('|') || '(?!)', 'g')
})

export function findRemains(
  { text: whole, gaps, bounds }: VisibleText,
  tools: ToolTable,
  protocols: readonly Protocol[],
  isDeclared: (name: string, key: string) => boolean,
): readonly Remains[] {
  const text = whole.slice(0, MOST_TEXT)
  const found: Remains[] = []
  const isInBlock = createPlaces(BLOCKS, text)
  const isInline = createPlaces(INLINE, text)
  let passed = 0
  for (const { 0: name, index } of text.matchAll(namesIn(tools))) {
    if (index < passed || isInline(index)) continue
    const mention = mentionAt(text, index, index + name.length, gaps)
    const signs = surroundingsOf(protocols).map((around) =>
      signOf(around, mention, (key) => isDeclared(name, key)),
    )
    // Code that is in order is an example.
    const isCall = isInBlock(index)
      ? signs.includes('damaged') && !signs.includes('whole')
      : signs.some((sign) => sign !== undefined)
    if (!isCall) continue
    const [from, to] = bounds(index)
    const remains = { name, start: startOf(text, index, from), end: endOf(text, mention.end, to) }
    passed = remains.end
    if (found.push(remains) === MOST) break
  }
  return found
}

/** The name of a tool in the text, with the text around it, squeezed. */
interface Mention {
  readonly text: string
  readonly index: number
  readonly end: number
  /** What is before the name, the last character first. */
  readonly before: string
  readonly after: string
  /** True where markup was taken out of the text: that is as good as what is written there. */
  readonly followsGap: boolean
  readonly precedesGap: boolean
  readonly followsWord: boolean
  readonly precedesWord: boolean
}

function mentionAt(text: string, index: number, end: number, gaps: VisibleText['gaps']): Mention {
  const gapBefore = gaps(index - NEAR, index).at(-1)
  const [gapAfter] = gaps(end, end + NEAR)
  const left = text.slice(gapBefore ?? Math.max(0, index - NEAR), index)
  const right = text.slice(end, gapAfter ?? end + NEAR)
  return {
    text,
    index,
    end,
    before: reversed(squeeze(left)),
    after: squeeze(right),
    followsGap: gapBefore !== undefined,
    precedesGap: gapAfter !== undefined,
    followsWord: WORD_END.test(left),
    precedesWord: WORD_START.test(right),
  }
}

/** Whether what a format writes is around the name, all of it or all but one character. */
function signOf(
  { before, after, free }: Surroundings,
  mention: Mention,
  isDeclared: (key: string) => boolean,
): 'whole' | 'damaged' | undefined {
  const { text, index, end } = mention
  const isMarkedBefore = mention.followsGap && before.startsWith(mention.before)
  const isMarkedAfter = mention.precedesGap && after.startsWith(mention.after)
  const isBefore = isMarkedBefore ? WHOLE : shareOf(before, mention.before)
  const isAfter = isMarkedAfter ? WHOLE : shareOf(after, mention.after)
  if (isBefore + isAfter < WHOLE) return undefined
  // Between a word and the name, what a format writes there may be the character that was lost.
  if (mention.followsWord && isBefore === 0) return undefined
  if (mention.precedesWord && isBefore < WHOLE && isAfter === 0) return undefined
  if (isBefore + isAfter > WHOLE && before.length + after.length >= TELLING) {
    if (isBefore + isAfter < WHOLE + WHOLE) return 'damaged'
    return free || isInSentence(text, index, before.length) ? undefined : 'whole'
  }
  const alone = isBefore === WHOLE ? before : after
  const args = text.slice(end, end + KEY_WINDOW)
  if (alone.length < TELLING_ALONE || LISTING.test(args)) return undefined
  if (isInSentence(text, index, isBefore === WHOLE ? before.length : 0)) return undefined
  for (const [, key = ''] of args.matchAll(KEYS)) if (isDeclared(key)) return 'whole'
  return undefined
}

/** True when the `written` characters that a format writes before the name follow words on their line. */
function isInSentence(text: string, index: number, written: number): boolean {
  let at = index
  for (let left = written; left > 0 && at > 0; at--) {
    if (text.charAt(at - 1).trim() !== '') left--
  }
  const line = text.slice(Math.max(0, at - NEAR), at)
  return /[\p{L}\d,;.:”"')][^\S\n]+[(“"']?$/u.test(line)
}

const WORD_END = /[\w-]$/
const WORD_START = /^[\w-]/

/** How much of what a format writes is there: all of it, or all but one character. */
const WHOLE = 2
const NEARLY = 1

/** How much of `sought` the text begins with. */
function shareOf(sought: string, text: string): number {
  if (text.startsWith(sought)) return WHOLE
  if (sought.length < TELLING_ALONE) return 0
  const at = firstDifference(sought, text)
  const isInside = at < sought.length - 1
  return isInside && text.startsWith(sought.slice(at + 1), at) ? NEARLY : 0
}

function reversed(text: string): string {
  return [...text].reverse().join('')
}

/** A word as formats write keys: `"city":`, `city=`, `<city>`, `city:`. */
const KEYS = /(?<=^|[^\w-])([\w-]{1,64})(?=["'=>:<])/g
/** A list of tools has names and keys as well. */
const LISTING = /"(?:type|properties|description)"\s*:/

function squeeze(text: string): string {
  return text.replace(/\s+/g, '')
}

const BLOCKS = /(`{3,}|~{3,})[\s\S]*?(?:\1|$)/g
const INLINE = /(?<!`)(`{1,2})[^`\n]+\1(?!`)/g

/** Whether an index is inside a match of the pattern; to be asked for indexes that grow. */
function createPlaces(pattern: RegExp, text: string): (index: number) => boolean {
  const matches = text.matchAll(pattern)
  let start = 0
  let end = 0
  return (index) => {
    while (end <= index) {
      const { value: match } = matches.next()
      start = match?.index ?? text.length
      end = match ? start + match[0].length : Number.POSITIVE_INFINITY
    }
    return start <= index
  }
}

/** The paragraph that the name is in. */
function startOf(text: string, index: number, from: number): number {
  const limit = Math.max(from, index - BACK)
  const blank = text.slice(limit, index).lastIndexOf('\n\n')
  return blank === -1 ? limit : limit + blank + 2
}

function endOf(text: string, end: number, to: number): number {
  const limit = Math.min(to, text.length, end + AHEAD)
  const blank = text.slice(end, limit).indexOf('\n\n')
  return blank === -1 ? limit : end + blank
}

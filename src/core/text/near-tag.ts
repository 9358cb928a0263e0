/**
 * Tags that lost one character: `<paramete=city>`, `parameter=city>`, `</invke>`. They are looked for only where
 * a tag of the call must be next, and each place where a character can be missing is tried with every
 * character that tags are made of.
 */
import { firstDifference } from '../first-difference.ts'
import { NEED_MORE } from '../protocol.ts'
import { remembering } from '../remember.ts'
import { either, oneOf, type PatternReader, patternReader, sequence } from './pattern.ts'
import { closerOf, nextAt, type Tag, type TagAt, type TagWords, tagsOf } from './tag.ts'

/** Longest tag that is looked for, its attributes included. */
const WINDOW = 160
/** How far from its beginning a tag has its word. */
const WORD_WINDOW = 40

/** Any word, to see what is written around one. */
const WORD = 'word'

/** What tags have beside their words. */
const MARKS = '<>/="nametoolkeysrigp |'

interface Spellings {
  /** Words of tags, and each of them without one of its letters. */
  readonly words: readonly string[]
  readonly characters: readonly string[]
  /** The mark that a tag ends with. */
  readonly mark: string
}

const spellingsOf: (spec: TagWords) => Spellings = remembering((spec) => {
  const { sections, calls, keys = [], parameters } = spec
  const words = [...sections, ...calls, ...keys, ...parameters]
  const closers = words.map((word) => closerOf(spec, word))
  return {
    words: words.flatMap((word) => [word, ...withoutOne(word)]),
    characters: [...new Set(MARKS + closers.join(''))],
    mark: closerOf(spec, WORD).split(WORD)[1] ?? '>',
  }
})

function withoutOne(word: string): string[] {
  return Array.from(word, (_, at) => word.slice(0, at) + word.slice(at + 1))
}

/**
 * True when what begins at `at` has the word of a tag in it, or most of one: a quick look before the long one.
 * Undefined: not known yet.
 */
export function mayBeNearTag(
  spec: TagWords,
  text: string,
  at: number,
  last: boolean,
): boolean | undefined {
  const head = text.slice(at, at + WORD_WINDOW)
  const { words } = spellingsOf(spec)
  const isMarkup = head.startsWith('<') || head.startsWith('/')
  if (!last && head.length < WORD_WINDOW) {
    const isBegun = isMarkup || words.some((word) => word.startsWith(head) || head.startsWith(word))
    return isBegun ? undefined : false
  }
  return words.some((word) => (isMarkup ? head.includes(word) : head.startsWith(word)))
}

/**
 * The tag at `at` with a character that it lost, the only one that `fits`. Its end is that of what is written.
 * Undefined: there is none, or there are several.
 */
export function nearTagAt(
  spec: TagWords,
  text: string,
  at: number,
  last: boolean,
  fits: (tag: Tag) => boolean,
): Tag | undefined | typeof NEED_MORE {
  const near = text.slice(at, at + WINDOW)
  if (near.length < WINDOW && !last) return NEED_MORE
  return onlyOf(insertions(tagsOf(spec), near, spellingsOf(spec), fits), at)
}

/**
 * Finds also what is left of the closing tag of a value when it lost one character behind its `<`; without
 * its slash it looks like a tag that opens something.
 */
export function nearClosersOf(spec: TagWords, word: string, others: TagAt): TagAt {
  const closer = closerOf(spec, word)
  return (text, at, end, last) => {
    const tag = others(text, at, end, last)
    if (
      tag === NEED_MORE ||
      (tag && (tag.closing || tag.name !== undefined || tag.word !== word))
    ) {
      return tag
    }
    const near = text.slice(at, Math.min(end, at + closer.length - 1))
    if (!isWithoutOne(near, closer)) return tag
    if (near.length === closer.length - 1) {
      const behind = at + near.length
      // Before text it opens a parameter whose key is that text.
      const next = tag ? nextAt(text, behind) : behind
      if (tag && next === text.length && !last) return NEED_MORE
      if (tag && text.charAt(next) !== '<') return tag
      return { kind: 'parameter', word, closing: true, end: behind, cut: false, stray: true }
    }
    return last ? tag : NEED_MORE
  }
}

const unmarkedOf: (spec: TagWords) => PatternReader = remembering(
  ({ sections, calls, keys = [], parameters }) => {
    const spelled = either(...sections, ...calls, ...keys, ...parameters)
    return patternReader(
      oneOf(
        sequence(spelled, oneOf('>', '=', sequence('\\s{1,16}', '\\w{1,16}', '='))),
        sequence('\\/', spelled, '>'),
      ),
    )
  },
)

/** True for a tag that lost its `<`; undefined: not known yet. */
export function isTagWithoutMark(
  spec: TagWords,
  text: string,
  at: number,
  last: boolean,
): boolean | undefined {
  if (at === text.length) return last ? false : undefined
  const length = unmarkedOf(spec).match(text, at, text.length, last)
  return length === NEED_MORE ? undefined : length > 0
}

/** True when a value ends with what is left of its closing tag. */
export function endsWithRemains(spec: TagWords, word: string, value: string): boolean {
  const closer = closerOf(spec, word)
  return isWithoutOne(value.trimEnd().slice(1 - closer.length), closer)
}

/** True when `near` begins `whole` with one character left out. */
function isWithoutOne(near: string, whole: string): boolean {
  const at = firstDifference(near, whole)
  return at < near.length && whole.startsWith(near.slice(at), at + 1)
}

function* insertions(
  tags: TagAt,
  near: string,
  { characters, mark }: Spellings,
  fits: (tag: Tag) => boolean,
): Generator<Tag> {
  // A tag is on one line. Where it lost a part of its last mark, it still ends before the next of these marks.
  const places = [near.indexOf('\n'), near.indexOf(mark), near.length]
  const end = Math.min(...places.filter((place) => place !== -1))
  for (let place = 0; place <= end; place++) {
    for (const character of characters) {
      const whole = near.slice(0, place) + character + near.slice(place)
      const tag = tags(whole, 0, whole.length, false)
      if (!tag || tag === NEED_MORE || tag.cut || tag.end <= place || !fits(tag)) continue
      yield tag
    }
  }
}

/** The one that takes up most of the text: `</tool_cal>` is not `</tool>` and text. */
function onlyOf(tags: Iterable<Tag>, at: number): Tag | undefined {
  let only: Tag | undefined
  let isOnly = false
  for (const tag of tags) {
    const more = only ? tag.end - only.end || tag.word.length - only.word.length : 1
    if (more < 0) continue
    isOnly = !only || more > 0 || (isOnly && isSame(only, tag))
    only = tag
  }
  return only && isOnly ? { ...only, end: at + only.end - 1 } : undefined
}

function isSame(one: Tag, other: Tag): boolean {
  return (
    one.kind === other.kind &&
    one.word === other.word &&
    one.name === other.name &&
    one.closing === other.closing
  )
}

/**
 * Patterns for markers with something in between, such as a name. A pattern is the source of a
 * regular expression that also matches where the text ends inside it, so it is known whether what has
 * arrived can still become the whole.
 */
import { type Marker, NEED_MORE, NO_MATCH } from '../protocol.ts'
import { marker } from './marker.ts'

export type Pattern = string

export interface Found {
  readonly length: number
  /** False when the text ends inside the pattern. */
  readonly whole: boolean
  readonly groups: Readonly<Record<string, string | undefined>>
}

export interface PatternReader {
  read(text: string, at: number, end: number): Found | undefined
  readonly match: Marker['match']
}

export const SPACE: Pattern = '\\s{0,16}'

/** Each part may be the last one that has arrived. */
export function sequence(...parts: readonly Pattern[]): Pattern {
  return parts.reduceRight((rest, part) => `${part}(?:$|${rest})`)
}

export function oneOf(...patterns: readonly Pattern[]): Pattern {
  return `(?:${patterns.join('|')})`
}

export function optional(...parts: readonly Pattern[]): Pattern {
  return `(?:${sequence(...parts)})?`
}

/** Once, or twice where a model repeats itself. */
export function twice(pattern: Pattern): Pattern {
  return `(?:${pattern}){1,2}`
}

/** The text itself; `spellings` says how some of its characters may be written instead. */
export function literally(
  text: string,
  spellings: Readonly<Record<string, Pattern>> = {},
): Pattern {
  const escaped = (character: string) => character.replace(/[$()*+.?[\\\]^{|}]/, '\\$&')
  return sequence(...Array.from(text, (character) => spellings[character] ?? escaped(character)))
}

/** One of these texts. */
export function either(...texts: readonly string[]): Pattern {
  return oneOf(...texts.map((text) => literally(text)))
}

/** What must follow, and is no part of what is found. */
export function ahead(...parts: readonly Pattern[]): Pattern {
  return `(?=${sequence(...parts)})`
}

/** A marker that begins with a text that is always written the same, and what belongs to it behind that. */
export function markerWith(text: string, ...rest: readonly Pattern[]): Marker {
  return { ...marker(text), match: patternReader(sequence(literally(text), ...rest)).match }
}

/** No pattern is longer: with so much text before it, the end of the text is not inside one. */
const LONGEST = 512

/**
 * Finds a pattern at a place. At the end of the reply, a text of `cut` characters or more that ends
 * inside it counts as well: it was to become the whole.
 */
export function patternReader(
  pattern: Pattern,
  cut: number = Number.POSITIVE_INFINITY,
): PatternReader {
  const whole = new RegExp(pattern.replaceAll('$|', ''), 'y')
  const partial = new RegExp(`^(?:$|${pattern})`)

  /** The beginning of one with which the text ends. */
  function readCut(text: string, at: number, end: number): RegExpExecArray | null {
    return Math.min(end, text.length) - at < LONGEST ? partial.exec(text.slice(at, end)) : null
  }

  return {
    read(text, at, end) {
      whole.lastIndex = at
      const complete = whole.exec(text)
      if (complete && whole.lastIndex <= end) return toFound(complete, true)
      const begun = readCut(text, at, end)
      return begun ? toFound(begun, false) : undefined
    },
    match(text, at, end, last) {
      whole.lastIndex = at
      // Most places hold none, and the groups are asked for only where one was found.
      if (whole.test(text) && whole.lastIndex <= end) return whole.lastIndex - at
      const [begun] = readCut(text, at, end) ?? []
      if (begun === undefined) return NO_MATCH
      if (!last) return NEED_MORE
      return begun.length >= cut ? begun.length : NO_MATCH
    },
  }
}

function toFound({ 0: { length }, groups = {} }: RegExpExecArray, whole: boolean): Found {
  return { length, whole, groups }
}

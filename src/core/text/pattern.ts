/**
 * Patterns for markers with something in between, such as a name. A pattern is the source of a
 * regular expression that also matches where the text ends inside it, so it is known whether what has
 * arrived can still become the whole.
 */
import { type Marker, NEED_MORE, NO_MATCH } from '../protocol.ts'

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

/** The text itself; `spellings` says how some of its characters may be written instead. */
export function literally(
  text: string,
  spellings: Readonly<Record<string, Pattern>> = {},
): Pattern {
  const escaped = (character: string) => character.replace(/[$()*+.?[\\\]^{|}]/, '\\$&')
  return sequence(...Array.from(text, (character) => spellings[character] ?? escaped(character)))
}

/**
 * Finds a pattern at a place. At the end of the reply, a text of `cut` characters or more that ends
 * inside it counts as well: it was to become the whole.
 */
export function patternReader(
  pattern: Pattern,
  cut: number = Number.POSITIVE_INFINITY,
): PatternReader {
  const partial = new RegExp(`^(?:$|${pattern})`)
  const whole = new RegExp(`^${pattern.replaceAll('$|', '')}`)

  function read(text: string, at: number, end: number): Found | undefined {
    const part = text.slice(at, end)
    const complete = whole.exec(part)
    const found = complete ?? partial.exec(part)
    if (!found) return undefined
    return { length: found[0].length, whole: complete !== null, groups: found.groups ?? {} }
  }

  return {
    read,
    match(text, at, end, last) {
      const found = read(text, at, end)
      if (!found) return NO_MATCH
      if (found.whole || (last && found.length >= cut)) return found.length
      return last ? NO_MATCH : NEED_MORE
    },
  }
}

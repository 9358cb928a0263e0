/** Literal markers: matching one at a place, and finding one in text that arrives in pieces. */
import { checkText } from '../caller-input.ts'
import {
  type Marker,
  NEED_MORE,
  NO_MATCH,
  type ReadContext,
  type Reader,
  type Search,
} from '../protocol.ts'

export type Match = Marker['match']

/** What must stand behind a marker. Undefined: more characters are needed to tell. */
export type Follows = (text: string, at: number, end: number, last: boolean) => boolean | undefined

/** How the tokens begin that end a turn, as far as prose and code do not: `<|im_end|>`, `</s>`, `<eos>`. */
export const TURN_END: RegExp = /^<[|｜/e]/

/** How many characters of a marker are told to the scanner. */
const PREFIX = 6

/** A marker that is always written the same, and what must follow it. */
export function marker(text: string, follows?: Follows): Marker {
  checkText('a marker', text)
  return { prefix: [...text.slice(0, PREFIX)], match: literal(text, follows) }
}

/** One that counts only where a reply begins with it. */
export function startMarker(text: string, follows?: Follows): Marker {
  return { ...marker(text, follows), boundary: 'start' }
}

/** Opens nothing: the marker means no more than a token, but only where it matches. */
export function passOver(context: ReadContext): Reader {
  return {
    state: 'declined',
    read(_, at) {
      context.skip(at)
      return at
    },
  }
}

/** Matches `marker` literally, and what must follow it. */
export function literal(marker: string, follows?: Follows): Match {
  const match: Match = (text, at, end, last) => {
    if (at + marker.length > end) {
      const begins = !last && marker.startsWith(text.slice(at, end))
      return begins ? NEED_MORE : NO_MATCH
    }
    return text.startsWith(marker, at) ? marker.length : NO_MATCH
  }
  return followed(match, follows)
}

/** Matches where what must follow does. */
export function followed(match: Match, follows: Follows | undefined): Match {
  if (!follows) return match
  return (text, at, end, last) => {
    const length = match(text, at, end, last)
    if (length <= 0) return length
    const isRight = follows(text, at + length, end, last)
    if (isRight === undefined) return NEED_MORE
    return isRight ? length : NO_MATCH
  }
}

/** Which of the markers stands at a place; '' when none does, undefined when more must be seen. */
export function markerAt(
  markers: readonly string[],
): (text: string, at: number, last: boolean) => string | undefined {
  const matches = markers.filter((marker) => marker !== '').map((marker) => literal(marker))
  return (text, at, last) => {
    let isOpen = false
    for (const match of matches) {
      const length = match(text, at, text.length, last)
      if (length > 0) return text.slice(at, at + length)
      isOpen ||= length === NEED_MORE
    }
    return isOpen ? undefined : ''
  }
}

/**
 * Length of the longest end of `text` that `marker` begins with: what must be held back because the
 * next piece may complete it.
 */
export function overlap(text: string, marker: string): number {
  const longest = Math.min(text.length, marker.length - 1)
  for (let length = longest; length > 0; length--) {
    if (marker.startsWith(text.slice(text.length - length))) return length
  }
  return 0
}

/** Where the next of some markers begins and ends; without one, both are where it may still begin. */
export function findAny(
  markers: readonly string[],
  text: string,
  at: number,
  last: boolean,
): { readonly start: number; readonly end: number } {
  // Step by step: one that is far away must not be looked for each time that another is near.
  for (let reach = 512; ; reach *= 2) {
    const part = text.slice(0, at + reach)
    let start = part.length
    let end = 0
    for (const marker of markers) {
      const found = part.indexOf(marker, at)
      if (found !== -1 && found < start) {
        start = found
        end = found + marker.length
      }
    }
    if (end > 0) return { start, end }
    if (part.length < text.length) continue
    const held = last ? 0 : Math.max(...markers.map((marker) => overlap(text, marker)))
    start = Math.max(at, start - held)
    return { start, end: start }
  }
}

/** An `indexOf` that remembers its answers; see {@link ReadContext.find}. */
export function createFinder(): ReadContext['find'] {
  const places = new Map<string | Search, number>()
  let known = ''
  let from = 0
  return (text, sought, at) => {
    if (at < from || text !== known) places.clear()
    known = text
    from = at
    let place = places.get(sought)
    if (place === undefined || (place < at && place !== -1)) {
      place = typeof sought === 'string' ? text.indexOf(sought, at) : sought(text, at)
      places.set(sought, place)
    }
    return place
  }
}

/** Markers in upper or lower case. */
import type { Marker } from '../protocol.ts'
import { type Follows, followed, marker } from './marker.ts'
import { literally, oneOf, type Pattern, patternReader, sequence } from './pattern.ts'

/** Like {@link marker}, whatever the case; `text` is given in lower case and is ASCII. */
export function markerAnyCase(text: string, follows?: Follows): Marker {
  // Kept: some are asked for anew with every call.
  const match = known.get(text) ?? patternReader(anyCase(text)).match
  known.set(text, match)
  return {
    prefix: marker(text).prefix.map((letter) => bothCases(letter).join('')),
    match: followed(match, follows),
  }
}

const known = new Map<string, Marker['match']>()

export function anyCase(text: string): Pattern {
  const letters = Array.from(text, bothCases)
  return sequence(...letters.map((cases) => oneOf(...cases.map((one) => literally(one)))))
}

function bothCases(letter: string): string[] {
  return [...new Set([letter, letter.toUpperCase()])]
}

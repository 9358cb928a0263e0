/** Markers in upper or lower case. */
import type { Marker } from '../protocol.ts'
import { type Follows, followed, marker } from './marker.ts'
import { either, type Pattern, patternReader, sequence } from './pattern.ts'

/** Like {@link marker}, whatever the case; `text` is given in lower case and is ASCII. */
export function markerAnyCase(text: string, follows?: Follows): Marker {
  return {
    prefix: prefixAnyCase(text),
    match: followed(patternReader(anyCase(text)).match, follows),
  }
}

export function prefixAnyCase(text: string): string[] {
  return marker(text).prefix.map((letter) => letter + letter.toUpperCase())
}

export function anyCase(text: string): Pattern {
  return sequence(...Array.from(text, (letter) => either(letter, letter.toUpperCase())))
}

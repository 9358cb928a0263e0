/**
 * Learns how the frames of a stream look, so that most of them need not be read. There are two kinds
 * that come in numbers: frames with a piece of text, and frames with a piece of something that is of no
 * concern, such as reasoning or the arguments of the provider's own calls.
 */
import type { JsonObject } from '../../core/json/value.ts'
import { createFrameTemplate, type FrameTemplate, type TextFrame } from './frame-template.ts'
import type { TextPiece } from './wire.ts'

/** What frames look like that need not be read. */
export interface Likeness {
  readonly template: FrameTemplate
  /** Which text they are pieces of; undefined when they are of no concern. */
  readonly slot: TextPiece['slot'] | undefined
  /** One of them. */
  readonly data: JsonObject
}

/** A frame that was read. */
export interface SeenFrame {
  readonly bytes: Uint8Array
  readonly data: JsonObject
  /** Which text it has a piece of; undefined when it is of no concern. */
  readonly slot: TextPiece['slot'] | undefined
  /** What is different in each. */
  readonly text: string
}

export interface LikenessLearner {
  /** A frame of one of the two kinds was read; what all like it look like, once two were alike. */
  learn(frame: SeenFrame): Likeness | undefined
  /** A frame of another kind was read. */
  forget(): void
}

/** Where that many frames were not alike, no others will be. */
const MAX_FAILURES = 16

export function createLikenessLearner(): LikenessLearner {
  let last: (TextFrame & Pick<SeenFrame, 'slot'>) | undefined
  let failures = 0

  return {
    learn({ bytes, data, slot, text }) {
      if (failures >= MAX_FAILURES || text === '') return undefined
      const before = last
      // A copy: nobody says for how long the bytes are what they are.
      last = { bytes: new Uint8Array(bytes), text, slot }
      if (!before || before.slot !== slot) return undefined
      const template = createFrameTemplate(before, last)
      failures = template ? 0 : failures + 1
      return template && { template, slot, data }
    },
    forget() {
      last = undefined
    },
  }
}

/** The size of a JSON text before anybody reads it: its depth and the number of its values. */
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  DOUBLE_QUOTE,
  OPEN_BRACE,
  OPEN_BRACKET,
} from './codes.ts'

export interface JsonBounds {
  /** Levels of nesting. */
  readonly depth: number
  /** Values: objects, lists, texts, numbers and so on. Default: any number. */
  readonly values?: number | undefined
}

/**
 * One pass over the text, in as many steps as the caller likes. Exact for JSON; whatever else the text is, the
 * parser refuses it later.
 */
export class JsonMeasure {
  readonly #text: string
  readonly #maxDepth: number
  readonly #maxValues: number
  #at = 0
  #depth = 0
  /** The first value has no comma before it. */
  #values = 1

  constructor(text: string, { depth, values = Number.POSITIVE_INFINITY }: JsonBounds) {
    this.#text = text
    this.#maxDepth = depth
    this.#maxValues = values
  }

  /** Reads on for about so many characters: the bound that the text passes, `more`, or `fits` at its end. */
  read(characters: number = this.#text.length): 'depth' | 'values' | 'more' | 'fits' {
    const text = this.#text
    const stop = Math.min(text.length, this.#at + characters)
    let at = this.#at
    while (at < stop) {
      const code = text.charCodeAt(at)
      at++
      if (code === DOUBLE_QUOTE) at = endOfString(text, at)
      else if (code === COMMA) this.#values++
      else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
        this.#values++
        if (++this.#depth > this.#maxDepth) return 'depth'
      } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) this.#depth--
    }
    this.#at = at
    if (this.#values > this.#maxValues) return 'values'
    return at < text.length ? 'more' : 'fits'
  }
}

/** The position after the quote that ends a string. */
function endOfString(text: string, start: number): number {
  for (let quote = text.indexOf('"', start); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let before = quote
    while (text.charCodeAt(before - 1) === BACKSLASH) before--
    if ((quote - before) % 2 === 0) return quote + 1
  }
  return text.length
}

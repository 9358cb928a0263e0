/**
 * Bounded look-ahead from a place in the text. All decisions of the reader that need the text
 * behind a character are taken here, from the same window whatever the chunks, so that they
 * cannot depend on where the input was cut.
 */
import {
  ASTERISK,
  BACKSLASH,
  closesQuote,
  HASH,
  isExoticSpace,
  isSpace,
  isWord,
  NEWLINE,
  PLUS,
  SLASH,
  SPACE,
} from './codes.ts'

/** Characters looked at before a decision falls without them. */
export const WINDOW = 256

/** A place the line does not have. */
export const BEYOND = -1

/** Asks whether the closer of the enclosing block stands at `at`; see `JsonReaderOptions`. */
export type CloserTest = (text: string, at: number, last: boolean) => boolean | undefined

export interface LookAhead {
  /** Looks at `text` from `at` on. */
  aim(text: string, at: number, last: boolean): void
  end: number
  /** True when more input could still change what stands at the end of the window. */
  short: boolean
  code(at: number): number
  /** The next place that is neither space nor comment. */
  skip(at: number): number
  skipSpace(at: number): number
  /** Behind the closing quote of the string at `at`; BEYOND when it does not end on its line. */
  skipString(at: number): number
  skipWord(at: number): number
  /** Behind a word or a number, signs included. */
  skipScalar(at: number): number
  /** The next quote that can close what `quote` opens, on this line; BEYOND when there is none. */
  findQuote(at: number, quote: number): number
  isCloser(at: number): boolean | undefined
}

export function createLookAhead(closerTest: CloserTest | undefined): LookAhead {
  let text = ''
  let end = 0
  let last = false

  function skipSpace(at: number): number {
    let i = at
    while (i < end && (isSpace(text.charCodeAt(i)) || isExoticSpace(text.charCodeAt(i)))) i++
    return i
  }

  function skipComment(at: number): number {
    const code = text.charCodeAt(at)
    if (code === HASH) return at + 1 < end && text.charCodeAt(at + 1) !== SPACE ? at : skipLine(at)
    if (code !== SLASH) return at
    if (at + 1 >= end) return end
    const second = text.charCodeAt(at + 1)
    if (second === SLASH) return skipLine(at)
    return second === ASTERISK ? skipBlock(at + 2) : at
  }

  function skipLine(at: number): number {
    let i = at
    while (i < end && text.charCodeAt(i) !== NEWLINE) i++
    return i
  }

  function skipBlock(at: number): number {
    let i = at
    while (i + 1 < end && !(text.charCodeAt(i) === ASTERISK && text.charCodeAt(i + 1) === SLASH))
      i++
    return i + 1 < end ? i + 2 : end
  }

  function skip(at: number): number {
    let i = skipSpace(at)
    while (i < end) {
      const next = skipComment(i)
      if (next === i) break
      i = skipSpace(next)
    }
    return i
  }

  function findQuote(at: number, quote: number): number {
    // Other than smart quotes close only themselves; the plain comparison is the hot one.
    const isSmart = quote > 127
    let i = at
    while (i < end) {
      const code = text.charCodeAt(i)
      if (code === quote || (isSmart && closesQuote(quote, code))) return i
      if (code === NEWLINE) return BEYOND
      i += code === BACKSLASH ? 2 : 1
    }
    return end
  }

  const sight: LookAhead = {
    end: 0,
    short: false,
    aim(nextText: string, at: number, isLast: boolean): void {
      text = nextText
      last = isLast
      end = Math.min(text.length, at + WINDOW)
      sight.end = end
      sight.short = !last && text.length < at + WINDOW
    },
    code: (at: number): number => text.charCodeAt(at),
    skip,
    skipSpace,
    skipString(at: number): number {
      const close = findQuote(at + 1, text.charCodeAt(at))
      return close === BEYOND ? BEYOND : Math.min(close + 1, end)
    },
    skipWord(at: number): number {
      let i = at
      while (i < end && isWord(text.charCodeAt(i))) i++
      return i
    },
    skipScalar(at: number): number {
      let i = at
      while (i < end && (isWord(text.charCodeAt(i)) || text.charCodeAt(i) === PLUS)) i++
      return i
    },
    findQuote,
    isCloser(at: number): boolean | undefined {
      if (closerTest === undefined) return false
      return closerTest(text, at, last) ?? (last ? false : undefined)
    },
  }
  return sight
}

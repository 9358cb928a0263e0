/** Blocks in which a model plays the tool's part: how far they reach. */
import type { Protocol, ResultBlock } from '../protocol.ts'
import { formatResultText } from '../result-text.ts'
import { isLinePrefix } from './characters.ts'
import { type Follows, findAny, marker } from './marker.ts'

/** Behind a marker that is only mentioned, a sentence goes on or ends. */
const isNoSentence: Follows = (text, at, end, last) => {
  const next = text.slice(at, Math.min(at + 2, end))
  return next.length < 2 && !last ? undefined : !/^(?: [a-z]|[,.;:!?)])/.test(next)
}

/** A block that begins with one marker and ends with another, or with the first of several. */
export function resultBetween(open: string, ...close: readonly string[]): ResultBlock {
  return { open: marker(open, isNoSentence), findEnd: untilMarker(...close) }
}

/** The tags in which models know results from elsewhere, whatever their format is. */
export const RESULT_TAGS: readonly ResultBlock[] = ['tool', 'function'].flatMap((of) =>
  ['response', 'result', 'results', 'output'].map((what) =>
    resultBetween(`<${of}_${what}>`, `</${of}_${what}>`),
  ),
)

/** How results are written, and found where a model makes one up. */
export type ResultForm = Required<Pick<Protocol, 'results' | 'formatResult'>>

/** Results between two markers. */
export function resultIn(open: string, close: string): ResultForm {
  return {
    results: [resultBetween(open.trim(), close.trim())],
    formatResult: (result) => open + formatResultText(result) + close,
  }
}

/** The block ends behind the first of the markers, wherever that stands. */
export function untilMarker(...close: readonly string[]): ResultBlock['findEnd'] {
  return (text, at, last) => {
    const { start, end } = findAny(close, text, at, last)
    return { end, closed: end > start }
  }
}

/** Longest indentation before the closing line, and what must be seen behind its marker. */
const WINDOW = 64

/**
 * The block ends with a line that begins with `close`. When more stands on that line it begins
 * another block, so this one ends before it.
 */
export function untilLine(close: string): ResultBlock['findEnd'] {
  return (text, at, last) => {
    let lineEnd = text.indexOf('\n', at)
    while (lineEnd !== -1) {
      let i = lineEnd + 1
      const limit = Math.min(text.length, i + WINDOW)
      while (i < limit && isLinePrefix(text.charCodeAt(i))) i++
      const undecided = text.length < i + close.length + 1 && !last
      if (undecided && close.startsWith(text.slice(i, i + close.length))) {
        return { end: lineEnd, closed: false }
      }
      if (text.startsWith(close, i)) {
        const another = /\w/.test(text.charAt(i + close.length))
        return { end: another ? lineEnd : i + close.length, closed: true }
      }
      lineEnd = text.indexOf('\n', lineEnd + 1)
    }
    return { end: text.length, closed: false }
  }
}

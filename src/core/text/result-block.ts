/** Blocks in which a model plays the tool's part: how far they reach. */
import type { Protocol, ResultBlock } from '../protocol.ts'
import { labelledResultText } from '../result-text.ts'
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

/** Results between two markers, written as text under a label unless the format has a form of its own. */
export function resultIn(
  open: string,
  close: string,
  write: Protocol['formatResult'] = labelledResultText,
): ResultForm {
  return {
    results: [resultBetween(open.trim(), close.trim())],
    formatResult: (result, place) => open + write(result, place) + close,
  }
}

/** Where a block ends, and where what it encloses ends. */
export type FindBlockEnd = (
  ...of: Parameters<ResultBlock['findEnd']>
) => ReturnType<ResultBlock['findEnd']> & { readonly bodyEnd: number }

/** The block ends after the first of the markers, wherever that is. */
export function untilMarker(...close: readonly string[]): FindBlockEnd {
  return (text, at, last) => {
    const { start, end } = findAny(close, text, at, last)
    return { bodyEnd: start, end, closed: end > start }
  }
}

/** Longest indentation before the closing line, and what must be seen behind its marker. */
const WINDOW = 64

/**
 * The block ends with a line that begins with `close`. When that line begins another block, this one ends
 * before it: a block begins with `next`, or with any word directly after `close`.
 */
export function untilLine(close: string, next?: string): FindBlockEnd {
  const seen = next?.length ?? close.length + 1
  const isNext = (line: string) =>
    next === undefined ? /\w/.test(line.charAt(close.length)) : line.startsWith(next)
  return (text, at, last) => {
    let lineEnd = text.indexOf('\n', at)
    while (lineEnd !== -1) {
      let i = lineEnd + 1
      const limit = Math.min(text.length, i + WINDOW)
      while (i < limit && isLinePrefix(text.charCodeAt(i))) i++
      const line = text.slice(i, i + seen)
      const isClose = line.startsWith(close)
      if (
        !last &&
        line.length < seen &&
        (close.startsWith(line) || (next?.startsWith(line) ?? isClose))
      ) {
        return { bodyEnd: lineEnd, end: lineEnd, closed: false }
      }
      if (isClose) {
        return { bodyEnd: lineEnd, end: isNext(line) ? lineEnd : i + close.length, closed: true }
      }
      lineEnd = text.indexOf('\n', lineEnd + 1)
    }
    return { bodyEnd: text.length, end: text.length, closed: false }
  }
}

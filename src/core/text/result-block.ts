/** Blocks in which a model plays the tool's part: how far they reach. */
import type { ResultBlock } from '../protocol.ts'
import { isLinePrefix } from './characters.ts'
import { marker, overlap } from './marker.ts'

/** A block that begins with one marker and ends with another. */
export function resultBetween(open: string, close: string): ResultBlock {
  return { open: marker(open), findEnd: untilMarker(close) }
}

/** The block ends behind `close`, wherever that stands. */
export function untilMarker(close: string): ResultBlock['findEnd'] {
  return (text, at, last) => {
    const found = text.indexOf(close, at)
    if (found !== -1) return { end: found + close.length, closed: true }
    return { end: last ? text.length : text.length - overlap(text, close), closed: false }
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

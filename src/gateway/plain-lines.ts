/** Streams of text as clients expect them: without a byte-order mark, and with lines that end in a line feed. */
import { joinedBytes } from '../client/joined-bytes.ts'

const NEWLINE = 10
const RETURN = 13
const MARK = Uint8Array.of(0xef, 0xbb, 0xbf)

/** Server-sent events may have both, but not every client knows; in JSON neither means anything. */
export function createPlainLines(): (bytes: Uint8Array) => Uint8Array {
  const skipMark = createMarkSkipper()
  let isAfterReturn = false

  return (bytes) => {
    const text = skipMark(bytes)
    if (!isAfterReturn && text.indexOf(RETURN) < 0) return text
    const plain = new Uint8Array(text.length)
    let length = 0
    for (const byte of text) {
      if (byte !== NEWLINE || !isAfterReturn) plain[length++] = byte === RETURN ? NEWLINE : byte
      isAfterReturn = byte === RETURN
    }
    return plain.subarray(0, length)
  }
}

function createMarkSkipper(): (bytes: Uint8Array) => Uint8Array {
  /** What may be the beginning of a mark; undefined once the text has begun. */
  let start: Uint8Array | undefined = new Uint8Array()
  return (bytes) => {
    if (!start) return bytes
    const all = start.length === 0 ? bytes : joinedBytes([start, bytes])
    const isMark = all.subarray(0, MARK.length).every((byte, at) => byte === MARK[at])
    start = isMark && all.length < MARK.length ? all : undefined
    if (start) return new Uint8Array()
    return isMark ? all.subarray(MARK.length) : all
  }
}

/** The same of a text that is all there. */
export function withoutMark(bytes: Uint8Array): Uint8Array {
  return createMarkSkipper()(bytes)
}

/** Frames of a stream as the bytes they came in, and only whole ones, however they were cut. */
import type { Framing } from '../core/dialect.ts'
import { joinedBytes } from './joined-bytes.ts'

export interface WholeFrames {
  /** The frames that end with these bytes, together with what was kept back; empty when none does. */
  push(bytes: Uint8Array): Uint8Array
  /** The stream is over: what was kept back, a last frame without its end or nothing. */
  end(): Uint8Array
}

const NEWLINE = 10
const RETURN = 13
const NOTHING = new Uint8Array()
/** So many bytes before the last one may belong to what ends a frame. */
const SEAM = 3
/** A frame that is longer than any reply: nobody could wait for its end. */
const MAX_BYTES = 2 ** 25

export function createWholeFrames(framing: Framing): WholeFrames {
  const endOf = framing === 'sse' ? lastEmptyLine : lastLine
  let rest: Uint8Array[] = []
  let length = 0

  function take(bytes: Uint8Array): Uint8Array {
    if (length === 0) return bytes
    const all = joinedBytes([...rest, bytes])
    rest = []
    length = 0
    return all
  }

  function keep(bytes: Uint8Array): void {
    rest.push(bytes)
    length += bytes.length
  }

  /** What ends a frame may itself be cut: where in the bytes, together with the last ones kept, it does. */
  function endAtSeam(bytes: Uint8Array): number {
    if (length === 0) return 0
    const ends = rest.slice(-SEAM).map((piece) => piece.subarray(-SEAM))
    const seam = joinedBytes(ends).subarray(-SEAM)
    const end = endOf(joinedBytes([seam, bytes.subarray(0, SEAM)]))
    return Math.max(0, end - seam.length)
  }

  return {
    push(bytes) {
      // Mostly a piece is one frame or several.
      const end = endOf(bytes) || endAtSeam(bytes)
      if (end > 0 && end === bytes.length) return take(bytes)
      const whole = end === 0 ? NOTHING : take(bytes.subarray(0, end))
      keep(end === 0 ? bytes : bytes.subarray(end))
      if (end === 0 && length > MAX_BYTES)
        throw new RangeError('a frame of the stream does not end')
      return whole
    },
    end: () => take(NOTHING),
  }
}

/** Behind the last line that is empty. */
function lastEmptyLine(bytes: Uint8Array): number {
  const { length } = bytes
  // Where it nearly always is.
  if (bytes[length - 1] === NEWLINE && bytes[length - 2] === NEWLINE) return length
  for (let at = bytes.lastIndexOf(NEWLINE); at > 0; at = bytes.lastIndexOf(NEWLINE, at - 1)) {
    const before = bytes[at - 1] === RETURN ? at - 2 : at - 1
    if (bytes[before] === NEWLINE) return at + 1
  }
  return 0
}

function lastLine(bytes: Uint8Array): number {
  const { length } = bytes
  return bytes[length - 1] === NEWLINE ? length : bytes.lastIndexOf(NEWLINE) + 1
}

/** Where the frame that begins at `at` ends, among frames that are whole. */
export function frameEnd(bytes: Uint8Array, at: number, isSse: boolean): number {
  let line = at
  for (let end = bytes.indexOf(NEWLINE, at); end >= 0; end = bytes.indexOf(NEWLINE, line)) {
    const isEmpty = end === line || (end === line + 1 && bytes[line] === RETURN)
    line = end + 1
    if (!isSse || isEmpty) return line
  }
  return bytes.length
}

/** Only whole frames pass, so that a stream that breaks off never ends inside of one. */

import { joinedBytes } from '../client/joined-bytes.ts'
import type { Framing } from '../core/dialect.ts'
import { GatewayError } from './gateway-error.ts'

export interface FrameGuard {
  /** What is whole, together with what was kept back; empty when nothing is. */
  push(bytes: Uint8Array): Uint8Array
  /** The stream is over: a last frame may lack its end. */
  end(): Uint8Array
}

const NEWLINE = 10
const RETURN = 13
const NOTHING = new Uint8Array()
const LINE_END = Uint8Array.of(NEWLINE)
const SSE_END = Uint8Array.of(NEWLINE, NEWLINE)
/** So many bytes before the last one may belong to what ends a frame. */
const SEAM = 3
/** A frame that is longer than any reply. */
const MAX_BYTES = 2 ** 25

export function createFrameGuard(framing: Framing): FrameGuard {
  const endOf = framing === 'sse' ? lastEmptyLine : lastLine
  let rest: Uint8Array[] = []
  let length = 0

  function take(bytes: Uint8Array): Uint8Array {
    if (rest.length === 0) return bytes
    const all = joinedBytes([...rest, bytes])
    rest = []
    length = 0
    return all
  }

  function keep(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    rest.push(bytes)
    length += bytes.length
    if (length > MAX_BYTES) throw new GatewayError('reply_too_large', 'a frame does not end')
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
      if (end === 0) {
        keep(bytes)
        return NOTHING
      }
      const whole = take(end === bytes.length ? bytes : bytes.subarray(0, end))
      keep(end === bytes.length ? NOTHING : bytes.subarray(end))
      return whole
    },
    end() {
      // Servers that stop without the end of their last frame still meant it.
      return length === 0 ? NOTHING : take(framing === 'sse' ? SSE_END : LINE_END)
    },
  }
}

/** Behind the last line that is empty. */
function lastEmptyLine(bytes: Uint8Array): number {
  for (let at = bytes.lastIndexOf(NEWLINE); at > 0; at = bytes.lastIndexOf(NEWLINE, at - 1)) {
    const before = bytes[at - 1] === RETURN ? at - 2 : at - 1
    if (bytes[before] === NEWLINE) return at + 1
  }
  return 0
}

function lastLine(bytes: Uint8Array): number {
  return bytes.lastIndexOf(NEWLINE) + 1
}

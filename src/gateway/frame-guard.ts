/** Only whole frames pass, so that a stream that breaks off never ends inside of one. */
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
/** A frame that is longer than any reply. */
const MAX_BYTES = 2 ** 25

export function createFrameGuard(framing: Framing): FrameGuard {
  const endOf = framing === 'sse' ? lastEmptyLine : lastLine
  let rest: Uint8Array[] = []
  let length = 0

  function take(bytes: Uint8Array): Uint8Array {
    if (rest.length === 0) return bytes
    const all = joined([...rest, bytes], length + bytes.length)
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

  return {
    push(bytes) {
      // Mostly a piece is one frame or several.
      const isSplit = rest.length > 0 && bytes[0] !== undefined && bytes[0] <= RETURN
      const end = isSplit ? 0 : endOf(bytes)
      if (end > 0) {
        const whole = take(end === bytes.length ? bytes : bytes.subarray(0, end))
        keep(end === bytes.length ? NOTHING : bytes.subarray(end))
        return whole
      }
      // What ends the frame may itself be cut.
      const all = isSplit ? take(bytes) : bytes
      const cut = isSplit ? endOf(all) : 0
      keep(cut === all.length ? NOTHING : all.subarray(cut))
      return cut > 0 ? all.subarray(0, cut) : NOTHING
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

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

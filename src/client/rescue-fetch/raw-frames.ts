/** The frames of a stream together with the very bytes they came in. */
import type { Framing } from '../../core/dialect.ts'

export interface RawFrame {
  /** All of it, up to and including what separates it from the next. */
  readonly bytes: Uint8Array
  readonly event: string | undefined
  /** Empty when the frame has none, such as a comment. */
  readonly data: string
  /** All of it as text. */
  readonly text: string
}

export interface RawFrameReader {
  /** The frame that ends first behind `at`, and where; without one, the bytes are kept for the next. */
  next(
    bytes: Uint8Array,
    at: number,
  ): { readonly frame: RawFrame; readonly end: number } | undefined
  /** True when no frame has begun that has not ended. */
  isAtStart(): boolean
  /** The stream is over; what is left may be a last frame without its end. */
  end(): RawFrame[]
}

const NEWLINE = 10
const RETURN = 13

export function createRawFrameReader(framing: Exclude<Framing, 'aws'>): RawFrameReader {
  const isSse = framing === 'sse'
  /** A frame that has begun but not ended, as it came. */
  let rest: Uint8Array[] = []
  /** The last line of it has characters other than a carriage return. */
  let hasText = false

  function next(bytes: Uint8Array, at: number): { frame: RawFrame; end: number } | undefined {
    let lineStart = at
    let lineEnd = bytes.indexOf(NEWLINE, at)
    while (lineEnd >= 0) {
      const isEmpty = !hasText && isBlankLine(bytes, lineStart, lineEnd)
      lineStart = lineEnd + 1
      hasText = false
      if (!isSse || isEmpty) {
        const frame = readFrame(completed(bytes.subarray(at, lineStart)), isSse)
        return { frame, end: lineStart }
      }
      lineEnd = bytes.indexOf(NEWLINE, lineStart)
    }
    if (at < bytes.length) rest.push(bytes.subarray(at))
    hasText ||= !isBlankLine(bytes, lineStart, bytes.length)
    return undefined
  }

  function completed(last: Uint8Array): Uint8Array {
    if (rest.length === 0) return last
    const whole = joinBytes([...rest, last])
    rest = []
    return whole
  }

  return {
    next,
    isAtStart: () => rest.length === 0,
    end() {
      const left = joinBytes(rest)
      rest = []
      return left.length > 0 ? [readFrame(left, isSse)] : []
    },
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export function readFrame(bytes: Uint8Array, isSse: boolean): RawFrame {
  const text = decoder.decode(bytes)
  return isSse ? sseFrame(bytes, text) : { bytes, text, event: undefined, data: text.trim() }
}

function isBlankLine(bytes: Uint8Array, start: number, end: number): boolean {
  return end === start || (end === start + 1 && bytes[start] === RETURN)
}

const DATA = 'data: '
const BOM = /^\ufeff/

function sseFrame(bytes: Uint8Array, text: string): RawFrame {
  // Mostly a frame is one line of data.
  if (text.startsWith(DATA) && text.indexOf('\n') === text.length - 2) {
    return { bytes, text, event: undefined, data: text.slice(DATA.length, -2) }
  }
  let event: string | undefined
  const data: string[] = []
  for (const line of text.replace(BOM, '').split(/\r?\n/)) {
    const colon = line.indexOf(':')
    if (colon <= 0) continue
    const value = line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (line.startsWith('data:')) data.push(value)
    else if (line.startsWith('event:')) event = value
  }
  return { bytes, text, event, data: data.join('\n') }
}

function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces
  if (only && pieces.length === 1) return only
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

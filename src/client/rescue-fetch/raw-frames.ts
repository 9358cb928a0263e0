/** The frames of a stream together with the very bytes they came in. */
import type { Framing } from '../../core/dialect.ts'
import { joinedBytes } from '../joined-bytes.ts'

export interface RawFrame {
  readonly event: string | undefined
  /** Empty when the frame has none, such as a comment. */
  readonly data: string
}

export interface RawFrameReader {
  /**
   * The frame that ends first behind `at`, up to and including what separates it from the next, and
   * where it ends; without one, the bytes are kept for the next.
   */
  next(
    bytes: Uint8Array,
    at: number,
  ): { readonly frame: Uint8Array; readonly end: number } | undefined
  /** True when no frame has begun that has not ended. */
  isAtStart(): boolean
  /** The stream is over; what is left may be a last frame without its end. */
  end(): Uint8Array | undefined
}

/** A frame that is longer than any reply: nobody could wait for its end. */
const MAX_LENGTH = 2 ** 25
const NEWLINE = 10
const RETURN = 13

export function createRawFrameReader(framing: Exclude<Framing, 'aws'>): RawFrameReader {
  const isSse = framing === 'sse'
  /** A frame that has begun but not ended, as it came. */
  let rest: Uint8Array[] = []
  let length = 0
  /** The last line of it has characters other than a carriage return. */
  let hasText = false

  function next(bytes: Uint8Array, at: number): { frame: Uint8Array; end: number } | undefined {
    let lineStart = at
    let lineEnd = bytes.indexOf(NEWLINE, at)
    while (lineEnd >= 0) {
      const isEmpty = !hasText && isBlankLine(bytes, lineStart, lineEnd)
      lineStart = lineEnd + 1
      hasText = false
      if (!isSse || isEmpty) {
        const isAll = at === 0 && lineStart === bytes.length
        const frame = completed(isAll ? bytes : bytes.subarray(at, lineStart))
        return { frame, end: lineStart }
      }
      lineEnd = bytes.indexOf(NEWLINE, lineStart)
    }
    keep(at === 0 ? bytes : bytes.subarray(at))
    hasText ||= !isBlankLine(bytes, lineStart, bytes.length)
    return undefined
  }

  function keep(bytes: Uint8Array): void {
    rest.push(bytes)
    length += bytes.length
    if (length > MAX_LENGTH) throw new RangeError('a frame of the stream does not end')
  }

  function completed(last: Uint8Array): Uint8Array {
    if (rest.length === 0) return last
    rest.push(last)
    const whole = joinedBytes(rest)
    rest = []
    length = 0
    return whole
  }

  return {
    next,
    isAtStart: () => rest.length === 0,
    end() {
      const left = joinedBytes(rest)
      rest = []
      return left.length > 0 ? left : undefined
    },
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

export function readFrame(bytes: Uint8Array, isSse: boolean): RawFrame {
  const text = decoder.decode(bytes)
  return isSse ? sseFrame(text) : { event: undefined, data: text.trim() }
}

function isBlankLine(bytes: Uint8Array, start: number, end: number): boolean {
  return end === start || (end === start + 1 && bytes[start] === RETURN)
}

const DATA = 'data: '
const BOM = /^\ufeff/

function sseFrame(text: string): RawFrame {
  // Mostly a frame is one line of data.
  if (text.startsWith(DATA) && text.indexOf('\n') === text.length - 2) {
    return { event: undefined, data: text.slice(DATA.length, -2) }
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
  return { event, data: data.join('\n') }
}

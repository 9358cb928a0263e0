/**
 * The binary frames of AWS (`application/vnd.amazon.eventstream`), read and written. All numbers are
 * big-endian, and both checksums cover everything before them in the frame:
 *
 *     length 4 | length of headers 4 | checksum 4 | headers … | payload … | checksum 4
 */
import type { Frame } from '../../core/dialect.ts'
import { decodeUtf8, encodeUtf8 } from '../utf8.ts'
import { crc32 } from './crc32.ts'
import {
  createHeaderReader,
  type HeaderReader,
  type Headers,
  writeHeaders,
} from './event-stream-headers.ts'

const PRELUDE = 12
const CHECKSUM = 4
// AWS sends nothing longer; a length beyond it is damage, not a reason to wait for more.
const MAX_LENGTH = 2 ** 25

export interface EventStreamReader {
  /** The frames that are complete. Damage is one last frame that tells of an error. */
  push(bytes: Uint8Array): Frame[]
  /** The stream is over. Half a frame is none: the decoder knows whether something is missing. */
  end(): Frame[]
}

/** The text between two places, or undefined when the bytes are no UTF-8. */
export type DecodeText = (bytes: Uint8Array, start: number, end: number) => string | undefined

/** Reads frames, however the bytes were cut. `decode` is for platforms that have something faster. */
export function createEventStreamReader(decode: DecodeText = decodeUtf8): EventStreamReader {
  let buffer = new Uint8Array(1024)
  let start = 0
  let end = 0
  let isDamaged = false
  const namingOf = createHeaderReader(namingBy)

  function add(bytes: Uint8Array): void {
    if (end + bytes.length > buffer.length) makeRoom(bytes.length)
    buffer.set(bytes, end)
    end += bytes.length
  }

  /** The buffer doubles, so that each byte is copied only a few times. */
  function makeRoom(length: number): void {
    const kept = buffer.subarray(start, end)
    const needed = kept.length + length
    const room = needed > buffer.length / 2 ? new Uint8Array(needed * 2) : buffer
    room.set(kept)
    buffer = room
    start = 0
    end = kept.length
  }

  /** The next frame, `undefined` while it is not complete, `null` when it is damaged. */
  function next(): Frame | null | undefined {
    if (end - start < PRELUDE) return undefined
    const length = readLength(buffer, start)
    if (length === undefined) return null
    if (end - start < length) return undefined
    start += length
    return readFrame(buffer, start - length, start, namingOf, decode) ?? null
  }

  return {
    push(bytes) {
      if (isDamaged) return []
      add(bytes)
      const frames: Frame[] = []
      let frame = next()
      for (; frame; frame = next()) frames.push(frame)
      isDamaged = frame === null
      return isDamaged ? [...frames, DAMAGED] : frames
    },
    end: () => [],
  }
}

const DAMAGED: Frame = errorFrame('damaged-stream', 'the stream has a damaged frame')

/** The length of the whole frame; undefined when its first bytes are none of a frame. */
function readLength(bytes: Uint8Array, start: number): number | undefined {
  const length = numberAt(bytes, start)
  const headers = numberAt(bytes, start + 4)
  const isWhole = crc32(bytes, start, start + 8) === numberAt(bytes, start + 8)
  const isPossible = length <= MAX_LENGTH && PRELUDE + headers + CHECKSUM <= length
  return isWhole && isPossible ? length : undefined
}

function readFrame(
  bytes: Uint8Array,
  start: number,
  end: number,
  namingOf: HeaderReader<Naming | undefined>,
  decode: DecodeText,
): Frame | undefined {
  const sum = end - CHECKSUM
  if (crc32(bytes, start, sum) !== numberAt(bytes, sum)) return undefined
  const payload = start + PRELUDE + numberAt(bytes, start + 4)
  const named = namingOf(bytes, start + PRELUDE, payload)
  const data = decode(bytes, payload, sum)
  return named && data !== undefined ? named(data === '' ? '{}' : data) : undefined
}

/** Makes a frame of a payload. */
type Naming = (data: string) => Frame

function namingBy(headers: Headers): Naming | undefined {
  if (!headers) return undefined
  if (headers.get(':message-type') === 'error') {
    const code = headers.get(':error-code') ?? 'error'
    return () => errorFrame(code, headers.get(':error-message') ?? code)
  }
  const event = headers.get(':exception-type') ?? headers.get(':event-type')
  return (data) => (event === undefined ? { data } : { event, data })
}

function errorFrame(code: string, message: string): Frame {
  return { event: 'error', data: JSON.stringify({ code, message }) }
}

/** A frame as bytes. Names that end in `Exception` make it one. */
export function writeEventStreamFrame(event: string, data: string): Uint8Array {
  const kind = event.endsWith('Exception') ? 'exception' : 'event'
  const headers = writeHeaders([
    [`:${kind}-type`, event],
    [':content-type', 'application/json'],
    [':message-type', kind],
  ])
  const payload = encodeUtf8(data)
  const length = PRELUDE + headers.length + payload.length + CHECKSUM
  const bytes = new Uint8Array(length)
  writeNumber(bytes, 0, length)
  writeNumber(bytes, 4, headers.length)
  writeNumber(bytes, 8, crc32(bytes, 0, 8))
  bytes.set(headers, PRELUDE)
  bytes.set(payload, PRELUDE + headers.length)
  writeNumber(bytes, length - CHECKSUM, crc32(bytes, 0, length - CHECKSUM))
  return bytes
}

function numberAt(bytes: Uint8Array, at: number): number {
  let value = 0
  for (let end = at + 4; at < end; at++) value = (value << 8) | (bytes[at] ?? 0)
  return value >>> 0
}

function writeNumber(bytes: Uint8Array, at: number, value: number): void {
  for (let shift = 24; shift >= 0; shift -= 8) bytes[at++] = (value >>> shift) & 0xff
}

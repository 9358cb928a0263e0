/** Frames that are no JSON would break clients that take everything for JSON; they are left out. */
import { ProviderError } from '../client/errors.ts'
import { readFrame } from '../client/rescue-fetch/raw-frames.ts'
import { frameEnd } from '../client/whole-frames.ts'
import type { Framing } from '../core/dialect.ts'
import { isTooDeep, MAX_JSON_DEPTH, TOO_DEEP } from '../core/json/depth.ts'
import { parseStrict } from '../core/json/strict.ts'
import { isJsonObject } from '../core/json/value.ts'

const NEWLINE = 10
const RETURN = 13
const SPACE = 32
const OPENERS: ReadonlySet<number | undefined> = new Set([0x7b, 0x5b]) // { [
const CLOSERS: ReadonlySet<number | undefined> = new Set([0x7d, 0x5d]) // } ]
const DATA = [...'data:'].map((character) => character.charCodeAt(0))
const DONE = '[DONE]'
/** Each level takes two brackets: shorter lines need no closer look. */
const MIN_DEEP = 2 * MAX_JSON_DEPTH
const decoder = new TextDecoder()

/**
 * The same whole frames, without those that are garbage; the very bytes when there is none.
 *
 * @throws ProviderError for a frame that nests too deeply to be read.
 */
export function soundFrames(
  bytes: Uint8Array,
  framing: Framing,
): Uint8Array | readonly Uint8Array[] {
  const isSse = framing === 'sse'
  if (framing === 'aws' || looksSound(bytes, isSse)) return bytes
  const sound: Uint8Array[] = []
  let at = 0
  while (at < bytes.length) {
    const end = frameEnd(bytes, at, isSse)
    const frame = bytes.subarray(at, end)
    const { data } = readFrame(frame, isSse)
    checkDepth(data)
    if (isSound(data)) sound.push(frame)
    at = end
  }
  return sound
}

/** True when each line of data begins and ends as JSON does; asked for every piece, so it must be cheap. */
function looksSound(bytes: Uint8Array, isSse: boolean): boolean {
  for (let at = 0; at < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, at)
    const end = newline < 0 ? bytes.length : newline
    const start = isSse ? (isData(bytes, at) ? at + DATA.length : end) : at
    if (!looksLikeJson(bytes, start, end)) return false
    if (end - start > MIN_DEEP) checkDepth(decoder.decode(bytes.subarray(start, end)))
    at = end + 1
  }
  return true
}

function isData(bytes: Uint8Array, at: number): boolean {
  for (let index = 0; index < DATA.length; index++) {
    if (bytes[at + index] !== DATA[index]) return false
  }
  return true
}

function looksLikeJson(bytes: Uint8Array, start: number, end: number): boolean {
  let first = start
  let last = end - 1
  while (bytes[first] === SPACE) first++
  while (last >= first && (bytes[last] === RETURN || bytes[last] === SPACE)) last--
  return first > last || (OPENERS.has(bytes[first]) && CLOSERS.has(bytes[last]))
}

function checkDepth(data: string): void {
  if (!isTooDeep(data)) return
  const message = `the provider answered with ${TOO_DEEP}`
  throw new ProviderError('server_error', message, { retryable: false })
}

function isSound(data: string): boolean {
  return data === '' || data.trim() === DONE || isJsonObject(parseStrict(data))
}

/**
 * Frames that are no JSON would break clients that take everything for JSON; they are left out. So are frames whose
 * data is empty, which some servers send to keep a connection alive, and some clients read as JSON all the same.
 */
import { ProviderError } from '../client/errors.ts'
import { readFrame } from '../client/rescue-fetch/raw-frames.ts'
import { frameEnd } from '../client/whole-frames.ts'
import type { Framing } from '../core/dialect.ts'
import type { Issue } from '../core/issue.ts'
import { isTooDeep, MAX_JSON_DEPTH, TOO_DEEP } from '../core/json/depth.ts'
import { parseStrict } from '../core/json/strict.ts'
import { isJsonObject } from '../core/json/value.ts'

const NEWLINE = 10
const RETURN = 13
const SPACE = 32
/** By its opening bracket, how JSON ends. */
const CLOSERS: ReadonlyMap<number | undefined, number> = new Map([
  [0x7b, 0x7d], // { }
  [0x5b, 0x5d], // [ ]
])
const DATA = [...'data:'].map((character) => character.charCodeAt(0))
const DONE = '[DONE]'
/** Each level takes two brackets: shorter lines need no closer look. */
const MIN_DEEP = 2 * MAX_JSON_DEPTH
const decoder = new TextDecoder()

export const GARBAGE: Issue = {
  code: 'invalid-response',
  message: 'a frame of the stream was no JSON and was left out',
}

export interface SoundFrames {
  readonly frames: readonly Uint8Array[]
  /** Whether one was left out that said something. */
  readonly hadGarbage: boolean
}

/**
 * The same whole frames, without those that are garbage; the very bytes when there is none.
 *
 * @throws ProviderError for a frame that nests too deeply to be read.
 */
export function soundFrames(bytes: Uint8Array, framing: Framing): SoundFrames {
  const isSse = framing === 'sse'
  if (framing === 'aws' || looksSound(bytes, isSse)) return { frames: [bytes], hadGarbage: false }
  const frames: Uint8Array[] = []
  let hadGarbage = false
  let at = 0
  while (at < bytes.length) {
    const end = frameEnd(bytes, at, isSse)
    const frame = bytes.subarray(at, end)
    const { data } = readFrame(frame, isSse)
    checkDepth(data)
    if (isSound(data)) frames.push(frame)
    else if (data.trim() !== '') hadGarbage = true
    else if (!isSse || !hasDataLine(frame)) frames.push(frame)
    at = end
  }
  return { frames, hadGarbage }
}

/** What to do with a last frame without its end: servers that stop there still meant it, if nothing else is missing. */
export function judgeLast(rest: Uint8Array, framing: Framing): 'sound' | 'garbage' | 'nothing' {
  if (framing === 'aws') return 'sound'
  const { data } = readFrame(rest, framing === 'sse')
  if (isSound(data)) return 'sound'
  return data.trim() === '' ? 'nothing' : 'garbage'
}

function hasDataLine(frame: Uint8Array): boolean {
  return /^data:/m.test(new TextDecoder().decode(frame))
}

/** True when each line of data begins and ends as JSON does; asked for every piece, so it must be cheap. */
function looksSound(bytes: Uint8Array, isSse: boolean): boolean {
  for (let at = 0; at < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, at)
    const end = newline < 0 ? bytes.length : newline
    const start = isSse && isData(bytes, at) ? at + DATA.length : at
    const saysNothing = isSse ? start === at : isBlank(bytes, at, end)
    if (!saysNothing && !looksLikeJson(bytes, start, end)) return false
    if (!saysNothing && end - start > MIN_DEEP) {
      checkDepth(decoder.decode(bytes.subarray(start, end)))
    }
    at = end + 1
  }
  return true
}

function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  let at = start
  while (at < end && (bytes[at] === SPACE || bytes[at] === RETURN)) at++
  return at === end
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
  return first <= last && CLOSERS.get(bytes[first]) === bytes[last]
}

function checkDepth(data: string): void {
  if (!isTooDeep(data)) return
  const message = `the provider answered with ${TOO_DEEP}`
  throw new ProviderError('server_error', message, { retryable: false })
}

function isSound(data: string): boolean {
  return data.trim() === DONE || isJsonObject(parseStrict(data))
}

/** The replies in the file of a recording. */
import { readFileSync } from 'node:fs'
import { createFrameReader, writeFrame } from '../../src/client/frames.ts'
import type { Dialect, Frame } from '../../src/core/dialect.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/core/json/value.ts'
import type { Recording } from './recording.ts'

export type RecordedReply =
  | { readonly type: 'whole'; readonly body: JsonValue }
  | { readonly type: 'stream'; readonly bytes: Uint8Array }

export function repliesOf(recording: Recording, dialect: Dialect): RecordedReply[] {
  const { kind, path } = recording
  if (kind === 'stream') return streamsOf(recording, dialect)
  const body = JSON.parse(readFileSync(path, 'utf8')) as JsonValue // JSON.parse makes nothing else
  if (kind !== 'exchange') return [{ type: 'whole', body }]
  const exchanges = Array.isArray(body) ? body.filter(isJsonObject) : []
  return exchanges.map(({ response = null }) => ({ type: 'whole', body: response }))
}

/** The requests that go with the replies, where they were recorded. */
export function requestsOf({ kind, path }: Recording): JsonValue[] {
  if (kind !== 'exchange') return []
  const exchanges = JSON.parse(readFileSync(path, 'utf8')) as JsonValue // JSON.parse makes nothing else
  return Array.isArray(exchanges)
    ? exchanges.filter(isJsonObject).map(({ body = null }) => body)
    : []
}

function streamsOf({ path, segments, calls }: Recording, dialect: Dialect): RecordedReply[] {
  const bytes = readFileSync(path)
  const isRaw = !path.endsWith('.chunks.txt')
  if (isRaw && segments <= 1) return [{ type: 'stream', bytes }]
  const frames = isRaw ? framesOf(bytes, dialect) : linesOf(bytes, dialect)
  // Two replies in one that is to be refused are the point of the recording.
  const parts = segments > 1 && calls ? divided(frames) : [frames]
  return parts.map((part) => ({ type: 'stream', bytes: written(part, dialect) }))
}

function framesOf(bytes: Uint8Array, { framing }: Dialect): Frame[] {
  const reader = createFrameReader(framing)
  return [...reader.push(bytes), ...reader.end()]
}

/** One JSON document a line; frames of AWS have their name as the only key. */
function linesOf(bytes: Buffer, { framing }: Dialect): Frame[] {
  const lines = bytes.toString('utf8').split('\n')
  const frames = lines.filter((line) => line.trim() !== '').map((data) => ({ data }))
  return framing === 'aws' ? frames.map(unwrapped) : frames
}

function unwrapped(frame: Frame): Frame {
  const data = objectIn(frame)
  const [event, ...others] = Object.keys(data)
  return event === undefined || others.length > 0
    ? frame
    : { event, data: JSON.stringify(data[event]) }
}

export function written(frames: readonly Frame[], { framing }: Dialect): Uint8Array {
  return Buffer.concat(frames.map((frame) => writeFrame(framing, frame)))
}

// ── several replies in one file ─────────────────────────────────────────────────────────────────

const FIRST_EVENTS: ReadonlySet<JsonValue | undefined> = new Set([
  'message_start',
  'response.created',
  'message-start',
])

/** A reply begins with an event that says so, or, in dialects without one, with another id. */
function divided(frames: readonly Frame[]): Frame[][] {
  const parts: Frame[][] = []
  let id: JsonValue | undefined
  for (const frame of frames) {
    const data: Partial<JsonObject> = objectIn(frame)
    const type = frame.event ?? data['type']
    const hasTypes = typeof type === 'string'
    const begins = hasTypes
      ? FIRST_EVENTS.has(type) || type === 'messageStart'
      : idOf(data) !== undefined && idOf(data) !== id
    if (!hasTypes) id = idOf(data) ?? id
    if (begins || parts.length === 0) parts.push([frame])
    else parts.at(-1)?.push(frame)
  }
  return parts
}

function idOf(data: Partial<JsonObject>): JsonValue | undefined {
  return data['id'] ?? data['responseId']
}

function objectIn({ data }: Frame): JsonObject {
  try {
    const value = JSON.parse(data) as JsonValue // JSON.parse makes nothing else
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}

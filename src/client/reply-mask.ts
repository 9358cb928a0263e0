/** Which mask a reply needs. */
import { createEventStreamReader, writeEventStreamFrame } from '../dialects/bedrock/event-stream.ts'
import { joinedBytes } from './joined-bytes.ts'
import type { SecretMask } from './secret-mask.ts'
import type { Secrets } from './secrets.ts'

/** For the body of a reply of this content type. */
export function replyMask(contentType: string | undefined, secrets: Secrets): SecretMask {
  const isBinary = contentType?.startsWith('application/vnd.amazon.eventstream') === true
  return isBinary ? createFrameMask(secrets) : secrets.mask()
}

/** The number that each frame begins with. */
const LENGTH_BYTES = 4
/** A first frame that claims more is none, see `event-stream.ts`. */
const MAX_FRAME = 2 ** 25
const NEWLINE = 0x0a
const NOTHING = new Uint8Array()

interface WaitingFrame {
  readonly bytes: Uint8Array
  readonly event: string
  readonly line: string
}

/**
 * Binary frames have lengths and checksums, so what is replaced in one means another frame. Their texts pass a
 * mask as lines, because a secret may be spread over several of them.
 */
function createFrameMask(secrets: Secrets): SecretMask {
  const mask = secrets.mask()
  const encoder = new TextEncoder()
  const decoder = new TextDecoder()
  let rest: Uint8Array[] = []
  let restLength = 0
  let waiting: WaitingFrame[] = []
  let lines: Uint8Array[] = []

  function take(bytes: Uint8Array): Uint8Array {
    const [frame] = createEventStreamReader().push(bytes)
    const { event = '', data = '' } = frame ?? {}
    const line = data.replaceAll('\n', ' ')
    waiting.push({ bytes, event, line })
    return mask.push(encoder.encode(`${line}\n`))
  }

  /** The frames whose texts have passed. */
  function passed(text: Uint8Array): Uint8Array[] {
    const frames: Uint8Array[] = []
    let from = 0
    for (let end = text.indexOf(NEWLINE); end >= 0; end = text.indexOf(NEWLINE, from)) {
      const line = decoder.decode(joinedBytes([...lines, text.subarray(from, end)]))
      lines = []
      from = end + 1
      const [frame] = waiting.splice(0, 1)
      if (frame) frames.push(line === frame.line ? frame.bytes : rewritten(frame, line))
    }
    if (from < text.length) lines.push(text.subarray(from))
    return frames
  }

  return {
    push(bytes) {
      rest.push(bytes)
      restLength += bytes.length
      const frames: Uint8Array[] = []
      const all = restLength >= nextLength(rest) ? joinedBytes(rest) : NOTHING
      let at = 0
      for (let length = lengthAt(all, at); at + length <= all.length; length = lengthAt(all, at)) {
        frames.push(...passed(take(all.subarray(at, at + length))))
        at += length
      }
      if (all.length > 0) rest = at < all.length ? [all.subarray(at)] : []
      restLength -= at
      return joinedBytes(frames)
    },
    end() {
      const frames = passed(mask.end())
      const last = secrets.mask()
      const half = joinedBytes(rest)
      rest = []
      waiting = []
      return joinedBytes([...frames, last.push(half), last.end()])
    },
  }
}

function rewritten({ event }: WaitingFrame, line: string): Uint8Array {
  return writeEventStreamFrame(event, line)
}

function nextLength([first = NOTHING, ...others]: readonly Uint8Array[]): number {
  if (first.length >= LENGTH_BYTES || others.length === 0) return lengthAt(first, 0)
  return lengthAt(joinedBytes([first, ...others]), 0)
}

/** The length of the frame that begins at `at`; of what is no frame, the bytes that are there. */
function lengthAt(bytes: Uint8Array, at: number): number {
  if (bytes.length - at < LENGTH_BYTES) return Number.POSITIVE_INFINITY
  const length = new DataView(bytes.buffer, bytes.byteOffset + at, LENGTH_BYTES).getUint32(0)
  return length > LENGTH_BYTES && length <= MAX_FRAME ? length : bytes.length - at
}

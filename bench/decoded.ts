/** Streamed replies read to their end: by the least that gets at their data, and by a dialect. */
import { createParser } from 'eventsource-parser'
import { createFrameReader } from '../src/client/frames.ts'
import type { Framing } from '../src/core/dialect.ts'
import type { DialectId } from '../src/dialects/registry.ts'
import { getDialect } from '../src/dialects/registry.ts'

export type Chunks = readonly Uint8Array[]

/** The text that the events tell of, in characters. */
export function decode(dialect: DialectId, chunks: Chunks): number {
  const { framing, createStreamDecoder } = getDialect(dialect)
  const reader = createFrameReader(framing)
  const decoder = createStreamDecoder()
  let length = 0
  const take = (frames: ReturnType<typeof reader.push>) => {
    for (const frame of frames) {
      for (const event of decoder.push(frame)) {
        if (event.type === 'text-delta') length += event.text.length
      }
    }
  }
  for (const chunk of chunks) take(reader.push(chunk))
  take(reader.end())
  return decoder.end().at(-1)?.type === 'finish' ? length : -1
}

/** Every frame as an object, with its name if it has one. Understands nothing of it, and no damage. */
export type ParseFrames = (chunks: Chunks, take: (data: unknown, event?: string) => void) => void

export const FLOORS: Readonly<Record<Framing, ParseFrames>> = {
  sse(chunks, take) {
    const decoder = new TextDecoder()
    const parser = createParser({
      onEvent: ({ data, event }) => {
        if (data !== '[DONE]') take(JSON.parse(data), event)
      },
    })
    for (const chunk of chunks) parser.feed(decoder.decode(chunk, { stream: true }))
  },

  ndjson(chunks, take) {
    const decoder = new TextDecoder()
    let rest = ''
    for (const chunk of chunks) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) take(JSON.parse(line))
    }
  },

  aws(chunks, take) {
    const decoder = new TextDecoder()
    let rest: Uint8Array = new Uint8Array()
    for (const chunk of chunks) {
      const bytes = rest.length > 0 ? joined(rest, chunk) : chunk
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      let at = 0
      while (bytes.length - at >= 12 && bytes.length - at >= view.getUint32(at)) {
        const end = at + view.getUint32(at)
        const payload = at + 12 + view.getUint32(at + 4)
        const data = decoder.decode(bytes.subarray(payload, end - 4))
        take(JSON.parse(data), eventOf(bytes, view, at + 12))
        at = end
      }
      rest = bytes.subarray(at)
    }
  },
}

/** The first header is the name; its own name has as many bytes as it says. */
function eventOf(bytes: Uint8Array, view: DataView, at: number): string {
  const value = at + view.getUint8(at) + 4
  return asciiDecoder.decode(bytes.subarray(value, value + view.getUint16(value - 2)))
}

const asciiDecoder = new TextDecoder()

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const whole = new Uint8Array(one.length + other.length)
  whole.set(one)
  whole.set(other, one.length)
  return whole
}

/** How many there are. */
export function countFrames(framing: Framing, chunks: Chunks): number {
  let count = 0
  FLOORS[framing](chunks, (data, event) => {
    if (typeof data === 'object' && event !== '') count++
  })
  return count
}

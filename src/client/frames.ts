/** From the bytes of a stream to its frames, however the bytes were cut. */
import { createParser } from 'eventsource-parser'
import type { Frame, Framing } from '../core/dialect.ts'
import { createEventStreamReader, writeEventStreamFrame } from '../dialects/bedrock/event-stream.ts'

export interface FrameReader {
  push(bytes: Uint8Array): Frame[]
  /** The stream is over; what is left may be a last frame without its end. */
  end(): Frame[]
}

export function createFrameReader(framing: Framing): FrameReader {
  if (framing === 'aws') return createEventStreamReader(decodeText)
  return framing === 'sse' ? decoded(createSseReader()) : decoded(createLineReader())
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeText(bytes: Uint8Array, start: number, end: number): string | undefined {
  try {
    return strict.decode(bytes.subarray(start, end))
  } catch {
    return undefined
  }
}

/** Takes text. */
interface TextReader {
  push(text: string): Frame[]
  end(): Frame[]
}

/** Bytes may be cut inside a character: the decoder keeps what is not complete. */
function decoded(reader: TextReader): FrameReader {
  const decoder = new TextDecoder()
  return {
    push: (bytes) => reader.push(decoder.decode(bytes, { stream: true })),
    end: () => [...reader.push(decoder.decode()), ...reader.end()],
  }
}

function createSseReader(): TextReader {
  let frames: Frame[] = []
  const parser = createParser({
    onEvent: ({ event, data }) => frames.push(event === undefined ? { data } : { event, data }),
  })

  function take(): Frame[] {
    const taken = frames
    frames = []
    return taken
  }

  return {
    push(text) {
      parser.feed(text)
      return take()
    },
    end() {
      // Servers that stop without the empty line behind their last event still meant it.
      parser.feed('\n\n')
      return take()
    },
  }
}

function createLineReader(): TextReader {
  let rest: string[] = []

  function lines(text: string): string[] {
    const [first = '', ...others] = text.split('\n')
    rest.push(first)
    if (others.length === 0) return []
    const whole = [rest.join(''), ...others.slice(0, -1)]
    rest = [others.at(-1) ?? '']
    return whole
  }

  return {
    push: (text) => framesOf(lines(text)),
    end: () => framesOf([rest.join('')]),
  }
}

function framesOf(lines: readonly string[]): Frame[] {
  return lines.filter((line) => line.trim() !== '').map((data) => ({ data }))
}

/** True for a text that begins as server-sent events do, also with a comment. */
export function looksLikeEvents(text: string): boolean {
  return /^\s*(?:data|event|id|retry)?:/.test(text)
}

/** A frame as bytes of the stream. */
export function writeFrame(framing: Framing, { event, data }: Frame): Uint8Array {
  if (framing === 'aws') return writeEventStreamFrame(event ?? '', data)
  const name = event === undefined ? '' : `event: ${event}\n`
  return encoder.encode(framing === 'sse' ? `${name}data: ${data}\n\n` : `${data}\n`)
}

const encoder = new TextEncoder()

/** Streams as text that people can read and paste. */
import { createFrameReader, writeFrame } from '../../../src/client/frames.ts'
import type { Dialect, Frame, Framing } from '../../../src/core/dialect.ts'

/** Binary frames are shown, and taken, as server-sent events. */
function textFraming(framing: Framing): Framing {
  return framing === 'aws' ? 'sse' : framing
}

export function framesIn(text: string, framing: Framing): Frame[] {
  const reader = createFrameReader(textFraming(framing))
  return [...reader.push(new TextEncoder().encode(text)), ...reader.end()]
}

export function textOf(frames: readonly Frame[], { framing }: Dialect): string {
  const decoder = new TextDecoder()
  const written = textFraming(framing)
  return frames.map((frame) => decoder.decode(writeFrame(written, frame))).join('')
}

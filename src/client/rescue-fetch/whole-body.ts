/** A body that is read whole, if it is not too long. */
import { joinedBytes } from '../joined-bytes.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** All of it, or the same body again when it is longer than `maxBytes` or breaks off. */
export async function readWhole(
  body: ReadableStream<Bytes>,
  maxBytes: number,
): Promise<Bytes | ReadableStream<Bytes>> {
  const reader = body.getReader()
  const pieces: Bytes[] = []
  let length = 0
  try {
    let step = await reader.read()
    while (!step.done) {
      pieces.push(step.value)
      length += step.value.length
      if (length > maxBytes) return again(pieces, reader)
      step = await reader.read()
    }
  } catch {
    // Who reads it next will be told.
    return again(pieces, reader)
  }
  return joinedBytes(pieces)
}

/** What was read, and then the rest. */
function again(pieces: Bytes[], reader: ReadableStreamDefaultReader<Bytes>): ReadableStream<Bytes> {
  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        const piece = pieces.shift()
        const { done, value } = piece ? { done: false, value: piece } : await reader.read()
        if (done || !value) controller.close()
        else controller.enqueue(value)
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  )
}

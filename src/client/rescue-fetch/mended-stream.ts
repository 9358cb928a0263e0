/** A body that is mended while it is read. */
import type { StreamMender } from './rescue-stream.ts'

type Controller = ReadableStreamDefaultController<Uint8Array>

/** Reads on only when somebody wants more, and stops the source when nobody does. */
export function mendedStream(
  source: ReadableStream<Uint8Array>,
  mender: StreamMender,
): ReadableStream<Uint8Array> {
  const reader = source.getReader()
  let failure: { readonly error: unknown } | undefined

  // One promise for each piece: this is the path that every reply takes.
  function pull(controller: Controller): Promise<void> {
    if (failure) return Promise.reject(failure.error)
    return reader.read().then(
      ({ done, value }) => {
        if (done) return finish(controller)
        const pieces = mender.push(value)
        if (pieces.length === 0) return pull(controller)
        for (const bytes of pieces) controller.enqueue(bytes)
        return undefined
      },
      (error: unknown) => {
        failure = { error }
        // What was kept back comes before the error does.
        const pieces = mender.abandon()
        if (pieces.length === 0) throw error
        for (const bytes of pieces) controller.enqueue(bytes)
      },
    )
  }

  function finish(controller: Controller): void {
    for (const bytes of mender.end()) controller.enqueue(bytes)
    controller.close()
  }

  return new ReadableStream(
    { pull, cancel: (reason) => reader.cancel(reason) },
    { highWaterMark: 0 },
  )
}

/** Sources of bytes, and what can be done with them. */
import { joinedBytes } from '../client/joined-bytes.ts'
import { replyTooLarge } from './gateway-error.ts'
import type { ByteSink, ByteSource } from './http.ts'
import { bodyTooLarge } from './limits.ts'

/** All of it. Rejects when it is longer, and stops the source then. */
export function readAll(source: ByteSource, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const pieces: Uint8Array[] = []
    let length = 0
    source.start({
      data(bytes) {
        length += bytes.length
        if (length <= maxBytes) return void pieces.push(bytes)
        source.cancel()
        reject(replyTooLarge(maxBytes))
      },
      end: () => resolve(joinedBytes(pieces)),
      fail: reject,
    })
  })
}

/** What a transport is given at once, of bytes that are all there: as much as it takes in one go anyway. */
const SLICE_BYTES = 64 * 1024

/** Bytes that are all there, in slices, so that whoever takes them can pause. */
export function wholeSource(bytes: Uint8Array): ByteSource {
  let sink: ByteSink | undefined
  let at = 0
  let isPaused = false
  let isRunning = false

  function run(): void {
    if (isRunning || !sink) return
    isRunning = true
    while (sink && !isPaused && at < bytes.length) {
      const slice = bytes.subarray(at, at + SLICE_BYTES)
      at += slice.length
      sink.data(slice)
    }
    isRunning = false
    if (!sink || isPaused || at < bytes.length) return
    const done = sink
    sink = undefined
    done.end()
  }

  return {
    start(target) {
      sink = target
      run()
    },
    pause() {
      isPaused = true
    },
    resume() {
      isPaused = false
      run()
    },
    cancel() {
      sink = undefined
    },
  }
}

/** What an iterator has, as long as somebody wants it. */
export function iteratedSource(items: AsyncIterator<Uint8Array, void>): ByteSource {
  let sink: ByteSink | undefined
  let isPaused = false
  let isRunning = false
  let isOver = false

  async function run(): Promise<void> {
    if (isRunning || !sink) return
    isRunning = true
    try {
      while (!isPaused && !isOver) {
        const { done, value } = await items.next()
        if (isOver) return
        if (done) finish((target) => target.end())
        else if (value.length > 0) sink.data(value)
      }
    } catch (error) {
      finish((target) => target.fail(error))
    } finally {
      isRunning = false
    }
  }

  function finish(tell: (sink: ByteSink) => void): void {
    if (isOver || !sink) return
    isOver = true
    tell(sink)
  }

  return {
    start(target) {
      sink = target
      void run()
    },
    pause() {
      isPaused = true
    },
    resume() {
      isPaused = false
      void run()
    },
    cancel() {
      isOver = true
      // An iterator that waits for its own next piece hears of it when that has come.
      items.return?.()?.catch(() => {})
    },
  }
}

/** A web stream as a source. */
export function streamSource(stream: ReadableStream<Uint8Array>): ByteSource {
  const reader = stream.getReader()
  const source = iteratedSource({
    async next() {
      const { done, value } = await reader.read()
      return done ? { done: true, value: undefined } : { done: false, value }
    },
  })
  return {
    ...source,
    cancel() {
      source.cancel()
      reader.cancel().catch(() => {})
    },
  }
}

/** A source as a web stream. */
export function sourceStream(
  source: ByteSource,
  onCancel?: () => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      source.start({
        data(bytes) {
          controller.enqueue(new Uint8Array(bytes))
          if ((controller.desiredSize ?? 1) <= 0) source.pause()
        },
        end: () => controller.close(),
        fail: (error) => controller.error(error),
      })
    },
    pull: () => source.resume(),
    cancel() {
      source.cancel()
      onCancel?.()
    },
  })
}

/** The same bytes; `look` sees them first. */
export function watched(source: ByteSource, look: (bytes: Uint8Array) => void): ByteSource {
  return {
    start: (sink) =>
      source.start({
        data(bytes) {
          look(bytes)
          sink.data(bytes)
        },
        end: () => sink.end(),
        fail: (error) => sink.fail(error),
      }),
    pause: () => source.pause(),
    resume: () => source.resume(),
    cancel: () => source.cancel(),
  }
}

/** The same bytes; the source fails, and is left, when there are more. */
export function limited(source: ByteSource, maxBytes: number): ByteSource {
  let length = 0
  let isOver = false
  return {
    start: (sink) =>
      source.start({
        data(bytes) {
          length += bytes.length
          if (isOver) return
          if (length <= maxBytes) return sink.data(bytes)
          isOver = true
          source.cancel()
          sink.fail(bodyTooLarge(maxBytes, 'blobBytes'))
        },
        end: () => sink.end(),
        fail: (error) => sink.fail(error),
      }),
    pause: () => source.pause(),
    resume: () => source.resume(),
    cancel: () => source.cancel(),
  }
}

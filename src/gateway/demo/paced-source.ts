/** Bytes at hand, given out as if they came from afar: some at a time, and no more while nobody reads. */
import type { ByteSink, ByteSource } from '../http.ts'

export interface Pace {
  /** Between two pieces. Default: none. */
  readonly pauseMs?: number | undefined
  /** Ends the source with its reason. */
  readonly signal?: AbortSignal | undefined
}

/** Pieces in a row before others get a turn. */
const BURST = 16

export function createPacedSource(pieces: Iterable<Uint8Array>, pace: Pace = {}): ByteSource {
  const { pauseMs = 0, signal } = pace
  const burst = pauseMs > 0 ? 1 : BURST
  const left = pieces[Symbol.iterator]()
  let sink: ByteSink | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let paused = false

  function schedule(delay: number): void {
    if (sink && !paused && timer === undefined) timer = setTimeout(run, delay)
  }

  function run(): void {
    timer = undefined
    // The sink may pause or cancel whenever it is told something.
    for (let count = 0; sink && !paused && count < burst; count++) {
      const { done, value } = left.next()
      if (done) close()?.end()
      else sink.data(value)
    }
    schedule(pauseMs)
  }

  function close(): ByteSink | undefined {
    const told = sink
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
    sink = undefined
    return told
  }

  function abort(): void {
    close()?.fail(signal?.reason)
  }

  return {
    start(to) {
      sink = to
      signal?.addEventListener('abort', abort)
      // Not before the caller is done: nothing from afar is here at once.
      if (signal?.aborted) queueMicrotask(abort)
      else schedule(0)
    },
    pause() {
      paused = true
    },
    resume() {
      paused = false
      schedule(0)
    },
    cancel: () => void close(),
  }
}

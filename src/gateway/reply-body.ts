/** The bytes of a reply on their way out: counted, seen, and kept alive. */
import type { ByteSink, ByteSource } from './http.ts'

export interface ReplyBodyOptions {
  /** Sent when nothing else was for so long; empty where there is no such thing. */
  readonly keepAlive: string
  readonly keepAliveMs: number
  /** True: the first sign of life is due at once. */
  readonly isOverdue?: boolean
  onData(bytes: Uint8Array): void
  /** Told once: all was sent, or the source broke, or nobody wanted more. */
  onEnd(how: 'done' | 'failed' | 'left', error?: unknown): void
}

/** Silence in a stream after which a sign of life is sent: less than the 30 s that proxies commonly allow. */
export const KEEP_ALIVE_MS = 15_000
/** The same before a stream begins. Most refusals come sooner, and keep their HTTP status then. */
export const FIRST_KEEP_ALIVE_MS = 10_000

const NEWLINE = 10

export class ReplyBody implements ByteSource {
  readonly #source: ByteSource
  readonly #options: ReplyBodyOptions
  #timer: ReturnType<typeof setInterval> | undefined
  #isQuiet = true
  #isBetweenFrames = true
  #isPaused = false
  #isOver = false

  constructor(source: ByteSource, options: ReplyBodyOptions) {
    this.#source = source
    this.#options = options
  }

  start(sink: ByteSink): void {
    const { keepAlive, keepAliveMs, isOverdue, onData } = this.#options
    if (keepAlive !== '') {
      const sign = new TextEncoder().encode(keepAlive)
      this.#timer = setInterval(() => {
        if (this.#isQuiet && this.#isBetweenFrames && !this.#isPaused) sink.data(sign)
        this.#isQuiet = true
      }, keepAliveMs)
      if (isOverdue) sink.data(sign)
    }
    this.#source.start({
      data: (bytes) => {
        this.#isQuiet = false
        this.#isBetweenFrames = bytes[bytes.length - 1] === NEWLINE
        onData(bytes)
        sink.data(bytes)
      },
      end: () => {
        this.#over('done')
        sink.end()
      },
      fail: (error) => {
        this.#over('failed', error)
        sink.fail(error)
      },
    })
  }

  pause(): void {
    this.#isPaused = true
    this.#source.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#source.resume()
  }

  cancel(): void {
    if (this.#isOver) return
    this.#source.cancel()
    this.#over('left')
  }

  #over(how: 'done' | 'failed' | 'left', error?: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    clearInterval(this.#timer)
    this.#options.onEnd(how, error)
  }
}

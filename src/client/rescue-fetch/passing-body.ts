/**
 * A stream that passes on what is read elsewhere. One stream behind another costs as much for each piece
 * as all the rest of its way, so readers of this one are given the pieces past the machinery of streams,
 * which serves whatever else is done with it, such as piping.
 */

type Reader = ReadableStreamDefaultReader<Uint8Array>
type Controller = ReadableStreamDefaultController<Uint8Array>
type Iteration = ReturnType<ReadableStream<Uint8Array>['values']>
export type Step = Awaited<ReturnType<Reader['read']>>

export interface Passage {
  /** The next piece; those that are asked for together come one after the other. */
  read(): Promise<Step>
  cancel(reason: unknown): Promise<void>
  /** Who wants to know that there are no more pieces, or of an error, before those who read. */
  whenOver(tell: (failure?: Failure) => void): void
}

export interface Failure {
  readonly error: unknown
}

export class PassingBody extends ReadableStream<Uint8Array> {
  readonly #passage: Passage

  constructor(passage: Passage) {
    super(
      {
        start: (controller) => closeAfter(passage, controller),
        pull: (controller) => pull(passage, controller),
        cancel: (reason) => passage.cancel(reason),
      },
      { highWaterMark: 0 },
    )
    this.#passage = passage
  }

  override getReader(options: { mode: 'byob' }): ReadableStreamBYOBReader
  override getReader(): Reader
  override getReader(options?: { mode: 'byob' }): Reader | ReadableStreamBYOBReader {
    // There is no such reader, as the stream will say.
    if (options?.mode) return super.getReader(options)
    return new PassingReader(this, this.#passage)
  }

  override values({ preventCancel = false }: { preventCancel?: boolean } = {}): Iteration {
    const reader = this.getReader()
    const release = (): void => reader.releaseLock()
    reader.closed.then(release, release)
    return {
      // The last step of a reader has no value, although its type would allow for one.
      next: () => reader.read() as ReturnType<Iteration['next']>,
      async return(reason) {
        if (!preventCancel) await reader.cancel(reason)
        release()
        return { done: true, value: undefined }
      },
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }

  override [Symbol.asyncIterator](): Iteration {
    return this.values()
  }
}

function closeAfter({ whenOver }: Passage, controller: Controller): void {
  whenOver((failure) => {
    if (failure) controller.error(failure.error)
    else controller.close()
  })
}

async function pull({ read }: Passage, controller: Controller): Promise<void> {
  const { value } = await read()
  if (value) controller.enqueue(value)
}

/**
 * Reads past the stream; only the first piece goes through it, for it must know that it is used. A class,
 * because a reader that is given a `read` of its own outlives every small garbage collection, together with
 * all that it holds.
 */
class PassingReader extends ReadableStreamDefaultReader<Uint8Array> {
  readonly #passage: Passage
  #isPast = false
  #isReleased = false
  /** Pieces that were asked of the stream and have not come. */
  #unanswered = 0

  constructor(stream: ReadableStream<Uint8Array>, passage: Passage) {
    super(stream)
    this.#passage = passage
  }

  override read(): Promise<Step> {
    if (this.#isPast) return this.#passage.read()
    if (this.#isReleased) return super.read()
    this.#unanswered++
    return super.read().finally(() => this.#answer())
  }

  #answer(): void {
    this.#unanswered--
    this.#isPast = this.#unanswered === 0 && !this.#isReleased
  }

  override releaseLock(): void {
    this.#isReleased = true
    this.#isPast = false
    super.releaseLock()
  }
}

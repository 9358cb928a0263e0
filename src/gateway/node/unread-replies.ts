/**
 * The memory of replies that their clients have yet to take. When all together take more than they may, the
 * clients that have taken nothing for the longest are given up.
 */
export class UnreadReplies {
  readonly #maxBytes: number
  /** The one that was taken from last is the last. */
  readonly #waiting = new Map<UnreadReply, () => void>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  /** A reply of so many bytes, until it is `done`. A single one may be longer than all may be. */
  add(bytes: number, giveUp: () => void): UnreadReply {
    const reply: UnreadReply = {
      taken: () => {
        if (this.#waiting.delete(reply)) this.#waiting.set(reply, giveUp)
      },
      done: () => {
        if (this.#waiting.delete(reply)) this.#bytes -= bytes
      },
    }
    this.#waiting.set(reply, giveUp)
    this.#bytes += bytes
    this.#makeRoom()
    return reply
  }

  #makeRoom(): void {
    for (const [reply, giveUp] of this.#waiting) {
      if (this.#bytes <= this.#maxBytes || this.#waiting.size === 1) return
      reply.done()
      giveUp()
    }
  }
}

export interface UnreadReply {
  /** The client has taken some of it. */
  taken(): void
  /** It is written, or nobody wants it. */
  done(): void
}

/**
 * Text that arrives in pieces, most of them shorter than a word. Kept apart, each costs more memory than
 * its characters and lives as long as the whole, and the garbage collector pays for it again and again.
 */
export class GrowingText {
  #joined = ''
  #half = ''
  #line = ''

  add(piece: string): void {
    // So much is not copied for the sake of what stands before it.
    if (piece.length >= LONG) {
      this.#joined = this.read() + piece
      return
    }
    this.#line += piece
    if (this.#line.length < LONG) return
    if (this.#half) this.read()
    else {
      this.#half = this.#line
      this.#line = ''
    }
  }

  /** The end of it. */
  tail(length: number): string {
    const recent = this.#half + this.#line
    if (recent.length >= length) return recent.slice(recent.length - length)
    return this.#joined.slice(recent.length - length) + recent
  }

  /** All so far. */
  read(): string {
    // To join two copies both, so that nothing is left of the pieces; to add them up would keep them all.
    if (this.#half || this.#line) this.#joined += [this.#half, this.#line].join('')
    this.#half = this.#line = ''
    return this.#joined
  }
}

const LONG = 512

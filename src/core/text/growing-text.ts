/**
 * Text that arrives in pieces, most of them shorter than a word. Kept apart, each costs more memory than
 * its characters and lives as long as the whole, and the garbage collector pays for it again and again.
 */
export class GrowingText {
  #joined = ''
  #lines: string[] = []
  #line = ''

  add(piece: string): void {
    if (piece.length >= LONG) {
      this.#joined = this.read() + piece
      return
    }
    this.#line += piece
    if (this.#line.length >= LINE_LENGTH) this.#addLine()
  }

  /** All so far. */
  read(): string {
    this.#addLine()
    this.#join()
    return this.#joined
  }

  #addLine(): void {
    this.#lines.push(this.#line)
    this.#line = ''
    if (this.#lines.length === PAGE_LENGTH) this.#join()
  }

  #join(): void {
    this.#joined += this.#lines.join('')
    this.#lines = []
  }
}

/** So much is not copied for the sake of what stands before it. */
const LONG = 512
/** In characters and in lines: what is put together at once, before it grows old. */
const LINE_LENGTH = 64
const PAGE_LENGTH = 64

/** The requests under way: each is counted once, and let go once, however it ends. */
import { once } from './state/memory-state.ts'

/** What one request holds until it is over. Everything that must be given back is given back here. */
export class Lease {
  readonly #held: (() => void)[] = []
  #isOver = false

  /** Given back at once when the request is over: a place may be granted after its client has left. */
  hold(giveBack: () => void): void {
    if (this.#isOver) giveBack()
    else this.#held.push(giveBack)
  }

  /** May be called any number of times. */
  end(): void {
    this.#isOver = true
    for (const giveBack of this.#held.splice(0)) giveBack()
  }
}

/** All requests under way in one gateway. */
export class UnderWay {
  #count = 0
  #onNone: (() => void)[] = []

  get count(): number {
    return this.#count
  }

  /** Counts one more until it is given back. */
  enter(): () => void {
    this.#count++
    return once(() => this.#leave())
  }

  /** Resolves as soon as no request is under way. */
  none(): Promise<void> {
    return new Promise((resolve) => {
      this.#onNone.push(resolve)
      this.#tell()
    })
  }

  #leave(): void {
    this.#count--
    this.#tell()
  }

  #tell(): void {
    if (this.#count > 0) return
    for (const resolve of this.#onNone.splice(0)) resolve()
  }
}

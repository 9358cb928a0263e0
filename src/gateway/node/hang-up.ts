/**
 * Tells the requests of a connection that their client is gone. One signal serves many of them, because to
 * make one takes longer than to read a request; but not all, because who listens may forget to stop.
 */
import { setMaxListeners } from 'node:events'
import type { Socket } from 'node:net'

const MAX_REQUESTS = 100

export class HangUp {
  #left = newController()
  /** Those that were given the signal at hand, and those of them that still need it. */
  #requests = 0
  #pending = 0
  readonly #socket: Socket

  constructor(socket: Socket) {
    this.#socket = socket
    const tell = (): void => this.#left.abort(new DOMException('the client hung up', 'AbortError'))
    // A connection that is closed already tells nobody any more.
    if (socket.destroyed) tell()
    else socket.once('close', tell)
  }

  /** For one more request; `leave` when it is done with. */
  enter(): AbortSignal {
    if (this.#pending === 0 && this.#requests >= MAX_REQUESTS) {
      this.#left = newController()
      this.#requests = 0
    }
    this.#requests++
    this.#pending++
    return this.#left.signal
  }

  leave(): void {
    this.#pending--
  }

  /** We hang up on the client, and all its requests learn why. */
  giveUp(reason: unknown): void {
    this.#left.abort(reason)
    this.#socket.destroy()
  }
}

function newController(): AbortController {
  const controller = new AbortController()
  // A client may send many requests without waiting for an answer.
  setMaxListeners(0, controller.signal)
  return controller
}

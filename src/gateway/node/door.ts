/**
 * The door of a server that is asked to stop. Load balancers need a while to notice, and send requests until
 * then: those are served, over connections that end with their answers. Only then does the server stop to listen.
 */
import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import { setImmediate, setTimeout } from 'node:timers/promises'

export interface LeavingOptions {
  /** How long new connections are taken. Undefined: for as long as requests come, `USUAL_DRAIN_MS` at most. */
  readonly drainMs: number | undefined
  /** All of it takes no longer. */
  readonly atMostMs: number
  /** How many requests are under way. */
  pending(): number
}

/** Longer than a load balancer takes that looks every second and believes the second time. */
const USUAL_DRAIN_MS = 5000
/** When there were no requests for so long, nobody sends any: under load they come far more often. */
const QUIET_MS = 1000
/** How long connections that are open are still served when new ones are refused. */
const SETTLE_MS = 1000
const LOOK_EVERY_MS = 20
/** How long to look for a moment in which nobody waits to be let in. */
const CLOSING_MS = 500
const SHORT_TURN_MS = 0.3

export class Door {
  readonly #server: Server
  readonly #open = new Set<ServerResponse>()
  #isLeaving = false
  #connections = 0
  #arrivals = 0
  #lastRequestAt = Number.NEGATIVE_INFINITY

  constructor(server: Server) {
    this.#server = server
    server.on('connection', (socket) => {
      this.#arrivals++
      this.#connections++
      socket.once('close', () => this.#connections--)
    })
  }

  /** A request has come. */
  enter(response: ServerResponse): void {
    this.#lastRequestAt = performance.now()
    if (this.#isLeaving) return void endConnection(response)
    this.#open.add(response)
    response.once('close', () => this.#open.delete(response))
  }

  /** From now on, answers end their connections. Resolves when no request is lost by closing the door. */
  async leave({ drainMs, atMostMs, pending }: LeavingOptions): Promise<void> {
    this.#isLeaving = true
    for (const response of this.#open) this.#dismiss(response)
    this.#open.clear()
    const last = performance.now() + atMostMs
    const isNeeded = (): boolean => pending() > 0 || this.#isInUse()
    await during(Math.min(last, performance.now() + (drainMs ?? USUAL_DRAIN_MS)), () => {
      return drainMs !== undefined || isNeeded()
    })
    await this.#stopListening(Math.min(last, performance.now() + CLOSING_MS))
    // Whoever is refused now asks somebody else; what is sent on a connection that is open would be lost.
    await during(Math.min(last, performance.now() + SETTLE_MS), () => this.#isInUse())
  }

  /** A reply whose headers are out has promised that its connection stays. */
  #dismiss(response: ServerResponse): void {
    if (!response.headersSent) return void endConnection(response)
    response.once('close', async () => {
      // Until then, the connection does not count as idle.
      await setImmediate()
      if (!this.#server.listening) this.#server.closeIdleConnections()
    })
  }

  #isInUse(): boolean {
    return this.#connections > 0 && performance.now() - this.#lastRequestAt < QUIET_MS
  }

  /** The system has let in some already that we have not seen yet, and drops them when we stop to listen. */
  async #stopListening(until: number): Promise<void> {
    for (;;) {
      const seen = this.#arrivals
      const began = performance.now()
      await setImmediate()
      const now = performance.now()
      const isCalm = seen === this.#arrivals && now - began < SHORT_TURN_MS
      if (isCalm || now >= until) break
    }
    // The method of servers for HTTP ends connections that are idle as well.
    NetServer.prototype.close.call(this.#server)
  }
}

function endConnection(response: ServerResponse): void {
  response.setHeader('connection', 'close')
}

async function during(until: number, isNeeded: () => boolean): Promise<void> {
  while (performance.now() < until && isNeeded()) await setTimeout(LOOK_EVERY_MS)
}

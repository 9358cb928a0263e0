/** All who look on, as one. */
import type { Arrival, Asked, Attempt, GatewayObserver, Observation, Outcome } from './observer.ts'
import type { Watchers } from './question.ts'

/** What somebody who looks on throws is nobody's concern: replies must not suffer from it. */
export class Observations implements Watchers {
  readonly #all: Observation[] = []
  // Bytes are many: where nobody looks at them, nothing is done.
  #seesUpstream = false
  #seesClient = false

  constructor(observers: readonly GatewayObserver[], arrival: Arrival) {
    for (const observer of observers) {
      const one = quietly(() => observer.begin(arrival))
      if (!one) continue
      this.#all.push(one)
      this.#seesUpstream ||= one.upstreamBytes !== undefined
      this.#seesClient ||= one.clientBytes !== undefined
    }
  }

  asked(asked: Asked): void {
    for (const one of this.#all) quietly(() => one.asked?.(asked))
  }

  attempt(attempt: Attempt): void {
    for (const one of this.#all) quietly(() => one.attempt?.(attempt))
  }

  switched(from: Attempt, error: unknown): void {
    for (const one of this.#all) quietly(() => one.switched?.(from, error))
  }

  upstream(status: number): void {
    for (const one of this.#all) quietly(() => one.upstream?.(status))
  }

  upstreamBytes(bytes: Uint8Array): void {
    if (!this.#seesUpstream) return
    for (const one of this.#all) quietly(() => one.upstreamBytes?.(bytes))
  }

  clientBytes(bytes: Uint8Array | string): void {
    if (!this.#seesClient) return
    for (const one of this.#all) quietly(() => one.clientBytes?.(bytes))
  }

  end(outcome: Outcome): void {
    for (const one of this.#all) quietly(() => one.end(outcome))
  }
}

function quietly<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}

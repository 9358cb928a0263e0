/** All who look on, as one. */
import type {
  Arrival,
  Asked,
  Attempt,
  GatewayObserver,
  Observation,
  Outcome,
  Remark,
} from './observer.ts'
import type { Watchers } from './question.ts'
import { shownMessage, shownName } from './shown-text.ts'

/** So many calls and issues of one reply are reported. */
const MAX_TOLD = 100

/** Names and messages are cut here, for everybody who looks on. What somebody who looks on throws is nobody's concern: replies must not suffer from it. */
export class Observations implements Watchers {
  readonly #all: Observation[] = []
  // Bytes are many: where nobody looks at them, nothing is done.
  #seesUpstream = false
  #seesClient = false

  constructor(observers: readonly GatewayObserver[], given: Arrival) {
    const arrival = { ...given, path: shownName(given.path) }
    for (const observer of observers) {
      const one = quietly(() => observer.begin(arrival))
      if (!one) continue
      this.#all.push(one)
      this.#seesUpstream ||= one.upstreamBytes !== undefined
      this.#seesClient ||= one.clientBytes !== undefined
    }
  }

  asked(given: Asked): void {
    const asked = { ...given, model: shownName(given.model) }
    for (const one of this.#all) quietly(() => one.asked?.(asked))
  }

  attempt(given: Attempt): void {
    const attempt = { ...given, model: shownName(given.model) }
    for (const one of this.#all) quietly(() => one.attempt?.(attempt))
  }

  switched(given: Attempt, error: unknown): void {
    const from = { ...given, model: shownName(given.model) }
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

  end(given: Outcome): void {
    const outcome = cutOutcome(given)
    for (const one of this.#all) quietly(() => one.end(outcome))
  }
}

function cutOutcome(outcome: Outcome): Outcome {
  const { message, rescues, issues, remarks = [], loop } = outcome
  return {
    ...outcome,
    message: message === undefined ? undefined : shownMessage(message),
    rescues: rescues.slice(0, MAX_TOLD).map((one) => ({ ...one, tool: shownName(one.tool) })),
    issues: issues.slice(0, MAX_TOLD),
    remarks: distinct(remarks).slice(0, MAX_TOLD),
    loop: loop && { ...loop, tool: shownName(loop.tool) },
  }
}

/** Each remark once, with names that are no longer than names are. */
function distinct(remarks: readonly Remark[]): Remark[] {
  const seen = new Map(remarks.map((remark) => [JSON.stringify(remark), remark]))
  return [...seen.values()].map((remark) => ({
    ...remark,
    fields: remark.fields.slice(0, MAX_TOLD).map(shownName),
  }))
}

function quietly<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}

/** All who look on, as one. */
import type { Arrival, GatewayObserver, Observation } from './observer.ts'
import type { Watchers } from './question.ts'

/** What somebody who looks on throws is nobody's concern: replies must not suffer from it. */
export function watchAll(observers: readonly GatewayObserver[], arrival: Arrival): Watchers {
  const all = observers.flatMap((observer) => quietly(() => observer.begin(arrival)) ?? [])
  const each = (look: (one: Observation) => void): void => {
    for (const one of all) quietly(() => look(one))
  }
  // Bytes are many: where nobody looks at them, nothing is done.
  const seesUpstream = all.some((one) => one.upstreamBytes)
  const seesClient = all.some((one) => one.clientBytes)
  return {
    asked: (asked) => each((one) => one.asked?.(asked)),
    attempt: (attempt) => each((one) => one.attempt?.(attempt)),
    switched: (from, error) => each((one) => one.switched?.(from, error)),
    upstream: (status) => each((one) => one.upstream?.(status)),
    upstreamBytes: seesUpstream ? (bytes) => each((one) => one.upstreamBytes?.(bytes)) : () => {},
    clientBytes: seesClient ? (bytes) => each((one) => one.clientBytes?.(bytes)) : () => {},
    end: (outcome) => each((one) => one.end(outcome)),
  }
}

function quietly<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}

/** What gateways remember from one request to the next, alone or together. */
import type { Circuit, CircuitOptions } from '../client/fallback/circuit.ts'

export interface GatewayState {
  readonly turns: TurnStore
  readonly limits: Limiter
  readonly circuits: CircuitBoard
  /** False while what is shared cannot be reached; everything works on with what is known here. */
  isShared(): boolean
  close(): Promise<void>
}

/** Short texts under names, for a while. What is lost is only missed. */
export interface TurnStore {
  /** In the order of the names; never rejects. */
  get(names: readonly string[]): Promise<readonly (string | undefined)[]>
  /** Nobody waits for it. */
  set(entries: readonly (readonly [name: string, value: string])[]): void
}

export interface Limiter {
  /** Counts a request of `who`. Never rejects. */
  take(who: string, perMinute: number): Promise<Taken>
  /** Counts one that is under way; undefined when there are as many already. Never rejects. */
  enter(who: string, atMost: number): Promise<(() => void) | undefined>
}

export interface Taken {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Until the next one is allowed; 0 when it is. */
  readonly retryAfterMs: number
}

/** One circuit breaker for each provider and model, whatever chains they are in. */
export interface CircuitBoard {
  circuitFor(provider: string, model: string, options: CircuitOptions): Circuit
}

/** What gateways remember from one request to the next, alone or together. */
import type { Circuit, CircuitOptions } from '../client/fallback/circuit.ts'

export interface GatewayState {
  readonly turns: TurnStore
  readonly limits: Limiter
  readonly circuits: CircuitBoard
  readonly ledger: Ledger
  /** False while what is shared cannot be reached; everything works on with what is known here. */
  isShared(): boolean
  close(): Promise<void>
}

/** Texts under names, for a while. */
export interface TurnStore {
  /** In the order of the names; never rejects. */
  get(names: readonly string[], keeping?: Keeping): Promise<readonly (string | undefined)[]>
  /** Resolves when the entries can be found, or when waiting any longer is no use; never rejects. */
  set(
    entries: readonly (readonly [name: string, value: string])[],
    keeping?: Keeping,
  ): Promise<Kept>
}

export interface Keeping {
  /** Who the entries belong to: one owner cannot displace the entries of all others. */
  readonly owner?: string | undefined
  /** How long they are kept, where that is shorter than usual. */
  readonly ttlMs?: number | undefined
}

/**
 * Where entries are kept: where any gateway finds them, with this gateway alone, or not at all because they
 * are too long. Without shared state, this gateway is all there is, and that counts as everywhere.
 */
export type Kept = 'everywhere' | 'here' | 'nowhere'

export interface Limiter {
  /** Counts a request of `who`. Never rejects. */
  take(who: string, perMinute: number): Promise<Taken>
  /**
   * Counts one that is under way, until the function that it gives is called; undefined when there are as
   * many already. Never rejects. A request of which `isUnderWay` says no is counted no longer: a place that
   * nobody gave back must not lock its key.
   */
  enter(who: string, atMost: number, isUnderWay?: () => boolean): Promise<(() => void) | undefined>
}

export interface Taken {
  readonly allowed: boolean
  readonly limit: number
  readonly remaining: number
  /** Until the next one is allowed; 0 when it is. */
  readonly retryAfterMs: number
}

/** What was spent, by account: a key and a period of its budget. */
export interface Ledger {
  /** Never rejects. */
  spent(account: string): Promise<Spending>
  /** Never rejects; the account is forgotten some time after it was last needed. */
  add(account: string, spending: Spending, neededMs: number): Promise<void>
}

export interface Spending {
  readonly tokens: number
  /** US dollars. */
  readonly usd: number
}

/** One circuit breaker for each provider and model, whatever chains they are in. */
export interface CircuitBoard {
  circuitFor(provider: string, model: string, options: CircuitOptions): Circuit
}

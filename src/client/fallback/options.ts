/** What can be set about a chain of clients. */
import type { ChatClient } from '../chat-client.ts'
import type { ProviderError } from '../errors.ts'
import type { RetryPolicy } from '../retry.ts'
import type { Balance } from './balance.ts'
import type { ToolFallback } from './member.ts'

export interface FallbackOptions {
  /**
   * How often a client is asked again before the next one is, or more about it. Default 2. A provider that
   * asks for a wait of more than `maxWaitMs`, here 10 s, is left for the next one at once.
   */
  readonly retries?: number | Partial<RetryPolicy> | undefined
  /** How long a client is left alone after a failure; doubled with each further one. Default 30 s. */
  readonly cooldownMs?: number | undefined
  /**
   * The longest of these times, whatever a provider asks for, and the first after errors that last; also the
   * longest `retryAfterMs` of the error when nobody could answer. Default 5 min.
   */
  readonly maxCooldownMs?: number | undefined
  /**
   * What becomes of clients without native tools when a request has tools: they are skipped, or they get
   * the tools in the system prompt. Default `skip`.
   */
  readonly toolFallback?: ToolFallback | undefined
  /** Which of several clients of the same priority is asked first. Default `order`: as they are listed. */
  readonly balance?: Balance | undefined
  /**
   * True: requests of one conversation are sent to the same client, which has its beginning in the cache, unless
   * that client is much busier than the others. Default false.
   */
  readonly sticky?: boolean | undefined
  /** Whether the next client is asked after an error; undefined leaves it to the kind of the error. */
  readonly failsOver?: ((error: ProviderError) => boolean | undefined) | undefined
  /** Told whenever a request goes on to another client. */
  readonly onSwitch?: ((event: SwitchEvent) => void) | undefined
  /** Milliseconds on any clock. Default: one that only goes forward. */
  readonly now?: (() => number) | undefined
  /** A number from 0 up to 1. */
  readonly random?: (() => number) | undefined
  /** Waits, and rejects with the reason of the signal when that is aborted. */
  readonly sleep?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined
}

export interface SwitchEvent {
  readonly from: ChatClient
  readonly to: ChatClient
  /** Why the first one did not answer. */
  readonly error: ProviderError
}

/**
 * Models of any provider behind one face.
 *
 * @module
 */
export type { Retry } from './attempts.ts'
export type {
  ChatClient,
  ChatStream,
  ClientCapabilities,
  ClientRequest,
  RequestOptions,
} from './chat-client.ts'
export { type ClientOptions, createClient } from './create-client.ts'
export type { ApiKey } from './credentials.ts'
export { PROVIDER_ERROR_CODES, ProviderError, type ProviderErrorCode } from './errors.ts'
export {
  type CircuitState,
  type ClientHealth,
  createFallback,
  type FailedClient,
  type Fallback,
  FallbackError,
  type FallbackMember,
  type FallbackOptions,
  type SwitchEvent,
  type ToolFallback,
} from './fallback.ts'
export type { RetryPolicy } from './retry.ts'
export type { Timeouts } from './watch.ts'

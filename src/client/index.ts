/**
 * Models of any provider behind one face.
 *
 * @module
 */

export type {
  ChatEvent,
  ChatRequest,
  ChatResponse,
  ChatSettings,
  Extra,
  Reasoning,
  ReasoningEffort,
  ResponseFormat,
  StreamFailure,
  ToolChoice,
  Usage,
} from '../core/chat.ts'
export type { Quirks, ReasoningField, SystemMessages } from '../core/dialect.ts'
export type { ModelFacts } from '../providers/model-info.ts'
export { costOf, listPrice, PRICES_DATE, type Price } from '../providers/prices.ts'
export type { Provider } from '../providers/provider.ts'
export type { ProviderId } from '../providers/registry.ts'
export type { ReadingOptions } from '../reading-options.ts'
export type { Retry } from './attempts.ts'
export type {
  ChatClient,
  ChatStream,
  ClientCapabilities,
  ClientRequest,
  ModelClient,
  ModelInfoOptions,
  RequestOptions,
} from './chat-client.ts'
export type { ContextOverflow } from './context-overflow.ts'
export { type ClientOptions, createClient } from './create-client.ts'
export type { ApiKey } from './credentials.ts'
export type { Environment } from './endpoint.ts'
export type { ProviderErrorFields } from './errors.ts'
export { PROVIDER_ERROR_CODES, ProviderError, type ProviderErrorCode } from './errors.ts'
export type { ExtraBody } from './extra-body.ts'
export type { CircuitHealth } from './fallback/circuit.ts'
export {
  type Balance,
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
export type { KeyOrder } from './key-pool.ts'
export type { ModelInfo } from './model-lookup.ts'
export type { FittedReply } from './reply-limit.ts'
export type { RetryPolicy } from './retry.ts'
export type { SendingOptions } from './sending-options.ts'
export type { Timeouts } from './time-limits.ts'

/**
 * A gateway between any client and any model: tool calls come out as the client's own API has them.
 *
 * @module
 */

export type { Environment } from '../client/endpoint.ts'
export type {
  Circuit,
  CircuitOptions,
  KnownHealth,
  Visit as CircuitVisit,
} from '../client/fallback/circuit.ts'
export type { Cooldown } from '../client/fallback/failure-policy.ts'
export type {
  BudgetPeriod,
  ChainLink,
  ClientKey,
  GatewayConfig,
  GatewayLimits,
  KeyBudget,
  ModelConfig,
  ProviderConfig,
  ReadingConfig,
  RescueConfig,
  ToolMode,
  WebSearchConfig,
} from './config.ts'
export { createGateway, type Gateway, type GatewayOptions } from './gateway.ts'
export { GATEWAY_ERROR_CODES, GatewayError, type GatewayErrorCode } from './gateway-error.ts'
export type {
  ByteSink,
  ByteSource,
  GatewayReply,
  GatewayRequest,
  HeaderMap,
  Send,
  UpstreamReply,
  UpstreamRequest,
} from './http.ts'
export type { CallLoop, LoopGuard } from './loop-guard.ts'
export type { GatewayNotice } from './notices.ts'
export type {
  Arrival,
  Asked,
  Attempt,
  GatewayObserver,
  Observation,
  Outcome,
  Remark,
  Rescued,
} from './observer.ts'
export type { PageFile, PageParts, TrafficPages } from './pages/page.ts'
export { createMemoryState, type MemoryStateOptions } from './state/memory-state.ts'
export type { MemoryTurnsOptions } from './state/memory-turns.ts'
export type {
  CircuitBoard,
  GatewayState,
  Keeping,
  Kept,
  Ledger,
  Limiter,
  Spending,
  Taken,
  TurnStore,
} from './state.ts'
export { fetchSend } from './web.ts'

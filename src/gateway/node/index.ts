/**
 * The gateway as a server on Node: with a port, a configuration file, a log, metrics and Redis.
 *
 * @module
 */

export type { SecretMask } from '../../client/secret-mask.ts'
export type { Secrets } from '../../client/secrets.ts'
export { type LoadedConfig, type LoadOptions, loadConfig } from '../config/load.ts'
export type { Finding as ConfigFinding } from '../config/problem.ts'
export { ConfigError, type ConfigProblem } from '../config/problem.ts'
export {
  defineConfig,
  type LogConfig,
  type LogLevel,
  type ResolvedConfig,
  type ServerConfig,
  type TlsFiles,
  type TurnsConfig,
} from '../config/server-config.ts'
export {
  type ConfigWatch,
  type ConfigWatcher,
  type WatchOptions,
  watchConfig,
} from '../config/watch.ts'
export type { DiscoveryReport, FoundKey } from '../discovery/discover.ts'
export type { LocalServer } from '../discovery/local-servers.ts'
export { type ListeningGateway, type ListenOptions, listen } from '../node.ts'
export {
  createLogger,
  createLogObserver,
  type Logger,
  type LoggerOptions,
  type LogObserverOptions,
} from '../observe/log.ts'
export { createMetrics, type Metrics } from '../observe/metrics.ts'
export type {
  TrafficAttempt,
  TrafficEntry,
  TrafficLogOptions,
  TrafficSummary,
  TrafficText,
} from '../observe/traffic.ts'
export { createTrafficLog, type TrafficLog } from '../observe/traffic.ts'
export { type GatewayServer, type ServerOptions, startServer } from '../server.ts'
export { createRedisState, type RedisStateOptions } from '../state/redis-state.ts'
export type { UndiciSend } from '../undici-send.ts'
export { createUndiciSend } from '../undici-send.ts'

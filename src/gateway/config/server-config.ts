/** What a gateway can be told that is a server of its own. Everything may be left out. */
import { isLoopback } from '../../client/endpoint.ts'
import type { GatewayConfig } from '../config.ts'

export interface ServerConfig extends GatewayConfig {
  /** The address to listen at. Default 127.0.0.1: this machine only. */
  readonly host?: string | undefined
  /** Default 4141; 0 takes any that is free. */
  readonly port?: number | undefined
  /** Where gateways keep together what they remember, such as `redis://127.0.0.1:6379`. */
  readonly redisUrl?: string | undefined
  /**
   * Encrypts turns in Redis. Of several secrets the first writes and all of them read, so that one can be
   * replaced by another. At least 32 characters each.
   */
  readonly stateSecret?: string | readonly string[] | undefined
  /** What is remembered of conversations between two requests, in memory and in Redis. */
  readonly turns?: TurnsConfig | undefined
  readonly log?: LogConfig | undefined
  /** The page that shows live requests. Default: on when only this machine can ask, and without keys. */
  readonly traffic?: boolean | undefined
  /** False: no page at `/`. Default true. */
  readonly playground?: boolean | undefined
  /** False: no `/metrics`. Default true. */
  readonly metrics?: boolean | undefined
  /**
   * Whether to look for servers on this machine and for keys in the environment. Default: when no
   * providers are configured. True: also when there are some. False: never.
   */
  readonly discover?: boolean | undefined
  /** How long requests under way may take when the server is asked to stop. Default 30 s. */
  readonly shutdownMs?: number | undefined
  /**
   * How long new requests are still taken when the server is asked to stop, so that load balancers can notice;
   * part of `shutdownMs`. Default: for as long as they come, 5 s at most.
   */
  readonly drainMs?: number | undefined
  /** True: spans and metrics for OpenTelemetry. */
  readonly otel?: boolean | undefined
  /** Files in PEM format; paths are relative to the configuration file. */
  readonly tls?: TlsFiles | undefined
}

export interface TurnsConfig {
  /** How long turns are kept. Default a day. */
  readonly ttlMs?: number | undefined
  /** Longer turns are not kept. Default 1 MiB. */
  readonly entryBytes?: number | undefined
  /** How many turns of one client key are in the memory of a gateway. Default 10,000. */
  readonly entriesPerKey?: number | undefined
  /** How much of that memory the turns of one client key may take. Default 16 MiB. */
  readonly bytesPerKey?: number | undefined
}

export interface LogConfig {
  /** Default `info`. */
  readonly level?: LogLevel | undefined
  /** True: what clients and providers send is written as well. Default false. */
  readonly payloads?: boolean | undefined
  /** For people instead of programs. Default: in a terminal. */
  readonly pretty?: boolean | undefined
}

export type LogLevel = (typeof LOG_LEVELS)[number]

export interface TlsFiles {
  readonly cert: string
  readonly key: string
}

/** With everything that has a default of its own. */
export interface ResolvedConfig extends ServerConfig {
  readonly host: string
  readonly port: number
  readonly log: LogConfig & Required<Pick<LogConfig, 'payloads'>> & { readonly level: LogLevel }
  readonly traffic: boolean
  readonly playground: boolean
  readonly metrics: boolean
  readonly discover: boolean
  readonly shutdownMs: number
  readonly otel: boolean
}

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const

export const SERVER_DEFAULTS = {
  host: '127.0.0.1',
  port: 4141,
  playground: true,
  metrics: true,
  shutdownMs: 30_000,
  otel: false,
} as const

export const LOG_DEFAULTS = { level: 'info', payloads: false } as const

/** For configuration files in TypeScript: the same object, with its type checked. */
export function defineConfig(config: ServerConfig): ServerConfig {
  return config
}

export function withDefaults(config: ServerConfig): ResolvedConfig {
  const { host = SERVER_DEFAULTS.host, port = SERVER_DEFAULTS.port, log = {} } = config
  return {
    ...config,
    host,
    port,
    log: {
      ...log,
      level: log.level ?? LOG_DEFAULTS.level,
      payloads: log.payloads ?? LOG_DEFAULTS.payloads,
    },
    traffic: config.traffic ?? (isLoopback(host) && (config.keys ?? []).length === 0),
    playground: config.playground ?? SERVER_DEFAULTS.playground,
    metrics: config.metrics ?? SERVER_DEFAULTS.metrics,
    discover: config.discover ?? Object.keys(config.providers ?? {}).length === 0,
    shutdownMs: config.shutdownMs ?? SERVER_DEFAULTS.shutdownMs,
    otel: config.otel ?? SERVER_DEFAULTS.otel,
  }
}

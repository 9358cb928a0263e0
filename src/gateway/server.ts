/** A gateway as a server of its own, with everything that belongs to one. */
import { readFile } from 'node:fs/promises'
import { type Environment, isLoopback } from '../client/endpoint.ts'
import { checkObject, checkText } from '../core/caller-input.ts'
import type { JsonValue } from '../core/json/value.ts'
import type { ResolvedConfig } from './config/server-config.ts'
import type { DiscoveryReport } from './discovery/discover.ts'
import { createRediscovery } from './discovery/rediscovery.ts'
import { createGateway, type Gateway } from './gateway.ts'
import type { ByteSink, ByteSource } from './http.ts'
import { type ListeningGateway, listen } from './node.ts'
import { createLogger, createLogObserver, type Logger } from './observe/log.ts'
import { createMetrics, type Metrics } from './observe/metrics.ts'
import { createTrafficLog, type TrafficLog } from './observe/traffic.ts'
import type { GatewayObserver } from './observer.ts'
import { createPageFiles } from './page-files.ts'
import type { PageParts, TrafficPages } from './pages/page.ts'
import { createMemoryState } from './state/memory-state.ts'
import { createRedisState } from './state/redis-state.ts'
import type { GatewayState } from './state.ts'
import { createUndiciSend } from './undici-send.ts'

export interface ServerOptions {
  readonly env: Environment
  readonly version: string
  /** Default: one as the configuration says. */
  readonly logger?: Logger | undefined
  /** Folders with the files of the playground. */
  readonly pageFolders?: readonly string[] | undefined
}

export interface GatewayServer {
  readonly url: string
  readonly gateway: Gateway
  readonly logger: Logger
  /** What was found without being configured. */
  readonly found: DiscoveryReport
  /** The models that clients see. */
  models(): readonly string[]
  /** Host, port, keys of TLS, Redis and logs stay as they are. Throws when the configuration is wrong. */
  reload(config: ResolvedConfig): Promise<void>
  /** Lets load balancers notice, and finishes what is under way, for as long as the configuration allows. */
  stop(): Promise<void>
}

/** How long the start waits for the providers' lists of models; those that come later are taken as they come. */
const LISTS_MS = 500

/** @throws InvalidInputError when the configuration is wrong, or what the system says about the port. */
export async function startServer(
  config: ResolvedConfig,
  options: ServerOptions,
): Promise<GatewayServer> {
  checkObject('a configuration', config, 'the config that loadConfig() gives')
  checkText('host', config.host, 'an address; loadConfig() fills in the defaults')
  checkObject('the options of startServer', options, "{ env: process.env, version: '1.0.0' }")
  const { env, version } = options
  const logger = options.logger ?? createLogger(config.log)
  const upstream = createUndiciSend()
  const rediscovery = createRediscovery<ResolvedConfig>({
    send: upstream.send,
    env,
    onFound({ config: again }, news) {
      use(again)
      void gateway.readModels(LISTS_MS)
      for (const { provider, baseUrl, models } of news) {
        logger.info({ provider, baseUrl, models: models.length }, 'found a server')
      }
    },
    isIdle: () => gateway.pending() === 0,
  })
  const { config: whole, report } = await rediscovery.begin(config)
  const state = await openState(config, logger)
  const metrics = config.metrics ? createMetrics() : undefined
  const traffic = config.traffic ? createTrafficLog() : undefined
  const pages: PageParts = {
    version,
    metrics: metrics && (() => metrics.render()),
    traffic: traffic && trafficPages(traffic),
    file: config.playground ? createPageFiles(options.pageFolders) : undefined,
  }
  const gateway = createGateway(whole, {
    send: upstream.send,
    state,
    env,
    pages,
    onNotice: ({ code, message }) => logger.warn({ code }, message),
    onModels: (names) => metrics?.knowModels(names),
    localOnly: isLoopback(config.host),
    onUnknownModel: () => rediscovery.look(),
    observers: await observersOf(config, logger, metrics, traffic),
  })
  function use(next: ResolvedConfig): void {
    gateway.reload(next)
    metrics?.knowModels(gateway.models())
  }
  const listening = await open(gateway, config).catch(async (error: unknown) => {
    await Promise.all([state.close(), upstream.close()])
    throw error
  })
  await gateway.readModels(LISTS_MS)
  metrics?.knowModels(gateway.models())
  rediscovery.start()
  return {
    url: listening.url,
    gateway,
    logger,
    found: report,
    models: () => gateway.models(),
    async reload(next) {
      const { config: again } = await rediscovery.begin(next)
      use(again)
      await gateway.readModels(LISTS_MS)
      metrics?.knowModels(gateway.models())
    },
    async stop() {
      rediscovery.stop()
      await listening.shutdown(config.shutdownMs, config.drainMs)
      await Promise.all([gateway.close(), upstream.close()])
    },
  }
}

async function open(gateway: Gateway, config: ResolvedConfig): Promise<ListeningGateway> {
  const { host, port, limits, tls } = config
  const files = tls && {
    cert: await readFile(tls.cert, 'utf8'),
    key: await readFile(tls.key, 'utf8'),
  }
  return listen(gateway, { host, port, limits, tls: files })
}

async function openState(
  { redisUrl, stateSecret, turns = {} }: ResolvedConfig,
  logger: Logger,
): Promise<GatewayState> {
  const { ttlMs, entryBytes: maxEntryBytes } = turns
  const local = createMemoryState({
    ttlMs,
    maxEntryBytes,
    maxEntriesEach: turns.entriesPerKey,
    maxBytesEach: turns.bytesPerKey,
  })
  if (redisUrl === undefined) return local
  return createRedisState({
    url: redisUrl,
    local,
    ttlMs,
    maxEntryBytes,
    secrets: typeof stateSecret === 'string' ? [stateSecret] : stateSecret,
    onProblem: (error) =>
      logger.warn({ err: error }, 'Redis cannot be reached, or does not do what it is asked'),
  })
}

async function observersOf(
  { log, otel }: ResolvedConfig,
  logger: Logger,
  metrics: Metrics | undefined,
  traffic: TrafficLog | undefined,
): Promise<GatewayObserver[]> {
  const spans = otel ? (await import('./observe/otel.ts')).createOtelObserver() : undefined
  const all = [createLogObserver({ logger, payloads: log.payloads }), metrics, traffic, spans]
  return all.filter((one) => one !== undefined)
}

// ── traffic as pages ────────────────────────────────────────────────────────────────────────────

function trafficPages(log: TrafficLog): TrafficPages {
  return {
    list: () => asJson(log.list()),
    get(id) {
      const entry = log.get(id)
      return entry && asJson(entry)
    },
    follow: () => followSource(log),
  }
}

/** Only plain data goes into the log; what is not set is left out. */
function asJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue
}

const encoder = new TextEncoder()

function followSource(log: TrafficLog): ByteSource {
  let stop = (): void => {}
  let isPaused = false

  function send(sink: ByteSink, text: string): void {
    // Whoever does not read misses some; the next one tells it all.
    if (!isPaused) sink.data(encoder.encode(text))
  }

  return {
    start(sink) {
      // Something at once, so that whoever waits sees that it works.
      send(sink, ': traffic\n\n')
      stop = log.subscribe((summary) =>
        send(sink, `event: exchange\ndata: ${JSON.stringify(summary)}\n\n`),
      )
    },
    pause() {
      isPaused = true
    },
    resume() {
      isPaused = false
    },
    cancel: () => stop(),
  }
}

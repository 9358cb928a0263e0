/** Servers on this machine that start after the gateway: looked for now and then, and when a model is unknown. */
import type { ServerConfig } from '../config/server-config.ts'
import { type DiscoverOptions, type Discovery, withDiscovered } from './discover.ts'
import type { LocalServer } from './local-servers.ts'

export interface Rediscovery<Config extends ServerConfig> {
  /** What there is with this configuration, which counts from now on. */
  begin(config: Config): Promise<Discovery<Config>>
  /** Asks all of them. True when something was found that was not there before, and has been handed over. */
  look(): Promise<boolean>
  /** Looks now and then, for servers that are not known. */
  start(): void
  stop(): void
}

export interface RediscoveryOptions<Config extends ServerConfig> extends DiscoverOptions {
  /** Told what there is now, and which servers are new or have other models. */
  readonly onFound: (found: Discovery<Config>, news: readonly LocalServer[]) => void
  /** False while the gateway has better things to do. */
  readonly isIdle: () => boolean
  readonly intervalMs?: number | undefined
  /** Clients that ask for unknown models again and again must not keep everybody busy. */
  readonly pauseMs?: number | undefined
}

/** Local servers start with their user, who then waits. */
const INTERVAL_MS = 30_000
const PAUSE_MS = 1000

export function createRediscovery<Config extends ServerConfig>(
  options: RediscoveryOptions<Config>,
): Rediscovery<Config> {
  const { onFound, isIdle, intervalMs = INTERVAL_MS, pauseMs = PAUSE_MS, ...asking } = options
  let current: Config | undefined
  let known: readonly LocalServer[] = []
  let looking: Promise<boolean> | undefined
  let lookedAt = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setInterval> | undefined

  async function begin(config: Config): Promise<Discovery<Config>> {
    current = config
    known = []
    const found = await withDiscovered(config, asking)
    if (current !== config) return found
    known = found.report.local
    return found
  }

  function start(): void {
    timer ??= setInterval(() => {
      // Servers that are known write each question into their logs.
      if (isIdle()) void lookFor({ ...asking, skip: known.map(({ provider }) => provider) })
    }, intervalMs)
    // Runtimes without processes have plain numbers for timers.
    if (typeof timer === 'object') timer.unref()
  }

  function look(): Promise<boolean> {
    if (!looking && performance.now() - lookedAt < pauseMs) return Promise.resolve(false)
    return lookFor(asking)
  }

  function lookFor(how: DiscoverOptions): Promise<boolean> {
    // What was found and cannot be used changes nothing.
    const compared = (): Promise<boolean> => compare(how).catch(() => false)
    looking ??= compared().finally(() => {
      looking = undefined
      lookedAt = performance.now()
    })
    return looking
  }

  async function compare(how: DiscoverOptions): Promise<boolean> {
    const config = current
    if (!config) return false
    const found = await withDiscovered(config, { ...how, known })
    // Another configuration counts meanwhile, with what there is for it.
    if (config !== current) return false
    const news = found.report.local.filter((server) => isNews(server, known))
    known = found.report.local
    if (news.length > 0) onFound(found, news)
    return news.length > 0
  }

  return { begin, look, start, stop: () => clearInterval(timer) }
}

function isNews(server: LocalServer, known: readonly LocalServer[]): boolean {
  const before = known.find(({ provider }) => provider === server.provider)
  return (
    before === undefined ||
    before.baseUrl !== server.baseUrl ||
    before.models.join('\n') !== server.models.join('\n')
  )
}

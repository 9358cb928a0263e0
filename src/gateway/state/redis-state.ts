/** What several gateways remember together, in Redis; and each by itself while Redis is away. */
import { checkObject } from '../../core/caller-input.ts'
import { InvalidInputError } from '../../core/errors.ts'
import type { GatewayState } from '../state.ts'
import { createMemoryState } from './memory-state.ts'
import { channelOf, createRedisCircuits } from './redis-circuits.ts'
import { createRedisLedger } from './redis-ledger.ts'
import { createRedisLimits } from './redis-limits.ts'
import { createRedisLink } from './redis-link.ts'
import { loadRedis } from './redis-package.ts'
import { createRedisTurns } from './redis-turns.ts'
import { createSeal } from './seal.ts'
import { TURN_DEFAULTS } from './turn-limits.ts'

export interface RedisStateOptions {
  /** `redis://[user:password@]host[:port][/database]`, or `rediss://` with TLS. */
  readonly url: string
  /** What the names of all keys begin with. Default `toolglot:`. */
  readonly prefix?: string | undefined
  /** How long turns are kept. Default a day. */
  readonly ttlMs?: number | undefined
  /** Longer turns are not kept. Default 1 MiB. */
  readonly maxEntryBytes?: number | undefined
  /**
   * Encrypts turns before they leave the gateway. The first secret writes, all of them read, so that one can
   * be replaced by another. At least 32 characters each. Default: turns are readable in Redis.
   */
  readonly secrets?: readonly string[] | undefined
  /** Told when Redis goes away, once each time. Nothing has to be done: it is tried again. */
  readonly onProblem?: ((error: unknown) => void) | undefined
  /** What is used while Redis is away; whoever made it closes it. Default: a new one. */
  readonly local?: GatewayState | undefined
  /** How long a request waits for a Redis that is silent. Default 500 ms. One that answers others gets 2 s. */
  readonly commandMs?: number | undefined
  /** How long the end of a reply waits until Redis has its turn. Default 1 s. */
  readonly writeMs?: number | undefined
  /** How long Redis is left alone when it did not answer. Default 1 s. */
  readonly restMs?: number | undefined
  /** How long the places of a gateway that died are still taken. Default 30 s. */
  readonly leaseMs?: number | undefined
}

/** How long the start waits for Redis. */
const START_MS = 3000

/** Also works when Redis is not there yet. */
export async function createRedisState(options: RedisStateOptions): Promise<GatewayState> {
  checkObject('options', options, "{ url: 'redis://127.0.0.1:6379' }")
  const { url, prefix = 'toolglot:', onProblem, leaseMs = 30_000 } = options
  const { commandMs = 500, restMs = 1000, writeMs = 1000, secrets } = options
  const { ttlMs = TURN_DEFAULTS.ttlMs, maxEntryBytes = TURN_DEFAULTS.entryBytes } = options
  const { local = createMemoryState({ ttlMs, maxEntryBytes }) } = options
  checkUrl(url)
  const seal = secrets && (await createSeal(secrets))
  const gateway = crypto.randomUUID()
  const link = createRedisLink({
    redis: await loadRedis(),
    url,
    channel: channelOf(prefix),
    commandMs,
    restMs,
    onMessage: (message) => circuits.hear(message),
    onProblem: (error) => onProblem?.(error),
    onUp() {
      limits.renew()
      void circuits.catchUp()
      void turns.catchUp()
    },
  })
  const turns = createRedisTurns(link, local.turns, {
    prefix,
    ttlMs,
    maxEntryBytes,
    writeMs,
    seal,
    now: Date.now,
  })
  const limits = createRedisLimits(link, local.limits, { prefix, gateway, leaseMs })
  const circuits = createRedisCircuits(link, local.circuits, { prefix, gateway })
  const renewal = setInterval(limits.renew, leaseMs / 3)
  renewal.unref()
  await link.settled(START_MS)
  // So that the first request already knows who is to be left alone.
  await circuits.catchUp()

  return {
    turns,
    limits,
    circuits,
    ledger: createRedisLedger(link, local.ledger, { prefix }),
    isShared: link.isUp,
    async close() {
      clearInterval(renewal)
      // What was sent before, such as the end of leases, has arrived when this is answered.
      await link.ask(['PING'])
      link.close()
      if (!options.local) await local.close()
    },
  }
}

/** The message does not quote it: there may be a password in it. */
function checkUrl(url: string): void {
  const { protocol } = URL.canParse(url) ? new URL(url) : { protocol: '' }
  if (protocol === 'redis:' || protocol === 'rediss:') return
  throw new InvalidInputError(
    'the address of Redis must look like redis://[user:password@]host[:port][/database]',
  )
}

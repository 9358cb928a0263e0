/** Limits that hold for all gateways together; while Redis is away, for each one by itself. */
import type { Limiter, Taken } from '../state.ts'
import { batchesOf } from './batches.ts'
import { once } from './memory-state.ts'
import type { RedisLink } from './redis-link.ts'
import { ENTER, RENEW, runScript, TAKE } from './redis-scripts.ts'
import { refused } from './request-rate.ts'

export interface RedisLimitsOptions {
  readonly prefix: string
  /** The name of this gateway, which nobody else has. */
  readonly gateway: string
  /** How long the places of a gateway that died are still taken. */
  readonly leaseMs: number
}

export interface RedisLimits extends Limiter {
  /**
   * Says that the requests under way still are, and gives up the places of those that are not; to be called
   * well before the leases end.
   */
  renew(): void
}

/** How many leases are renewed by one command. */
const BATCH = 1000

export function createRedisLimits(
  link: RedisLink,
  local: Limiter,
  { prefix, gateway, leaseMs }: RedisLimitsOptions,
): RedisLimits {
  /** For each client, its leases, and what gives one up when its request is no longer under way. */
  const held = new Map<string, Map<string, Lease>>()
  let entered = 0

  const leasesOf = (who: string): string => `${prefix}in-flight:${who}`

  function hold(who: string, lease: Lease): string {
    const name = `${gateway}:${entered++}`
    const leases = held.get(who) ?? new Map<string, Lease>()
    held.set(who, leases.set(name, lease))
    return name
  }

  function drop(who: string, name: string): void {
    const leases = held.get(who)
    leases?.delete(name)
    if (leases?.size === 0) held.delete(who)
  }

  function leave(who: string, name: string, { leaveHere }: Lease): void {
    drop(who, name)
    leaveHere()
    void link.ask(['ZREM', leasesOf(who), name])
  }

  return {
    async take(who, perMinute) {
      const here = await local.take(who, perMinute)
      if (perMinute <= 0) return here
      const [answer] =
        (await link.ask(runScript(TAKE, [`${prefix}rate:${who}`], [perMinute]))) ?? []
      return readTaken(answer, perMinute) ?? here
    },

    async enter(who, atMost, isUnderWay = () => true) {
      // More than here cannot be everywhere.
      const leaveHere = await local.enter(who, atMost, isUnderWay)
      if (!leaveHere) return undefined
      const lease: Lease = { leaveHere, isUnderWay }
      // Held before Redis has agreed: should its answer be late, the lease must not be forgotten.
      const name = hold(who, lease)
      const command = runScript(ENTER, [leasesOf(who)], [atMost, leaseMs, name])
      const [answer] = (await link.ask(command)) ?? []
      if (answer === 0) {
        drop(who, name)
        leaveHere()
        return undefined
      }
      return once(() => leave(who, name, lease))
    },

    renew() {
      for (const [who, leases] of held) {
        for (const [name, lease] of leases) if (!lease.isUnderWay()) leave(who, name, lease)
        for (const batch of batchesOf([...leases.keys()], BATCH)) {
          void link.ask(runScript(RENEW, [leasesOf(who)], [leaseMs, ...batch]))
        }
      }
    },
  }
}

interface Lease {
  leaveHere(): void
  isUnderWay(): boolean
}

function readTaken(answer: unknown, limit: number): Taken | undefined {
  if (!Array.isArray(answer)) return undefined
  const [allowed, remaining, wait] = answer.map(Number)
  if (allowed !== 1) return refused(limit, wait ?? 0)
  return { allowed: true, limit, remaining: remaining ?? 0, retryAfterMs: 0 }
}

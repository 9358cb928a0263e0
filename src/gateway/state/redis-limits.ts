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
  /** Says that the requests under way still are; to be called well before the leases end. */
  renew(): void
}

/** How many leases are renewed by one command. */
const BATCH = 1000

export function createRedisLimits(
  link: RedisLink,
  local: Limiter,
  { prefix, gateway, leaseMs }: RedisLimitsOptions,
): RedisLimits {
  const held = new Map<string, Set<string>>()
  let entered = 0

  const leasesOf = (who: string): string => `${prefix}in-flight:${who}`

  function hold(who: string): string {
    const lease = `${gateway}:${entered++}`
    const leases = held.get(who) ?? new Set()
    held.set(who, leases.add(lease))
    return lease
  }

  function drop(who: string, lease: string): void {
    const leases = held.get(who)
    leases?.delete(lease)
    if (leases?.size === 0) held.delete(who)
  }

  return {
    async take(who, perMinute) {
      const here = await local.take(who, perMinute)
      if (perMinute <= 0) return here
      const [answer] =
        (await link.ask(runScript(TAKE, [`${prefix}rate:${who}`], [perMinute]))) ?? []
      return readTaken(answer, perMinute) ?? here
    },

    async enter(who, atMost) {
      // More than here cannot be everywhere.
      const leaveHere = await local.enter(who, atMost)
      if (!leaveHere) return undefined
      // Held before Redis has agreed: should its answer be late, the lease must not be forgotten.
      const lease = hold(who)
      const command = runScript(ENTER, [leasesOf(who)], [atMost, leaseMs, lease])
      const [answer] = (await link.ask(command)) ?? []
      if (answer === 0) {
        drop(who, lease)
        leaveHere()
        return undefined
      }
      return once(() => {
        drop(who, lease)
        leaveHere()
        void link.ask(['ZREM', leasesOf(who), lease])
      })
    },

    renew() {
      for (const [who, leases] of held) {
        for (const batch of batchesOf([...leases], BATCH)) {
          void link.ask(runScript(RENEW, [leasesOf(who)], [leaseMs, ...batch]))
        }
      }
    },
  }
}

function readTaken(answer: unknown, limit: number): Taken | undefined {
  if (!Array.isArray(answer)) return undefined
  const [allowed, remaining, wait] = answer.map(Number)
  if (allowed !== 1) return refused(limit, wait ?? 0)
  return { allowed: true, limit, remaining: remaining ?? 0, retryAfterMs: 0 }
}

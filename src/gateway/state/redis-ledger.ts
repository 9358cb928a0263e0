/** What was spent at all gateways together; while Redis is away, what this one knows. */
import type { Ledger, Spending } from '../state.ts'
import type { RedisLink } from './redis-link.ts'
import { ADD_SPENDING, runScript } from './redis-scripts.ts'

/** Clocks of gateways differ, and a period that has just ended may still be asked for. */
const SLACK_MS = 60 * 60 * 1000

export function createRedisLedger(
  link: RedisLink,
  local: Ledger,
  { prefix }: { readonly prefix: string },
): Ledger {
  const placeOf = (account: string): string => `${prefix}spent:${account}`
  return {
    async spent(account) {
      const here = await local.spent(account)
      const [answer] = (await link.ask(['HMGET', placeOf(account), 'tokens', 'usd'])) ?? []
      // What was spent here while Redis was away is part of neither more nor less than this gateway knows.
      return most(here, readSpending(answer))
    },
    async add(account, spending, neededMs) {
      await local.add(account, spending, neededMs)
      const kept = Math.ceil(neededMs) + SLACK_MS
      const args = [spending.tokens, spending.usd, kept]
      await link.ask(runScript(ADD_SPENDING, [placeOf(account)], args))
    },
  }
}

function most(one: Spending, other: Spending): Spending {
  return { tokens: Math.max(one.tokens, other.tokens), usd: Math.max(one.usd, other.usd) }
}

function readSpending(answer: unknown): Spending {
  const [tokens = 0, usd = 0] = Array.isArray(answer) ? answer.map((one) => Number(one ?? 0)) : []
  return { tokens: Number.isFinite(tokens) ? tokens : 0, usd: Number.isFinite(usd) ? usd : 0 }
}

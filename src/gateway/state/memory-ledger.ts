/** What was spent, as far as one gateway knows. */
import { createRecentMap } from '../../core/recent-map.ts'
import type { Ledger, Spending } from '../state.ts'

/** Accounts are a configured key and a period each. */
const MAX_ACCOUNTS = 100_000
const NOTHING: Spending = { tokens: 0, usd: 0 }

interface Account extends Spending {
  readonly until: number
}

/** `now`: milliseconds on a clock that never goes back. */
export function createMemoryLedger(now: () => number): Ledger {
  const accounts = createRecentMap<Account>({ maxEntries: MAX_ACCOUNTS })
  return {
    async spent(account) {
      const { tokens, usd } = accounts.get(account) ?? NOTHING
      return { tokens, usd }
    },
    async add(account, { tokens, usd }, neededMs) {
      const before = accounts.get(account) ?? NOTHING
      const until = now() + neededMs
      accounts.set(account, { tokens: before.tokens + tokens, usd: before.usd + usd, until })
      accounts.forgetWhile((one) => one.until < now())
    },
  }
}

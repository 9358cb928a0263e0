/** What each key has used of each model since the gateway began, for the page and for `/usage`. */
import type { Usage } from '../core/chat.ts'
import { createRecentMap } from '../core/recent-map.ts'

export interface UsageRow {
  /** The name of the client's key; undefined for clients without one. */
  readonly key: string | undefined
  readonly provider: string
  readonly model: string
  readonly requests: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Replies whose provider did not say what they took: their tokens are estimated. */
  readonly estimated: number
  /** US dollars of the replies whose price is known. */
  readonly costUsd: number
  /** Replies whose price is not known. */
  readonly unpriced: number
}

export interface UsedReply extends Pick<UsageRow, 'key' | 'provider' | 'model'> {
  readonly usage: Usage
  readonly isEstimated: boolean
  readonly costUsd: number | undefined
}

export interface UsageBook {
  add(reply: UsedReply): void
  /** Those used most recently last. */
  rows(): UsageRow[]
}

/** Names of models come from clients, and there may be no end of them. */
const MAX_ROWS = 1000

export function createUsageBook(): UsageBook {
  const known = createRecentMap<UsageRow>({ maxEntries: MAX_ROWS })
  return {
    add({ key, provider, model, usage, isEstimated, costUsd }) {
      const name = JSON.stringify([key, provider, model])
      const before = known.get(name)
      known.set(name, {
        key,
        provider,
        model,
        requests: (before?.requests ?? 0) + 1,
        inputTokens: (before?.inputTokens ?? 0) + (usage.inputTokens ?? 0),
        outputTokens: (before?.outputTokens ?? 0) + (usage.outputTokens ?? 0),
        estimated: (before?.estimated ?? 0) + (isEstimated ? 1 : 0),
        costUsd: (before?.costUsd ?? 0) + (costUsd ?? 0),
        unpriced: (before?.unpriced ?? 0) + (costUsd === undefined ? 1 : 0),
      })
    },
    rows: () => [...known.keys()].flatMap((name) => known.get(name) ?? []),
  }
}

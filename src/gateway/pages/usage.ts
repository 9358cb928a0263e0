/** `GET /usage`: what each key has spent, and what of each model it has used since the gateway began. */
import type { JsonObject } from '../../core/json/value.ts'
import type { Budgets } from '../budget.ts'
import type { ClientKey } from '../config.ts'
import type { GatewayReply } from '../http.ts'
import type { UsageRow } from '../usage-book.ts'
import { json, type PageVisit } from './page.ts'

export async function usagePage({ spending }: PageVisit): Promise<GatewayReply> {
  const { budgets, usage, keys } = spending
  const shown = await Promise.all(keys.map((key) => shownKey(key, budgets)))
  return json({ keys: shown, models: usage.rows().map(shownRow) })
}

/** Never the key itself. */
async function shownKey(key: ClientKey, budgets: Budgets): Promise<JsonObject> {
  const { name, budget } = key
  const spent = await budgets.spent(key)
  if (!budget || !spent) return { name }
  const { usd, tokens, per = 'month' } = budget
  const limits = { ...(usd !== undefined && { usd }), ...(tokens !== undefined && { tokens }) }
  return { name, budget: { ...limits, per }, spent: { ...spent } }
}

function shownRow({ key, ...row }: UsageRow): JsonObject {
  return { ...(key !== undefined && { key }), ...row }
}

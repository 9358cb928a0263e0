/** What a key may spend in an hour, a day or a month, in tokens or US dollars. */
import { refused } from '../core/caller-input.ts'
import type { Price } from '../providers/prices.ts'
import type { BudgetPeriod, ClientKey, KeyBudget } from './config.ts'
import type { Chain } from './directory.ts'
import { GatewayError } from './gateway-error.ts'
import { shownName } from './shown-text.ts'
import type { Ledger, Spending } from './state.ts'

export const BUDGET_PERIODS = ['hour', 'day', 'month'] as const

/** How much of a date in ISO 8601 names the period that it is in. */
const NAME_LENGTHS: Readonly<Record<BudgetPeriod, number>> = { hour: 13, day: 10, month: 7 }

/** One period of a budget, by the calendar in UTC. */
export interface Period {
  /** Such as `2026-11-19` for a day. */
  readonly name: string
  /** Milliseconds until the next one begins. */
  readonly leftMs: number
}

export function periodAt(at: number, per: BudgetPeriod): Period {
  const date = new Date(at)
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()]
  const [day, hour] = [date.getUTCDate(), date.getUTCHours()]
  const next = {
    hour: Date.UTC(year, month, day, hour + 1),
    day: Date.UTC(year, month, day + 1),
    month: Date.UTC(year, month + 1),
  }
  return { name: date.toISOString().slice(0, NAME_LENGTHS[per]), leftMs: next[per] - at }
}

/** What a reply has used. */
export interface Charge {
  readonly tokens: number
  /** Undefined when the price of the model is not known. */
  readonly costUsd: number | undefined
}

export interface Budgets {
  /** Throws a GatewayError when the key has spent what it may. */
  check(key: ClientKey): Promise<void>
  /** Adds what a reply has used to what the key has spent. */
  charge(key: ClientKey, charge: Charge): void
  /** What the key has spent in the current period of its budget; undefined without a budget. */
  spent(key: ClientKey): Promise<(Spending & { readonly period: string }) | undefined>
}

/** `now`: milliseconds since 1970, since periods follow the calendar. */
export function createBudgets(ledger: Ledger, now: () => number): Budgets {
  const placeOf = (key: ClientKey, { per = 'month' }: KeyBudget) => {
    const period = periodAt(now(), per)
    return { account: `${key.name} ${period.name}`, period }
  }

  return {
    async check(key) {
      const { budget } = key
      if (!budget) return
      const { account, period } = placeOf(key, budget)
      const spent = await ledger.spent(account)
      const { usd = Infinity, tokens = Infinity, per = 'month' } = budget
      if (spent.usd < usd && spent.tokens < tokens) return
      const what = spent.usd >= usd ? `${usd} US dollars` : `${tokens} tokens`
      const message = `this key has used its budget of ${what} for the ${per} ${period.name} (UTC)`
      throw new GatewayError('budget_exhausted', message, period.leftMs)
    },
    charge(key, { tokens, costUsd: usd = 0 }) {
      if (!key.budget) return
      const { account, period } = placeOf(key, key.budget)
      void ledger.add(account, { tokens, usd }, period.leftMs)
    },
    async spent(key) {
      if (!key.budget) return undefined
      const { account, period } = placeOf(key, key.budget)
      return { ...(await ledger.spent(account)), period: period.name }
    },
  }
}

/** A budget in dollars cannot be kept with a model whose price nobody knows. Throws a GatewayError for one. */
export function checkPriced({ budget, name }: ClientKey, chain: Chain): void {
  if (budget?.usd === undefined) return
  for (const { client } of chain.members) {
    const target = chain.targetOf(client)
    if (target.price) continue
    const model = shownName(`${target.name}/${target.model}`)
    const message = `the key ${JSON.stringify(name)} has a budget in US dollars, and the price of ${model} is not known; the gateway's "prices" must say it`
    throw new GatewayError('unknown_price', message)
  }
}

/** @throws InvalidInputError for a budget that nobody could keep. */
export function checkBudget({ name, budget }: ClientKey): void {
  if (budget === undefined) return
  const { usd, tokens, per } = budget
  const where = `the budget of the key ${JSON.stringify(name)}`
  if (usd === undefined && tokens === undefined)
    throw refused(where, budget, '{ usd } or { tokens }')
  for (const [field, value] of Object.entries({ usd, tokens })) {
    if (value === undefined || isAmount(value)) continue
    throw refused(`${field} of ${where}`, value, 'a number above 0')
  }
  if (per !== undefined && !BUDGET_PERIODS.includes(per)) {
    throw refused(`per of ${where}`, per, BUDGET_PERIODS.join(', '))
  }
}

/** @throws InvalidInputError for a price with which nothing can be computed. */
export function checkPrice(pattern: string, price: Price): void {
  for (const field of ['input', 'output', 'cacheRead', 'cacheWrite'] as const) {
    const value = price[field]
    const isOptional = field.startsWith('cache')
    if ((isOptional && value === undefined) || isPrice(value)) continue
    throw refused(`prices[${JSON.stringify(pattern)}].${field}`, value, 'a number from 0')
  }
}

function isPrice(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

function isAmount(value: unknown): boolean {
  return isPrice(value) && value !== 0
}

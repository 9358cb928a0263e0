import { describe, expect, test } from 'vitest'
import { createBudgets, periodAt } from './budget.ts'
import type { ClientKey } from './config.ts'
import { createMemoryLedger } from './state/memory-ledger.ts'

const HOUR = 60 * 60 * 1000
const at = (text: string): number => Date.parse(text)

test.for([
  ['hour', '2026-11-19T22:15:00Z', '2026-11-19T22', 0.75 * HOUR],
  ['day', '2026-11-19T22:15:00Z', '2026-11-19', 1.75 * HOUR],
  ['month', '2026-11-30T23:00:00Z', '2026-11', HOUR],
  ['month', '2026-12-31T23:30:00Z', '2026-12', 0.5 * HOUR],
] as const)('the %s of %s', ([per, date, name, leftMs]) => {
  expect(periodAt(at(date), per)).toEqual({ name, leftMs })
})

describe('a budget', () => {
  function open(date: string) {
    const clock = { now: at(date) }
    const budgets = createBudgets(
      createMemoryLedger(() => clock.now),
      () => clock.now,
    )
    return { clock, budgets }
  }
  const key: ClientKey = { name: 'app', key: 'k', budget: { usd: 1, tokens: 1000, per: 'day' } }

  test('is checked against what was spent in its period', async () => {
    const { clock, budgets } = open('2026-11-19T22:00:00Z')
    budgets.charge(key, { tokens: 10, costUsd: 0.6 })
    await expect(budgets.check(key)).resolves.toBeUndefined()
    budgets.charge(key, { tokens: 10, costUsd: 0.6 })
    expect(await budgets.spent(key)).toEqual({ tokens: 20, usd: 1.2, period: '2026-11-19' })
    await expect(budgets.check(key)).rejects.toMatchObject({
      code: 'budget_exhausted',
      retryAfterMs: 2 * HOUR,
    })
    clock.now += 2 * HOUR
    await expect(budgets.check(key)).resolves.toBeUndefined()
  })

  test('counts tokens whose price is not known', async () => {
    const { budgets } = open('2026-11-19T22:00:00Z')
    budgets.charge(key, { tokens: 1000, costUsd: undefined })
    await expect(budgets.check(key)).rejects.toThrow(/1000 tokens/)
  })

  test('of one key is not that of another', async () => {
    const { budgets } = open('2026-11-19T22:00:00Z')
    budgets.charge(key, { tokens: 5000, costUsd: 5 })
    await expect(budgets.check({ ...key, name: 'other' })).resolves.toBeUndefined()
    await expect(budgets.check({ name: 'app', key: 'k' })).resolves.toBeUndefined()
  })
})

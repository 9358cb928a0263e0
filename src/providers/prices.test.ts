import { expect, test } from 'vitest'
import { costOf, FREE, listPrice } from './prices.ts'
import { allProviders } from './registry.ts'

test.for([
  ['openai', 'gpt-5', 1.25],
  ['openai', 'gpt-5-2025-08-07', 1.25],
  ['openai', 'gpt-5-codex', 1.25],
  ['openai', 'gpt-5-mini', 0.25],
  ['openai', 'gpt-5.2', 1.75],
  ['openai', 'gpt-4.1-mini-2025-04-14', 0.4],
  ['anthropic', 'claude-opus-4-5-20251101', 5],
  ['anthropic', 'claude-opus-4-1-20250805', 15],
  ['anthropic', 'claude-sonnet-4-5', 3],
  ['google', 'gemini-2.5-flash-lite', 0.1],
  ['google', 'gemini-2.5-flash', 0.3],
  ['ollama', 'anything', 0],
] as const)('%s %s', ([provider, model, input]) => {
  expect(listPrice(provider, model)?.input).toBe(input)
})

test.for([
  ['openai', 'gpt-5-pro'],
  ['openai', 'gpt-5.2-pro'],
  ['openai', 'gpt-4o-audio-preview'],
  ['openai', 'o3-pro'],
  ['openrouter', 'openai/gpt-5'],
  ['constructor', 'name'],
] as const)('nobody knows the price of %s %s', ([provider, model]) => {
  expect(listPrice(provider, model)).toBeUndefined()
})

test('what has a price is a provider', () => {
  const known = new Set(allProviders.map(({ id }) => id))
  const priced = ['openai', 'anthropic', 'google', 'deepseek', 'ollama', 'llama-cpp', 'lm-studio']
  expect([...priced, 'vllm', 'sglang'].filter((id) => !known.has(id))).toEqual([])
})

test('parts from the cache have their own prices', () => {
  const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 }
  const usage = {
    inputTokens: 1_000_000,
    outputTokens: 100_000,
    cacheReadTokens: 600_000,
    cacheWriteTokens: 200_000,
  }
  expect(costOf(usage, price)).toBeCloseTo(0.2 * 3 + 0.6 * 0.3 + 0.2 * 3.75 + 1.5, 10)
  expect(costOf(usage, { input: 3, output: 15 })).toBeCloseTo(3 + 1.5, 10)
})

test('without counts there is no price, unless it costs nothing', () => {
  expect(costOf({}, { input: 1, output: 1 })).toBeUndefined()
  expect(costOf({ inputTokens: 1 }, { input: 1, output: 1 })).toBeUndefined()
  expect(costOf({}, FREE)).toBe(0)
})

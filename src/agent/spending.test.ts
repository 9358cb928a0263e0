import { expect, test } from 'vitest'
import { doing } from '../../test/agent/scenario.ts'
import type { Usage } from '../core/chat.ts'
import { InvalidInputError } from '../core/errors.ts'
import { type ScriptedModel, scriptedModel } from '../testing/index.ts'
import { type AgentOptions, type AgentResult, agentTool, runAgent } from './index.ts'

const look = doing('look', () => 'seen')

const USAGE: Usage = { inputTokens: 10, outputTokens: 5 }

/** Calls a tool for ever. */
function endless(usage: Usage = USAGE): ScriptedModel {
  return scriptedModel((_, turn) => ({ text: `Turn ${turn}.`, calls: [{ name: 'look' }], usage }))
}

/** A run that would never end of itself. */
function run(options: Partial<AgentOptions>): Promise<AgentResult> {
  return runAgent({
    client: endless(),
    tools: [look],
    prompt: 'Go.',
    maxUnproductive: 0,
    ...options,
  }).result
}

test.for([
  [{ tokens: Number.NaN }, 'budget.tokens` cannot be NaN'],
  [{ tokens: -1 }, 'budget.tokens` cannot be -1'],
  [{ tokens: '100' }, 'budget.tokens` cannot be 100'],
  [{ costUsd: Number.NaN }, 'budget.costUsd` cannot be NaN'],
  [{ costUsd: -0.5 }, 'budget.costUsd` cannot be -0.5'],
  [{ costUsd: 1 }, '`budget.costUsd` needs `priceOf`'],
  [{ token: 100 }, 'unknown option "token"; did you mean "tokens"?'],
  [100, 'an object'],
] as const)('the budget %j is refused', ([budget, message]) => {
  // As callers without types give it.
  expect(() => run({ budget: budget as never })).toThrow(message)
  expect(() => run({ budget: budget as never })).toThrow(InvalidInputError)
})

test('an agent as a tool is refused with such a budget, too', () => {
  const define = () =>
    agentTool({
      name: 'helper',
      description: 'Helps.',
      client: scriptedModel([]),
      budget: { tokens: Number.NaN },
    })
  expect(define).toThrow('budget.tokens` cannot be NaN')
})

test.for([Number.NaN, -1, '1', null])('a price of %j ends the run', async (price) => {
  const result = await run({ budget: { costUsd: 5 }, priceOf: () => price as never })
  expect(result).toMatchObject({ finishReason: 'halted', toolCalls: 1, steps: 1 })
  expect(result.error).toBeInstanceOf(InvalidInputError)
  expect(result.message).toBe(`priceOf gave ${price}, which is no price`)
  expect(result.usage.outputTokens).toBeGreaterThan(0)
})

test('a price that is not known ends a run with a budget of dollars only', async () => {
  const priceOf = (): undefined => undefined
  expect(await run({ budget: { costUsd: 5 }, priceOf })).toMatchObject({
    finishReason: 'halted',
    message: expect.stringContaining('budget.costUsd cannot be kept'),
  })
  expect(await run({ priceOf, maxSteps: 2 })).toMatchObject({ finishReason: 'max-steps' })
})

test('tokens that nobody counts end a run with a budget of tokens only', async () => {
  const client = endless({})
  expect(await run({ client, budget: { tokens: 500 } })).toMatchObject({
    finishReason: 'halted',
    message: expect.stringContaining('budget.tokens cannot be kept'),
  })
  expect(await run({ client, maxSteps: 2 })).toMatchObject({ finishReason: 'max-steps' })
})

test('what agents use that run as tools counts, and ends them too', async () => {
  const helper = agentTool({
    name: 'helper',
    description: 'Helps.',
    client: endless(),
    tools: [look],
    maxSteps: 50,
    maxUnproductive: 0,
  })
  const script = [
    { calls: [{ name: 'helper', arguments: { task: 'help' } }], usage: USAGE },
    { text: 'Done.', usage: USAGE },
  ]
  const options = { tools: [helper], priceOf: () => 1 }
  const whole = await run({ ...options, client: scriptedModel(script) })
  expect(whole).toMatchObject({
    finishReason: 'stop',
    costUsd: 52,
    usage: { inputTokens: 520, outputTokens: 260 },
  })
  for (const budget of [{ tokens: 150 }, { costUsd: 10 }]) {
    const limited = await run({ ...options, client: scriptedModel(script), budget })
    expect(limited).toMatchObject({
      finishReason: 'max-budget',
      costUsd: 10,
      usage: { inputTokens: 100, outputTokens: 50 },
    })
    expect(limited.messages.at(-1)?.toolResults?.[0]).toMatchObject({ errorCode: 'max-budget' })
  }
})

/** What a reply used, and whether a budget can be kept with that. */
import type { ChatResponse, Usage } from '../core/chat.ts'
import { InvalidInputError } from '../core/errors.ts'
import { calling } from './hooks.ts'
import type { AgentOptions } from './options.ts'
import { type Ending, halted } from './run-context.ts'
import { totalTokens } from './usage.ts'

export interface ReplySpending {
  readonly usage: Usage
  readonly costUsd?: number
  /** The run must end: it has a budget, and nobody knows how much of it is used. */
  readonly fault?: Ending
}

export async function spendingOf(
  response: ChatResponse,
  { budget = {}, priceOf }: Pick<AgentOptions, 'budget' | 'priceOf'>,
): Promise<ReplySpending> {
  const { usage } = response
  // Whatever it is: callers without types give anything.
  const costUsd: unknown = await calling('priceOf', () => priceOf?.(response))
  if (costUsd !== undefined && !isAmount(costUsd)) {
    return { usage, fault: fault(`priceOf gave ${String(costUsd)}, which is no price`) }
  }
  const spent = { usage, ...(costUsd !== undefined && { costUsd }) }
  if (budget.costUsd !== undefined && costUsd === undefined) {
    const said = 'priceOf does not know what the reply cost'
    return { ...spent, fault: fault(`budget.costUsd cannot be kept: ${said}`) }
  }
  if (budget.tokens !== undefined && !isCounted(usage)) {
    const said = 'the provider does not say how many tokens the reply took'
    return { ...spent, fault: fault(`budget.tokens cannot be kept: ${said}`) }
  }
  return spent
}

/** True for what can be added up and compared. */
export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0
}

function isCounted(usage: Usage): boolean {
  const { inputTokens, outputTokens, totalTokens: total } = usage
  return (inputTokens ?? outputTokens ?? total) !== undefined && isAmount(totalTokens(usage))
}

function fault(message: string): Ending {
  return halted(message, new InvalidInputError(message))
}

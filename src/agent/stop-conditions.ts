/** When a run is over before the model says so. Conditions are functions; they combine by `any` and `all`. */
import type { Message } from '../core/model.ts'
import type { RunState } from './journal.ts'
import { totalTokens } from './usage.ts'

/** What a condition may look at. */
export type RunView = Readonly<
  Pick<RunState, 'messages' | 'steps' | 'toolCalls' | 'usage' | 'costUsd' | 'text'>
>

export type StopCondition = (run: RunView) => boolean | Promise<boolean>

export function stepsReach(count: number): StopCondition {
  return ({ steps }) => steps >= count
}

export function tokensReach(count: number): StopCondition {
  return ({ usage }) => totalTokens(usage) >= count
}

/** The last turn called this tool. */
export function toolWasCalled(name: string): StopCondition {
  return ({ messages }) =>
    lastReply(messages)?.toolCalls?.some((call) => call.name === name) ?? false
}

export function textMatches(pattern: RegExp): StopCondition {
  return ({ text }) => text.search(pattern) !== -1
}

export function any(...conditions: readonly StopCondition[]): StopCondition {
  return async (run) => {
    for (const condition of conditions) if (await condition(run)) return true
    return false
  }
}

export function all(...conditions: readonly StopCondition[]): StopCondition {
  return async (run) => {
    for (const condition of conditions) if (!(await condition(run))) return false
    return true
  }
}

function lastReply(messages: readonly Message[]): Message | undefined {
  return messages.findLast(({ role }) => role === 'assistant')
}

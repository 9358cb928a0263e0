/** What comes of a run. */

import type { Usage } from '../core/chat.ts'
import type { Issue } from '../core/issue.ts'
import { textOf } from '../core/message.ts'
import type { Message } from '../core/model.ts'
import {
  type AgentFinishReason,
  FINISH_CATEGORIES,
  type Finish,
  type FinishCategory,
  type PendingCall,
} from './finish.ts'
import type { RunState } from './journal.ts'

export interface AgentResult {
  /** The id under which a store keeps the run. */
  readonly run: string
  /** The last text of the model that is not blank. */
  readonly text: string
  readonly finishReason: AgentFinishReason
  readonly category: FinishCategory
  /** Why it ended so, for a person to read. */
  readonly message?: string
  /** What the provider said, when it failed. */
  readonly error?: unknown
  /** The final answer as data, when `output` asked for it. */
  readonly output?: unknown
  /** What could not be read in the last reply, when that ended the run. */
  readonly issues?: readonly Issue[]
  /** What the `finish` tool handed in; null when it handed in nothing. */
  readonly deliverable?: string | null
  /** Calls that wait for a decision, when the run is paused. */
  readonly pending?: readonly PendingCall[]
  readonly messages: readonly Message[]
  /** Turns with calls. */
  readonly steps: number
  readonly toolCalls: number
  readonly usage: Usage
  readonly costUsd?: number
  readonly durationMs: number
  /** The run as plain JSON, to go on with later; a copy is made when it is asked for. */
  readonly state: RunState
}

type Extras = Pick<AgentResult, 'error' | 'output' | 'issues' | 'durationMs'>

export function resultOf(state: RunState, finish: Finish, extras: Extras): AgentResult {
  const { reason, message, deliverable, pending } = finish
  const { steps, toolCalls, usage, costUsd, messages } = state
  return {
    run: state.id,
    text: lastText(messages),
    finishReason: reason,
    category: FINISH_CATEGORIES[reason],
    ...(message !== undefined && { message }),
    ...(deliverable !== undefined && { deliverable }),
    ...(pending && { pending }),
    ...extras,
    messages: [...messages],
    steps,
    toolCalls,
    usage,
    ...(costUsd !== undefined && { costUsd }),
    get state() {
      return structuredClone(state)
    },
  }
}

function lastText(messages: readonly Message[]): string {
  const reply = messages.findLast(
    (message) => message.role === 'assistant' && textOf(message).trim() !== '',
  )
  return reply ? textOf(reply) : ''
}

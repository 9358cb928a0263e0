/** How a run can end, and what kind of ending that is. */

import type { ToolCall } from '../core/model.ts'
import type { Doubt } from './doubt.ts'

/**
 * `success`: there is an answer. `paused`: somebody has to decide. `capacity`: a limit was reached, and more
 * of it may help. `retryable`: the same again may help. `fatal`: it will not. `canceled`: the caller
 * wanted it so.
 */
export type FinishCategory = 'success' | 'paused' | 'capacity' | 'retryable' | 'fatal' | 'canceled'

/** Every reason, with its category. */
export const FINISH_CATEGORIES = {
  /** The model answered without calling a tool. */
  stop: 'success',
  /** The model called the `finish` tool, or a tool handed in the result. */
  submitted: 'success',
  /** A condition of `stopWhen` holds. */
  'stop-condition': 'success',
  /** Calls wait for an approval, or for a result that the program gives. */
  paused: 'paused',
  'max-steps': 'capacity',
  'max-budget': 'capacity',
  /** The final answer did not fit its schema, time and again. */
  'max-output-retries': 'capacity',
  /** Nothing but failed calls for several turns. */
  'max-mistakes': 'capacity',
  /** The same calls with the same results for several turns. */
  'no-progress': 'capacity',
  /** The conversation is longer than the model can read, also after compaction. */
  'context-length': 'capacity',
  /** The model used up its tokens before it said anything. */
  starved: 'capacity',
  /** The answer was cut off. */
  length: 'capacity',
  'malformed-call': 'retryable',
  'provider-error': 'retryable',
  'content-filter': 'fatal',
  unauthorized: 'fatal',
  'compaction-failed': 'fatal',
  /** A hook, a permission or a tool stopped the run. */
  halted: 'fatal',
  canceled: 'canceled',
} as const

export type AgentFinishReason = keyof typeof FINISH_CATEGORIES

export interface Finish {
  readonly reason: AgentFinishReason
  /** Why, for a person to read. */
  readonly message?: string
  /** What the `finish` tool handed in; null when it handed in nothing. */
  readonly deliverable?: string | null
  /** Calls that wait, when the run is paused. */
  readonly pending?: readonly PendingCall[]
}

export interface PendingCall {
  readonly call: ToolCall
  /** `approval`: somebody has to agree. `result`: the tool has no `execute`, the program answers. */
  readonly needs: 'approval' | 'result'
  /** What `permissions.confirm` asks about, when that is why. */
  readonly doubts?: readonly Doubt[]
}

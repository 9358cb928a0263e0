/** What a run is told. */

import type { ChatClient, ClientRequest } from '../client/chat-client.ts'
import type { ChatResponse } from '../core/chat.ts'
import type { Message } from '../core/model.ts'
import type { ReadingOptions } from '../reading-options.ts'
import type { ForeignTool, RunnableTool } from '../tool.ts'
import type { CompactionOptions } from './compaction.ts'
import type { OutputOptions } from './final-output.ts'
import type { PendingCall } from './finish.ts'
import type { Hooks } from './hooks.ts'
import type { Decision, RunState } from './journal.ts'
import type { Limits } from './limits.ts'
import type { Permissions } from './permissions.ts'
import type { ResultBudget } from './result-budget.ts'
import type { Store } from './store.ts'

export type MaybeDecision = Decision | boolean | undefined

/** `preset`, `protocols` and `repair` go before what the client says about reading, for this run. */
export interface AgentOptions extends Limits, ReadingOptions {
  /** The model: a client, or a chain of them. */
  readonly client: ChatClient
  /** What `tool()` gives, or definitions in another spelling with `execute` beside them. */
  readonly tools?: readonly (RunnableTool | ForeignTool)[]
  /** What the user says; `messages` for more than that. */
  readonly prompt?: string
  readonly messages?: readonly Message[]
  /** Said before everything else, when a run begins. */
  readonly system?: string
  /** Settings of every request: temperature, tool choice, tokens. */
  readonly request?: Omit<ClientRequest, 'messages' | 'tools'>
  /** False: replies are awaited as a whole. Default true. */
  readonly stream?: boolean
  readonly signal?: AbortSignal
  /** How deep the run is nested in others; `agentTool` counts. */
  readonly depth?: number

  /** Milliseconds a call may take unless its tool says otherwise. Default 60,000. */
  readonly toolTimeoutMs?: number
  /** How many calls run beside each other, of tools that allow it. Default 4. */
  readonly concurrency?: number
  /** Calls that cannot be read: the model is asked to mend them, or the run ends. Default `repair`. */
  readonly onMalformed?: 'repair' | 'halt'

  readonly permissions?: Permissions
  /** Asked for calls that need an approval. Without it, and when it gives undefined, the run pauses. */
  approve?(pending: PendingCall): MaybeDecision | Promise<MaybeDecision>
  readonly hooks?: Hooks | readonly Hooks[]

  readonly resultBudget?: ResultBudget
  /** Makes the history shorter before it outgrows the model. Without it only an overflow does. */
  readonly compaction?: Partial<CompactionOptions> | false
  /** The final answer as data. */
  readonly output?: OutputOptions
  /** Dollars for a reply, for `budget.costUsd` and the result. */
  priceOf?(response: ChatResponse): number | undefined

  /** Where the run is kept, or the path of a file for it. */
  readonly store?: Store | string
  /** The run in the store: a new one by this name, or one to go on with. Made up when left out. */
  readonly runId?: string
  /** What an earlier `result.state` gave: the run goes on from there. */
  readonly state?: RunState
  /** What was decided about calls that wait, by their ids. */
  readonly decisions?: Readonly<Record<string, Decision | boolean>>
}

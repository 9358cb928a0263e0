/** What every part of a run works with, and how a part says that the run ends. */
import type { Issue } from '../core/issue.ts'
import type { ToolContext } from '../tool.ts'
import type { AgentEvent } from './events.ts'
import type { Finish } from './finish.ts'
import type { Hooks, StepContext } from './hooks.ts'
import type { Journal, Spending } from './journal.ts'
import type { AgentOptions } from './options.ts'
import type { Store } from './store.ts'
import type { Toolset } from './toolset.ts'

export interface Run {
  readonly options: AgentOptions
  readonly journal: Journal
  readonly toolset: Toolset
  /** Where the run is kept, if it is. */
  readonly store: Store | undefined
  readonly signal: AbortSignal
  emit(event: AgentEvent): Promise<void> | undefined
}

export interface Ending {
  readonly finish: Finish
  readonly error?: unknown
  readonly output?: unknown
  /** What could not be read in the last reply, when that ends the run. */
  readonly issues?: readonly Issue[]
}

/** Undefined: the run goes on. */
export type MaybeEnding = Ending | undefined

export function hooksOf({ hooks = [] }: Pick<AgentOptions, 'hooks'>): readonly Hooks[] {
  return Array.isArray(hooks) ? hooks : [hooks as Hooks]
}

export function stepContext({ journal: { state } }: Run): StepContext {
  return { run: state.id, step: state.steps, messages: state.messages }
}

export function halted(message: string, error?: unknown): Ending {
  return { finish: { reason: 'halted', message }, ...(error !== undefined && { error }) }
}

export function canceled(): Ending {
  return { finish: { reason: 'canceled', message: 'the run was cancelled' } }
}

/** The run that a tool is called by. Not under a name: only agents that call agents need it. */
export const RUN: unique symbol = Symbol('the run of a tool call')

/** What an agent that runs as a tool says of itself to the call it runs for. */
export const INNER: unique symbol = Symbol('the run in a tool call')

export interface InnerRun {
  /** What it has used so far. */
  spent: Spending
  /** Called once its answer is kept. */
  forget?: () => Promise<void>
}

export interface AgentToolContext extends ToolContext {
  readonly [RUN]?: Run
  readonly [INNER]?: InnerRun
}

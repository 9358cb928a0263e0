/** Code of the caller around each step and each call. */

import type { ClientRequest } from '../client/chat-client.ts'
import type { ChatResponse } from '../core/chat.ts'
import type { JsonObject } from '../core/json/value.ts'
import type { Message, ToolCall, ToolResult } from '../core/model.ts'
import { thrownMessage } from '../core/thrown-message.ts'

/** All are optional and run in the order of the list. One that throws stops the run. */
export interface Hooks {
  /** Before the model is asked. */
  beforeStep?(step: StepContext): MaybeChange<StepChange>
  /** After the model has answered, before its calls are run. */
  afterReply?(response: ChatResponse, step: StepContext): MaybeChange<HaltChange>
  beforeTool?(call: ToolCall, step: StepContext): MaybeChange<CallChange>
  afterTool?(call: ToolCall, result: ToolResult, step: StepContext): MaybeChange<ResultChange>
  /** After the results of a turn are in the history. */
  afterStep?(step: StepContext): MaybeChange<HaltChange>
}

// biome-ignore lint/suspicious/noConfusingVoidType: most hooks return nothing, and say so by having no return.
export type MaybeChange<Change> = Change | void | Promise<Change | void>

export interface StepContext {
  readonly run: string
  /** From zero. */
  readonly step: number
  readonly messages: readonly Message[]
}

export interface HaltChange {
  /** Stops the run, for this reason. */
  readonly halt?: string
}

export interface StepChange extends HaltChange {
  /** Said before the model is asked; kept in the history. */
  readonly messages?: readonly Message[]
  /** Other settings for this one request. */
  readonly request?: Partial<Omit<ClientRequest, 'messages'>>
}

export interface CallChange extends HaltChange {
  /** The call is not run, and the model is told why. */
  readonly deny?: string
  /** Other arguments; they are checked like those of the model. */
  readonly arguments?: JsonObject
}

export interface ResultChange extends HaltChange {
  /** Said to the model below the result. */
  readonly append?: string
  readonly result?: Omit<ToolResult, 'callId' | 'name'>
}

/** Code of the caller that threw. */
export class CallbackFailed extends Error {
  override readonly name = 'CallbackFailed'
}

/** What the caller's code gives; when it throws, the run ends with its calls answered. */
export async function calling<Value>(name: string, call: () => Value): Promise<Awaited<Value>> {
  try {
    return await call()
  } catch (error) {
    const reason = thrownMessage(error)
    throw new CallbackFailed(`${name} failed: ${reason}`, { cause: error })
  }
}

/** Runs one kind of hook of all that have it, one after another; the changes in their order. */
export async function runHooks<Change>(
  hooks: readonly Hooks[],
  kind: keyof Hooks,
  call: (hook: Hooks) => MaybeChange<Change> | undefined,
): Promise<Change[]> {
  const changes: Change[] = []
  for (const hook of hooks) {
    const change = await calling(`the ${kind} hook`, () => call(hook))
    if (change) changes.push(change)
  }
  return changes
}

export function haltOf(changes: readonly HaltChange[]): string | undefined {
  return changes.find(({ halt }) => halt !== undefined)?.halt
}

/** What a run tells while it goes on. */
import type { ChatEvent, Usage } from '../core/chat.ts'
import type { ToolCall, ToolResult } from '../core/model.ts'
import type { PendingCall } from './finish.ts'
import type { AgentResult } from './result.ts'

/** What comes from the model, as it comes. */
export type ReplyEvent = Extract<
  ChatEvent,
  {
    type:
      | 'text-delta'
      | 'reasoning-delta'
      | 'call-start'
      | 'call-delta'
      | 'call-end'
      | 'call-abort'
      | 'issue'
  }
>

export type AgentEvent =
  | { readonly type: 'run-start'; readonly run: string; readonly isResumed: boolean }
  | { readonly type: 'step-start'; readonly step: number }
  | ReplyEvent
  /** A call is looked at: it will be run, refused, or wait. */
  | { readonly type: 'tool-call'; readonly step: number; readonly call: ToolCall }
  | { readonly type: 'tool-progress'; readonly call: ToolCall; readonly value: unknown }
  | {
      readonly type: 'tool-result'
      readonly step: number
      readonly call: ToolCall
      readonly result: ToolResult
      readonly durationMs: number
    }
  | { readonly type: 'approval-needed'; readonly pending: readonly PendingCall[] }
  /** The model used up its tokens before it said anything; it gets more. */
  | { readonly type: 'escalated'; readonly maxTokens: number }
  | { readonly type: 'compacted'; readonly tokensBefore: number; readonly tokensAfter: number }
  /** The final answer does not fit its schema; the model tries again. */
  | { readonly type: 'output-retry'; readonly attempt: number; readonly reason: string }
  | {
      readonly type: 'step-end'
      readonly step: number
      /** Of the run so far. */
      readonly usage: Usage
      readonly costUsd?: number
    }
  | { readonly type: 'submitted'; readonly deliverable: string | null }
  | { readonly type: 'done'; readonly result: AgentResult }

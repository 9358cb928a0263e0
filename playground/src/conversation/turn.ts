/** What a conversation is made of. */
import type { ChatEvent, ChatResponse } from '../../../src/core/chat.ts'
import type { Message, ToolResult } from '../../../src/core/model.ts'
import type { TrafficEntry } from '../../../src/gateway/observe/traffic.ts'

export type Turn = UserTurn | ReplyTurn | ResultsTurn

export interface UserTurn {
  readonly kind: 'user'
  readonly text: string
}

export interface ResultsTurn {
  readonly kind: 'results'
  readonly results: readonly ToolResult[]
}

export interface ReplyTurn {
  readonly kind: 'reply'
  /** What has arrived. */
  readonly draft: ReplyDraft
  /** The whole reply, once it is there. */
  readonly response?: ChatResponse
  /** Why there is none. */
  readonly problem?: string
  /** What the gateway recorded; `none` when it does not record. */
  readonly record?: TrafficEntry | 'none'
}

export interface ReplyDraft {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly CallDraft[]
}

export interface CallDraft {
  readonly name: string
  readonly argumentsJson: string
}

export const EMPTY_DRAFT: ReplyDraft = { text: '', reasoning: '', calls: [] }

/** The draft with what an event brings. */
export function extendDraft(draft: ReplyDraft, event: ChatEvent): ReplyDraft {
  switch (event.type) {
    case 'text-delta':
      return { ...draft, text: draft.text + event.text }
    case 'reasoning-delta':
      return { ...draft, reasoning: draft.reasoning + event.text }
    case 'call-start':
      return { ...draft, calls: [...draft.calls, { name: event.name, argumentsJson: '' }] }
    case 'call-delta':
      return { ...draft, calls: draft.calls.with(event.index, extendCall(draft, event)) }
    default:
      return draft
  }
}

function extendCall(
  { calls }: ReplyDraft,
  { index, argumentsDelta }: Extract<ChatEvent, { type: 'call-delta' }>,
): CallDraft {
  const { name, argumentsJson } = calls[index] ?? { name: '', argumentsJson: '' }
  return { name, argumentsJson: argumentsJson + argumentsDelta }
}

/** The conversation as the model is to see it; turns that broke off are not part of it. */
export function messagesOf(turns: readonly Turn[]): Message[] {
  return turns.flatMap((turn) => messageOf(turn) ?? [])
}

function messageOf(turn: Turn): Message | undefined {
  switch (turn.kind) {
    case 'user':
      return { role: 'user', content: turn.text }
    case 'results':
      return { role: 'tool', content: '', toolResults: turn.results }
    case 'reply':
      return turn.response?.message
  }
}

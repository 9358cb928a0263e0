/** Requests, replies and streams in the neutral model: what every wire format is translated to and from. */
import type { Issue } from './issue.ts'
import type { JsonObject } from './json/value.ts'
import type { FinishReason, JsonSchema, Message, Tool, ToolCall } from './model.ts'

export interface ChatRequest extends ChatSettings {
  readonly model: string
  readonly messages: readonly Message[]
  readonly tools?: readonly Tool[]
  readonly toolChoice?: ToolChoice
  readonly responseFormat?: ResponseFormat
  /** Ask the provider to keep the beginning of the request for the next one, where it can. */
  readonly cache?: boolean
  readonly stream?: boolean
  /** Fields that only one wire format has, by its id: `{ "openai-chat": { "logit_bias": {} } }`. */
  readonly extra?: Extra
}

/** Settings of a request that at least two wire formats have. */
export interface ChatSettings {
  /** Most tokens of a reply, reasoning included. */
  readonly maxTokens?: number
  readonly temperature?: number
  readonly topP?: number
  /** Sample from the `topK` likeliest tokens only. */
  readonly topK?: number
  /** Leave out tokens less likely than this share of the likeliest one. */
  readonly minP?: number
  readonly seed?: number
  readonly presencePenalty?: number
  readonly frequencyPenalty?: number
  /** A factor, 1 for none. */
  readonly repetitionPenalty?: number
  /** How many replies to generate. Only the first one is decoded. */
  readonly n?: number
  readonly stop?: readonly string[]
  readonly reasoning?: Reasoning
  /** How long the text of the reply should be. */
  readonly verbosity?: string
  /** False: at most one call in a reply. */
  readonly parallelToolCalls?: boolean
  /** Whether the provider keeps the reply for later retrieval. */
  readonly store?: boolean
  /** A stable name for the end user, for the provider's abuse detection. */
  readonly user?: string
  readonly metadata?: Readonly<Record<string, string>>
  /** `auto`, `default`, `flex`, `priority` …: how the provider schedules the request. */
  readonly serviceTier?: string
}

export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max'

/** How much a model thinks before it answers, as an effort or as a budget. */
export interface Reasoning {
  /** `none` is the same as `enabled: false`. */
  readonly effort?: ReasoningEffort
  /** Most tokens that the model may think. */
  readonly budgetTokens?: number
  /** False: no thinking. True without an effort or a budget: the model decides how much. */
  readonly enabled?: boolean
  /** Whether and how thoughts are part of the reply. Left out: as the service does by default. */
  readonly summary?: 'none' | 'auto' | 'concise' | 'detailed'
}

/** What has no place in the neutral model, by the id of the dialect it came from. */
export type Extra = Readonly<Record<string, JsonObject>>

export type ToolChoice =
  | 'auto'
  | 'none'
  | 'required'
  | { readonly name: string }
  /** Some of the tools; `required`: one of them must be called. */
  | { readonly names: readonly string[]; readonly required?: boolean }

export type ResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json' }
  | {
      readonly type: 'json-schema'
      readonly schema: JsonSchema
      readonly name?: string
      readonly strict?: boolean
    }

/** A whole reply. */
export interface ChatResponse {
  readonly id?: string
  readonly model?: string
  readonly message: Message
  readonly finishReason: FinishReason
  /** The provider's own word for the finish reason. */
  readonly stopReason?: string
  readonly usage: Usage
  readonly issues: readonly Issue[]
  /** The body is no response at all, or, with `onMalformed: 'error'`, a call is malformed. */
  readonly error?: Issue
  readonly extra?: Extra
}

/** Tokens. What the provider did not count is absent; the parts are counted in their whole. */
export interface Usage {
  /** Everything read, from the cache or not. */
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly totalTokens?: number
  /** Part of `inputTokens`. */
  readonly cacheReadTokens?: number
  /** Part of `inputTokens`. */
  readonly cacheWriteTokens?: number
  /** Part of `outputTokens`. */
  readonly reasoningTokens?: number
}

/**
 * What a streamed reply brings, in order. Exactly one `finish` or `error` comes last; the response in
 * `finish` is the one that the same reply would have been, had it come whole.
 */
export type ChatEvent =
  | { readonly type: 'start'; readonly id?: string; readonly model?: string }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | {
      readonly type: 'call-start'
      readonly index: number
      readonly id: string
      readonly name: string
      /** What is known already of what goes back with the call. */
      readonly provider?: JsonObject
    }
  | { readonly type: 'call-delta'; readonly index: number; readonly argumentsDelta: string }
  | { readonly type: 'call-end'; readonly index: number; readonly call: ToolCall }
  | { readonly type: 'call-abort'; readonly index: number; readonly issue: Issue }
  | { readonly type: 'issue'; readonly issue: Issue }
  /** What only one wire format has, in its place: signatures, blocks for the provider alone. */
  | { readonly type: 'extra'; readonly extra: Extra }
  | { readonly type: 'finish'; readonly response: ChatResponse }
  | { readonly type: 'error'; readonly error: StreamFailure }

/** A failure that a provider reports inside a stream, after it said that all is well. */
export interface StreamFailure {
  readonly message: string
  /** The provider's own code or type, for the classification of errors. */
  readonly code?: string
  /** The HTTP status that would have fitted, when the provider says one. */
  readonly status?: number
  /** What came before it. */
  readonly partial?: ChatResponse
}

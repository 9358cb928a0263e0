/** The neutral model: what every protocol, dialect and provider is translated to and from. */
import type { Issue, Repair, Span } from './issue.ts'
import type { JsonObject } from './json/value.ts'

/** A JSON Schema document. Only the parts we understand are read; the rest travels along. */
export type JsonSchema = JsonObject | boolean

export interface Tool {
  readonly name: string
  readonly description?: string
  readonly inputSchema: JsonSchema
  readonly strict?: boolean
  readonly annotations?: ToolAnnotations
  /** The tool takes text instead of arguments. Calls have the text as their only argument, `input`. */
  readonly freeform?: Freeform
  /**
   * What calls of the tool have as their `provider`: the API that declared the tool wants it back with each call,
   * such as the namespace of the tool.
   */
  readonly provider?: JsonObject
  /** The definition as one wire format has it, where that says more, by the id of the dialect. */
  readonly extra?: Readonly<Record<string, JsonObject>>
}

/** What is known of the text that a tool takes. */
export interface Freeform {
  readonly grammar?: Grammar
}

/** A grammar that a text has to match. */
export interface Grammar {
  readonly syntax: 'lark' | 'regex'
  readonly definition: string
}

export interface ToolAnnotations {
  readonly title?: string
  readonly readOnly?: boolean
  readonly destructive?: boolean
  readonly idempotent?: boolean
}

export interface ToolCall {
  readonly id: string
  readonly name: string
  /** Always a plain object. */
  readonly arguments: JsonObject
  /** The provider's own text, byte for byte, when there was one. */
  readonly rawArguments?: string
  readonly origin: 'native' | 'text'
  readonly protocol?: string
  readonly span?: Span
  readonly repairs?: readonly Repair[]
  /** For a call with `origin: 'text'`: what shows that it is one. */
  readonly evidence?: CallEvidence
  /** Who wrote the same text before, for a call in a format that was asked for: in any other it is no call. */
  readonly repeats?: Speaker
  /** The id the model gave, when it could not be kept. */
  readonly originalId?: string
  /** What only the provider understands and wants back, such as thought signatures. */
  readonly provider?: JsonObject
}

/**
 * What shows that text is a call, the surest first. `asked`: it is in the format that the model was asked to write.
 * `marker`: it has the markers of its format. `free`: it has no marker, such as bare JSON or `name(…)`.
 */
export type CallEvidence = 'asked' | 'marker' | 'free'

/** Who has a say in a conversation besides the model: tools by their results, users, and the instructions. */
export type Speaker = 'tool' | 'user' | 'system'

export type Part =
  | { readonly type: 'text'; readonly text: string; readonly cache_control?: CacheControl }
  | {
      readonly type: 'image'
      readonly mediaType?: string
      readonly data?: string
      readonly url?: string
      readonly cache_control?: CacheControl
    }
  | {
      readonly type: 'file'
      readonly mediaType?: string
      readonly data?: string
      readonly url?: string
      readonly name?: string
      readonly cache_control?: CacheControl
    }

/**
 * Asks the provider to cache the request up to and including a part, as Anthropic spells it. Dialects without
 * such marks treat the request as one with `cache: true`.
 */
export interface CacheControl {
  readonly type: 'ephemeral'
  readonly ttl?: '5m' | '1h'
}

export interface ToolResult {
  readonly callId: string
  readonly name?: string
  readonly content: string | readonly Part[]
  readonly isError?: boolean
  readonly errorCode?: string
}

export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool'
  readonly content: string | readonly Part[]
  readonly toolCalls?: readonly ToolCall[]
  readonly toolResults?: readonly ToolResult[]
  readonly reasoning?: string
  /** True for an assistant's turn that broke off. It is no turn to go on from: `heal` leaves it out. */
  readonly isAborted?: boolean
  /**
   * What only one wire format has, by the id of the dialect. For an assistant's message this may be its
   * whole content as the provider sent it, because signatures and the order of blocks must come back
   * as they were.
   */
  readonly extra?: Readonly<Record<string, JsonObject>>
}

export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'error'

/** What {@link extract} finds in a reply. */
export interface Extraction {
  readonly calls: readonly ToolCall[]
  /** Visible text: the input without calls, reasoning and what the issues took out. */
  readonly text: string
  readonly reasoning: string
  readonly issues: readonly Issue[]
  /** The protocol of the first call, `native`, or null when there is no call. */
  readonly protocol: string | null
  /** Only with `onMalformed: 'error'`: the first malformed call, which voids all others. */
  readonly error?: Issue
}

export type ExtractEvent =
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  | {
      readonly type: 'call-start'
      readonly index: number
      readonly id: string
      readonly name: string
      readonly protocol: string
    }
  | { readonly type: 'call-delta'; readonly index: number; readonly argumentsDelta: string }
  | { readonly type: 'call-end'; readonly index: number; readonly call: ToolCall }
  | { readonly type: 'call-abort'; readonly index: number; readonly issue: Issue }
  | { readonly type: 'issue'; readonly issue: Issue }

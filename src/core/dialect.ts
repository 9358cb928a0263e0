/**
 * The contract of a wire format. A dialect is a value: how a provider wants tools, results and
 * replies written, and how its replies are read. Pure functions, no transport.
 */

import type { IdMintOptions } from './ids.ts'
import type { Issue } from './issue.ts'
import type { JsonObject } from './json/value.ts'
import type { FinishReason, Message, ToolResult } from './model.ts'
import type { OnMalformed } from './options.ts'

export interface Dialect<Id extends string = string> {
  readonly id: Id
  /** Other names it goes by, such as those of services that speak nothing else. */
  readonly aliases: readonly string[]

  /** Tool definitions in any known spelling, the way a request wants them. */
  formatTools(tools: readonly unknown[], options?: FormatWireToolsOptions): JsonObject[]
  /** The fields of a request that say whether and which tools may be called. */
  formatToolChoice(choice: ToolChoice): JsonObject
  /** The calls of a reply. */
  parseToolCalls(response: unknown, options?: ParseToolCallsOptions): WireToolCall[]
  formatToolResult(result: ToolResult): JsonObject
  /** The results of one turn, in the order of the calls, in as many messages as the API wants. */
  formatToolResults(results: readonly ToolResult[]): JsonObject[]
  /** The reply as a message to send back with the results. */
  formatAssistantMessage(response: unknown, options?: FormatAssistantOptions): JsonObject
  decodeResponse(body: unknown, options?: DecodeResponseOptions): ChatResponse
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string }

export interface FormatWireToolsOptions {
  /** Shorten descriptions, for models with little room. */
  readonly compact?: boolean
  /** Ask the provider to cache the request up to and including the tools, where it can. */
  readonly cache?: boolean
}

/** A call as the arguments travel in most dialects: as JSON text. */
export interface WireToolCall {
  readonly id: string
  readonly name: string
  /** The provider's own text, byte for byte, when it sent text; compact JSON otherwise. */
  readonly arguments: string
}

export interface ParseToolCallsOptions extends Pick<IdMintOptions, 'ids' | 'random'> {
  /** Ids of earlier turns, which must not come again. */
  readonly usedIds?: Iterable<string>
}

export interface FormatAssistantOptions {
  /**
   * `openai`: the message every OpenAI-compatible server takes, whatever the dialect. `native`: what
   * the dialect's own API wants back. Default `openai`.
   */
  readonly shape?: 'openai' | 'native'
  /** What stands between two blocks of text. Default: nothing. */
  readonly textJoiner?: string
}

export interface DecodeResponseOptions extends ParseToolCallsOptions {
  readonly onMalformed?: OnMalformed
  /** What stands between two blocks of text. Default: a line break. */
  readonly textJoiner?: string
}

/** A whole reply in the neutral model. */
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

/**
 * Tools that the maker of an API runs itself, such as its search of the web, for services that cannot: the model is
 * offered a function of the same name, and the gateway runs it.
 */
import type { ChatRequest, Extra } from '../../core/chat.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { Tool, ToolCall } from '../../core/model.ts'

/** What a client asks for. */
export type HostedWish = WebSearchWish | ToolSearchWish

export interface WebSearchWish {
  readonly feature: 'web-search'
  /** What the client calls it. */
  readonly name: string
  readonly maxUses?: number
  /** Hosts, perhaps with a path, that results must come from. */
  readonly allowed?: readonly string[]
  readonly blocked?: readonly string[]
}

export interface ToolSearchWish {
  readonly feature: 'tool-search'
  readonly name: string
  /** How the model says what it looks for. */
  readonly by: 'words' | 'pattern'
}

export interface SearchResult {
  readonly title: string
  readonly url: string
  readonly text: string
  /** As the backend says it. */
  readonly date?: string
}

export type HostedError =
  | 'unavailable'
  | 'invalid_input'
  | 'query_too_long'
  | 'max_uses_exceeded'
  | 'too_many_requests'

/** What came of a call. */
export type HostedAnswer =
  | { readonly results: readonly SearchResult[] }
  | { readonly found: readonly Tool[] }
  | { readonly error: HostedError }

export interface HostedTool {
  readonly wish: HostedWish
  /** What the model is offered. */
  readonly tool: Tool
  /** Never rejects, but when the signal is aborted. */
  run(args: JsonObject, signal: AbortSignal): Promise<HostedAnswer>
}

/** A call that was run. */
export interface HostedRun {
  readonly call: ToolCall
  readonly wish: HostedWish
  readonly answer: HostedAnswer
}

/** How an API has such tools in its requests and replies. */
export interface HostedForm {
  /** The tools of a body that the API's maker would run. */
  wishes(body: JsonObject): readonly HostedWish[]
  /** True when such tools were called earlier in the conversation. */
  hasCalls(body: JsonObject): boolean
  /** Tools that are only to be found by a search. */
  heldTools(request: ChatRequest): readonly Tool[]
  /** The request with calls and results of functions in the place of such tools. */
  lower(request: ChatRequest): ChatRequest
  /** The call as part of a reply, when it is known. */
  callExtra(call: ToolCall): Extra
  /** Its result as part of a reply. */
  resultExtra(run: HostedRun): Extra
  /** The whole reply; rounds are what the model said between the calls. */
  reply(rounds: readonly HostedRound[]): Extra
  /** What replies say about how often the web was searched. */
  usage(searches: number): Extra
}

/** One answer of the model, and the calls in it that the gateway has run. */
export interface HostedRound {
  readonly text: string
  readonly reasoning: string
  readonly runs: readonly HostedRun[]
  /** Calls that the client runs. */
  readonly calls: readonly ToolCall[]
}

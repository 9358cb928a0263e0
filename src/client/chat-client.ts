/** What can be asked for a reply: one model of one provider, or several behind one face. */
import type { ChatEvent, ChatRequest, ChatResponse } from '../core/chat.ts'
import type { ToolDefinitions } from '../core/schema/tool.ts'
import type { ReadingOptions } from '../reading-options.ts'
import type { ModelInfo } from './model-lookup.ts'
import type { FittedReply } from './reply-limit.ts'

export interface ChatClient {
  /** The id of the provider, such as `openai`. */
  readonly provider: string
  /** The model that answers requests which name none. */
  readonly model: string
  /** What is known by now; a model that refuses tools changes it. */
  readonly capabilities: ClientCapabilities
  /** The whole reply. Rejects with a ProviderError, or with the reason of an aborted signal. */
  complete(request: ClientRequest, options?: RequestOptions): Promise<ChatResponse>
  /** The reply as it comes. The request is sent when somebody reads, or asks for the response. */
  stream(request: ClientRequest, options?: RequestOptions): ChatStream
  /**
   * What the service says about a model, asked once and remembered. What it does not say is left out; it rejects
   * only with the reason of an aborted signal.
   */
  modelInfo?(options?: ModelInfoOptions): Promise<ModelInfo>
}

export interface ModelInfoOptions {
  /** Default: the client's own. */
  readonly model?: string | undefined
  readonly signal?: AbortSignal | undefined
}

/** A client of one provider, which can be asked about its models. */
export interface ModelClient extends ChatClient {
  modelInfo(options?: ModelInfoOptions): Promise<ModelInfo>
  /** All models that the service lists. Rejects with a ProviderError when it does not. */
  models(options?: Pick<ModelInfoOptions, 'signal'>): Promise<readonly ModelInfo[]>
}

export interface ClientCapabilities {
  /** The provider takes tools and answers with calls of its own. */
  readonly nativeTools: boolean
  /** Tools work while the reply is streamed, in the mode that is used. */
  readonly streamsTools: boolean
  /** How tools reach the model in the next request. */
  readonly toolMode: 'native' | 'text'
}

/** A request; the model may be left to the client. */
export interface ClientRequest extends Omit<ChatRequest, 'model' | 'stream' | 'tools'> {
  readonly model?: string
  /** What the model may call: definitions in any provider's spelling. */
  readonly tools?: ToolDefinitions
}

/** What is said about reading goes before what the client says about it. */
export interface RequestOptions extends ReadingOptions {
  readonly signal?: AbortSignal | undefined
  /** How often a failed request is sent again; a fallback chain does that itself. The client's own number when left out. */
  readonly retries?: number | undefined
  /** What sends this one request instead of the client's own `fetch`. */
  readonly fetch?: typeof fetch | undefined
  /** False: calls in the text of a reply stay there, unless the model can make no others. */
  readonly rescue?: boolean | undefined
  /**
   * False: a model without native tools is an error, `unsupported`, and does not get the tools in its system
   * prompt. A fallback chain then asks its next client. Default true.
   */
  readonly textFallback?: boolean | undefined
  /** Told when the model has no room for as long a reply as is asked for, and is asked for a shorter one. */
  readonly onFitted?: ((fitted: FittedReply) => void) | undefined
}

/**
 * The events of a reply. Iteration ends with exactly one `finish` or `error` event and does not throw.
 * It can be read once; leaving it early ends the request, unless `response` was asked for before.
 */
export interface ChatStream extends AsyncIterable<ChatEvent> {
  /** The whole reply; rejects with what went wrong, a ProviderError or the reason of an aborted signal. */
  readonly response: Promise<ChatResponse>
}

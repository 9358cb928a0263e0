/** What can be asked for a reply: one model of one provider, or several behind one face. */
import type { ChatEvent, ChatRequest, ChatResponse } from '../core/chat.ts'
import type { Protocol } from '../core/protocol.ts'

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
export type ClientRequest = Omit<ChatRequest, 'model' | 'stream'> & { readonly model?: string }

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  /** How often a failed request is sent again; a fallback chain does that itself. The client's own number when left out. */
  readonly retries?: number | undefined
  /** What sends this one request instead of the client's own `fetch`. */
  readonly fetch?: typeof fetch | undefined
  /** False: calls that stand in the text of a reply stay there. A list: only these formats are looked for. */
  readonly rescue?: boolean | readonly Protocol[] | undefined
}

/**
 * The events of a reply. Iteration ends with exactly one `finish` or `error` event and does not throw.
 * It can be read once; leaving it early ends the request, unless `response` was asked for before.
 */
export interface ChatStream extends AsyncIterable<ChatEvent> {
  /** The whole reply; rejects with what went wrong, a ProviderError or the reason of an aborted signal. */
  readonly response: Promise<ChatResponse>
}

/** Who looks on while requests are answered: logs, metrics, traces, the page that shows traffic. */
import type { FittedReply } from '../client/reply-limit.ts'
import type { Usage } from '../core/chat.ts'
import type { HeaderMap } from './http.ts'
import type { CallLoop } from './loop-guard.ts'
import type { Kept } from './state.ts'

export interface GatewayObserver {
  /** A request has come; undefined when this one is of no interest. */
  begin(arrival: Arrival): Observation | undefined
}

export interface Arrival {
  /** Our own id of the request; also in the header `x-toolglot-request-id`. */
  readonly id: string
  readonly method: string
  readonly path: string
  readonly headers: HeaderMap
  /** Milliseconds since 1970. */
  readonly at: number
}

/** One request. Only `end` always comes, once and last. */
export interface Observation {
  /** What the client asks for, once it is known. */
  asked?(asked: Asked): void
  /** A provider is asked. */
  attempt?(attempt: Attempt): void
  /** The provider asked last did not answer, and another one, or the same again, is next. */
  switched?(from: Attempt, error: unknown): void
  /** The status of the provider that answers, and its bytes as they come. */
  upstream?(status: number): void
  upstreamBytes?(bytes: Uint8Array): void
  /** What the client is sent. */
  clientBytes?(bytes: Uint8Array | string): void
  end(outcome: Outcome): void
}

export interface Asked {
  /** The id of the endpoint, such as `openai-chat`. */
  readonly endpoint: string
  /** The model as the client names it. */
  readonly model: string
  readonly streamed: boolean
  readonly tools: number
  /** The name of the client's key. */
  readonly key: string | undefined
  /** The body as it came. */
  readonly body: Uint8Array
}

export interface Attempt {
  readonly provider: string
  readonly model: string
  readonly dialect: string
  /** `pass`: in the client's own dialect; `translate`: through the neutral model. */
  readonly lane: 'pass' | 'translate'
  /** What the provider was sent, as far as it is known here. */
  readonly body?: string | undefined
}

export interface Outcome {
  readonly status: number
  /** A code of {@link GatewayError} or of a provider's error; `client_closed` when nobody waited. */
  readonly error?: string | undefined
  readonly message?: string | undefined
  /** From the arrival to the end. */
  readonly durationMs: number
  /** The part of it that was spent here until the client had the first byte. */
  readonly addedMs: number
  readonly firstByteMs?: number | undefined
  readonly usage?: Usage | undefined
  /** What the reply cost in US dollars, where its usage and the price of its model are known. */
  readonly costUsd?: number | undefined
  /** Calls that were found in text. */
  readonly rescues: readonly Rescued[]
  /** Codes of what was lost, or was wrong and could not be repaired. */
  readonly issues: readonly string[]
  /** The same with the fields that each is about, and what is of less weight; each once. */
  readonly remarks?: readonly Remark[] | undefined
  /** How often another provider was asked. */
  readonly fallbacks: number
  /** The tokens that were asked for the reply and sent, where the model had no room for as many. */
  readonly fitted?: FittedReply | undefined
  /** A call that the agent has made again and again with the same result. */
  readonly loop?: Pick<CallLoop, 'tool' | 'times'> | undefined
  /** Where what later requests may refer to is kept; undefined when nothing of this one is. */
  readonly turn?: Kept | undefined
  readonly bytesIn: number
  readonly bytesOut: number
}

export interface Remark {
  readonly code: string
  /** Names of fields, such as `tools.web_search`. */
  readonly fields: readonly string[]
  /** `info`: nothing is missing that the model would read. Undefined: a warning. */
  readonly level?: 'info' | undefined
}

export interface Rescued {
  readonly protocol: string
  readonly tool: string
  /** Codes of the repairs. */
  readonly repairs: readonly string[]
}

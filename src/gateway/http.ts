/**
 * HTTP without a transport: what comes from a client and goes back to it, and what goes to a provider and
 * comes back. Bytes are pushed, because that is how Node has them and what costs the least.
 */

export interface GatewayRequest {
  readonly method: string
  /** Path and query as they stand in the request. */
  readonly url: string
  /** Names in lower case. */
  readonly headers: HeaderMap
  /** The whole body; rejects with a {@link GatewayError} when it is longer than `maxBytes`. */
  readBody(maxBytes: number): Promise<Uint8Array>
  /**
   * The body as it comes, for bodies that are too long to be kept; the source fails with a {@link GatewayError}
   * when there is more than `maxBytes`. Without it, such bodies are read whole.
   */
  openBody?(maxBytes: number): ByteSource
  /** Aborted when the client hangs up. */
  readonly signal: AbortSignal
  /**
   * Calls the listener when the whole reply has left for the client; never when the client hangs up before.
   * Until then the request is under way. Without it, a reply counts as written when it is handed over.
   */
  whenWritten?(listener: () => void): void
}

export interface GatewayReply {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | ByteSource
  /** What is known only when the body is over; for transports that can still tell it then. */
  readonly trailers?: () => Readonly<Record<string, string>>
}

/** True for a body that is all there. */
export function isWhole(body: GatewayReply['body']): body is string | Uint8Array {
  return typeof body === 'string' || body instanceof Uint8Array
}

export type HeaderMap = Readonly<Record<string, string | undefined>>

/** Bytes that come when they come. */
export interface ByteSource {
  /** Everything goes to the sink from now on; asked once, and the sink is told exactly one ending. */
  start(sink: ByteSink): void
  /** Nothing more until `resume`, or little: what is on its way still comes. */
  pause(): void
  resume(): void
  /** Nobody wants more. The sink is told nothing any more. */
  cancel(): void
}

export interface ByteSink {
  data(bytes: Uint8Array): void
  end(): void
  fail(error: unknown): void
}

/** Sends one request to a provider. Rejects when there is no answer; any status is an answer. */
export type Send = (request: UpstreamRequest) => Promise<UpstreamReply>

export interface UpstreamRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE'
  readonly url: URL
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | ByteSource | undefined
  /** Ends the request, also while the answer is read. */
  readonly signal?: AbortSignal | undefined
  /** Until the answer begins. */
  readonly headersMs?: number | undefined
  /** Between two pieces of the answer. */
  readonly idleMs?: number | undefined
}

export interface UpstreamReply {
  readonly status: number
  /** Names in lower case. */
  readonly headers: HeaderMap
  readonly body: ByteSource
}

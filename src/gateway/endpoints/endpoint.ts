/**
 * The contract of an address at which clients ask for replies. An endpoint is a value: how a question is
 * read, how the answer is written, whole, in pieces or as an error. Nothing else knows its wire format.
 */
import type { ChatRequest, ChatResponse, StreamFailure } from '../../core/chat.ts'
import type { Dialect, Frame, StreamEncoder } from '../../core/dialect.ts'
import type { JsonObject, JsonValue } from '../../core/json/value.ts'
import type { Steps } from '../../core/steps.ts'
import type { Failure } from '../gateway-error.ts'
import type { HostedForm } from '../hosted/hosted-tool.ts'
import type { OverflowMessage } from '../overflow-words.ts'
import type { ModelPlaces } from '../reply-model.ts'

export interface Endpoint {
  readonly id: string
  readonly dialect: Dialect
  /** Where clients of this API find the list of models. Default: `GET /v1/models`. */
  readonly listedAt?: string
  /** The whole path; a group called `model` has the model where the path says it. */
  readonly path: RegExp
  /** What is plain to see, without reading all of the body. */
  readonly sight: (body: JsonObject, place: Place) => Sight
  /** The definitions of tools, as they stand in a body. */
  readonly toolsIn: (body: JsonObject) => readonly JsonValue[]
  /** The question in the neutral model, read in steps; throws a TypeError when it is none. */
  readonly read: (body: JsonObject, sight: Sight) => Steps<ChatRequest>
  /** True when a provider of the same dialect can answer in its own words. */
  readonly passes: (place: Place) => boolean
  /** The body for such a provider. */
  readonly rename: (body: JsonObject, model: string) => JsonObject
  /** Where its replies, whole or streamed, name the model. */
  readonly modelPlaces: ModelPlaces
  readonly writeReply: (response: ChatResponse, facts: ReplyFacts) => JsonObject
  readonly openStream: (sight: Sight, facts: ReplyFacts) => ReplyStream
  /** What tells a client in the middle of a provider's own stream that it broke off. */
  readonly writeBreak: (failure: StreamFailure, stream: BrokenStream) => string
  readonly writeError: (failure: Failure) => JsonObject
  /** What clients of the API look for when a request is longer than the model can read. */
  readonly overflowMessage?: OverflowMessage
  /** For APIs with tools that their maker runs. */
  readonly hosted?: HostedForm
  /** A status that the dialect's clients know better than ours. */
  readonly statusOf?: (failure: Failure) => number | undefined
  /** The rest of a path that only a provider of the same API can serve, such as the id of a reply. */
  readonly suffix?: string
  /** The id under which the provider keeps a reply, from its body or its first frames. */
  readonly keptId?: (text: string) => string | undefined
  /** A provider's own reply with what clients expect and some services leave out; the same one where nothing lacks. */
  readonly filled?: Filling
  /** For dialects whose clients may refer to what was said before. */
  readonly references?: References
  /** Stands near the end of every stream that has said all it has to say. */
  readonly complete: RegExp
}

export interface Filling {
  reply(body: JsonObject): JsonObject
  frames(bytes: Uint8Array): Uint8Array
}

/** What is kept of replies because later questions may only name it. */
export interface References {
  /** What a question refers to. */
  names(body: JsonObject): readonly string[]
  /** The question with all of it in its place; throws a GatewayError when it cannot do without one. */
  resolve(body: JsonObject, found: ReadonlyMap<string, JsonValue>): JsonObject
  /** What of a reply, and of the question it answers, is to be kept under which names. */
  keep(body: JsonObject, reply: JsonObject): readonly (readonly [name: string, value: JsonValue])[]
  /** The id of a reply that clients may ask for, with what is to be kept of it besides. */
  about?(reply: JsonObject): readonly [id: string, about: JsonObject] | undefined
}

/** Where a request went. */
export interface Place {
  readonly path: string
  readonly query: URLSearchParams
  /** The model in the path. */
  readonly model: string | undefined
}

export interface Sight {
  readonly model: string
  readonly streamed: boolean
  /** How many tools are offered. */
  readonly tools: number
  /** The reply in a stream tells what it cost. */
  readonly usage: boolean
  readonly place: Place
}

export interface ReplyFacts {
  /** For replies whose provider gave none. */
  readonly id: string
  /** The name that the client asked for. */
  readonly model: string
  /** True: the provider has another name for it, which the reply does not show. */
  readonly isRenamed?: boolean | undefined
  /** Seconds since 1970. */
  readonly created: number
}

/** A stream in the provider's own words that did not come to its end. */
export interface BrokenStream {
  readonly sight: Sight
  readonly facts: ReplyFacts
  /** The first and the last frames that the client has. */
  readonly first: string
  readonly last: string
}

export interface ReplyStream {
  readonly contentType: string
  readonly encoder: StreamEncoder
  write(frames: readonly Frame[]): string
  /** What comes behind everything else. */
  end(): string
  /** A sign of life between two frames; empty where there is none. */
  readonly keepAlive: string
}

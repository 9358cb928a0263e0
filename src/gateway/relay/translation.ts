/** From one API besides chat to another that says the same in other words. */
import { ProviderError } from '../../client/errors.ts'
import type { Frame, Framing } from '../../core/dialect.ts'
import type { JsonObject } from '../../core/json/value.ts'
import type { ApiId } from '../../providers/apis.ts'
import { GatewayError } from '../gateway-error.ts'

export interface Translation {
  readonly from: ApiId
  readonly to: ApiId
  /** The fields of a request that the other API has as well; all others are reported as lost. */
  readonly carried: readonly string[]
  /** Throws a GatewayError when the body is no request, and a ProviderError for what the other API cannot say. */
  request(body: JsonObject, model: string): JsonObject
  /** Throws a ProviderError when the body is no reply. */
  reply(body: JsonObject, asked: AskedRelay): JsonObject
  readonly stream?: StreamTranslation
}

export interface StreamTranslation {
  readonly contentType: string
  /** How the provider's stream is framed. */
  readonly framing: Framing
  open(asked: AskedRelay): StreamWriter
}

export interface StreamWriter {
  /** The frames for the client that a frame of the provider becomes, as text. */
  push(frame: Frame): string
  /** What ends the stream. */
  end(): string
}

/** The request that a reply is for. */
export interface AskedRelay {
  readonly body: JsonObject
  /** The model as the client names it. */
  readonly model: string
  /** For replies whose provider gave none. */
  readonly id: string
  /** Milliseconds since 1970. */
  readonly at: number
}

export function noReply(what: string): ProviderError {
  return new ProviderError('server_error', `the provider answered without ${what}`)
}

/** Only other providers of the model may be able to do it. */
export function cannotSay(what: string): ProviderError {
  return new ProviderError('unsupported', `${what} cannot be passed on to this provider's API`)
}

export function notARequest(message: string): GatewayError {
  return new GatewayError('invalid_request', message)
}

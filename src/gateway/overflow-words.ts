/**
 * Errors about requests that are longer than the model can read, in the words of the client's own API: agents look for
 * these words, and make their history or the reply they ask for shorter by themselves.
 */
import { type Overlong, overlongPart } from '../client/context-overflow.ts'
import { classifyFailure } from '../client/error-class.ts'
import type { StreamFailure } from '../core/chat.ts'
import type { Endpoint } from './endpoints/endpoint.ts'
import type { Failure } from './gateway-error.ts'

/** A token is about so many bytes of a request. */
const BYTES_OF_TOKEN = 4

/** The failure as clients of the endpoint know it. */
export function inWordsOf(endpoint: Endpoint, failure: Failure, bytesIn: number): Failure {
  const { overflow, message } = failure
  if (!overflow || !endpoint.overflowMessage) return failure
  const part = overlongPart(overflow, Math.ceil(bytesIn / BYTES_OF_TOKEN))
  return { ...failure, message: endpoint.overflowMessage(message, part) }
}

/** The same for what goes wrong in a stream. */
export function streamedInWordsOf(endpoint: Endpoint, failure: StreamFailure): StreamFailure {
  const { overflow } = classifyFailure(failure)
  if (!overflow || !endpoint.overflowMessage) return failure
  const message = endpoint.overflowMessage(failure.message, overlongPart(overflow))
  // Its status says to every API that the request was wrong.
  return { ...failure, message, code: 'context_length_exceeded', status: 400 }
}

/** How an API says it; `part` is undefined where the provider gave no numbers. */
export type OverflowMessage = (message: string, part: Overlong | undefined) => string

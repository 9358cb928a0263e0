/** The stream of a chain: it may change its source until a user has seen something of it. */
import type { ChatEvent } from '../../core/chat.ts'
import type { ClientRequest, RequestOptions } from '../chat-client.ts'
import type { Ending } from '../chat-stream.ts'
import { ProviderError } from '../errors.ts'
import { streamFailure } from '../stream-failure.ts'
import { policyFor } from './failure-policy.ts'
import { eventsOf, failureOf, type Opening, openStream } from './opening.ts'
import type { Answer, Ask, Send } from './route.ts'

const send: Send<Opening> = (client, request, options) =>
  openStream(client.stream(request, options))

export async function* relay(
  ask: Ask,
  request: ClientRequest,
  options: RequestOptions,
  ending: Ending,
): AsyncGenerator<ChatEvent, void> {
  try {
    yield* passOn(await ask(request, options, send), options, ending)
  } catch (error) {
    ending.reject(error)
    yield { type: 'error', error: streamFailure(error, options) }
  }
}

/** The events of the client that answers. From here on its failure is the failure of the request. */
async function* passOn(
  { value: opening, visit, leave }: Answer<Opening>,
  { signal }: RequestOptions,
  ending: Ending,
): AsyncGenerator<ChatEvent, void> {
  function lose(error: unknown): void {
    const counts = error instanceof ProviderError && !signal?.aborted
    if (counts) visit.fail(error, policyFor(error).cooldown)
    ending.reject(error)
  }

  // It answers: others need not wait until it is done.
  visit.leave()
  try {
    for await (const event of eventsOf(opening)) {
      if (event.type === 'error') lose(await failureOf(event.error, opening))
      if (event.type === 'finish') {
        visit.succeed()
        ending.resolve(event.response)
      }
      yield event
    }
  } catch (error) {
    lose(error)
    throw error
  } finally {
    leave()
  }
}

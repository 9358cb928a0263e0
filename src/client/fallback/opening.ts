/** The beginning of a stream, as long as it can still be replaced by another one. */
import type { ChatEvent, ChatResponse, StreamFailure } from '../../core/chat.ts'
import type { ChatStream } from '../chat-client.ts'
import { classifyFailure } from '../error-class.ts'
import { ProviderError } from '../errors.ts'

/** A stream that has begun to answer. */
export interface Opening {
  readonly stream: ChatStream
  /** What was read so far; only the last can be seen by a user. */
  readonly held: readonly ChatEvent[]
  readonly rest: AsyncIterator<ChatEvent>
}

/** Reads up to the first event that a user can see. Rejects when the stream fails before. */
export async function openStream(stream: ChatStream): Promise<Opening> {
  const rest = stream[Symbol.asyncIterator]()
  const held: ChatEvent[] = []
  try {
    while (true) {
      const { done, value: event } = await rest.next()
      if (done) throw new ProviderError('transport', 'the stream ended without an answer')
      if (event.type === 'error') throw await failureOf(event.error, { stream, rest })
      if (event.type === 'finish') checkReply(event.response)
      held.push(event)
      if (isVisible(event)) return { stream, held, rest }
    }
  } catch (error) {
    await rest.return?.()
    throw error
  }
}

/** All events of a stream that was opened. Leaving them ends the stream; throws when there is no last one. */
export async function* eventsOf({ held, rest }: Opening): AsyncGenerator<ChatEvent, void> {
  try {
    yield* held
    let last = held.at(-1)
    for (let next = await rest.next(); !next.done; next = await rest.next()) {
      last = next.value
      yield last
    }
    if (last?.type !== 'finish' && last?.type !== 'error') {
      throw new ProviderError('transport', 'the stream broke off')
    }
  } finally {
    await rest.return?.()
  }
}

function isVisible(event: ChatEvent): boolean {
  if (event.type === 'start' || event.type === 'issue') return false
  return 'text' in event ? event.text !== '' : true
}

/** What a stream that ended with an error event rejects its response with. */
export async function failureOf(
  failure: StreamFailure,
  { stream, rest }: Pick<Opening, 'stream' | 'rest'>,
): Promise<unknown> {
  // The event is the last one, and only behind it is the stream at its end.
  await rest.next()
  return stream.response.then(
    () => classifyFailure(failure),
    (reason: unknown) => reason,
  )
}

/** A reply that ended with an error and says nothing: the model wrote what nobody could read. */
export function checkReply({ finishReason, stopReason, message, model }: ChatResponse): void {
  if (finishReason !== 'error' || message.content.length > 0 || message.toolCalls?.length) return
  const reason = stopReason === undefined ? '' : ` (${stopReason})`
  throw new ProviderError('bad_request', `the reply ended with an error and is empty${reason}`, {
    model,
    providerCode: stopReason,
    retryable: true,
  })
}

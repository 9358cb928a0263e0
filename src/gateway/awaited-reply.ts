/**
 * A stream whose reply is still to come. When a provider is silent for a while, the client gets the head of the
 * reply and signs of life; until then an error keeps its HTTP status. The chain goes on asking its members either
 * way, because nothing of a reply has gone out.
 */
import { streamFailure } from '../client/stream-failure.ts'
import type { StreamFailure } from '../core/chat.ts'
import type { Answered } from './answering.ts'
import type { Endpoint } from './endpoints/endpoint.ts'
import { failureOf } from './gateway-error.ts'
import { type ByteSink, type ByteSource, isWhole } from './http.ts'
import { inWordsOf } from './overflow-words.ts'
import type { Answer, Question } from './question.ts'

/** The head of a reply whose body is still to come. */
export interface Awaited extends Answer {
  readonly body: ByteSource
  /** What answers in the end; undefined until then. */
  answered(): Answered | undefined
}

/** The reply, or a placeholder for a reply that does not come within `ms`. Rejects with an error that occurs before. */
export async function repliedWithin(
  ms: number,
  question: Question,
  reply: Promise<Answered>,
): Promise<Answered | Awaited> {
  const { endpoint, sight, facts } = question
  if (!sight.streamed) return reply
  const { contentType, keepAlive } = endpoint.openStream(sight, facts)
  const writeError = (error: unknown): string => errorFrames(error, question)
  return begunWithin(ms, { contentType, keepAlive, writeError }, reply)
}

/** How a stream begins before its reply does. */
export interface StreamHead extends Pick<Answer, 'contentType' | 'keepAlive'> {
  /** The last frames, when there is no reply in the end. */
  writeError(error: unknown): string
}

/** The same for any stream. */
export async function begunWithin(
  ms: number,
  { writeError, ...head }: StreamHead,
  reply: Promise<Answered>,
): Promise<Answered | Awaited> {
  if (await isSettledWithin(ms, reply)) return reply
  const body = new AwaitedBody(reply, writeError)
  return { ...head, headers: {}, body, answered: () => body.answered }
}

export function isAwaited(reply: Answered | Awaited): reply is Awaited {
  return 'answered' in reply
}

function isSettledWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms)
    const settle = (): void => {
      clearTimeout(timer)
      resolve(true)
    }
    promise.then(settle, settle)
  })
}

function errorFrames(error: unknown, { endpoint, sight, facts, report }: Question): string {
  report.failure = error
  report.isUnanswered = true
  const failure = shownFailure(error, endpoint)
  return endpoint.writeBreak(failure, { sight, facts, first: '', last: '' })
}

/** With the message that a refusal would have, which says nothing of mistakes of our own. */
function shownFailure(error: unknown, endpoint: Endpoint): StreamFailure {
  const failure = failureOf(error)
  const { code, status, overflow } = failure
  const { message } = inWordsOf(endpoint, failure, 0)
  // The provider's own code for it says nothing to clients of other APIs.
  if (overflow) return { code, status, message }
  return { code, ...streamFailure(error), message }
}

class AwaitedBody implements ByteSource {
  readonly #reply: Promise<Answered>
  readonly #write: (error: unknown) => string
  answered: Answered | undefined
  #source: ByteSource | undefined
  #isPaused = false
  #isLeft = false

  constructor(reply: Promise<Answered>, write: (error: unknown) => string) {
    this.#reply = reply
    this.#write = write
    // The failure is written when the body is read, and nobody may read it.
    reply.catch(() => {})
  }

  start(sink: ByteSink): void {
    this.#reply.then(
      (answered) => this.#pass(answered, sink),
      (error: unknown) => this.#end(this.#write(error), sink),
    )
  }

  pause(): void {
    this.#isPaused = true
    this.#source?.pause()
  }

  resume(): void {
    this.#isPaused = false
    this.#source?.resume()
  }

  cancel(): void {
    this.#isLeft = true
    this.#source?.cancel()
  }

  #pass(answered: Answered, sink: ByteSink): void {
    this.answered = answered
    const { body } = answered
    if (isWhole(body)) return this.#end(body, sink)
    if (this.#isLeft) return body.cancel()
    this.#source = body
    body.start(sink)
    if (this.#isPaused) body.pause()
  }

  #end(bytes: string | Uint8Array, sink: ByteSink): void {
    if (this.#isLeft) return
    sink.data(typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes)
    sink.end()
  }
}

/** A client whose requests are seen. */

import { context } from '@opentelemetry/api'
import type { ChatClient, ClientRequest, RequestOptions } from '../client/chat-client.ts'
import { createChatStream, type Ending } from '../client/chat-stream.ts'
import { checkFunction, checkObject } from '../core/caller-input.ts'
import type { ChatEvent } from '../core/chat.ts'
import { startChat } from './chat-span.ts'
import { ACTIVE_SCOPE, type Scope } from './span-scope.ts'
import { createTelemetry, type Telemetry, type TelemetryOptions } from './telemetry.ts'

/** So that nobody is watched twice. */
const TRACED = new WeakSet<ChatClient>()

/**
 * The client with a span `chat <model>` for each request, and measurements of tokens and time.
 *
 * @example
 * const client = traceClient(createClient({ provider: 'ollama', model: 'qwen3' }))
 */
export function traceClient(client: ChatClient, options: TelemetryOptions = {}): ChatClient {
  checkObject('a client', client, 'what createClient() gives')
  checkFunction('complete of the client', client.complete)
  return traceClientIn(client, createTelemetry(options), ACTIVE_SCOPE)
}

export function traceClientIn(client: ChatClient, telemetry: Telemetry, scope: Scope): ChatClient {
  if (TRACED.has(client)) return client

  async function complete(request: ClientRequest, options?: RequestOptions) {
    const span = startChat(client, request, false, telemetry, scope)
    try {
      const response = await context.with(span.context, () => client.complete(request, options))
      span.succeed(response)
      return response
    } catch (error) {
      span.fail(error)
      throw error
    }
  }

  async function* relay(
    request: ClientRequest,
    options: RequestOptions | undefined,
    ending: Ending,
  ): AsyncGenerator<ChatEvent, void> {
    const span = startChat(client, request, true, telemetry, scope)
    const stream = context.with(span.context, () => client.stream(request, options))
    const events = stream[Symbol.asyncIterator]()
    try {
      while (true) {
        // The request is sent, and its answer read, by whoever asks for the next event.
        const { done, value } = await context.with(span.context, () => events.next())
        if (done) break
        span.chunk()
        if (value.type === 'finish') span.succeed(value.response)
        yield value
      }
      ending.resolve(await stream.response)
    } catch (error) {
      span.fail(error)
      ending.reject(error)
    } finally {
      span.leave()
      // Does nothing at the end of the stream; before it, the request is given up.
      await events.return?.()
    }
  }

  const traced: ChatClient = {
    get provider() {
      return client.provider
    },
    get model() {
      return client.model
    },
    get capabilities() {
      return client.capabilities
    },
    complete,
    stream: (request, options) => createChatStream((ending) => relay(request, options, ending)),
  }
  TRACED.add(traced)
  return traced
}

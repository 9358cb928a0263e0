/** Our chain of clients, asked the way the recorded vectors describe it. */
import type { ChatClient } from '../../src/client/chat-client.ts'
import { createChatStream } from '../../src/client/chat-stream.ts'
import { classify } from '../../src/client/error-class.ts'
import type { ProviderError, ProviderErrorCode } from '../../src/client/errors.ts'
import { createFallback, type Fallback } from '../../src/client/fallback.ts'
import type { ChatResponse } from '../../src/core/chat.ts'

/** An error as text, with the status in front if it has one. */
export function errorOf(text: string): ProviderError {
  const [, status] = /^(\d{3}) /.exec(text) ?? []
  return classify({ body: text, ...(status && { status: Number(status) }) })
}

/** Our kinds under their names; an error that nobody knows is one of the provider. */
const KINDS: Readonly<Record<string, readonly ProviderErrorCode[]>> = {
  rate_limit: ['rate_limited'],
  timeout: ['timeout'],
  auth_error: ['unauthorized'],
  server_error: ['server_error', 'overloaded'],
  model_not_found: ['not_found'],
  context_too_long: ['context_length_exceeded'],
  unknown: ['server_error'],
}

export function isKind(code: ProviderErrorCode, kind: string): boolean {
  return KINDS[kind]?.includes(code) ?? false
}

export interface CountingClient extends ChatClient {
  calls: number
  /** `ok`, or the error it fails with. */
  does: string
}

export function countingClient(model: string, does = 'ok', nativeTools = true): CountingClient {
  return {
    provider: model,
    model,
    calls: 0,
    does,
    capabilities: { nativeTools, streamsTools: false, toolMode: nativeTools ? 'native' : 'text' },
    async complete() {
      this.calls += 1
      if (this.does !== 'ok') throw errorOf(this.does)
      return reply(model)
    },
    stream: () =>
      createChatStream(async function* () {
        yield { type: 'finish', response: reply(model) }
      }),
  }
}

function reply(content: string): ChatResponse {
  return { message: { role: 'assistant', content }, finishReason: 'stop', usage: {}, issues: [] }
}

/** A chain that never waits and whose clock is moved by hand. */
export function patientChain(
  clients: readonly ChatClient[],
  retries = 0,
): { readonly chain: Fallback; readonly clock: { now: number } } {
  const clock = { now: 0 }
  const chain = createFallback(clients, {
    retries,
    now: () => clock.now,
    sleep: () => Promise.resolve(),
  })
  return { chain, clock }
}

/** Providers without a network: a gateway's `send` that is answered in the same process. */
import { isJsonObject, type JsonObject } from '../../src/core/json/value.ts'
import { streamSource } from '../../src/gateway/byte-source.ts'
import type { Send } from '../../src/gateway/http.ts'

export interface SentRequest {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: JsonObject
}

export interface FakeProviders {
  readonly send: Send
  readonly requests: SentRequest[]
}

export function fakeProviders(answer: (request: SentRequest) => Response): FakeProviders {
  const requests: SentRequest[] = []
  return {
    requests,
    async send({ url, headers, body = '{}' }) {
      const parsed: unknown = typeof body === 'string' ? JSON.parse(body) : undefined
      const request = { url, headers, body: isJsonObject(parsed) ? parsed : {} }
      requests.push(request)
      const response = answer(request)
      const stream = response.body ?? new ReadableStream({ start: (it) => it.close() })
      const { status } = response
      return { status, headers: Object.fromEntries(response.headers), body: streamSource(stream) }
    },
  }
}

export function sseResponse(...frames: readonly (JsonObject | string)[]): Response {
  const lines = frames.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
  const text = lines.map((line) => `data: ${line}\n\n`).join('')
  return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
}

export function postRequest(path: string, body: JsonObject): Request {
  return new Request(`http://gateway.test${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

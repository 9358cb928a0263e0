/** A {@link Send} whose replies hold no keys of the provider: not in the body, the headers, or what it throws. */
import { replyMask } from '../client/reply-mask.ts'
import type { SecretMask } from '../client/secret-mask.ts'
import type { Secrets } from '../client/secrets.ts'
import type { ByteSink, ByteSource, HeaderMap, Send } from './http.ts'

export function maskedSend(send: Send, secrets: Secrets): Send {
  return async (request) => {
    try {
      const { status, headers, body } = await send(request)
      const mask = replyMask(headers['content-type'], secrets)
      return {
        status,
        headers: maskedHeaders(headers, secrets),
        body: maskedSource(body, mask, secrets),
      }
    } catch (error) {
      throw secrets.hideIn(error)
    }
  }
}

function maskedHeaders(headers: HeaderMap, { hide }: Secrets): HeaderMap {
  // Mostly there is nothing to hide, and to look once costs less than to look for each.
  const all = Object.entries(headers).flat().join('\n')
  if (hide(all) === all) return headers
  const clean: Record<string, string | undefined> = {}
  for (const [name, value] of Object.entries(headers)) {
    if (hide(name) === name) clean[name] = value === undefined ? undefined : hide(value)
  }
  return clean
}

function maskedSource(source: ByteSource, mask: SecretMask, secrets: Secrets): ByteSource {
  let isLeft = false

  function give(sink: ByteSink, bytes: Uint8Array): void {
    if (bytes.length > 0) sink.data(bytes)
  }

  return {
    start: (sink) =>
      source.start({
        data: (bytes) => give(sink, mask.push(bytes)),
        end() {
          give(sink, mask.end())
          if (!isLeft) sink.end()
        },
        fail(error) {
          give(sink, mask.end())
          if (!isLeft) sink.fail(secrets.hideIn(error))
        },
      }),
    pause: () => source.pause(),
    resume: () => source.resume(),
    cancel() {
      isLeft = true
      source.cancel()
    },
  }
}

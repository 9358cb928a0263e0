/** `fetch` on top of a {@link Send}, for the clients: as much of a response as they read, and no more. */
import type { ByteSource, HeaderMap, Send, UpstreamReply } from './http.ts'

export function fetchOver(send: Send): typeof fetch {
  return async (input, init = {}) => {
    const { method = 'GET', headers, body, signal } = init
    const reply = await send({
      method: method === 'POST' ? 'POST' : 'GET',
      url: new URL(input instanceof Request ? input.url : input),
      headers: Object.fromEntries(new Headers(headers)),
      ...(body != null && { body: String(body) }),
      ...(signal && { signal }),
    })
    return asResponse(reply)
  }
}

function asResponse({ status, headers, body }: UpstreamReply): Response {
  const response = {
    status,
    ok: status >= 200 && status < 300,
    type: 'default',
    headers: asHeaders(headers),
    body: readable(body),
  }
  // A real Response brings web streams with it, which cost ten times what all the rest does. Our clients
  // read these five fields.
  return response as Partial<Response> as Response
}

function asHeaders(map: HeaderMap): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(map)) if (value !== undefined) headers.set(name, value)
  return headers
}

type Body = Pick<ReadableStream<Uint8Array>, 'cancel'> & {
  getReader(): Pick<ReadableStreamDefaultReader<Uint8Array>, 'read' | 'cancel' | 'releaseLock'>
}

type Step = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>['read']>>

/** Bytes that were not asked for yet, beyond which the source is stopped. */
const ENOUGH_BYTES = 256 * 1024

function readable(source: ByteSource): Response['body'] {
  const waiting: Uint8Array[] = []
  let length = 0
  let isStarted = false
  let isPaused = false
  let ending: (() => Promise<Step>) | undefined
  let answer: ((step: Step | Promise<Step>) => void) | undefined

  function settle(step: () => Promise<Step>): void {
    ending ??= step
    answer?.(ending())
    answer = undefined
  }

  function start(): void {
    isStarted = true
    source.start({
      data(value) {
        if (answer) {
          const give = answer
          answer = undefined
          give({ done: false, value: value as Uint8Array<ArrayBuffer> }) // never shared memory
          return
        }
        waiting.push(value)
        length += value.length
        if (length <= ENOUGH_BYTES) return
        isPaused = true
        source.pause()
      },
      end: () => settle(async () => ({ done: true, value: undefined })),
      fail: (error) => settle(() => Promise.reject(error)),
    })
  }

  function read(): Promise<Step> {
    const value = waiting.shift()
    if (value) {
      length -= value.length
      if (isPaused && waiting.length === 0) resume()
      return Promise.resolve({ done: false, value: value as Uint8Array<ArrayBuffer> })
    }
    if (ending) return ending()
    return new Promise((resolve) => {
      answer = resolve
      if (!isStarted) start()
    })
  }

  function resume(): void {
    isPaused = false
    source.resume()
  }

  async function cancel(): Promise<void> {
    settle(async () => ({ done: true, value: undefined }))
    source.cancel()
  }

  const body: Body = { cancel, getReader: () => ({ read, cancel, releaseLock() {} }) }
  return body as ReadableStream<Uint8Array<ArrayBuffer>> // what of it is read: see above
}
